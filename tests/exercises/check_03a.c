// Exercise 03a: my_scaled_scores and my_look_up.
#include "attention/attention.h"
#include "attention/dot_product.h"
#include "attention/softmax.h"
#include "base/portable_math.h"
#include "exercises/judge.h"

typedef void Scores(Mat scores, Mat q, Mat k);
typedef void LookUp(float *out, float *weights, const float *query, Mat k, Mat v);
Scores my_scaled_scores;
LookUp my_look_up;

// T, S, d; ⌊√5⌋ is neither 1 nor √5
static const int shapes[][3] = { { 5, 5, 5 }, { 2, 3, 5 }, { 1, 1, 4 }, { 3, 2, 1 } };

static void scores_case(Judge *judge, Function f, int n)
{
    int T = shapes[n][0], S = shapes[n][1], d = shapes[n][2];
    Random random = random_from((uint64_t)(100 * T + 10 * S + d));
    Mat q = judge_random_view(judge, &random, T, d), k = judge_random_view(judge, &random, S, d);
    Mat scores = judge_output(judge, T, S);
    q = judge_argument(judge, "q", q);
    judge_trying(judge, "my_scaled_scores of %d queries and %d keys, d = %d", T, S, d);
    ((Scores *)f)(scores, q, judge_argument(judge, "k", k));
}

static void right_scores(Mat scores, Mat q, Mat k) { attention_scores(scores, q, k, (Mask){ 0 }); }

#define ROWS_MEET dot_product(mat_row(q, i), mat_row(k, j), 1, q.cols)
#define SCORES(name, row, col, score) \
    static void name(Mat scores, Mat q, Mat k) \
    { \
        const float root = sqrtf((float)q.cols); \
        for (int i = 0; i < q.rows; i++) \
            for (int j = 0; j < k.rows; j++) *mat_ref(scores, row, col) = score; \
        (void)root; \
    }
SCORES(unscaled, i, j, ROWS_MEET)
SCORES(by_d, i, j, ROWS_MEET / (float)q.cols)
SCORES(whole_root, i, j, ROWS_MEET / floorf(root))
SCORES(swapped, j, i, ROWS_MEET / root)
SCORES(end_to_end, i, j, dot_product(q.at + i * q.cols, k.at + j * k.cols, 1, q.cols) / root)

static const int look_ups[][3] = { { 3, 4, 4 }, { 2, 3, 4 }, { 4, 5, 2 }, { 5, 2, 3 }, { 1, 2, 3 } }; // S, d, dv

static void look_up_case(Judge *judge, Function f, int n)
{
    int S = look_ups[n][0], d = look_ups[n][1], dv = look_ups[n][2];
    Random random = random_from((uint64_t)(100 * S + 10 * d + dv));
    Mat q = judge_random_view(judge, &random, 1, d), k = judge_random_view(judge, &random, S, d);
    Mat v = judge_random_view(judge, &random, S, dv), weights = judge_output(judge, 1, S);
    judge_trying(judge, "my_look_up among %d keys, d = %d, dv = %d", S, d, dv);
    ((LookUp *)f)(judge_output(judge, 1, dv).at, weights.at, q.at, k, v);
}

static void right_look_up(float *out, float *weights, const float *query, Mat k, Mat v)
{
    Arena *arena = arena_open();
    Attended to = { .out = { out, 1, v.cols, v.cols }, .weights = { weights, 1, k.rows, k.rows } };
    attention_naive(to, mat_of(arena, 1, k.cols, query), k, v, (Mask){ 0 });
    arena_close(arena);
}

enum { UNSCALED = 1, END_TO_END, NO_SOFTMAX, KEYS_MIXED, REPLACED };

static void faulty_look_up(float *out, float *weights, const float *query, Mat k, Mat v)
{
    const int fault = judge_fault, d = k.cols, S = k.rows;
    for (int j = 0; j < S; j++) {
        const float *key = fault == END_TO_END ? k.at + j * d : mat_row(k, j);
        weights[j] = dot_product(query, key, 1, d) / (fault == UNSCALED ? 1.0f : sqrtf((float)d));
    }
    if (fault != NO_SOFTMAX) softmax(weights, weights, S);
    for (int c = 0; c < v.cols; c++) {
        out[c] = 0.0f;
        for (int j = 0; j < S; j++) {
            const float *value = mat_row(fault == KEYS_MIXED && d == v.cols ? k : v, j);
            out[c] = (fault == REPLACED ? 0.0f : out[c]) + weights[j] * value[c];
        }
    }
}

static const Task tasks[] = {
    { AS(Scores, my_scaled_scores), AS(Scores, right_scores), scores_case, COUNT(shapes),
      .hints = { { NULL, "which two rows meet in the first wrong element, and of how many products is it the sum?",
                   "scoresᵢⱼ = Σ over c of qᵢc · kⱼc, divided by √d" } },
      .wrong = { { AS(Scores, unscaled), "divide every score by sqrt(d)" },
                 { AS(Scores, by_d), "divide once by the square root of d, not by d, and not twice" },
                 { AS(Scores, whole_root), "the square root of d need not be whole: is it kept in an int?" },
                 { AS(Scores, swapped), "i and j are swapped: rows are queries, columns are keys" },
                 { AS(Scores, end_to_end),
                   "q and k are views: a row begins at mat_row(q, i), not at q.at + i * q.cols" } } },
    { AS(LookUp, my_look_up), AS(LookUp, right_look_up), look_up_case, COUNT(look_ups),
      .faulty = AS(LookUp, faulty_look_up),
      .hints = { { NULL, "what are the scores of this query, before the softmax?",
                   "weights = softmax of query · keyⱼ / √d, over all j", "the weights" },
                 { NULL, "what does key 0 add to out[0], and what key 1?",
                   "out = Σⱼ weightⱼ · valueⱼ, number by number", "the output" } },
      .wrong = { FAULT(UNSCALED, "divide the scores by sqrt(d) before the softmax"),
                 FAULT(NO_SOFTMAX, "these are the scores: softmax makes weights of them"),
                 FAULT(END_TO_END, "k is a view: its row j begins at mat_row(k, j)"),
                 FAULT(KEYS_MIXED, "these are keys: what is handed over are the values"),
                 FAULT(REPLACED,
                       "out is a sum over all keys: only the last one is left, so add instead of overwriting") } },
};
EXERCISE("03a", tasks)
