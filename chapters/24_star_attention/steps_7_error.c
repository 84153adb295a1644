// Chapter 24, steps 7 and 8. What model C loses, by blocks and anchors; and the same keys spent otherwise. What takes
// minutes was measured before, by --retrain: data/models/star.tsv.
#include "base/portable_math.h"
#include "io/file.h"
#include "steps.h"
#include "train/bundled.h"

#include <string.h>

enum { BLOCKS = 5, ANCHORS = 9, BUDGETS = 3, WAYS = 5, KINDS = 5, DOCUMENTS = 256 };
enum { LOSS, DIVERGENCE, AGREE, COLUMNS };
enum { FEW = 12 }; // documents that every run reads again
#define FEW_NAME "the first 12, block 16, anchor 16"
static const int block_of[BLOCKS] = { 8, 16, 24, 32, 48 }, anchor_of[ANCHORS] = { 0, 1, 2, 4, 8, 16, 24, 32, 48 };
static const int budget_of[BUDGETS] = { 16, 32, 48 };

// ---- the table

static const char *const way_names[WAYS] = { "star", "block before", "larger blocks", "window", "query too" };

// The most keys that a token of the context sees: `budget`.
static Reading reading_of(int way, int budget)
{
    switch (way) {
    case 0: return (Reading){ .block = budget / 2, .anchor = budget / 2 };
    case 1:
        return (Reading){
            .block = budget / 2, .anchor = budget / 2, .before = BEFORE_PREVIOUS, .stands = STANDS_JUST_BEFORE
        };
    case 2: return (Reading){ .block = budget };
    default: return (Reading){ .window = budget, .narrow = way == 4 };
    }
}

static const char *const kind_names[KINDS] = { "first", "previous", "shuffled", "random", "one word" };
static const char *const stand_names[] = { "at 0", "just before" };

static const char *name_of(Arena *arena, Reading r)
{
    if (!r.block && !r.window) return "full";
    if (!r.block) return arena_format(arena, "window %d%s", r.window, r.narrow ? ", query too" : "");
    return arena_format(arena, "block %d, anchor %d, %s, %s", r.block, r.anchor, kind_names[r.before],
                        stand_names[r.stands]);
}

static const char *line_named(Arena *arena, const char *text, const char *name, Read m)
{
    return arena_format(arena, "%s%s\t%.5f\t%.6f\t%.5f\n", text, name, m.loss, m.divergence, m.agree);
}

static const char *line_of(Arena *arena, const char *text, Transformer model, RunBatch documents, Reading reading)
{
    return line_named(arena, text, name_of(arena, reading), reading_measured(model, documents, reading));
}

static RunBatch documents_of(Arena *arena, int count)
{
    Random random = random_from(2400);
    return document_batch(arena, count, &random, NULL);
}

void write_losses(Lesson *lesson, Transformer model, const char *folder)
{
    Arena *arena = lesson->arena;
    Error error;
    RunBatch documents = documents_of(arena, DOCUMENTS);
    const char *text = arena_format(arena,
                                    "# build/chapters/24_star_attention --retrain %s\n# Model C, %d documents: "
                                    "a context of %d words, and the %d behind them\n# reading\tloss\tdivergence from "
                                    "full attention\tlikeliest word the same\n",
                                    folder, DOCUMENTS, CONTEXT, QUERY);
    text = line_of(arena, text, model, documents, (Reading){ 0 });
    for (int b = 0; b < BLOCKS; b++)
        for (int a = 0; a < ANCHORS && anchor_of[a] <= block_of[b]; a++)
            text = line_of(arena, text, model, documents, (Reading){ .block = block_of[b], .anchor = anchor_of[a] });
    for (int w = 1; w < WAYS; w++)
        for (int n = 0; n < BUDGETS; n++)
            if (w != 2) text = line_of(arena, text, model, documents, reading_of(w, budget_of[n]));
    for (int kind = 0; kind < KINDS; kind++)
        for (int s = 0; s < 2; s++)
            if (kind + s > 0 && !(kind == BEFORE_PREVIOUS && s == 1))
                text = line_of(arena, text, model, documents, (Reading){ 16, 16, (Before)kind, (Stands)s, 0, false });
    text = line_named(arena, text, FEW_NAME,
                      reading_measured(model, documents_of(arena, FEW), (Reading){ .block = 16, .anchor = 16 }));
    const char *path = arena_format(arena, "%s/star.tsv", folder);
    if (!file_write(path, text, strlen(text), &error)) lesson_fail(&error);
}

static TableRows table_of(Lesson *lesson, const Asked *asked)
{
    TableRows rows;
    Error error;
    if (!bundled_rows(&rows, lesson->arena, asked->program, asked->folder, "star.tsv", COLUMNS, &error))
        lesson_fail(&error);
    return rows;
}

static Read from_table(TableRows rows, const char *name)
{
    for (int r = 0; r < rows.values.rows; r++)
        if (!strcmp(rows.names[r], name))
            return (Read){ mat_value(rows.values, r, LOSS), mat_value(rows.values, r, DIVERGENCE),
                           mat_value(rows.values, r, AGREE) };
    Error error;
    error_set(&error, "star.tsv has no row \"%s\"; --retrain DIR makes it anew", name);
    lesson_fail(&error);
}

static Read read_of(Lesson *lesson, TableRows rows, Reading reading)
{
    return from_table(rows, name_of(lesson->arena, reading));
}

// ---- 7. What it costs

static void figure_error(Lesson *lesson, TableRows rows)
{
    static double x[BLOCKS][ANCHORS], y[BLOCKS][ANCHORS];
    PlotSeries series[BLOCKS];
    for (int b = 0; b < BLOCKS; b++) {
        int count = 0;
        for (int a = 0; a < ANCHORS && anchor_of[a] <= block_of[b]; a++, count++) {
            x[b][a] = anchor_of[a];
            y[b][a] =
                fmax(read_of(lesson, rows, (Reading){ .block = block_of[b], .anchor = anchor_of[a] }).divergence, 1e-4);
        }
        if (block_of[b] == CONTEXT / 2) count--; // the last one is full attention: 0
        series[b] = (PlotSeries){
            .name = arena_format(lesson->arena, "blocks of %d", block_of[b]), .x = x[b], .y = y[b], .count = count
        };
    }
    figure_plot(lesson, "error.png",
                "how far model C's chances are from those of full attention, by blocks and anchors",
                (Plot){ .title = "Model C: a context of 96 words in blocks",
                        .x_title = "words in the anchor",
                        .y_title = "divergence from full attention, nats a word",
                        .series = series,
                        .count = BLOCKS,
                        .log_y = true,
                        .y_low = 1e-3,
                        .y_high = 0.05 });
}

// A model of one layer: its keys are made of words and their places alone.
static double one_layer(Lesson *lesson, const Asked *asked)
{
    Transformer small;
    Error error;
    if (!bundled_plain_model(&small, lesson->arena, asked->program, "language-32", NULL, &error)) lesson_fail(&error);
    return reading_measured(small, documents_of(lesson->arena, 4), (Reading){ .block = 8 }).divergence;
}

// Without an anchor and with a whole block: the loss above full attention's, and how often the likeliest word is its.
static void show_losses(Lesson *lesson, TableRows rows, Read full)
{
    static const char *const cols[] = { "loss, none", "a block", "same, none", "a block" };
    Rows table = rows_of(lesson, "loss above full attention's; share of words with the same likeliest", cols, 4);
    table.table.decimals = 4;
    for (int b = 0; b < BLOCKS; b++) {
        Read none = read_of(lesson, rows, (Reading){ .block = block_of[b] });
        Read whole = read_of(lesson, rows, (Reading){ .block = block_of[b], .anchor = block_of[b] });
        rows_add(&table, ROW(none.loss - full.loss, whole.loss - full.loss, none.agree, whole.agree), "blocks of %d",
                 block_of[b]);
    }
    show_rows(lesson, &table);
}

void what_it_costs(Lesson *lesson, Transformer model, const Asked *asked)
{
    enum { SHOWN = 5 };
    static const char *const cols[SHOWN] = { "none", "1", "4", "8", "a block" };
    static const int shown[SHOWN] = { 0, 1, 4, 8, -1 };
    step(lesson, "What it costs");
    TableRows rows = table_of(lesson, asked);
    Read full = from_table(rows, "full");
    Rows table = rows_of(lesson, "divergence from full attention, by words in the anchor", cols, SHOWN);
    table.table.decimals = 4;
    double worst = 0, least_agree = 1;
    bool whole_best = true, one_worse = true;
    for (int b = 0; b < BLOCKS; b++) {
        double row[SHOWN];
        for (int a = 0; a < SHOWN; a++) {
            Read r = read_of(lesson, rows,
                             (Reading){ .block = block_of[b], .anchor = shown[a] < 0 ? block_of[b] : shown[a] });
            row[a] = fabs(r.divergence);
            worst = fmax(worst, r.loss - full.loss);
            least_agree = fmin(least_agree, r.agree);
        }
        for (int a = 0; a < SHOWN - 1; a++)
            whole_best = whole_best && (row[SHOWN - 1] < row[a] || shown[a] == block_of[b]);
        one_worse = one_worse && row[1] > row[0];
        rows_add(&table, row, "blocks of %d", block_of[b]);
    }
    show_rows(lesson, &table);
    show_losses(lesson, rows, full);
    figure_error(lesson, rows);
    say(lesson, "%d documents of model C; its loss with full attention is %.4f nats a word.", DOCUMENTS, full.loss);
    check(lesson, worst < 0.04 && least_agree > 0.9,
          "no cut costs more than %.3f nats of loss; the likeliest word is the same in %.2f of the cases or more",
          worst, floor(least_agree * 100) / 100);
    check(lesson, whole_best, "for each block a whole block is the best anchor");
    check(lesson, one_worse, "an anchor of one word, the start, is worse than none");
    double one = one_layer(lesson, asked);
    check(lesson, fabs(one) < 1e-6,
          "a model of one layer loses nothing: the first layer's keys are made of words and their places alone");
    Read here = reading_measured(model, documents_of(lesson->arena, FEW), (Reading){ .block = 16, .anchor = 16 });
    check(lesson, fabs(here.divergence - from_table(rows, FEW_NAME).divergence) < 1e-4,
          "here and now, on the first %d documents, blocks and anchors of 16: %.4f, as in the table", FEW,
          here.divergence);
}

// ---- 8. The same keys, spent otherwise

// How many keys a token of the context sees, in the mean.
static double mean_keys(int way, int budget)
{
    Reading r = reading_of(way, budget);
    Star star = { CONTEXT, r.block ? r.block : 1, r.anchor };
    double keys = 0;
    if (r.block) return (double)star_pairs(star) / CONTEXT;
    for (int t = 0; t < CONTEXT; t++) keys += fmin(t + 1, r.window);
    return keys / CONTEXT;
}

// Rows of keys and values that come from other ranks, one block a rank: what a window reaches over the edge.
static double rows_from_others(int way, int budget) { return way >= 3 ? budget - 1 : 0; }

static void show_anchors(Lesson *lesson, TableRows rows)
{
    Rows table = rows_of(lesson, "blocks of 16, 16 words before each: divergence, by their place", stand_names, 2);
    table.table.decimals = 4;
    double at[KINDS][2];
    for (int kind = 0; kind < KINDS; kind++) {
        for (int s = 0; s < 2; s++)
            at[kind][s] = read_of(lesson, rows, (Reading){ 16, 16, (Before)kind, (Stands)s, 0, false }).divergence;
        rows_add(&table, at[kind], "%s", kind_names[kind]);
    }
    show_rows(lesson, &table);
    double none = read_of(lesson, rows, (Reading){ .block = 16 }).divergence;
    check(lesson,
          at[BEFORE_ONE_WORD][0] > none && at[BEFORE_FIRST][0] < at[BEFORE_SHUFFLED][0] &&
              at[BEFORE_SHUFFLED][0] < at[BEFORE_RANDOM][0],
          "what stands there matters: \"the\" sixteen times is worse "
          "than nothing, random words worse than shuffled ones, and these worse than the first words");
    check(lesson, at[BEFORE_PREVIOUS][1] < 0.5 * at[BEFORE_FIRST][0],
          "for this model the words just before a block are worth more than the first ones");
}

// Acharya, Jia and Ginsburg 2024, Table 3: LLaMA 3.1 8B, 64K tokens in blocks of 16K, how many needles are found; and
// how often model C's likeliest word is that of full attention, in blocks of 16.
static void show_published(Lesson *lesson, TableRows rows)
{
    enum { ROWS = 8, NONE = 1, FIRST, JUST_BEFORE, PREVIOUS, SHUFFLED, RANDOM };
    static const char *const cols[] = { "published, %", "here, %" };
    static const struct {
        const char *name;
        double published;
        Reading reading;
    } of[ROWS] = {
        { "full attention", 99.50, { 0 } },
        { "no anchor", 60.11, { .block = 16 } },
        { "first block", 97.61, { .block = 16, .anchor = 16 } },
        { "first, just before", 97.35, { 16, 16, BEFORE_FIRST, STANDS_JUST_BEFORE, 0, false } },
        { "block before", 94.20, { 16, 16, BEFORE_PREVIOUS, STANDS_JUST_BEFORE, 0, false } },
        { "first block, shuffled", 92.96, { 16, 16, BEFORE_SHUFFLED, STANDS_FIRST, 0, false } },
        { "random", 90.55, { 16, 16, BEFORE_RANDOM, STANDS_FIRST, 0, false } },
        { "one word, repeated", 0.00, { 16, 16, BEFORE_ONE_WORD, STANDS_FIRST, 0, false } },
    };
    Rows table = rows_of(lesson, "needles found by LLaMA 3.1 8B; the same likeliest word, model C", cols, 2);
    table.table.decimals = 2;
    table.table.given = true;
    double at[2][ROWS];
    for (int r = 0; r < ROWS; r++) {
        at[0][r] = of[r].published;
        at[1][r] = 100 * read_of(lesson, rows, of[r].reading).agree;
        rows_add(&table, ROW(at[0][r], at[1][r]), "%s", of[r].name);
    }
    show_rows(lesson, &table);
    say(lesson, "Published: Table 3, 64K tokens in blocks of 16K; just before: at the positions of the block before. "
                "Here: blocks of 16.");
    bool order = true, place = true;
    for (int p = 0; p < 2; p++) {
        order = order && at[p][FIRST] > at[p][SHUFFLED] && at[p][SHUFFLED] > at[p][RANDOM] &&
                at[p][RANDOM] > at[p][NONE] && at[p][NONE] > at[p][ROWS - 1];
        place = place && fabs(at[p][FIRST] - at[p][JUST_BEFORE]) < 0.5;
    }
    check(lesson, order,
          "in both: the first words are better than these shuffled, then random ones, none, one word "
          "repeated");
    check(lesson, place, "in both: where the first words stand matters little");
}

void spent_otherwise(Lesson *lesson, const Asked *asked)
{
    static const char *const cols[] = { "keys", "from others", "16", "32", "48" };
    step(lesson, "The same keys, spent otherwise");
    TableRows rows = table_of(lesson, asked);
    Rows table = rows_of(lesson, "divergence, where a token sees at most 16, 32 or 48 keys", cols, 5);
    table.table.decimals = 4;
    table.table.whole = 2;
    double at[WAYS][BUDGETS];
    for (int w = 0; w < WAYS; w++) {
        for (int n = 0; n < BUDGETS; n++) at[w][n] = read_of(lesson, rows, reading_of(w, budget_of[n])).divergence;
        rows_add(&table, ROW(mean_keys(w, 32), rows_from_others(w, 32), at[w][0], at[w][1], at[w][2]), "%s",
                 way_names[w]);
    }
    show_rows(lesson, &table);
    say(lesson,
        "Keys: seen by a token of the context, in the mean, at 32 at most. From others: rows of keys and "
        "values that a rank would have to be sent, for each block. Star: blocks of 8, 16 and 24, anchors as long.");
    bool before = true, larger = true, window = true, query = true;
    for (int n = 0; n < BUDGETS; n++) {
        before = before && at[1][n] < at[0][n];
        larger = larger && at[2][n] < at[0][n];
        window = window && at[3][n] < at[0][n];
        query = query && at[4][n] > at[0][n];
    }
    check(lesson, before && larger && window,
          "the block before, larger blocks, a window: each is nearer to full attention than the anchor, here");
    check(lesson, query, "a query that sees no more than a window is the farthest off: phase 2 is what counts");
    show_anchors(lesson, rows);
    show_published(lesson, rows);
}
