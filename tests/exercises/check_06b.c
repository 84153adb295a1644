// Exercise 06b: my_layer. Every choice of the four faults is computed, so that those that are left are known.
#include "attention/dot_product.h"
#include "attention/multi_head.h"
#include "base/random.h"
#include "exercises/judge.h"

#include <math.h>

void my_layer(Mat out, Mat x, Mat wqkv, Mat wo, int H, Arena *arena);

enum { CUT = 1, SCALE = 2, MASK = 4, TURNED = 8, ALL = 15 };
enum {
    NOT_SCALED = 16,
    BY_WIDTH = 32,
    LARGER = 64,
    K_AND_V = 128,
    ONLY_Q = 256,
    STEP_IS_HD = 512,
    NOT_V = 1024,
    Q_AND_K = 2048,
    NO_WO = 4096,
    BY_HEADS = 8192,
    NOT_K = 16384,
    NOT_Q = 32768,
    V_IS_K = 65536,
    K_IS_Q = 131072,
    V_AT_DOUBLE = 262144,
    X_ADDED = 524288,
    KV_AT_H = 1 << 20,
    KV_FIRST = 1 << 21,
    STEP_OF_D = 1 << 22,
    BY_TOKENS = 1 << 23
}; // new

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

// What the scores are multiplied by; 0: the library's 1/√d.
static float scale_with(float D, float d, float T, int faults)
{
    if (faults & BY_TOKENS) return 1.0f / sqrtf(T);
    if (faults & BY_HEADS) return 1.0f / sqrtf(D / d);
    float width = faults & SCALE ? D : d;
    if (faults & NOT_SCALED) return 1.0f;
    if (faults & BY_WIDTH) return 1.0f / width;
    if (faults & LARGER) return sqrtf(width);
    return faults & SCALE ? 1.0f / sqrtf(D) : 0.0f;
}

static Mat layer_with(Arena *arena, Mat x, MultiHead m, int faults)
{
    int T = x.rows, D = x.cols, H = m.H, d = D / H;
    Mat qkv = mat_new(arena, T, 3 * D), heads = mat_new(arena, T, D), out = mat_new(arena, T, D);
    Mask mask = { .causal = !(faults & MASK), .scale = scale_with((float)D, (float)d, (float)T, faults) };
    matmul(qkv, x, m.wqkv);
    for (int h = 0; h < H; h++) {
        int q = faults & CUT ? 3 * h * d : h * d, step = faults & CUT ? d : D, k = q + step, v = q + 2 * step;
        if (faults & (ONLY_Q | STEP_IS_HD)) {
            int from = faults & ONLY_Q ? 3 * h * d : h * d;
            q = h * d;
            k = from + d;
            v = from + 2 * d;
        }
        if (faults & KV_AT_H) k = D + h;
        if (faults & KV_AT_H) v = 2 * D + h;
        if (faults & KV_FIRST) k = D;
        if (faults & KV_FIRST) v = 2 * D;
        if (faults & STEP_OF_D && h * D + 3 * d <= 3 * D) {
            q = h * D;
            k = q + d;
            v = q + 2 * d;
        }
        if (faults & NOT_Q) q = 3 * h * d;
        if (faults & NOT_K) k = 3 * h * d + d;
        if (faults & NOT_V) v = 3 * h * d + 2 * d;
        if (faults & V_AT_DOUBLE) v = D + 2 * h * d;
        if (faults & V_IS_K) v = k;
        if (faults & K_IS_Q) k = q;
        if (faults & Q_AND_K) {
            k = q;
            q = q + step;
        }
        if (faults & K_AND_V) {
            k = q + 2 * step;
            v = q + step;
        }
        attention_naive((Attended){ .out = mat_cols(heads, h * d, d) }, mat_cols(qkv, q, d), mat_cols(qkv, k, d),
                        mat_cols(qkv, v, d), mask);
    }
    if (faults & NO_WO) mat_set(out, heads);
    else (faults & TURNED ? matmul_transposed : matmul)(out, heads, m.wo);
    for (int i = 0; i < T; i++)
        for (int j = 0; j < D && faults & X_ADDED; j++) *mat_ref(out, i, j) += *mat_ref(x, i, j);
    return out;
}

// Which of the faults give this; −1: no choice of them does.
static int faults_in(Arena *arena, Mat got, Mat x, MultiHead m)
{
    for (int f = 0; f <= ALL; f++)
        if (mat_max_difference(got, layer_with(arena, x, m, f)) < 1e-5) return f;
    return -1;
}

// A line that was changed, but not into the right one; NULL: none that is known.
static const char *new_fault(Arena *arena, Mat got, Mat x, MultiHead m)
{
    static const struct {
        int fault;
        const char *words;
    } changed[] = {
        { NOT_SCALED, "a scale has been changed, and is not right yet: now the scores are not divided at all" },
        { BY_WIDTH, "a scale has been changed, and is not right yet: it divides by a width, not by its root" },
        { LARGER, "a scale has been changed, and is not right yet: it makes the scores larger" },
        { K_AND_V, "where k and v are cut has been changed: they have changed places" },
        { ONLY_Q, "q is cut rightly now; k and v are not" },
        { NOT_V, "q and k are cut rightly now; v is not" },
        { NOT_K, "q and v are cut rightly now; k is not" },
        { NOT_Q, "k and v are cut rightly now; q is not" },
        { V_AT_DOUBLE, "where v is cut has been changed: it begins at D + 2 h d, among the keys for h = 0" },
        { V_IS_K, "where v is cut has been changed: these are the keys" },
        { K_IS_Q, "where k is cut has been changed: these are the queries" },
        { BY_HEADS, "a scale has been changed, and is not right yet: it divides by the root of H" },
        { KV_AT_H, "where k and v are cut has been changed: a head's columns begin d further on, not one" },
        { KV_FIRST, "where k and v are cut has been changed: every head has those of head 0" },
        { STEP_OF_D, "where q, k and v are cut has been changed: D columns hold the queries of all heads, not q, k "
                     "and v of one" },
        { BY_TOKENS, "a scale has been changed, and is not right yet: it divides by the root of T" },
        { X_ADDED, "a line has come in: x is added to what the layer gives, and that is not this layer's doing" },
        { Q_AND_K, "where q and k are cut has been changed: they have changed places" },
        { NO_WO, "a line has been lost: what the heads found no longer goes through Wo" },
        { STEP_IS_HD, "q is cut rightly now; k and v begin right behind it, in the next head's columns" },
    };
    for (size_t c = 0; c < sizeof changed / sizeof *changed; c++)
        for (int f = 0; f <= ALL; f++)
            if (mat_max_difference(got, layer_with(arena, x, m, f | changed[c].fault)) < 1e-5) return changed[c].words;
    return NULL;
}

static void layer_of(Judge *judge, int T, int D, int H)
{
    Arena *arena = judge->arena;
    Random random = random_from((uint64_t)H);
    MultiHead m = multi_head_new(arena, D, H);
    Mat x = mat_new(arena, T, D), got = judge_output(judge, T, D);
    random_normals(&random, x);
    random_normals(&random, m.wqkv);
    random_normals(&random, m.wo);
    judge_trying(judge, "my_layer of %d tokens, D = %d, H = %d", T, D, H);
    my_layer(got, x, m.wqkv, m.wo, H, arena);
    int faults = faults_in(arena, got, x, m), count = 0;
    const char *changed = faults < 0 ? new_fault(arena, got, x, m) : NULL;
    Hints hints = { .property = changed ? changed
                                        : "this is none of the four faults, and no half-mended one that is "
                                          "known: some line is wrong in a new way",
                    .question = "go through your lines: for each, which formula of the chapter does it stand for?" };
    for (int f = 3; faults > 0 && f >= 0; f--) {
        if (!(faults & left[f].fault)) continue;
        count++;
        hints.question = left[f].question;
        hints.formula = left[f].formula;
    }
    if (count) hints.property = arena_format(arena, "%d of the four faults %s left", count, count == 1 ? "is" : "are");
    if (faults == ALL) hints.property = "all four faults are still there";
    judge_answer(judge, (Answer){ .got = got, .expected = layer_with(arena, x, m, 0), .hints = hints });
}

static void check(Judge *judge)
{
    layer_of(judge, 5, 6, 2);
    layer_of(judge, 3, 4, 4);
    layer_of(judge, 4, 4, 1);
}

int main(void) { return judge_main("06b", check); }
