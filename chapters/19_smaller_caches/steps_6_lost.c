// Chapter 19, steps 6 and 8. What model C loses by fewer bits; and all ways against bytes. What takes long was measured
// before, by steps_9_retrain.c.
#include "base/portable_math.h"
#include "steps.h"

#include <stdio.h>

static const float OUTLIERS[] = { 1, 10, 30 };
enum { OUTLIER_COUNT = 3 };

// With what the reader chose: a few documents are enough to see it.
static void here_and_now(Lesson *lesson, Transformer model, TableRows rows, const Choices *choices)
{
    enum { FEW = 8 };
    QuantisedKind kind = choices->bits == 8 ? QUANTISED_INT8 : choices->bits == 4 ? QUANTISED_INT4 : QUANTISED_INT2;
    Way way = { .keeping = KEEP_CODES, .format = format_of(kind, choices->block) };
    Transformer planted = with_outlier(lesson->arena, model, choices->outlier);
    RunBatch documents = documents_of(lesson->arena, FEW);
    double full = measure_way(planted, documents, (Way){ .keeping = KEEP_FLOATS }).loss;
    Measured channel = measure_way(planted, documents, way);
    way.format.keys = QUANTISED_PER_TOKEN;
    Measured token = measure_way(planted, documents, way);
    say(lesson,
        "Here and now, %d documents, %s in blocks of %d, outlier × %g: %.0f bytes a token and %.4f above "
        "float32 with keys per channel, %.0f and %.4f per token.",
        FEW, quantised_names[kind], choices->block, (double)choices->outlier, channel.bytes, channel.loss - full,
        token.bytes, token.loss - full);
    if (!choices->as_table) return;
    double of = from_table(rows, "float32").loss;
    double by_channel = from_table(rows, "INT4, keys per channel, outlier 30").loss - of;
    double by_token = from_table(rows, "INT4, keys per token, outlier 30").loss - of;
    check(lesson,
          channel.bytes == from_table(rows, "INT4, keys per channel, outlier 30").bytes &&
              fabs(channel.loss - full - by_channel) < 0.01 && fabs(token.loss - full - by_token) < 0.3 * by_token,
          "so few documents agree with the table: within 0.01, and within a third");
}

void what_is_lost(Lesson *lesson, Transformer model, TableRows rows, const Choices *choices)
{
    static const char *const cols[] = { "× 1", "× 10", "× 30" };
    step(lesson, "What the model loses");
    Measured full = from_table(rows, "float32");
    Rows table = rows_of(lesson, "loss above float32's, by the planted outlier", cols, OUTLIER_COUNT);
    table.table.decimals = 4;
    double least = 1.0, most = 0.0, worst = 0.0;
    for (int kind = 0; kind < QUANTISED_KINDS; kind++)
        for (int g = 0; g < (kind == QUANTISED_FLOAT8 ? 1 : 2); g++) {
            double row[OUTLIER_COUNT], bytes = 0.0;
            const char *keys = kind == QUANTISED_FLOAT8 ? "" : g == 0 ? ", keys per channel" : ", keys per token";
            for (int s = 0; s < OUTLIER_COUNT; s++) {
                Measured m = from_table(rows, arena_format(lesson->arena, "%s%s, outlier %g", quantised_names[kind],
                                                           keys, (double)OUTLIERS[s]));
                bytes = m.bytes;
                row[s] = m.loss - full.loss;
            }
            rows_add(&table, row, "%s%s: %.0f bytes", quantised_names[kind], keys, bytes);
            if (kind == QUANTISED_INT4 && g == 0) most = fmax(fabs(row[0]), fabs(row[2]));
            if (kind == QUANTISED_INT4 && g == 1) worst = row[2];
            if (kind == QUANTISED_INT8 && g == 0) least = fabs(row[0]);
        }
    say(lesson, "256 documents of 128 tokens. In float32 %.0f bytes a token, and a loss of %.4f nats a word.",
        full.bytes, full.loss);
    show_rows(lesson, &table);
    check(lesson, least < 0.0005, "INT8 costs less than 0.0005 nats");
    check(lesson, most < 0.01, "INT4 with keys per channel less than 0.01, with the outlier and without");
    check(lesson, worst > 10 * most, "INT4 with keys per token and the outlier of 30: %.3f", worst);
    here_and_now(lesson, model, rows, choices);
}

// ---- 8. All ways against bytes

enum { KEPT = 6, TRAINED = 4 };
static const int BUDGET[KEPT] = { 8, 16, 32, 48, 64, 96 };

// Mean over the seeds of the models whose layers share, above the same training without.
typedef struct {
    double bytes[TRAINED], above[TRAINED], low[TRAINED], high[TRAINED];
    int below[TRAINED]; // in so many seeds it loses less than the first row does
    int nearer;         // … in pairs, G = 2, less than each its own, G = 1
    int seeds;
} Trained;

static Trained trained_of(Lesson *lesson, TableRows shared)
{
    Trained t = { .seeds = shared.values.rows / TRAINED };
    double one_head[16];
    for (int n = 0; n < TRAINED; n++) {
        t.low[n] = INFINITY;
        t.high[n] = -INFINITY;
        for (int seed = 0; seed < t.seeds; seed++) {
            Measured base = from_table(shared, arena_format(lesson->arena, "1 layers share, G = 2, seed %d", seed));
            Measured own = from_table(shared, arena_format(lesson->arena, "%d layers share, G = %d, seed %d", 1 + n / 2,
                                                           2 - n % 2, seed));
            t.bytes[n] = own.bytes;
            t.above[n] += (own.loss - base.loss) / t.seeds;
            t.below[n] += own.loss < base.loss;
            if (n == 1) one_head[seed % 16] = own.loss;
            if (n == 2) t.nearer += own.loss < one_head[seed % 16];
            t.low[n] = fmin(t.low[n], own.loss);
            t.high[n] = fmax(t.high[n], own.loss);
        }
    }
    return t;
}

static void show_trained(Lesson *lesson, const Trained *t)
{
    static const char *const cols[] = { "above", "lowest", "highest" };
    static const char *const names[TRAINED] = { "each its own, G = 2", "each its own, G = 1", "in pairs, G = 2",
                                                "in pairs, G = 1" };
    Rows table =
        rows_of(lesson, arena_format(lesson->arena, "trained so from the start, 500 steps, %d seeds: loss", t->seeds),
                cols, 3);
    table.table.decimals = 3;
    for (int n = 0; n < TRAINED; n++)
        rows_add(&table, ROW(t->above[n], t->low[n], t->high[n]), "%s: %.0f bytes", names[n], t->bytes[n]);
    show_rows(lesson, &table);
    say(lesson,
        "With G = 2, pairs lose less than each its own in %d of %d seeds; less than each its own with G = 1, "
        "which takes as many bytes, in %d.",
        t->below[2], t->seeds, t->nearer);
    check(lesson, t->bytes[2] * 2 == t->bytes[0] && t->bytes[2] == t->bytes[1] && t->bytes[3] * 4 == t->bytes[0],
          "in pairs of layers half the bytes, as with half the key heads; with both a quarter");
    check(lesson, fmax(fabs(t->above[2]), fabs(t->above[3])) < t->high[0] - t->low[0],
          "layers in pairs: no further from the first row than its seeds are apart, %.3f", t->high[0] - t->low[0]);
}

// ---- error above, loss below, against the same bytes

enum { CODES = 6, LINES = 3 };
static const struct {
    const char *row, *name;
} ONE[CODES] = {
    { "INT8, keys per channel, outlier 1", "INT8" },
    { "FP8-E4M3, outlier 1", "FP8" },
    { "INT4, keys per channel, outlier 1", "INT4" },
    { "INT2, keys per channel, outlier 1", "INT2" },
    { "INT4, keys per token, outlier 30", "INT4 per token, outlier" },
    { "in pairs, as it is", "in pairs, untrained" },
};

static Measured of_budget(Lesson *lesson, TableRows rows, int policy, int b)
{
    return from_table(rows, arena_format(lesson->arena, "%s, %d", evicting_names[policy], BUDGET[b]));
}

static void figure_bytes(Lesson *lesson, TableRows rows, double full)
{
    static const double least = 1e-4; // the lowest loss that the figure shows
    double x[LINES][KEPT], error[LINES][KEPT], loss[LINES][KEPT];
    const char *labels[CODES], *above[CODES];
    for (int k = 0; k < CODES; k++) {
        Measured m = from_table(rows, ONE[k].row);
        x[0][k] = m.bytes;
        error[0][k] = m.error;
        loss[0][k] = fmax(m.loss - full, least);
        above[k] = labels[k] = ONE[k].name;
        if (m.loss - full < least) labels[k] = arena_format(lesson->arena, "%s: less than %g", ONE[k].name, least);
    }
    for (int p = 0; p < 2; p++)
        for (int b = 0; b < KEPT; b++) {
            Measured m = of_budget(lesson, rows, p, b);
            x[1 + p][b] = m.bytes;
            error[1 + p][b] = m.error;
            loss[1 + p][b] = m.loss - full;
        }
    PlotSeries panels[2][LINES];
    for (int panel = 0; panel < 2; panel++) // in the colours of budgets.png
        for (int n = 0; n < LINES; n++) {
            int of = n == 2 ? 0 : 1 + n;
            panels[panel][n] = (PlotSeries){ .name = n == 2 ? NULL : evicting_names[n],
                                             .x = x[of],
                                             .y = panel ? loss[of] : error[of],
                                             .count = KEPT,
                                             .dots = n == 2,
                                             .labels = n < 2   ? NULL
                                                       : panel ? labels
                                                               : above };
        }
    const Plot plots[2] = { { .title = "Model C: fewer bits, fewer tokens, fewer caches",
                              .y_title = "error of what the heads give, as a share of it",
                              .series = panels[0],
                              .count = LINES,
                              .log_x = true,
                              .log_y = true,
                              .y_low = 1e-3,
                              .y_high = 2,
                              .height = 320 },
                            { .x_title = "bytes a token of text, all layers",
                              .y_title = "loss above float32's with all tokens, nats a word",
                              .series = panels[1],
                              .count = LINES,
                              .log_x = true,
                              .log_y = true,
                              .y_low = least,
                              .y_high = 2,
                              .height = 350 } };
    figure_plots(lesson, "bytes.png",
                 "error and loss against bytes: fewer bits and fewer caches as dots, fewer tokens "
                 "as lines",
                 plots, 2);
}

// Two ways that are equally far off, in a few documents: how evenly is it spread?
static void where_it_is(Lesson *lesson, Transformer model, Measured two, Measured few, bool ours)
{
    enum { FEW = 8 };
    RunBatch documents = documents_of(lesson->arena, FEW);
    Measured bits =
        measure_way(model, documents, (Way){ .keeping = KEEP_CODES, .format = format_of(QUANTISED_INT2, 32) });
    Measured some = measure_way(model, documents, (Way){ .keeping = KEEP_SOME, .budget = 32 });
    say(lesson,
        "Here and now, %d documents: of the squares of INT2's error %.2f are in the worst tenth of what heads "
        "give, of H2O's with 32 kept %.2f.",
        FEW, bits.tenth, some.tenth);
    if (ours)
        check(lesson, fabs(bits.error / two.error - 1.0) < 0.1 && fabs(some.error / few.error - 1.0) < 0.1,
              "their errors, %.2f and %.2f, agree with the table within a tenth", bits.error, some.error);
}

void all_of_it(Lesson *lesson, Transformer model, TableRows rows, TableRows shared, bool ours)
{
    static const char *const cols[] = { "error", "loss" };
    step(lesson, "All of it, against bytes");
    Trained t = trained_of(lesson, shared);
    show_trained(lesson, &t);
    double full = from_table(rows, "float32").loss;
    Rows table = rows_of(lesson, "error of what heads give, and loss above float32's", cols, 2);
    table.table.decimals = 4;
    for (int k = 0; k < CODES; k++) {
        Measured m = from_table(rows, ONE[k].row);
        rows_add(&table, ROW(m.error, m.loss - full), "%s: %.0f bytes", ONE[k].name, m.bytes);
    }
    for (int p = 0; p < 2; p++) {
        Measured m = of_budget(lesson, rows, p, 2);
        rows_add(&table, ROW(m.error, m.loss - full), "%s, %d kept: %.0f bytes", evicting_names[p], BUDGET[2], m.bytes);
    }
    show_rows(lesson, &table);
    figure_bytes(lesson, rows, full);
    Measured four = from_table(rows, ONE[2].row), two = from_table(rows, ONE[3].row);
    Measured some = of_budget(lesson, rows, 0, 2);
    check(lesson, four.loss - full < 0.01 * (some.loss - full) && four.bytes < some.bytes,
          "INT4 keeps all tokens in %.0f bytes and loses %.4f; H2O with 32 tokens takes %.0f and loses %.3f",
          four.bytes, four.loss - full, some.bytes, some.loss - full);
    check(lesson, fabs(two.error / some.error - 1.0) < 0.05 && some.loss - full > 3 * (two.loss - full),
          "INT2 and H2O are equally far off, %.3f and %.3f; rounding costs %.3f, tokens that are gone %.3f", two.error,
          some.error, two.loss - full, some.loss - full);
    where_it_is(lesson, model, two, some, ours);
}
