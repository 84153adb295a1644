// Chapter 18, step 7. A trained head, and where it looks when there is nothing to look for.
#include "attention/dot_product.h"
#include "attention/grouped.h"
#include "attention/online.h"
#include "attention/ring_cache.h"
#include "attention/sink.h"
#include "base/portable_math.h"
#include "lesson/dump.h"
#include "steps.h"
#include "train/bundled.h"

#include <stdlib.h>

enum { TEXT = 22, POINTS_MOST = 64 };

static const char *const *names_of(Arena *arena, const int *tokens, int n, const char *start)
{
    const char **names = arena_alloc(arena, (size_t)n * sizeof *names);
    for (int t = 0; t < n; t++)
        names[t] = tokens[t] == BACKCOPY_START ? start : arena_format(arena, "%c", backcopy_name(tokens[t]));
    return names;
}

static int count_marks(const int *tokens, int n)
{
    int marks = 0;
    for (int t = 2; t < n; t++) marks += backcopy_is_mark(tokens[t]);
    return marks;
}

// The first text with three marks, none of them late: one with something to see.
static void a_text(int *tokens, const Backcopy *corpus, Random *random)
{
    do backcopy_text(tokens, TEXT, corpus, random);
    while (count_marks(tokens, TEXT - 2) != 3);
}

// For the viewer, three heads that are one: it sees all keys; a ring of the last 16; a ring of 15 with the start as its
// sink. The masks say the same.
enum { VIEWS = 3 };
// clang-format off
static const Mask views[VIEWS] = { { .causal = true }, { .causal = true, .window = CACHE },
                                   { .causal = true, .window = CACHE - 1, .sinks = 1 } };
// clang-format on
static const char *const view_names[VIEWS] = { "all keys", "ring", "ring, start" };

// What a cure of step 10 leaves of it, where the model at hand has one: a sink beside the keys, or a gate.
static void cure_takes(Attended to, const Run *run)
{
    const RunLayer *layer = &run->layers[0];
    ConfigSink kind = run->model.config.sink;
    float sinks[VIEWS];
    for (int h = 0; h < VIEWS; h++)
        sinks[h] = kind == CONFIG_SINK_LOGIT ? *mat_ref(run->model.layers[0].sink, 0, 0) : 0.0f;
    if (kind == CONFIG_SINK_LOGIT || kind == CONFIG_SINK_ZERO) sink_apply(to, sinks, VIEWS);
    for (int i = 0; i < TEXT && kind == CONFIG_SINK_GATE; i++)
        for (int c = 0; c < to.out.cols; c++) *mat_ref(to.out, i, c) *= *mat_ref(layer->left, i, 0);
}

// The first head over all keys, the others over rings, whose sinks stay where they were. Weights stand with the tokens.
static void attend_over_rings(Attended to, RunHeadStages s)
{
    Arena *scratch = arena_open();
    int d = s.q.cols, dv = s.v.cols;
    Mask causal = { .causal = true };
    for (int h = 0; h < VIEWS; h++) {
        Attended own = { mat_cols(to.out, h * dv, dv), mat_cols(to.lse, h, 1), mat_rows(to.weights, h * TEXT, TEXT) };
        RingCache ring = ring_cache_new(scratch, views[h].sinks, h ? views[h].window : TEXT, d, dv);
        ring_cache_attend(own, &ring, s.q, s.k, s.v, 1, &causal, attention_online);
    }
    arena_close(scratch);
}

// apart: how far rings and masks are from each other.
static Mat three_views(Lesson *lesson, RunHeadStages s, const char *const *names, const Run *run, double *apart)
{
    Arena *arena = lesson->arena;
    int d = s.q.cols;
    Mat x = run->layers[0].in;
    Mat q = mat_new(arena, TEXT, VIEWS * d), heads = mat_new(arena, TEXT, VIEWS * s.v.cols);
    Mat weights = mat_new(arena, VIEWS * TEXT, TEXT), lse = mat_new(arena, TEXT, VIEWS);
    Attended to = { .out = heads, .lse = lse, .weights = weights };
    for (int h = 0; h < VIEWS; h++) mat_set(mat_cols(q, h * d, d), s.q);
    attend_over_rings(to, s);
    Attended masked = { .out = mat_copy(arena, heads), .weights = mat_copy(arena, weights) };
    grouped_attend(masked, q, s.k, s.v, VIEWS, views, attention_naive);
    *apart = fmax(mat_max_difference(masked.weights, weights), mat_max_difference(masked.out, heads));
    cure_takes(to, run);
    trace_words(lesson->trace, names, TEXT, names, TEXT);
    trace_head_names(lesson->trace, view_names, VIEWS);
    trace_heads(lesson->trace, (TraceHeads){ .H = VIEWS,
                                             .x = x,
                                             .q = q,
                                             .k = s.k,
                                             .v = s.v,
                                             .weights = weights,
                                             .scores = lesson_dump_scores(lesson, q, s.k, VIEWS, views),
                                             .heads = heads });
    return heads;
}

static double length_of_row(Mat m, int i) { return sqrt((double)dot_product(mat_row(m, i), mat_row(m, i), 1, m.cols)); }

// What the head takes for a letter when it may look at the start, and when it may not.
static void take_the_start_away(Lesson *lesson, Mat heads, const char *const *names)
{
    double length[VIEWS];
    for (int h = 0; h < VIEWS; h++) {
        int d = heads.cols / VIEWS;
        length[h] = length_of_row(mat_cols(heads, h * d, d), CACHE);
    }
    say(lesson,
        "What the head takes for token %d, \"%s\", has the length %.3f. Without the start, from the last %d "
        "keys alone, it has %.3f; from the start and the last %d, %.3f.",
        CACHE, names[CACHE], length[0], CACHE, length[1], CACHE - 1, length[2]);
}

// A few rows of the map, letters and marks: what the rest of it looks like.
static void show_text(Lesson *lesson, Transformer plain, Random *random, bool ours)
{
    Arena *arena = lesson->arena;
    Backcopy corpus = backcopy_new(1);
    int *tokens = arena_alloc(arena, TEXT * sizeof *tokens);
    a_text(tokens, &corpus, random);
    const char *const *names = names_of(arena, tokens, TEXT, "start");
    Run run = run_transformer(arena, plain, run_batch_of_one(arena, tokens, TEXT), (Mat){ 0 });
    RunHeadStages s = run_head(arena, &run, 0, 0, 0);
    double apart;
    Mat heads = three_views(lesson, s, names, &run, &apart);

    enum { FIRST = 4, SHOWN = 4, KEYS = FIRST + SHOWN }; // a letter, a mark, and both again
    const char *const *short_names = names_of(arena, tokens, KEYS, "^");
    Mat hidden = mat_new(arena, TEXT, TEXT);
    for (int i = 0; i < TEXT; i++)
        for (int j = i + 1; j < TEXT; j++) *mat_ref(hidden, i, j) = 1.0f;
    show_table(lesson, (Table){ .name = "weights, tokens 4 to 7 of 22",
                                .values = mat_block(s.weights, FIRST, SHOWN, 0, KEYS),
                                .hidden = mat_block(hidden, FIRST, SHOWN, 0, KEYS),
                                .rows = short_names + FIRST,
                                .cols = short_names,
                                .low = 0,
                                .high = 1 });
    check(lesson, mat_max_difference(mat_cols(heads, 0, s.v.cols), s.head) < 1e-5,
          "with all keys in sight the head takes what it takes in the model");
    take_the_start_away(lesson, heads, names);
    check(lesson, apart < 1e-5, "over rings of 16 rows, without the start and with it, the same");
    figure_map(lesson, "sink.png",
               ours ? "the trained head: letters look at the start, marks at the token before them"
                    : "where the head of this model looks",
               (Heatmap){ .title = "What the trained head looks at",
                          .values = s.weights,
                          .hidden = hidden,
                          .row_labels = names,
                          .col_labels = names,
                          .row_title = "query (attends from)",
                          .col_title = "key (attended to)",
                          .low = 0,
                          .high = 1,
                          .decimals = -1,
                          .cell = 20,
                          .bar_title = "weight" });
}

static void growth_figure(Lesson *lesson, const Asked *asked)
{
    static double x[POINTS_MOST], y[CURVE_COLUMNS][POINTS_MOST];
    TableRows rows;
    Error error;
    if (!bundled_rows(&rows, lesson->arena, asked->program, asked->folder, "sinks-curve.tsv", CURVE_COLUMNS, &error))
        lesson_fail(&error);
    int count = rows.values.rows < POINTS_MOST ? rows.values.rows : POINTS_MOST;
    for (int p = 0; p < count; p++) {
        x[p] = atof(rows.names[p]);
        for (int c = 0; c < CURVE_COLUMNS; c++) y[c][p] = mat_value(rows.values, p, c);
    }
    PlotSeries shares[] = { { "marks right", x, y[3], count, true, false, NULL },
                            { "weight on the start", x, y[0], count, false, false, NULL } };
    PlotSeries lengths[] = { { "other tokens", x, y[2], count, true, false, NULL },
                             { "the start", x, y[1], count, false, false, NULL } };
    const Plot plots[2] = { { .title = "Training, seed 0",
                              .y_title = "share of marks; of a letter's weight",
                              .series = shares,
                              .count = 2,
                              .y_low = 0,
                              .y_high = 1,
                              .height = 250 },
                            { .x_title = "step of training",
                              .y_title = "length of values",
                              .series = lengths,
                              .count = 2,
                              .y_low = 0,
                              .height = 270 } };
    figure_plots(lesson, "growth.png", "sink-plain in training: the sink grows, and its value shrinks", plots, 2);
}

void nothing_to_look_for(Lesson *lesson, Transformer plain, const Asked *asked, bool ours)
{
    step(lesson, "Nothing to look for");
    Random random = random_from(18);
    show_text(lesson, plain, &random, ours);
    say(lesson, "The model has %d,%03d numbers, and was trained on texts of %d tokens.",
        (int)(transformer_numbers(plain) / 1000), (int)(transformer_numbers(plain) % 1000), BACKCOPY_T);
    Backcopy corpus = backcopy_new(1);
    Looks looks = model_looks(plain, &corpus, 7);
    static const char *const cols[] = { "on the start" };
    Rows table = rows_of(lesson, "64 texts of 32: mean weight", cols, 1);
    table.table.decimals = 4;
    rows_add(&table, ROW(looks.mass), "letters");
    rows_add(&table, ROW(looks.mark_mass), "marks");
    show_rows(lesson, &table);
    if (ours) {
        check(lesson, looks.mass > 0.9 && looks.mark_mass < 0.05,
              "a letter leaves more than 0.9 of its weight on the start, a mark less than 0.05");
        check(lesson, looks.right > 0.99, "of the marks %.4f are answered right", looks.right);
        check(lesson, looks.values < 0.1, "the start's value is %.3f times as long as that of other tokens",
              looks.values);
    }
    say(lesson, "After a letter the model says what comes next with a divergence of %.4f nats from the truth.",
        looks.divergence);
    growth_figure(lesson, asked);
}
