// Chapter 17, steps 3 and 4. Why turned keys cannot be absorbed, and the small key that carries positions instead.
#include "attention/grouped.h"
#include "base/portable_math.h"
#include "lesson/dump.h"
#include "steps.h"

// ---- 3. Plain RoPE

// One head of step 2 with RoPE on the keys that are made: q turned by its position, each key by its own.
typedef struct {
    Mat q, k, l, up, plain;
    int T, d, c;
} Turned; // plain: the last query as it was

static Turned turned_head(Lesson *lesson, const Heads *a, Shape s, int h)
{
    Arena *arena = lesson->arena;
    Turned t = { .l = a->rows, .up = mat_cols(a->w.wuk, h * s.d, s.d), .T = a->x.rows, .d = s.d, .c = s.c };
    Mat made = mat_new(arena, t.T, s.H * s.d), values = mat_new(arena, t.T, s.H * s.d);
    latent_expand(made, values, a->rows, a->w.wuk, a->w.wuv, 0);
    RopeTable turns = rope_table(arena, 0, t.T, s.d);
    t.k = mat_copy(arena, mat_cols(made, h * s.d, s.d));
    t.q = mat_copy(arena, mat_cols(a->q, h * s.d, s.d));
    t.plain = mat_copy(arena, mat_rows(t.q, t.T - 1, 1));
    rope_apply(t.k, turns);
    rope_apply(t.q, turns);
    return t;
}

static Mat right_scores(Lesson *lesson, const Turned *t)
{
    Mat scores = mat_new(lesson->arena, 1, t->T);
    attention_scores(scores, mat_rows(t->q, t->T - 1, 1), t->k, (Mask){ 0 });
    return scores;
}

// Scores of the last query against all latents. It has been absorbed for keys that stand `distance` before it: turned
// by that distance alone, then by Wuk.
static Mat absorbed_for(Lesson *lesson, const Turned *t, int distance)
{
    Mat q = mat_copy(lesson->arena, t->plain);
    Mat moved = mat_new(lesson->arena, 1, t->c), scores = mat_new(lesson->arena, 1, t->T);
    rope_apply(q, rope_table(lesson->arena, distance, 1, t->d));
    latent_absorb(moved, q, t->up, 1, 0);
    attention_scores(scores, moved, t->l, latent_mask((Mask){ 0 }, t->d));
    return scores;
}

// How far off the last word's scores are when absorbed for one distance, for as large as they are: root mean squares
// over all heads. In one head alone a wrong score may come out right by chance.
static void figure_rope(Lesson *lesson, const Heads *a, Shape s, int away)
{
    enum { NEAR, AWAY, SIZE, ALL };
    int T = a->x.rows;
    double *x = arena_alloc(lesson->arena, sizeof *x * (size_t)T), *y[ALL];
    for (int n = 0; n < ALL; n++) y[n] = arena_alloc(lesson->arena, sizeof **y * (size_t)T);
    for (int h = 0; h < s.H; h++) {
        Turned t = turned_head(lesson, a, s, h);
        Mat right = right_scores(lesson, &t);
        Mat got[ALL] = { absorbed_for(lesson, &t, 0), absorbed_for(lesson, &t, away), mat_new(lesson->arena, 1, T) };
        for (int n = 0; n < ALL; n++)
            for (int j = 0; j < T; j++) y[n][j] += pow(mat_value(got[n], 0, j) - mat_value(right, 0, j), 2.0) / s.H;
    }
    for (int j = 0; j < T; j++) x[j] = j;
    for (int n = 0; n < SIZE; n++)
        for (int j = 0; j < T; j++) y[n][j] = y[SIZE][j] > 0.0 ? sqrt(y[n][j] / y[SIZE][j]) : 0.0;
    const PlotSeries series[SIZE] = {
        { .name = "absorbed for 0 back", .x = x, .y = y[NEAR], .count = T, .dots = true },
        { .name = arena_format(lesson->arena, "absorbed for %d back", away),
          .x = x,
          .y = y[AWAY],
          .count = T,
          .dots = true },
    };
    figure_plot(lesson, "rope.png",
                "scores of the last word, all heads: absorbed for one distance, right at that "
                "distance alone",
                (Plot){ .title = "Plain RoPE: how far off the last word's scores are",
                        .x_title = "key j",
                        .y_title = "off by, as a share of the score's own size, all heads",
                        .series = series,
                        .count = SIZE,
                        .width = 720,
                        .height = 360 });
}

void plain_rope(Lesson *lesson, Shape shape)
{
    step(lesson, "Plain RoPE stands in the way");
    Shape s = { shape.H, shape.c, 0, shape.d };
    Heads a = sentence_heads(lesson, s, 0);
    Turned t = turned_head(lesson, &a, s, 0);
    int T = t.T, away = T > 3 ? 3 : T - 1;
    Mat right = right_scores(lesson, &t), each = mat_new(lesson->arena, 1, T);
    Mat near = absorbed_for(lesson, &t, 0), far = absorbed_for(lesson, &t, away);
    int first = T > 8 ? T - 8 : 0;
    Rows table = rows_of(lesson, "scores of the last word, head 0, by key", lesson->sentence.words + first, T - first);
    rows_add_from(&table, mat_cols(right, first, T - first), 0, "made, turned");
    rows_add_from(&table, mat_cols(near, first, T - first), 0, "for 0 back");
    rows_add_from(&table, mat_cols(far, first, T - first), 0, "for %d back", away);
    show_rows(lesson, &table);
    for (int j = 0; j < T; j++) *mat_ref(each, 0, j) = *mat_ref(absorbed_for(lesson, &t, T - 1 - j), 0, j);
    double scale = mat_magnitude(right);
    double at_zero = fabs(mat_value(near, 0, T - 1) - mat_value(right, 0, T - 1)) / scale;
    double at_away = fabs(mat_value(far, 0, T - 1 - away) - mat_value(right, 0, T - 1 - away)) / scale;
    check(lesson, at_zero < 2e-6 && at_away < 2e-6,
          "absorbed for 0 back the last score is right, absorbed for %d back the one of %d back", away, away);
    if (T > 2)
        check(lesson, off_by(near, right) > 1e-3 && off_by(far, right) > 1e-3,
              "the others are not: all %d scores, as one row, are off by %.2f and by %.2f of their length", T,
              off_by(near, right), off_by(far, right));
    check(lesson, off_by(each, right) < 2e-6,
          "absorbed anew for each distance all are right, and all is lost: S times "
          "the work, d · c = %d multiplications for each key, as many as to make it",
          t.d * t.c);
    figure_rope(lesson, &a, s, away);
}

// ---- 4. Decoupled

static Attended attended(Lesson *lesson, const Heads *a, Shape s, bool expanded, Mat absorbed, Mat mixed)
{
    int T = a->x.rows;
    Attended to = { .out = mat_new(lesson->arena, T, s.H * s.d), .weights = mat_new(lesson->arena, s.H * T, T) };
    if (expanded) {
        LatentCache cache = latent_cache_new(lesson->arena, T, s.c, s.dr);
        latent_attend_expanded(to, &cache, a->q, a->rows, a->w, a->masks, attention_naive);
        return to;
    }
    Mask masks[HEADS_MOST];
    for (int h = 0; h < s.H; h++) masks[h] = latent_mask(a->masks[h], s.d + s.dr);
    latent_absorb(absorbed, a->q, a->w.wuk, s.H, s.dr);
    grouped_attend((Attended){ mixed, .weights = to.weights }, absorbed, a->rows, mat_cols(a->rows, 0, s.c), s.H, masks,
                   attention_naive);
    latent_outputs(to.out, mixed, a->w.wuv, s.H);
    return to;
}

// A row of the cache and what a head asks it with: two parts, which the dot product adds up.
static void figure_parts(Lesson *lesson)
{
    enum { ROW_OF, ASKS, KEY_X, LATENT, SMALL, QUERY_X, ABSORBED, TURNED, PRODUCT, SUM, SCORE, BOXES };
    static const DiagramBox boxes[BOXES] = {
        [ROW_OF] = { .at = { 160, 0, 412, 100 }, .title = "row j of the cache, for all heads", .group = true },
        [ASKS] = { .at = { 160, 196, 412, 100 }, .group = true },
        [KEY_X] = { .at = { 0, 26, 110, 48 }, .title = "x", .lines = "of token j" },
        [LATENT] = { .at = { 176, 36, 168, 48 }, .title = "l", .lines = "c numbers", .marked = true },
        [SMALL] = { .at = { 388, 36, 168, 48 }, .title = "r", .lines = "dr numbers, turned by j", .marked = true },
        [QUERY_X] = { .at = { 0, 222, 110, 48 }, .title = "x", .lines = "of token i" },
        [ABSORBED] = { .at = { 176, 212, 168, 48 }, .title = "q Wukᵀ", .lines = "c numbers" },
        [TURNED] = { .at = { 388, 212, 168, 48 }, .title = "p", .lines = "dr numbers, turned by i" },
        [PRODUCT] = { .at = { 176, 130, 168, 36 }, .title = "(q Wukᵀ) · l" },
        [SUM] = { .at = { 388, 130, 168, 36 }, .title = "+ p · r" },
        [SCORE] = { .at = { 620, 124, 120, 48 }, .title = "score", .lines = "/ √(d + dr)" },
    };
    static const DiagramLabel labels[] = { { .x = 168,
                                             .y = 283,
                                             .style = { .size = 13, .face = CANVAS_SANS_BOLD },
                                             .text = "the query of one head, absorbed" } };
    static const DiagramArrow arrows[] = {
        { .from = KEY_X, .to = ROW_OF },     { .from = QUERY_X, .to = ASKS }, { .from = LATENT, .to = PRODUCT },
        { .from = ABSORBED, .to = PRODUCT }, { .from = SMALL, .to = SUM },    { .from = TURNED, .to = SUM },
        { .from = PRODUCT, .to = SUM },      { .from = SUM, .to = SCORE },
    };
    figure_diagram(lesson, "parts.png", "the two parts of a score, without and with a position",
                   (Diagram){ .title = "A latent that is not turned, and a small key that is",
                              .boxes = boxes,
                              .box_count = BOXES,
                              .arrows = arrows,
                              .arrow_count = sizeof arrows / sizeof *arrows,
                              .labels = labels,
                              .label_count = 1 });
}

void decoupled(Lesson *lesson, Shape s)
{
    step(lesson, "A small key that carries the position");
    Arena *arena = lesson->arena;
    Heads a = sentence_heads(lesson, s, 0), later = sentence_heads(lesson, s, 1000);
    int T = a.x.rows, n = T - T / 3;
    Mat q = mat_new(arena, T, s.H * (s.c + s.dr)), mixed = mat_new(arena, T, s.H * s.c);
    Attended made = attended(lesson, &a, s, true, q, mixed), moved = attended(lesson, &later, s, true, q, mixed);
    Attended read = attended(lesson, &a, s, false, q, mixed);
    check(lesson, off_by(read.weights, made.weights) < 2e-6 && off_by(read.out, made.out) < 2e-6,
          "absorbed and expanded: the same weights and outputs again, within 2 · 10⁻⁶");
    const double alike = 1e-4; // for outputs; rows are a hundred times as far apart
    check(lesson, mat_max_difference(a.rows, later.rows) > 100 * alike && off_by(moved.out, made.out) < alike,
          "1,000 positions later the rows differ by %.1f, and the outputs by less than 10⁻⁴: only i − j counts",
          mat_max_difference(a.rows, later.rows));

    // A prompt in the form for many queries, then word by word in the form for one: over the same cache.
    Mat out = mat_new(arena, T, s.H * s.d);
    LatentCache cache = latent_cache_new(arena, T, s.c, s.dr);
    latent_attend_expanded((Attended){ .out = mat_rows(out, 0, n) }, &cache, mat_rows(a.q, 0, n),
                           mat_rows(a.rows, 0, n), a.w, a.masks, attention_naive);
    for (int t = n; t < T; t++)
        latent_attend((Attended){ .out = mat_rows(out, t, 1) }, &cache, mat_rows(a.q, t, 1), mat_rows(a.rows, t, 1),
                      a.w, a.masks, attention_naive);
    check(lesson, off_by(out, made.out) < 2e-6, "%d words expanded, %d more absorbed, one cache: the same", n, T - n);
    check(lesson, latent_cache_bytes(cache) == (int64_t)4 * T * (s.c + s.dr),
          "a word takes 4 · (c + dr) = %d bytes; keys and values of MHA would take %d", 4 * (s.c + s.dr),
          8 * s.H * s.d);

    // What the viewer shows: the queries as they meet the rows, the rows as keys, their first columns as values. It
    // divides by √(c + dr), the width that it sees, as a kernel does that is told nothing: so the queries are longer.
    Mat seen = mat_copy(arena, q), weights = mat_new(arena, s.H * T, T);
    float by = sqrtf((float)(s.c + s.dr) / (float)(s.d + s.dr));
    for (int i = 0; i < T; i++)
        for (int c = 0; c < seen.cols; c++) *mat_ref(seen, i, c) *= by;
    grouped_attend((Attended){ mixed, .weights = weights }, seen, a.rows, mat_cols(a.rows, 0, s.c), s.H, a.masks,
                   attention_naive);
    check(lesson, off_by(weights, made.weights) < 2e-6,
          "queries √((c + dr) / (d + dr)) = %.2f times as long, and a "
          "kernel that divides by √(c + dr): the same weights",
          (double)by);
    figure_parts(lesson);
    trace_heads(lesson->trace, (TraceHeads){ .H = s.H,
                                             .x = a.x,
                                             .q = seen,
                                             .k = a.rows,
                                             .v = mat_cols(a.rows, 0, s.c),
                                             .weights = read.weights,
                                             .heads = mixed,
                                             .scores = lesson_dump_scores(lesson, seen, a.rows, s.H, a.masks) });
    trace_mat(lesson->trace, "mla.q", a.q);
    trace_mat(lesson->trace, "mla.wuk", a.w.wuk);
    trace_mat(lesson->trace, "mla.wuv", a.w.wuv);
    trace_mat(lesson->trace, "mla.heads", made.out);
}
