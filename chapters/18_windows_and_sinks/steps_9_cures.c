// Chapter 18, step 10. A score that belongs to no token; and five seeds of everything, failures included.
#include "attention/online.h"
#include "attention/kv_segments.h"
#include "attention/sink.h"
#include "base/portable_math.h"
#include "steps.h"
#include "train/bundled.h"

#include <string.h>

// ---- one key more

typedef struct {
    Mat k, v;
} Rows2;

static KvSegment keys_then_the_sink(const void *from, int n, Arena *room)
{
    (void)room;
    const Rows2 *rows = from;
    int S = rows->k.rows - 1;
    return n == 0 ? (KvSegment){ mat_rows(rows->k, 0, S), mat_rows(rows->v, 0, S), 1 }
                  : (KvSegment){ mat_rows(rows->k, S, 1), mat_rows(rows->v, S, 1), 0 };
}

// Queries with one number more, which is 1, so that the last key alone has a score that says nothing of them: s.
static void one_key_more(Lesson *lesson)
{
    enum { T = 8, S = 12, D_HEAD = 4 };
    Arena *arena = lesson->arena;
    Mat q = mat_new(arena, T, D_HEAD + 1), k = mat_new(arena, S + 1, D_HEAD + 1), v = mat_new(arena, S + 1, 3);
    random_normals(&lesson->random, mat_cols(q, 0, D_HEAD));
    random_normals(&lesson->random, mat_block(k, 0, S, 0, D_HEAD));
    random_normals(&lesson->random, mat_rows(v, 0, S));
    mat_fill(mat_cols(q, D_HEAD, 1), 1.0f);
    float s = *mat_ref(k, S, D_HEAD) = 1.5f;

    Mask mask = { .scale = 1.0f };
    Rows2 rows = { k, v };
    Mat out[3], lse[3];
    for (int i = 0; i < 3; i++) {
        out[i] = mat_new(arena, T, 3);
        lse[i] = mat_new(arena, T, 1);
    }
    attention_online((Attended){ out[0], lse[0], { 0 } }, q, mat_rows(k, 0, S), mat_rows(v, 0, S), mask);
    sink_apply((Attended){ out[0], lse[0], { 0 } }, &s, 1);
    kv_segments_attend((Attended){ out[1], lse[1], { 0 } }, q, (KvSegments){ S + 1, 2, keys_then_the_sink, &rows }, 1,
                       &mask, attention_online);
    attention_online((Attended){ out[2], lse[2], { 0 } }, q, k, v, mask);
    check(lesson, mat_equal(out[0], out[1]) && mat_equal(lse[0], lse[1]),
          "a sink of %.1f is one key more, of score %.1f and value 0, as a part of its own: to the bit", (double)s,
          (double)s);
    check(lesson, mat_max_difference(out[0], out[2]) < 1e-6, "in one piece with the others: less than 0.000001 apart");
}

// ---- five seeds

typedef struct {
    const char *name;
    int seeds;
    double low[SINK_COLUMNS], high[SINK_COLUMNS];
} Kind;

static int kinds_of(Arena *arena, Kind *kinds, int most, TableRows rows)
{
    int count = 0;
    for (int r = 0; r < rows.values.rows; r++) {
        int length = (int)strcspn(rows.names[r], ",");
        const char *name = arena_format(arena, "%.*s", length, rows.names[r]);
        int k = 0;
        while (k < count && strcmp(kinds[k].name, name)) k++;
        if (k == most) continue;
        if (k == count) kinds[count++] = (Kind){ .name = name };
        for (int c = 0; c < SINK_COLUMNS; c++) {
            double value = mat_value(rows.values, r, c);
            kinds[k].low[c] = kinds[k].seeds ? fmin(kinds[k].low[c], value) : value;
            kinds[k].high[c] = kinds[k].seeds ? fmax(kinds[k].high[c], value) : value;
        }
        kinds[k].seeds++;
    }
    return count;
}

static const Kind *kind_named(const Kind *kinds, int count, const char *name)
{
    for (int k = 0; k < count; k++)
        if (!strcmp(kinds[k].name, name)) return &kinds[k];
    Error error;
    error_set(&error, "sinks.tsv: there is no line of \"%s, seed 0\"", name);
    lesson_fail(&error);
}

static void show_kinds(Lesson *lesson, const Kind *kinds, int count)
{
    static const char *const cols[] = { "on first", "its value", "true place", "all 1024", "marks right" };
    static const SinkColumn columns[] = { MASS, VALUES, TRUE_PLACE, FULL, FULL_RIGHT };
    enum { COLUMNS = sizeof columns / sizeof *columns };
    Rows table = rows_of(lesson, "five seeds of each, lowest and highest", cols, COLUMNS);
    table.table.decimals = 3;
    for (int k = 0; k < count; k++)
        for (int end = 0; end < 2; end++) {
            double row[COLUMNS];
            for (int c = 0; c < COLUMNS; c++) row[c] = end ? kinds[k].high[columns[c]] : kinds[k].low[columns[c]];
            rows_add(&table, row, "%s, %s", kinds[k].name, end ? "high" : "low");
        }
    show_rows(lesson, &table);
}

static void cures_figure(Lesson *lesson, const Kind *kinds, int count)
{
    enum { BARS = 3 };
    static const char *const series[BARS] = { "the last 16", "first + 15", "4 others + 12" };
    static const SinkColumn columns[BARS] = { LAST_16, SINK, OTHERS };
    const char **names = arena_alloc(lesson->arena, (size_t)count * sizeof *names);
    double *values = arena_alloc(lesson->arena, (size_t)(count * BARS) * sizeof *values);
    for (int k = 0; k < count; k++) {
        names[k] = kinds[k].name;
        for (int s = 0; s < BARS; s++) values[k * BARS + s] = kinds[k].high[columns[s]];
    }
    figure_bars(lesson, "cures.png", "the worst of five seeds: how far a cache of 16 is from the truth",
                (PlotBars){ .title = "1024 tokens in a cache of 16, worst of five seeds",
                            .y_title = "divergence, nats",
                            .groups = names,
                            .series = series,
                            .group_count = count,
                            .series_count = BARS,
                            .values = values,
                            .decimals = 3,
                            .log = true,
                            .width = 960 });
}

// What must hold for every seed, line by line.
static void check_seeds(Lesson *lesson, const Kind *kinds, int count, TableRows rows)
{
    const Kind *plain = kind_named(kinds, count, "plain"), *learned = kind_named(kinds, count, "learned sink");
    const Kind *gate = kind_named(kinds, count, "gate"), *zero = kind_named(kinds, count, "sink of 0");
    const Kind *none = kind_named(kinds, count, "no start"), *norms = kind_named(kinds, count, "with norms");
    double ratio = INFINITY, off = 0.0;
    for (int r = 0; r < rows.values.rows; r++) {
        if (strncmp(rows.names[r], "plain", 5)) continue;
        ratio = fmin(ratio, mat_value(rows.values, r, LAST_16) / mat_value(rows.values, r, SINK));
        off = fmax(off, fabs(mat_value(rows.values, r, SINK) / mat_value(rows.values, r, DIVERGENCE) - 1.0));
    }
    check(lesson,
          plain->low[MASS] > 0.9 && plain->high[MARK_MASS] < 0.05 && plain->low[RIGHT] > 0.99 &&
              plain->high[VALUES] < 0.1,
          "plain: all %d have a sink, with a value less than 0.1 as long as others", plain->seeds);
    check(lesson, ratio > 20.0 && off < 0.2,
          "a window is more than 20 times as far off as one sink, which is within a "
          "fifth of training");
    check(lesson, plain->low[OTHERS] > 0.05, "four others do not help: above 0.05 in all");
    check(lesson,
          learned->high[MASS] < 0.05 && learned->high[LAST_16] < 0.01 && zero->high[LAST_16] < 0.01 &&
              gate->high[LAST_16] < 0.01,
          "with a score of its own, learned or 0, or a gate: a window alone stays below "
          "0.01");
    check(lesson, norms->high[MASS] < 0.9 && norms->high[LAST_16] < 0.1 * plain->low[LAST_16],
          "with norms the sink is "
          "weaker, below 0.9, and a window does less harm");
    check(lesson, none->high[MASS] < 0.05 && none->low[RIGHT] < 0.9,
          "without a start token there is no sink at the "
          "first letter either; of the marks in texts of 32, %.3f to %.3f are right",
          none->low[RIGHT], none->high[RIGHT]);
    check(lesson,
          plain->high[FULL_RIGHT] < 0.3 && learned->high[FULL_RIGHT] < 0.3 && gate->high[FULL_RIGHT] < 0.3 &&
              zero->high[FULL_RIGHT] < 0.3,
          "a cache of all 1024 fails at marks, with a cure too: these are positions never trained");
}

static void show_learned(Lesson *lesson, Transformer learned)
{
    Arena *arena = lesson->arena;
    Backcopy corpus = backcopy_new(1);
    Random random = random_from(7);
    RunBatch batch = backcopy_batch(arena, 64, &random, &corpus);
    Run run = run_transformer(arena, learned, batch, (Mat){ 0 });
    double letters = 0.0, marks = 0.0;
    int letter_count = 0, mark_count = 0;
    for (int i = 0; i < batch.start[batch.count]; i++) {
        double taken = 1.0 - (double)*mat_ref(run.layers[0].left, i, 0);
        if (i % BACKCOPY_T < 8 || batch.tokens[i] >= BACKCOPY_START) continue;
        *(backcopy_is_mark(batch.tokens[i]) ? &marks : &letters) += taken;
        ++*(backcopy_is_mark(batch.tokens[i]) ? &mark_count : &letter_count);
    }
    say(lesson,
        "Trained with a score of its own, the head learns %.2f for it. Of a letter's weight the sink takes "
        "%.4f, of a mark's %.4f.",
        (double)*mat_ref(learned.layers[0].sink, 0, 0), letters / letter_count, marks / mark_count);
}

// What letters score the start by distance: within what was trained, and beyond. With the sink followed by a window a
// letter is never further from it than that.
static void scores_of_start(Lesson *lesson, Transformer learned)
{
    Arena *arena = lesson->arena;
    Backcopy corpus = backcopy_new(1);
    Random random = random_from(99);
    int *tokens = arena_alloc(arena, STREAM * sizeof *tokens);
    backcopy_text(tokens, STREAM, &corpus, &random);
    Run run = run_transformer(arena, learned, run_batch_of_one(arena, tokens, STREAM), (Mat){ 0 });
    HeadProjections head = run_qkv_of_head(&learned.config, run.layers[0].qkv, 0);
    Mat scores = mat_new(arena, STREAM, 1);
    attention_scores(scores, head.q, mat_rows(head.k, 0, 1), (Mask){ 0 });
    double near = -INFINITY, far = -INFINITY;
    for (int t = 1; t < STREAM; t++) {
        if (tokens[t] >= BACKCOPY_LETTERS) continue;
        double *most = t < BACKCOPY_T ? &near : &far;
        *most = fmax(*most, mat_value(scores, t, 0));
    }
    say(lesson,
        "Up to %d tokens away, as in training, the start's score is %.2f at most, for a letter; further away "
        "it is up to %.2f.",
        BACKCOPY_T - 1, near, far);
}

// The model at hand was trained from seed 0: what is measured of it here stands in that line of the table.
static void agrees_with_table(Lesson *lesson, Transformer learned, TableRows rows)
{
    Backcopy corpus = backcopy_new(1);
    Looks looks = model_looks(learned, &corpus, 7);
    double apart = INFINITY;
    for (int r = 0; r < rows.values.rows; r++)
        if (!strcmp(rows.names[r], "learned sink, seed 0"))
            apart = fmax(fabs(looks.mass - mat_value(rows.values, r, MASS)),
                         fabs(looks.divergence - mat_value(rows.values, r, DIVERGENCE)));
    check(lesson, apart < 1e-3, "measured here, this model is within 0.001 of its line in the table of five seeds");
}

static void show_four_starts(Lesson *lesson, const Asked *asked)
{
    static const char *const cols[] = { "none", "1 kept", "2", "3", "4", "on the 1st", "2nd", "3rd", "4th" };
    TableRows rows;
    Error error;
    if (!bundled_rows(&rows, lesson->arena, asked->program, asked->folder, "sinks-kept.tsv", KEPT_COLUMNS, &error))
        lesson_fail(&error);
    Rows table =
        rows_of(lesson, "four start tokens: divergence by how many are kept; weight on each", cols, KEPT_COLUMNS);
    table.table.decimals = 3;
    bool best = true;
    double highest = 0.0;
    for (int r = 0; r < rows.values.rows; r++) {
        rows_add_from(&table, rows.values, r, "seed %d", r);
        for (int n = 0; n < 4; n++) best = best && mat_value(rows.values, r, n) >= mat_value(rows.values, r, 4);
        highest = fmax(highest, mat_value(rows.values, r, 4));
    }
    show_rows(lesson, &table);
    check(lesson, best && highest < 0.01, "with all four kept every seed stays below 0.01; with fewer none is better");
}

void cures(Lesson *lesson, Transformer learned, const Asked *asked)
{
    step(lesson, "A place that is no token");
    one_key_more(lesson);
    if (learned.config.sink == CONFIG_SINK_LOGIT) {
        show_learned(lesson, learned);
        scores_of_start(lesson, learned);
    }
    TableRows rows;
    Error error;
    if (!bundled_rows(&rows, lesson->arena, asked->program, asked->folder, "sinks.tsv", SINK_COLUMNS, &error))
        lesson_fail(&error);
    enum { KINDS = 8 };
    Kind kinds[KINDS];
    int count = kinds_of(lesson->arena, kinds, KINDS, rows);
    show_kinds(lesson, kinds, count);
    check_seeds(lesson, kinds, count, rows);
    agrees_with_table(lesson, learned, rows);
    cures_figure(lesson, kinds, count);
    show_four_starts(lesson, asked);
}
