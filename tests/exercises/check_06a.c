// Exercise 06a: my_heads.
#include "attention/multi_head.h"
#include "base/portable_math.h"
#include "exercises/judge.h"

typedef void Heads(Mat out, Mat q, Mat k, Mat v, int H);
Heads my_heads;

// T, D, H; and whether q, k and v are views of one matrix, as they are in the layer. First d is 3: none of √d, √D, √H and
// d are the same.
static const int shapes[][4] = { { 6, 6, 2, 0 }, { 4, 4, 1, 0 },   { 4, 4, 2, 0 }, { 3, 4, 2, 0 },
                                 { 5, 6, 2, 0 }, { 11, 12, 4, 0 }, { 5, 6, 6, 0 }, { 5, 6, 3, 1 } };

static void heads_case(Judge *judge, Function f, int n)
{
    int T = shapes[n][0], D = shapes[n][1], H = shapes[n][2], fused = shapes[n][3];
    Random random = random_from((uint64_t)H);
    Mat q = judge_random(judge, &random, T, D), k = judge_random(judge, &random, T, D);
    Mat v = judge_random(judge, &random, T, D), qkv = judge_random(judge, &random, T, 3 * D);
    if (fused) q = mat_cols(qkv, 0, D);
    if (fused) k = mat_cols(qkv, D, D);
    if (fused) v = mat_cols(qkv, 2 * D, D);
    judge_trying(judge, "my_heads of %d tokens, D = %d, H = %d%s", T, D, H, fused ? ", q | k | v one matrix" : "");
    ((Heads *)f)(judge_output(judge, T, D), q, k, v, H);
}

static void right_heads(Mat out, Mat q, Mat k, Mat v, int H)
{
    multi_head_attend(out, (Mat){ 0 }, q, k, v, H, (Mask){ 0 });
}

enum { BY_MEMORY = 1, FROM_H, STRIDE_IS_COLS, ALL_READ_FIRST, KEYS_MIXED, ROOT_OF_D, UNSCALED, ONE_HEAD };

// Head h of m, to read or to write.
static Mat head(Mat m, int h, int H, bool out)
{
    int d = m.cols / H;
    switch (judge_fault) {
    case BY_MEMORY: return (Mat){ m.at + (ptrdiff_t)h * m.rows * d, m.rows, d, d };
    case FROM_H: return mat_cols(m, out ? h * d : h, d);
    case STRIDE_IS_COLS: return (Mat){ m.at + h * d, m.rows, d, m.cols };
    case ALL_READ_FIRST: return mat_cols(m, out ? h * d : 0, d);
    default: return mat_cols(m, h * d, d);
    }
}

static void faulty_heads(Mat out, Mat q, Mat k, Mat v, int H)
{
    const int fault = judge_fault;
    Mask mask = { 0 };
    if (fault == ROOT_OF_D) mask.scale = 1.0f / sqrtf((float)q.cols);
    if (fault == UNSCALED) mask.scale = 1.0f;
    if (fault == ONE_HEAD) H = 1;
    for (int h = 0; h < H; h++) {
        attention_naive((Attended){ .out = head(out, h, H, true) }, head(q, h, H, false), head(k, h, H, false),
                        head(fault == KEYS_MIXED ? k : v, h, H, false), mask);
    }
}

static const Task tasks[] = {
    { AS(Heads, my_heads), AS(Heads, right_heads), heads_case, COUNT(shapes), .faulty = AS(Heads, faulty_heads),
      .hints = { { NULL, "which columns of q, k and v belong to head h, and where does its output go?",
                   "O_h = softmax(Q_h K_hᵀ / √d) V_h, with d = D / H; out = O_0 | O_1 | …" } },
      .wrong = { FAULT(BY_MEMORY,
                       "this is the wrong reshape, on the way in and on the way out: head h is a share of the columns"),
                 FAULT(FROM_H, "head h begins at column h · d, not at column h"),
                 FAULT(STRIDE_IS_COLS,
                       "q, k and v are views here: from one row to the next it is `stride` floats, which is more "
                       "than `cols`"),
                 FAULT(ALL_READ_FIRST, "every head works on the columns of head 0: q, k and v must be cut for each"),
                 FAULT(KEYS_MIXED, "the keys were taken for the values: what is mixed is v"),
                 FAULT(ROOT_OF_D, "the scores are divided by √D; a head of width d divides by √d"),
                 FAULT(UNSCALED,
                       "the scores are not divided: a head of width d divides them by √d, which scale 0 stands for"),
                 FAULT(ONE_HEAD, "this is one head of full width: split the columns among the heads") } },
};
EXERCISE("06a", tasks)
