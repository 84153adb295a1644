// Chapter 12, steps 1 and 2. Which key head a query head reads; what gets smaller when there are fewer.
#include "attention/dot_product.h"
#include "attention/grouped.h"
#include "attention/multi_head.h"
#include "lesson/block_map.h"
#include "lesson/dump.h"
#include "steps.h"

// ---- 1. One expression

typedef struct {
    Mat q, k, v;
    int H;
} Heads; // q (T, H d), k and v (T, G d)

// Queries, keys and values of the sentence, from random weights; G follows from how many columns Wk and Wv have.
static Heads project_sentence(Lesson *lesson, int H, int G, int d)
{
    Mat x = lesson->sentence.x;
    Arena *arena = lesson->arena;
    Heads heads = { mat_new(arena, x.rows, H * d), mat_new(arena, x.rows, G * d), mat_new(arena, x.rows, G * d), H };
    matmul(heads.q, x, random_mat(lesson, x.cols, H * d));
    matmul(heads.k, x, random_mat(lesson, x.cols, G * d));
    matmul(heads.v, x, random_mat(lesson, x.cols, G * d));
    return heads;
}

static Attended attended_by(Lesson *lesson, Heads a, const Mask *masks)
{
    Attended to = { .out = mat_new(lesson->arena, a.q.rows, a.q.cols),
                    .weights = mat_new(lesson->arena, a.H * a.q.rows, a.k.rows) };
    grouped_attend(to, a.q, a.k, a.v, a.H, masks, attention_naive);
    return to;
}

// Each of the G heads of m (S, G d), copied H / G times: (S, H d). What grouped_attend does not need.
static Mat repeated(Lesson *lesson, Mat m, int H, int G)
{
    int d = m.cols / G;
    Mat all = mat_new(lesson->arena, m.rows, H * d);
    for (int h = 0; h < H; h++) mat_set(mat_cols(all, h * d, d), mat_cols(m, h / (H / G) * d, d));
    return all;
}

// The well-known mistake: query head h reads key head h % G. Every shape is right.
static Mat attended_by_remainder(Lesson *lesson, Heads a, const Mask *masks)
{
    int d = a.q.cols / a.H, G = a.k.cols / d;
    Mat out = mat_new(lesson->arena, a.q.rows, a.q.cols);
    for (int h = 0; h < a.H; h++)
        attention_naive((Attended){ .out = mat_cols(out, h * d, d) }, mat_cols(a.q, h * d, d),
                        mat_cols(a.k, h % G * d, d), mat_cols(a.v, h % G * d, d), masks[h]);
    return out;
}

enum { KINDS = 4, SHOWN = 8 }; // of the picture: kinds of sharing, and query heads
static const char *const KIND_NAMES[KINDS] = { "MHA", "GQA", "GQA", "MQA" };

// One kind: its query heads in a row, under them its key heads, each below the middle of its group.
static void draw_kind(DiagramBox *boxes, DiagramArrow *arrows, int first, int G, double x, double y,
                      const char *const *numbers)
{
    enum { WIDE = 26, PITCH = 33, DOWN = 64 };
    int n = SHOWN / G;
    for (int h = 0; h < SHOWN; h++) {
        Color color = COLOR_SERIES[h / n % 2]; // neighbours differ
        boxes[first + h] = (DiagramBox){ .at = { x + h * PITCH, y, WIDE, 0 }, .title = numbers[h], .color = color };
        arrows[h] = (DiagramArrow){ .from = first + h,
                                    .to = first + SHOWN + h / n,
                                    .leaves = DIAGRAM_BOTTOM,
                                    .enters = DIAGRAM_TOP,
                                    .headless = true,
                                    .color = color };
    }
    for (int g = 0; g < G; g++)
        boxes[first + SHOWN + g] = (DiagramBox){ .at = { x + (g * n + (n - 1) / 2.0) * PITCH, y + DOWN, WIDE, 0 },
                                                 .title = numbers[g],
                                                 .color = COLOR_SERIES[g % 2] };
}

static void figure_sharing(Lesson *lesson)
{
    enum { BOXES = KINDS * SHOWN + 2 * SHOWN - 1, NAMES = 2 * KINDS + KINDS };
    DiagramBox boxes[BOXES];
    DiagramArrow arrows[KINDS * SHOWN];
    DiagramLabel labels[NAMES];
    Arena *arena = lesson->arena;
    int count = 0, named = 0;
    for (int k = 0, G = SHOWN; k < KINDS; k++, G /= 2) {
        double x = 100 + 310.0 * (k % 2), y = 150.0 * (k / 2) + 26;
        draw_kind(boxes, arrows + k * SHOWN, count, G, x, y, numbered(arena, "", SHOWN));
        count += SHOWN + G;
        labels[named++] = (DiagramLabel){ x,
                                          y - 12,
                                          { .size = 13, .face = CANVAS_SANS_BOLD, .color = COLOR_INK },
                                          arena_format(arena, "%s, G = %d", KIND_NAMES[k], G) };
        if (k % 2) continue;
        labels[named++] = (DiagramLabel){ 0, y + 20, { .color = COLOR_QUIET }, "query heads" };
        labels[named++] = (DiagramLabel){ 0, y + 84, { .color = COLOR_QUIET }, "key heads" };
    }
    figure_diagram(lesson, "sharing.png", "the same as a picture: who reads which key head",
                   (Diagram){ .title = "Query heads, and the key heads that they read",
                              .boxes = boxes,
                              .box_count = count,
                              .arrows = arrows,
                              .arrow_count = KINDS * SHOWN,
                              .labels = labels,
                              .label_count = named });
}

static void who_reads_whom(Lesson *lesson, int H)
{
    const char *const *heads = numbered(lesson->arena, "h = ", H);
    Rows table = rows_of(lesson, "the key head that query head h reads: h / (H / G)", heads, H);
    table.table.decimals = -1;
    double *read = arena_alloc(lesson->arena, (size_t)H * sizeof *read);
    for (int n = 0, G = H; n < KINDS; n++, G /= 2) {
        for (int h = 0; h < H; h++) read[h] = h / (H / G);
        rows_add(&table, read, "G = %d", G);
    }
    show_rows(lesson, &table);
    figure_sharing(lesson);
}

void one_expression(Lesson *lesson)
{
    enum { H = SHOWN, d = 4 };
    step(lesson, "One expression");
    block_map_figure(lesson, "here.png", BLOCK_MAP_KEY_HEADS);
    who_reads_whom(lesson, H);
    Mask masks[H];
    grouped_masks(masks, H, (Mask){ .causal = true }, false);
    bool as_repeated = true;
    double wrong[4];
    for (int n = 0, G = H; G >= 1; n++, G /= 2) {
        Heads a = project_sentence(lesson, H, G, d),
              b = { a.q, repeated(lesson, a.k, H, G), repeated(lesson, a.v, H, G), H };
        Attended shared = attended_by(lesson, a, masks), copied = attended_by(lesson, b, masks);
        as_repeated = as_repeated && mat_equal(shared.out, copied.out) && mat_equal(shared.weights, copied.weights);
        wrong[n] = mat_max_difference(shared.out, attended_by_remainder(lesson, a, masks));
        if (G == H) {
            Mat out = mat_new(lesson->arena, a.q.rows, H * d), maps = mat_new(lesson->arena, H * a.q.rows, a.k.rows);
            multi_head_attend(out, maps, a.q, a.k, a.v, H, masks[0]);
            check(lesson, mat_equal(shared.out, out) && mat_equal(shared.weights, maps),
                  "G = H = %d is chapter 06: the same outputs and weights, to the bit", H);
        }
        if (G == 2) {
            trace_heads(lesson->trace, (TraceHeads){ .H = H,
                                                     .q = a.q,
                                                     .k = a.k,
                                                     .v = a.v,
                                                     .weights = shared.weights,
                                                     .scores = lesson_dump_scores(lesson, a.q, a.k, H, masks) });
            trace_mat(lesson->trace, "shared", shared.out);
        }
    }
    check(lesson, as_repeated,
          "keys and values copied H / G times and then given to H heads: the same, to the bit, for every G");
    check(lesson, wrong[0] == 0.0 && wrong[3] == 0.0, "with h %% G instead: the same for G = 8 and for G = 1");
    if (lesson->sentence.T > 1)
        check(lesson, wrong[1] > 0.01 && wrong[2] > 0.01,
              "with h %% G and G = 4 the outputs differ by %.2f, with G = 2 by %.2f, and nothing crashes", wrong[1],
              wrong[2]);
}

// ---- 2. What gets smaller

void what_gets_smaller(Lesson *lesson)
{
    enum { T = 12, D = 64, H = 8, d = D / H };
    step(lesson, "What gets smaller, and what does not");
    static const char *const cols[] = { "parameters", "projections", "attention", "cache" };
    Rows table = rows_of(lesson, "T = 12, D = 64, H = 8", cols, 4);
    table.table.decimals = -1;
    Arena *arena = lesson->arena;
    Mat x = random_mat(lesson, T, D), out = mat_new(arena, T, D);
    Mask masks[H] = { { 0 } };
    bool as_formula = true;
    for (int G = H; G >= 1; G /= 2) {
        Mat w = random_mat(lesson, D, (H + 2 * G) * d), wo = random_mat(lesson, D, D);
        Mat qkv = mat_new(arena, T, w.cols), heads = mat_new(arena, T, D);
        Cost start = cost_counted;
        matmul(qkv, x, w);
        int64_t projections = cost_since(start).multiplies;
        start = cost_counted;
        grouped_attend((Attended){ .out = heads }, mat_cols(qkv, 0, D), mat_cols(qkv, D, G * d),
                       mat_cols(qkv, D + G * d, G * d), H, masks, attention_naive);
        int64_t attention = cost_since(start).multiplies;
        start = cost_counted;
        matmul(out, heads, wo);
        projections += cost_since(start).multiplies;
        int parameters = w.rows * w.cols + wo.rows * wo.cols, cache = qkv.cols - D;
        rows_add(&table, ROW(parameters, (double)projections, (double)attention, cache), "G = %d", G);
        as_formula = as_formula && parameters == 2 * D * d * (H + G) && projections == (int64_t)T * parameters &&
                     attention == 2 * T * T * H * d && cache == 2 * G * d;
    }
    show_rows(lesson, &table);
    check(lesson, as_formula,
          "parameters 2·D·d·(H + G); multiplications T times as many, and 2·T²·H·d, whatever G; the cache 2·G·d a "
          "token");
}
