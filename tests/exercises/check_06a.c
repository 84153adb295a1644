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

enum { BY_MEMORY = 1, BY_TOKENS, FROM_H, STRIDE_IS_COLS, ALL_TO_FIRST, NOT_THE_LAST, ALL_READ_FIRST, KEYS_MIXED };
enum { ROOT_OF_D = KEYS_MIXED + 1, UNSCALED, ONE_HEAD, H_IS_D, CAUSAL, HEAD_1_WRONG };

// Head h of m, to read or to write.
static Mat head(Mat m, int h, int H, bool out)
{
    int d = m.cols / H;
    switch (judge_fault) {
    case BY_MEMORY: return (Mat){ m.at + (ptrdiff_t)h * m.rows * d, m.rows, d, d };
    case BY_TOKENS: return m.rows >= m.cols ? mat_rows(m, h * d, d) : m;
    case FROM_H: return mat_cols(m, out ? h * d : h, d);
    case STRIDE_IS_COLS: return (Mat){ m.at + h * d, m.rows, d, m.cols };
    case ALL_TO_FIRST: return mat_cols(m, out ? 0 : h * d, d);
    case ALL_READ_FIRST: return mat_cols(m, out ? h * d : 0, d);
    default: return mat_cols(m, h * d, d);
    }
}

static void faulty_heads(Mat out, Mat q, Mat k, Mat v, int H)
{
    const int fault = judge_fault;
    Mask mask = { .causal = fault == CAUSAL };
    if (fault == H_IS_D) H = q.cols / H;
    if (fault == ROOT_OF_D) mask.scale = 1.0f / sqrtf((float)q.cols);
    if (fault == UNSCALED) mask.scale = 1.0f;
    if (fault == ONE_HEAD) H = 1;
    for (int h = 0; h < H - (fault == NOT_THE_LAST); h++) {
        if (fault == HEAD_1_WRONG && h == 1) mask.scale = 3.0f;
        attention_naive((Attended){ .out = head(out, h, H, true) }, head(q, h, H, false), head(k, h, H, false),
                        head(fault == KEYS_MIXED ? k : v, h, H, false), mask);
    }
}

// The heads whose columns of the output are not right.
static Hints heads_hints(Judge *judge, Difference d)
{
    int H = shapes[d.n][2], count = 0;
    Hints hints = { "the columns of the output that are wrong belong to head",
                    "which columns of q, k and v belong to head h, and where does its output go?",
                    "O_h = softmax(Q_h K_hᵀ / √d) V_h, with d = D / H; out = O_0 | O_1 | …" };
    for (int h = 0, width = d.got.cols / H; h < H; h++) {
        Mat got = mat_cols(d.got, h * width, width);
        if (isnan(mat_sum(got)))
            hints.property =
                arena_format(judge->arena,
                             "not all of head %d's columns of out have been written: does your loop reach it?", h);
        if (isnan(mat_sum(got))) break;
        if (mat_max_difference(got, mat_cols(d.expected, h * width, width)) > 1e-5)
            hints.property = arena_format(judge->arena, "%s%s %d", hints.property, count++ ? "," : "", h);
    }
    return hints;
}

static const Task tasks[] = {
    { AS(Heads, my_heads), AS(Heads, right_heads), heads_case, COUNT(shapes), .explain = heads_hints,
      .faulty = AS(Heads, faulty_heads),
      .wrong = { FAULT(BY_MEMORY,
                       "this is the wrong reshape, on the way in and on the way out: head h is a share of the columns"),
                 FAULT(BY_TOKENS,
                       "a head is given some of the tokens: it must have all of them, and some of the columns"),
                 FAULT(FROM_H, "head h begins at column h · d, not at column h"),
                 FAULT(STRIDE_IS_COLS,
                       "q, k and v are views here: from one row to the next it is `stride` floats, which is more "
                       "than `cols`"),
                 FAULT(ALL_TO_FIRST,
                       "every head has written into columns 0 … d - 1 of out: each must have columns of its own"),
                 FAULT(ALL_READ_FIRST, "every head works on the columns of head 0: q, k and v must be cut for each"),
                 FAULT(KEYS_MIXED, "the keys were taken for the values: what is mixed is v"),
                 FAULT(ROOT_OF_D, "the scores are divided by √D; a head of width d divides by √d"),
                 FAULT(UNSCALED,
                       "the scores are not divided: a head of width d divides them by √d, which scale 0 stands for"),
                 FAULT(ONE_HEAD, "this is one head of full width: split the columns among the heads"),
                 FAULT(H_IS_D, "H and d have changed places: there are H heads, each D / H columns wide"),
                 FAULT(CAUSAL, "no mask was asked for: every word sees every word"),
                 { .fault = NOT_THE_LAST, .told = "not all of head 1's columns of out have been written" },
                 { .fault = HEAD_1_WRONG, .told = "that are wrong belong to head 1" } } },
};
EXERCISE("06a", tasks)
