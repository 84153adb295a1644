// Chapter 22, steps 1 and 2. One map taken away from another, by hand; and what weights below 0 can do.
#include "attention/dot_product.h"
#include "base/portable_math.h"
#include "lesson/block_map.h"
#include "lesson/dump.h"
#include "lesson/hand_made.h"
#include "steps.h"

// The pair of the book's sentence. The first map is the head of chapter 04. The second has its keys and values, and one
// question only: nouns ask for nouns.
typedef struct {
    Mat q, k, v;
    DifferentialPair pair;
    Mat first, second, both, out;
} Sample;

static Sample pair_of_sentence(Lesson *lesson, float lambda)
{
    enum { W = HAND_MADE_WIDTH };
    Arena *arena = lesson->arena;
    HandMade hand = hand_made(lesson);
    Mat x = lesson->sentence.x, wq = mat_new(arena, x.cols, W);
    int T = x.rows, noun = column_index(lesson, "noun");
    *mat_ref(wq, noun, 0) = 4.0f;
    Sample s = { .q = mat_new(arena, T, 2 * W), .k = mat_new(arena, T, 2 * W), .v = mat_new(arena, T, W) };
    s.first = mat_new(arena, T, T);
    s.second = mat_new(arena, T, T);
    s.both = mat_new(arena, T, T);
    s.out = mat_new(arena, T, W);
    matmul(mat_cols(s.q, 0, W), x, hand.w.wq);
    matmul(mat_cols(s.q, W, W), x, wq);
    for (int n = 0; n < 2; n++) matmul(mat_cols(s.k, n * W, W), x, hand.w.wk);
    matmul(s.v, x, hand.w.wv);
    s.pair = differential_pair(s.q, s.k, s.v, 1, 1, 0);
    attention_weights(s.first, s.pair.q[0], s.pair.k[0], (Mask){ 0 });
    attention_weights(s.second, s.pair.q[1], s.pair.k[1], (Mask){ 0 });
    differential_direct((Attended){ s.out, { 0 }, s.both }, s.pair, lambda, (Mask[2]){ { 0 } });
    return s;
}

// The two maps and what is left, on one scale, 0 in its middle.
static void figure_maps_of(Lesson *lesson, const Sample *s, float lambda)
{
    const Sentence *words = &lesson->sentence;
    const char *titles[] = { "A₁", "A₂", arena_format(lesson->arena, "A₁ − %.2g A₂", (double)lambda) };
    Mat maps[] = { s->first, s->second, s->both };
    Heatmap drawn[3];
    for (int m = 0; m < 3; m++) {
        drawn[m] = map_of_weights(titles[m], maps[m], words, words);
        drawn[m].colors = COLOR_DIVERGING;
        drawn[m].low = -0.6;
        drawn[m].high = 0.6;
        drawn[m].decimals = -1;
        drawn[m].cell = 22;
    }
    figure_maps(lesson, "signed.png", "two maps and their difference, one scale with 0 in its middle",
                "Two maps, and one taken away", drawn, 3, 3);
}

// For the viewer, three heads: the two maps, and the difference as it is. It draws what is below 0 in a colour of its
// own.
static void dump_maps(Lesson *lesson, const Sample *s)
{
    int T = s->both.rows, W = s->v.cols;
    Mat weights = mat_new(lesson->arena, 3 * T, T);
    Mat heads = mat_new(lesson->arena, T, 3 * W);
    Mat maps[] = { s->first, s->second, s->both };
    for (int m = 0; m < 3; m++) {
        mat_set(mat_rows(weights, m * T, T), maps[m]);
        mat_fill(mat_cols(heads, m * W, W), 0.0f);
        attention_mix(mat_cols(heads, m * W, W), maps[m], s->v, (Mask){ 0 });
    }
    trace_heads(lesson->trace,
                (TraceHeads){ .H = 3, .x = lesson->sentence.x, .v = s->v, .weights = weights, .heads = heads });
    trace_mat(lesson->trace, "pair.q", s->q);
    trace_mat(lesson->trace, "pair.k", s->k);
}

static void show_row(Lesson *lesson, const Sample *s, int i)
{
    Mat rows = mat_new(lesson->arena, 3, s->both.cols), maps[] = { s->first, s->second, s->both };
    static const char *const names[] = { "first map", "second map", "difference" };
    for (int m = 0; m < 3; m++) mat_set(mat_rows(rows, m, 1), mat_rows(maps[m], i, 1));
    const char *name = arena_format(lesson->arena, "what \"%s\" attends to", lesson->sentence.words[i]);
    show_table(lesson, (Table){ .name = name,
                                .values = rows,
                                .rows = names,
                                .cols = lesson->sentence.words,
                                .decimals = 2,
                                .colors = COLOR_DIVERGING,
                                .low = -0.6,
                                .high = 0.6 });
}

static double row_sum(Mat m, int i)
{
    double sum = 0.0;
    for (int j = 0; j < m.cols; j++) sum += mat_value(m, i, j);
    return sum;
}

// By how much the rows' sums miss 1 − λ.
static double sums_off(Mat both, float lambda)
{
    double off = 0.0;
    for (int i = 0; i < both.rows; i++) off = fmax(off, fabs(row_sum(both, i) - 1.0 + (double)lambda));
    return off;
}

void two_maps(Lesson *lesson, const Asked *asked)
{
    step(lesson, "Two maps, one taken away");
    block_map_figure(lesson, "here.png", BLOCK_MAP_SOFTMAX);
    Sample s = pair_of_sentence(lesson, asked->lambda);
    int it = sentence_find(&lesson->sentence, "it"), animal = sentence_find(&lesson->sentence, "animal");
    int street = sentence_find(&lesson->sentence, "street");
    bool ours = !lesson->own_words && asked->lambda == 0.6f;
    show_row(lesson, &s, it < 0 ? 0 : it);
    check(lesson, sums_off(s.both, asked->lambda) < 1e-6, "every row sums up to 1 - lambda = %.2f",
          1.0 - (double)asked->lambda);
    if (ours) {
        double before = mat_value(s.first, it, animal) / mat_value(s.first, it, street);
        check(lesson, mat_argmax(s.both, it) == animal && before < 3.0 && fabs(mat_value(s.both, it, street)) < 0.01,
              "it: animal had %.1f times the weight of street; now street has %.3f, and animal %.3f", before,
              mat_value(s.both, it, street), mat_value(s.both, it, animal));
    }
    figure_maps_of(lesson, &s, asked->lambda);
    dump_maps(lesson, &s);
}

// ---- 2. Below 0

typedef struct {
    int row, col;
    double out, low, high;
} Outside;

// The output that lies farthest outside of what the values of its column range over.
static Outside farthest_outside(Mat out, Mat v)
{
    Outside most = { 0 };
    double far = -INFINITY;
    for (int c = 0; c < v.cols; c++) {
        double low = INFINITY, high = -INFINITY;
        for (int j = 0; j < v.rows; j++) {
            low = fmin(low, mat_value(v, j, c));
            high = fmax(high, mat_value(v, j, c));
        }
        for (int i = 0; i < out.rows; i++) {
            double beyond = fmax(low - mat_value(out, i, c), mat_value(out, i, c) - high);
            if (beyond <= far) continue;
            far = beyond;
            most = (Outside){ i, c, mat_value(out, i, c), low, high };
        }
    }
    return most;
}

void signed_weights(Lesson *lesson, const Asked *asked)
{
    step(lesson, "Weights below 0");
    Sample s = pair_of_sentence(lesson, asked->lambda);
    int T = s.both.rows, below = 0;
    double least = 0.0;
    for (int i = 0; i < T; i++)
        for (int j = 0; j < T; j++) {
            below += *mat_ref(s.both, i, j) < 0.0f;
            least = fmin(least, mat_value(s.both, i, j));
        }
    say(lesson, "%d of %d weights are below 0, the least is %.2f.", below, T * T, least);
    Mat plain = mat_new(lesson->arena, T, s.v.cols);
    attention_naive((Attended){ .out = plain }, s.pair.q[0], s.pair.k[0], s.v, (Mask){ 0 });
    HandMade hand = hand_made(lesson);
    Outside a = farthest_outside(plain, s.v), b = farthest_outside(s.out, s.v);
    check(lesson, a.out >= a.low - 1e-6 && a.out <= a.high + 1e-6,
          "the first map alone: no output is outside of what the values range over");
    if (!lesson->own_words && asked->lambda == 0.6f)
        check(lesson, b.out < b.low - 0.01 || b.out > b.high + 0.01,
              "the difference: %s receives %.2f of \"%s\", and the values are from %.2f to %.2f",
              lesson->sentence.words[b.row], b.out, hand.handed[b.col], b.low, b.high);

    // λ = 1, and the same map twice.
    DifferentialPair same = { { s.pair.q[0], s.pair.q[0] }, { s.pair.k[0], s.pair.k[0] }, s.v };
    Mat nothing = mat_new(lesson->arena, T, s.v.cols);
    differential_calls((Attended){ .out = nothing }, same, 1.0f, (Mask[2]){ { 0 } }, attention_naive);
    check(lesson, mat_magnitude(nothing) == 0.0, "the same map twice, and lambda = 1: nothing is left, to the bit");
}
