// Exercise 06b: my_layer. Every choice of the four faults is computed, so that those that are left are known.
#include "attention/dot_product.h"
#include "attention/multi_head.h"
#include "base/portable_math.h"
#include "exercises/judge.h"

typedef void Layer(Mat out, Mat x, Mat wqkv, Mat wo, int H, Arena *arena);
Layer my_layer;

static const int shapes[][3] = { { 5, 6, 2 }, { 3, 4, 4 }, { 4, 4, 1 } }; // T, D, H

static Mat inputs(Judge *judge, int n, MultiHead *m)
{
    Random random = random_from((uint64_t)shapes[n][2]);
    *m = multi_head_new(judge->arena, shapes[n][1], shapes[n][2]);
    Mat x = judge_random(judge, &random, shapes[n][0], shapes[n][1]);
    random_normals(&random, m->wqkv);
    random_normals(&random, m->wo);
    return x;
}

static void layer_case(Judge *judge, Function f, int n)
{
    MultiHead m;
    Mat x = inputs(judge, n, &m), out = judge_output(judge, x.rows, x.cols);
    judge_trying(judge, "my_layer of %d tokens, D = %d, H = %d", x.rows, x.cols, m.H);
    ((Layer *)f)(out, x, m.wqkv, m.wo, m.H, judge->arena);
}

static void right_layer(Mat out, Mat x, Mat wqkv, Mat wo, int H, Arena *arena)
{
    (void)arena;
    multi_head_fused(out, (Mat){ 0 }, x, (MultiHead){ H, wqkv, wo }, (Mask){ .causal = true });
}

// The four faults are bits; one that has come in is a number of sixteens beside them.
enum { CUT = 1, SCALE = 2, MASK = 4, TURNED = 8, ALL = 15 };
enum { NEW = 16, UNSCALED = 1 * NEW, ONLY_Q = 2 * NEW, NOT_V = 3 * NEW, NO_WO = 4 * NEW };

static void faulty_layer(Mat out, Mat x, Mat wqkv, Mat wo, int H, Arena *arena)
{
    const int fault = judge_fault, new_fault = fault / NEW * NEW, T = x.rows, D = x.cols, d = D / H;
    Mat qkv = mat_new(arena, T, 3 * D), heads = mat_new(arena, T, D);
    float scale = new_fault == UNSCALED ? 1.0f : 1.0f / sqrtf((float)(fault & SCALE ? D : d));
    Mask mask = { .causal = !(fault & MASK), .scale = scale };
    matmul(qkv, x, wqkv);
    for (int h = 0; h < H; h++) {
        int at[3] = { h * d, D + h * d, 2 * D + h * d }; // q, k and v
        for (int m = 0; m < 3; m++) {
            int side_by_side = 3 * h * d + m * d;
            if (fault & CUT || (new_fault == ONLY_Q && m > 0) || (new_fault == NOT_V && m == 2)) at[m] = side_by_side;
        }
        attention_naive((Attended){ .out = mat_cols(heads, h * d, d) }, mat_cols(qkv, at[0], d),
                        mat_cols(qkv, at[1], d), mat_cols(qkv, at[2], d), mask);
    }
    if (new_fault == NO_WO) mat_set(out, heads);
    else (fault & TURNED ? matmul_transposed : matmul)(out, heads, wo);
}

static const struct {
    int fault;
    const char *question, *formula;
} left[] = {
    { CUT, "where in qkv do the queries of all heads stand, and where the keys?",
      "q of head h: columns h d … h d + d - 1 of Q = X Wq; and qkv is Q | K | V" },
    { SCALE, "how many products are added up in one score of one head?", "softmax(q kᵀ / √d), d = D / H" },
    { MASK, "may word 0 see word 1?", "causal: query i sees the keys j ≤ i" },
    { TURNED, "which rows of Wo does head h meet? Which does it meet here?",
      "out = heads Wo: out[i][j] = Σ heads[i][c] Wo[c][j]" },
};

// A line that was changed, but not into the right one.
static const struct {
    int fault;
    const char *words;
} changed[] = {
    { UNSCALED, "a scale has been changed, and is not right yet: now the scores are not divided at all" },
    { ONLY_Q, "q is cut rightly now; k and v are not" },
    { NOT_V, "q and k are cut rightly now; v is not" },
    { NO_WO, "a line has been lost: what the heads found no longer goes through Wo" },
};

// The faults that give this, with `new_fault` and some of the four; −1: no choice of them does.
static int faults_in(Judge *judge, Difference d, int new_fault)
{
    MultiHead m;
    Mat x = inputs(judge, d.n, &m), out = mat_new(judge->arena, x.rows, x.cols);
    for (int f = 0; f <= ALL; f++) {
        judge_fault = f | new_fault;
        faulty_layer(out, x, m.wqkv, m.wo, m.H, judge->arena);
        if (mat_max_difference(d.got, out) < 1e-5) return f;
    }
    return -1;
}

static Hints layer_hints(Judge *judge, Difference d)
{
    int faults = faults_in(judge, d, 0), count = 0;
    Hints hints = {
        "this is none of the four faults, and no half-mended one that is known: some line is wrong in a new way",
        "go through your lines: for each, which formula of the chapter does it stand for?"
    };
    for (int c = 0; faults < 0 && c < COUNT(changed); c++)
        if (faults_in(judge, d, changed[c].fault) >= 0) return (Hints){ changed[c].words, hints.question };
    for (int f = 3; faults > 0 && f >= 0; f--) {
        if (!(faults & left[f].fault)) continue;
        count++;
        hints.question = left[f].question;
        hints.formula = left[f].formula;
    }
    if (count)
        hints.property = arena_format(judge->arena, "%d of the four faults %s left", count, count == 1 ? "is" : "are");
    if (faults == ALL) hints.property = "all four faults are still there";
    return hints;
}

static const Task tasks[] = {
    { AS(Layer, my_layer), AS(Layer, right_layer), layer_case, COUNT(shapes), .explain = layer_hints,
      .faulty = AS(Layer, faulty_layer),
      .wrong = { { .fault = ALL, .told = "all four faults are still there" },
                 { .fault = CUT, .told = "1 of the four faults is left" },
                 { .fault = CUT | SCALE, .told = "2 of the four faults are left" },
                 { .fault = SCALE | MASK | TURNED, .told = "3 of the four faults are left" },
                 { .fault = UNSCALED, .told = "now the scores are not divided at all" },
                 { .fault = ONLY_Q, .told = "q is cut rightly now; k and v are not" },
                 { .fault = NOT_V, .told = "q and k are cut rightly now; v is not" },
                 { .fault = NO_WO, .told = "no longer goes through Wo" } } },
};
EXERCISE("06b", tasks)
