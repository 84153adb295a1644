// Chapter 19, step 4. A channel of keys that is far larger than the others: planted so that no score changes.
#include "base/portable_math.h"
#include "language/documents.h"
#include "steps.h"

enum { DOCUMENTS = 4, WAYS = 2, SHOWN = 32 };
static const QuantisedGrouping KEYS[WAYS] = { QUANTISED_PER_TOKEN, QUANTISED_PER_CHANNEL };

// One head of one document: its queries and keys, as the scores are made of them.
static HeadProjections head_in(const Run *run, int b, int layer, int h)
{
    return run_qkv_of_head(&run->model.config, run_batch_rows(run->batch, run->layers[layer].qkv, b), h);
}

static Mat weights_of(Arena *arena, Mat q, Mat k)
{
    Mat weights = mat_new(arena, q.rows, k.rows);
    attention_weights(weights, q, k, (Mask){ .causal = true });
    return weights;
}

// INT4 in blocks of 32 tokens; per token in groups of a head's width.
static Mat coded_keys(Arena *arena, Mat k, QuantisedGrouping grouping)
{
    return quantised_copy(arena, mat_copy(arena, k),
                          (QuantisedFormat){ QUANTISED_INT4, 32, k.cols, grouping, QUANTISED_PER_TOKEN }, grouping);
}

// Σ |a − b| / 2: the share of a query's weight that goes elsewhere, the mean over rows.
static double moved(Mat a, Mat b)
{
    double sum = 0.0;
    for (int i = 0; i < a.rows; i++)
        for (int j = 0; j < a.cols; j++) sum += fabs(mat_value(a, i, j) - mat_value(b, i, j)) / 2;
    return sum / a.rows;
}

// The mean over all heads of some documents.
static double moved_by_codes(const Run *run, QuantisedGrouping grouping)
{
    const Config *c = &run->model.config;
    double sum = 0.0;
    for (int b = 0; b < run->batch.count; b++)
        for (int l = 0; l < c->L; l++)
            for (int h = 0; h < c->H; h++) {
                Arena *arena = arena_open();
                HeadProjections head = head_in(run, b, l, h);
                sum += moved(weights_of(arena, head.q, head.k),
                             weights_of(arena, head.q, coded_keys(arena, head.k, grouping)));
                arena_close(arena);
            }
    return sum / (run->batch.count * c->L * c->H);
}

// The largest difference of a score between two models, over all heads; and the largest score.
static double scores_apart(Lesson *lesson, const Run *a, const Run *b, double *largest)
{
    const Config *c = &a->model.config;
    double apart = 0.0;
    *largest = 0.0;
    for (int l = 0; l < c->L; l++)
        for (int h = 0; h < c->H; h++) {
            HeadProjections one = head_in(a, 0, l, h), other = head_in(b, 0, l, h);
            Mat x = mat_new(lesson->arena, one.q.rows, one.k.rows), y = mat_copy(lesson->arena, x);
            attention_scores(x, one.q, one.k, (Mask){ 0 });
            attention_scores(y, other.q, other.k, (Mask){ 0 });
            apart = fmax(apart, mat_max_difference(x, y));
            *largest = fmax(*largest, mat_magnitude(x));
        }
    return apart;
}

// ---- pictures, and what the viewer compares: one head's first tokens

typedef struct {
    Mat q, k, v, keys[WAYS], weights, coded[WAYS];
    const char *words[SHOWN];
} Shown;

static Shown shown_of(Lesson *lesson, const Run *run, int layer, int h)
{
    Arena *arena = lesson->arena;
    HeadProjections head = head_in(run, 0, layer, h);
    Shown shown = { .q = mat_rows(head.q, 0, SHOWN), .k = mat_rows(head.k, 0, SHOWN), .v = mat_rows(head.v, 0, SHOWN) };
    shown.weights = weights_of(arena, shown.q, shown.k);
    for (int w = 0; w < WAYS; w++) {
        shown.keys[w] = coded_keys(arena, shown.k, KEYS[w]);
        shown.coded[w] = weights_of(arena, shown.q, shown.keys[w]);
    }
    for (int t = 0; t < SHOWN; t++) shown.words[t] = document_word_text(run->batch.tokens[t]);
    return shown;
}

// On so many different steps do the numbers of a key fall that are not of the planted pair: the mean over tokens.
static double steps_of_others(Mat keys)
{
    enum { PAIR = 2 };
    int different = 0;
    for (int i = 0; i < keys.rows; i++)
        for (int c = PAIR; c < keys.cols; c++) {
            bool seen = false;
            for (int e = PAIR; e < c; e++) seen = seen || mat_value(keys, i, e) == mat_value(keys, i, c);
            different += !seen;
        }
    return (double)different / keys.rows;
}

static Heatmap map_of_keys(Arena *arena, const Shown *shown, const char *title)
{
    Mat size = mat_new(arena, SHOWN, shown->k.cols);
    for (int i = 0; i < size.rows; i++)
        for (int c = 0; c < size.cols; c++) *mat_ref(size, i, c) = fabsf(*mat_ref(shown->k, i, c));
    return (Heatmap){ .title = title,
                      .values = size,
                      .row_labels = shown->words,
                      .row_title = "token",
                      .col_title = "channel",
                      .col_labels = numbered(arena, "", size.cols),
                      .colors = COLOR_VIRIDIS,
                      .ramp = RAMP_LOG,
                      .low = 0.1,
                      .high = 100,
                      .decimals = -1,
                      .cell = 13,
                      .bar_title = "size" };
}

static void figure_channels(Lesson *lesson, const Shown *without, const Shown *shown, float s)
{
    Heatmap maps[2] = { map_of_keys(lesson->arena, without, "as trained"),
                        map_of_keys(lesson->arena, shown, arena_format(lesson->arena, "one pair × %g", (double)s)) };
    figure_maps(lesson, "channels.png", "keys of one head, in size: as trained, and with the planted pair of channels",
                NULL, maps, 2, 2);
}

static Mat difference(Arena *arena, Mat a, Mat b)
{
    Mat m = mat_copy(arena, a);
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++) *mat_ref(m, i, j) -= *mat_ref(b, i, j);
    return m;
}

static void figure_differences(Lesson *lesson, const Shown *shown)
{
    static const char *const titles[WAYS] = { "keys per token", "keys per channel" };
    Mat hidden = mat_hidden(lesson->arena, (Mask){ .causal = true }, SHOWN, SHOWN);
    Heatmap maps[WAYS];
    for (int w = 0; w < WAYS; w++)
        maps[w] = (Heatmap){ .title = titles[w],
                             .values = difference(lesson->arena, shown->coded[w], shown->weights),
                             .hidden = hidden,
                             .row_labels = shown->words,
                             .col_labels = shown->words,
                             .row_title = "query (attends from)",
                             .col_title = "key (attended to)",
                             .colors = COLOR_DIVERGING,
                             .decimals = -1,
                             .cell = 12,
                             .bar_title = "weight as INT4 − weight" };
    figure_maps(lesson, "difference.png", "what INT4 does to the weights of one head", NULL, maps, WAYS, 2);
}

// Three heads side by side: float32, INT4 per token, INT4 per channel. The viewer's Compare takes any two.
static void trace_shown(Lesson *lesson, const Shown *shown)
{
    enum { HEADS = 1 + WAYS };
    static const char *const names[HEADS] = { "float32", "INT4, per token", "INT4, per channel" };
    int d = shown->k.cols;
    Mat q = mat_new(lesson->arena, SHOWN, HEADS * d), k = mat_copy(lesson->arena, q), v = mat_copy(lesson->arena, q);
    Mat weights = mat_new(lesson->arena, HEADS * SHOWN, SHOWN), scores = mat_copy(lesson->arena, weights);
    for (int h = 0; h < HEADS; h++) {
        mat_set(mat_cols(q, h * d, d), shown->q);
        mat_set(mat_cols(k, h * d, d), h ? shown->keys[h - 1] : shown->k);
        mat_set(mat_cols(v, h * d, d), shown->v);
        mat_set(mat_rows(weights, h * SHOWN, SHOWN), h ? shown->coded[h - 1] : shown->weights);
        attention_scores(mat_rows(scores, h * SHOWN, SHOWN), mat_cols(q, h * d, d), mat_cols(k, h * d, d),
                         (Mask){ .causal = true });
    }
    trace_mat(lesson->trace, "float8",
              quantised_copy(lesson->arena, shown->k, (QuantisedFormat){ .kind = QUANTISED_FLOAT8, .block = SHOWN },
                             QUANTISED_PER_CHANNEL));
    trace_heads(lesson->trace,
                (TraceHeads){ .H = HEADS, .q = q, .k = k, .v = v, .scores = scores, .weights = weights });
    trace_head_names(lesson->trace, names, HEADS);
    trace_words(lesson->trace, shown->words, SHOWN, shown->words, SHOWN);
}

void an_outlier(Lesson *lesson, Transformer model, const Choices *choices)
{
    enum { SIZES = 4 };
    const float sizes[SIZES] = { 1, 4, 10, choices->outlier };
    static const char *const cols[WAYS] = { "per token", "per channel" };
    step(lesson, "An outlier");
    Arena *arena = lesson->arena;
    RunBatch documents = documents_of(arena, DOCUMENTS);
    Run plain = run_transformer(arena, model, documents, (Mat){ 0 });
    Rows table = rows_of(lesson, "INT4 keys: the share of weight that goes elsewhere", cols, WAYS);
    table.table.decimals = 3;
    double of[SIZES][WAYS], apart = 0.0, largest = 0.0;
    Shown without = { .words = { NULL } };
    for (int s = 0; s < SIZES; s++) {
        Run run = run_transformer(arena, with_outlier(arena, model, sizes[s]), documents, (Mat){ 0 });
        for (int w = 0; w < WAYS; w++) of[s][w] = moved_by_codes(&run, KEYS[w]);
        rows_add(&table, of[s], "× %g", (double)sizes[s]);
        apart = fmax(apart, scores_apart(lesson, &plain, &run, &largest));
        if (s == 0) without = shown_of(lesson, &run, model.config.L - 1, 0);
        if (s < SIZES - 1) continue;
        Shown shown = shown_of(lesson, &run, model.config.L - 1, 0);
        figure_channels(lesson, &without, &shown, sizes[s]);
        figure_differences(lesson, &shown);
        trace_shown(lesson, &shown);
        say(lesson,
            "In the head of the pictures, × %g: per token %.3f of its weight goes elsewhere, per channel %.3f. "
            "Per token the %d other numbers of a key fall onto %.1f different points on average, × 1 onto %.1f.",
            (double)sizes[s], moved(shown.weights, shown.coded[0]), moved(shown.weights, shown.coded[1]),
            shown.k.cols - 2, steps_of_others(shown.keys[0]), steps_of_others(without.keys[0]));
    }
    show_rows(lesson, &table);
    check(lesson, apart < 1e-4 * largest, "before any rounding scores stay: at most %.0e apart, the largest is %.1f",
          apart, largest);
    bool alike = true;
    for (int s = 1; s < SIZES; s++) alike = alike && fabs(of[s][1] - of[0][1]) < 0.002;
    check(lesson, alike, "per channel an outlier changes nothing: it has a scale of its own");
    if (choices->outlier >= 10)
        check(lesson, of[SIZES - 1][0] > 5 * of[0][0], "per token × %g moves %.1f times as much as × 1",
              (double)choices->outlier, of[SIZES - 1][0] / of[0][0]);
}
