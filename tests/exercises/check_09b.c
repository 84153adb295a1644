// Exercise 09b: my_layer, which has three mistakes to begin with. Each kind of case shows one property of a right layer.
#include "attention/attention.h"
#include "attention/product.h"
#include "base/portable_math.h"
#include "exercises/judge.h"

typedef void Layer(Mat out, Mat x, Mat gain, Mat wqkv, Mat wo, int H);
Layer my_layer;

enum { T = 5, D = 8 };
enum { NOTHING_WRITTEN, THE_FUTURE }; // what cases 0 and 1 show; the others compare all that comes out
static const int heads[] = { 2, 2, 1, 2, 4 };

static void layer_case(Judge *judge, Function f, int n)
{
    static const char *const shown[] = { "Wo = 0, so that no head can write", "another last token" };
    Random random = random_from((uint64_t)n);
    Mat x = judge_random(judge, &random, T, D), gain = judge_random(judge, &random, 1, D);
    Mat wqkv = judge_random(judge, &random, D, 3 * D), wo = judge_random(judge, &random, D, D);
    Mat out = judge_output(judge, n == THE_FUTURE ? T - 1 : T, D);
    if (n == NOTHING_WRITTEN) mat_fill(wo, 0.0f);
    judge_trying(judge, "my_layer of %d tokens, D = %d, H = %d%s%s", T, D, heads[n], n < 2 ? ", with " : "",
                 n < 2 ? shown[n] : "");
    if (n == THE_FUTURE) { // by how much do the rows before the last change with it?
        Mat one = mat_new(judge->arena, T, D), other = mat_new(judge->arena, T, D);
        ((Layer *)f)(one, x, gain, wqkv, wo, heads[n]);
        mat_fill(mat_rows(x, T - 1, 1), -1.0f);
        ((Layer *)f)(other, x, gain, wqkv, wo, heads[n]);
        for (int i = 0; i < T - 1; i++)
            for (int c = 0; c < D; c++) *mat_ref(out, i, c) = *mat_ref(other, i, c) - *mat_ref(one, i, c);
    } else {
        ((Layer *)f)(out, x, gain, wqkv, wo, heads[n]);
    }
}

enum { NORMED_STREAM = 1, NO_WO, UNMASKED, NOT_DIVIDED, NOT_ADDED, NOT_NORMED };

static void norm(Mat to, Mat x, Mat gain)
{
    for (int i = 0; i < T; i++) {
        float sum = 1e-6f;
        for (int c = 0; c < D; c++) sum += *mat_ref(x, i, c) * *mat_ref(x, i, c);
        float scale = 1.0f / sqrtf(sum / (judge_fault == NOT_DIVIDED ? 1.0f : D));
        for (int c = 0; c < D; c++) *mat_ref(to, i, c) = *mat_ref(x, i, c) * scale * gain.at[c];
    }
}

static void faulty_layer(Mat out, Mat x, Mat gain, Mat wqkv, Mat wo, int H)
{
    const int fault = judge_fault, d = D / H;
    Arena *arena = arena_open();
    Mat normed = mat_new(arena, T, D), qkv = mat_new(arena, T, 3 * D), found = mat_new(arena, T, D);
    norm(normed, x, gain);
    product_add(qkv, fault == NOT_NORMED ? x : normed, wqkv);
    for (int h = 0; h < H; h++) {
        Mat part[3]; // queries, keys, values
        for (int n = 0; n < 3; n++) part[n] = mat_cols(qkv, n * D + h * d, d);
        attention_naive((Attended){ .out = mat_cols(found, h * d, d) }, part[0], part[1], part[2],
                        (Mask){ .causal = fault != UNMASKED });
    }
    mat_set(out, fault == NORMED_STREAM ? normed : x);
    if (fault == NO_WO) {
        wo = mat_new(arena, D, D);
        for (int c = 0; c < D; c++) *mat_ref(wo, c, c) = 1.0f;
    }
    if (fault != NOT_ADDED) product_add(out, found, wo);
    arena_close(arena);
}

static Hints layer_hints(Judge *judge, Difference d)
{
    if (d.n == NOTHING_WRITTEN)
        return (Hints){ "with Wo = 0 the layer adds nothing, and what comes out is x itself; here it is not",
                        "what does the layer add to: to the stream as it came, or to something made of it?",
                        "out = x + (…) Wo" };
    if (d.n != THE_FUTURE)
        return (Hints){ "the stream passes, the future is hidden, and yet what is added to the stream is not what it "
                        "should be",
                        "how large is a row of norm(x), before the gain: what is the mean of its squares?",
                        "norm(x) = x / √((1/D) Σ x² + ε) · gain" };
    (void)judge;
    return (Hints){ "another last token changes a row before it: it can see what comes after it",
                    "which keys may a query of model A look at?", "query i sees the keys j ≤ i" };
}

static const Task tasks[] = {
    { AS(Layer, my_layer), AS(Layer, faulty_layer), layer_case, COUNT(heads), .tolerance = 1e-4f,
      .explain = layer_hints, .faulty = AS(Layer, faulty_layer),
      .wrong = { FAULT(NORMED_STREAM, "what comes out went through the norm: the norm is for what the heads read, and "
                                      "the stream itself stays as it is"),
                 FAULT(NO_WO, "Wo is missing: what the heads found does not go through it"),
                 { .fault = UNMASKED, .told = "it can see what comes after it" },
                 FAULT(NOT_DIVIDED, "what reaches Wqkv is too small: before the gain, the squares of a normed row must "
                                    "have the mean 1"),
                 FAULT(NOT_ADDED, "what comes out is x itself: what the heads found is not in it"),
                 FAULT(NOT_NORMED, "what reaches Wqkv is the stream itself: heads read it through the norm") } },
};
EXERCISE("09b", tasks)
