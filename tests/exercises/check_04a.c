// Exercise 04a: my_self_attention and my_received.
#include "attention/dot_product.h"
#include "attention/self_attention.h"
#include "attention/softmax.h"
#include "base/portable_math.h"
#include "exercises/judge.h"

typedef void Attention(Mat out, Mat x, HeadWeights w, Arena *arena);
typedef void Received(float *received, Mat weights);
Attention my_self_attention;
Received my_received;

// T, D, d, dv. ⌊√5⌋ is 2: neither 1 nor √5.
static const int shapes[][4] = { { 4, 4, 4, 4 }, { 3, 4, 4, 4 }, { 3, 6, 5, 2 }, { 5, 6, 2, 3 }, { 1, 2, 2, 2 } };

static void attention_case(Judge *judge, Function f, int n)
{
    int T = shapes[n][0], D = shapes[n][1], d = shapes[n][2], dv = shapes[n][3];
    Random random = random_from((uint64_t)T);
    Mat x = judge_random(judge, &random, T, D), wq = judge_random(judge, &random, D, d);
    Mat wk = judge_random(judge, &random, D, d), wv = judge_random(judge, &random, D, dv);
    judge_trying(judge, "my_self_attention of %d words, D = %d, d = %d, dv = %d", T, D, d, dv);
    ((Attention *)f)(judge_output(judge, T, dv), x, (HeadWeights){ wq, wk, wv }, judge->arena);
}

static void right_attention(Mat out, Mat x, HeadWeights w, Arena *arena)
{
    (void)arena;
    self_attention((Attended){ .out = out }, x, w, (Mask){ 0 });
}

enum { UNSCALED = 1, ROOT_OF_WIDTH, COLUMNS, NO_SOFTMAX, SWAPPED, KEYS_MIXED };

static void faulty_attention(Mat out, Mat x, HeadWeights w, Arena *arena)
{
    const int fault = judge_fault;
    HeadProjections p = head_project(arena, x, x, w);
    Mat v = fault == KEYS_MIXED && p.v.cols == p.k.cols ? p.k : p.v;
    Mat scores = mat_new(arena, x.rows, x.rows);
    float divisor = fault == UNSCALED ? 1.0f : sqrtf((float)(fault == ROOT_OF_WIDTH ? x.cols : w.wq.cols));
    if (fault == SWAPPED) matmul_transposed(scores, p.k, p.q);
    else matmul_transposed(scores, p.q, p.k);
    for (int i = 0; i < x.rows; i++)
        for (int j = 0; j < x.rows; j++) *mat_ref(scores, i, j) /= divisor;
    if (fault == COLUMNS) scores = judge_transposed(arena, scores);
    if (fault != NO_SOFTMAX) softmax_rows(scores, scores);
    if (fault == COLUMNS) scores = judge_transposed(arena, scores);
    matmul(out, scores, v);
}

static const int words[] = { 3, 11 };

static void received_case(Judge *judge, Function f, int n)
{
    Random random = random_from((uint64_t)words[n]);
    Mat weights = judge_random(judge, &random, words[n], words[n]);
    softmax_rows(weights, weights);
    judge_trying(judge, "my_received of the weights of %d words", words[n]);
    ((Received *)f)(judge_output(judge, 1, words[n]).at, weights);
}

#define RECEIVED(name, start, step) \
    static void name(float *received, Mat weights) \
    { \
        float sum = 0.0f; \
        for (int j = 0; j < weights.cols; j++) { \
            start; \
            for (int i = 0; i < weights.rows; i++) step; \
            received[j] = sum; \
        } \
    }
RECEIVED(columns, sum = 0.0f, sum += *mat_ref(weights, i, j))
RECEIVED(rows, sum = 0.0f, sum += *mat_ref(weights, j, i))
RECEIVED(replaced, sum = 0.0f, sum = *mat_ref(weights, i, j))
RECEIVED(from_others, sum = 0.0f, sum += i == j ? 0.0f : *mat_ref(weights, i, j))

static const Task tasks[] = {
    { AS(Attention, my_self_attention), AS(Attention, right_attention), attention_case, COUNT(shapes),
      .hints = { { NULL, "of which shape is each matrix on the way, and which of them sum to 1 along which side?",
                   "Q = X Wq, K = X Wk, V = X Wv, out = softmax(Q Kᵀ / √d) V" } },
      .faulty = AS(Attention, faulty_attention),
      .wrong = { FAULT(UNSCALED, "the scores must be divided by sqrt(d)"),
                 FAULT(ROOT_OF_WIDTH, "divide by sqrt(d), with d the columns of wq, not by sqrt(D)"),
                 FAULT(COLUMNS, "the softmax runs along the rows: the weights of one query sum to 1"),
                 FAULT(NO_SOFTMAX, "these are the scores times v: softmax makes weights of them first"),
                 FAULT(SWAPPED, "q and k are swapped: rows of the scores are queries"),
                 FAULT(KEYS_MIXED, "the keys are mixed: what a word hands over is its value") } },
    { AS(Received, my_received), AS(Received, columns), received_case, COUNT(words),
      .hints = { { NULL, "which numbers of the table end at word 0?", "receivedⱼ = Σᵢ wᵢⱼ" } },
      .wrong = { { AS(Received, rows), "that is what leaves each word, and always 1: add up columns, not rows" },
                 { AS(Received, replaced), "only what the last word gives is there: add, do not replace" },
                 { AS(Received, from_others), "a word also receives what it gives to itself" } } },
};
EXERCISE("04a", tasks)
