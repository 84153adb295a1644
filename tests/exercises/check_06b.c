// Exercise 06b: my_layer. Those of its four faults that are left are found by making them.
#include "attention/dot_product.h"
#include "attention/multi_head.h"
#include "base/portable_math.h"
#include "exercises/judge.h"

typedef void Layer(Mat out, Mat x, Mat wqkv, Mat wo, int H, Arena *arena);
Layer my_layer;

static const int shapes[][3] = { { 5, 6, 2 }, { 3, 4, 4 }, { 4, 4, 1 } }; // T, D, H

static void layer_case(Judge *judge, Function f, int n)
{
    int T = shapes[n][0], D = shapes[n][1], H = shapes[n][2];
    Random random = random_from((uint64_t)H);
    Mat x = judge_random(judge, &random, T, D), wqkv = judge_random(judge, &random, D, 3 * D);
    Mat wo = judge_random(judge, &random, D, D);
    judge_trying(judge, "my_layer of %d tokens, D = %d, H = %d", T, D, H);
    ((Layer *)f)(judge_output(judge, T, D), x, wqkv, wo, H, judge->arena);
}

static void right_layer(Mat out, Mat x, Mat wqkv, Mat wo, int H, Arena *arena)
{
    (void)arena;
    multi_head_fused(out, (Mat){ 0 }, x, (MultiHead){ H, wqkv, wo }, (Mask){ .causal = true });
}

// The four faults, and what a half-fixed function may have.
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

// What is left of the four, and a question about the first of them.
#define LEFT(left, words_, question_) \
    { \
        .fault = left, .words = words_, .question = question_ \
    }
#define CUT_Q    "where in qkv do the queries of all heads stand, and where the keys?"
#define SCALE_Q  "how many products are added up in one score of one head?"
#define MASK_Q   "may word 0 see word 1?"
#define TURNED_Q "which rows of Wo does head h meet? Which does it meet here?"
#define ONE      "1 of the four faults is left"
#define TWO      "2 of the four faults are left"
#define THREE    "3 of the four faults are left"

// clang-format off
static const Task tasks[] = {
    { AS(Layer, my_layer), AS(Layer, right_layer), layer_case, COUNT(shapes), .faulty = AS(Layer, faulty_layer),
      .hints = { { "this is none of the four faults, and no half-mended one that is known: some line is wrong in a new way",
                   "go through your lines: for each, which formula of the chapter does it stand for?" } },
      .wrong = { LEFT(ALL, "all four faults are still there", CUT_Q),
                 LEFT(CUT, ONE, CUT_Q), LEFT(SCALE, ONE, SCALE_Q), LEFT(MASK, ONE, MASK_Q), LEFT(TURNED, ONE, TURNED_Q),
                 LEFT(CUT | SCALE, TWO, CUT_Q), LEFT(CUT | MASK, TWO, CUT_Q), LEFT(CUT | TURNED, TWO, CUT_Q),
                 LEFT(SCALE | MASK, TWO, SCALE_Q), LEFT(SCALE | TURNED, TWO, SCALE_Q), LEFT(MASK | TURNED, TWO, MASK_Q),
                 LEFT(CUT | SCALE | MASK, THREE, CUT_Q), LEFT(CUT | SCALE | TURNED, THREE, CUT_Q),
                 LEFT(CUT | MASK | TURNED, THREE, CUT_Q), LEFT(SCALE | MASK | TURNED, THREE, SCALE_Q),
                 FAULT(UNSCALED, "a scale has been changed, and is not right yet: now the scores are not divided at all"),
                 FAULT(ONLY_Q, "q is cut rightly now; k and v are not"),
                 FAULT(NOT_V, "q and k are cut rightly now; v is not"),
                 FAULT(NO_WO, "a line has been lost: what the heads found no longer goes through Wo") } },
};
// clang-format on
EXERCISE("06b", tasks)
