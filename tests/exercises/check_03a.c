// Exercise 03a: my_scaled_scores and my_look_up.
#include "attention/attention.h"
#include "attention/dot_product.h"
#include "attention/softmax.h"
#include "base/random.h"
#include "exercises/judge.h"

#include <math.h>

void my_scaled_scores(Mat scores, Mat q, Mat k);
void my_look_up(float *out, float *weights, const float *query, Mat k, Mat v);

// A column view of a wider matrix: who takes the rows to lie end to end reads the wrong numbers.
static Mat random_view(Arena *arena, Random *random, int rows, int cols)
{
    Mat wide = mat_new(arena, rows, cols + 3);
    random_normals(random, wide);
    return mat_cols(wide, 1, cols);
}

// q kᵀ · scale.
static Mat scores_of(Arena *arena, Mat q, Mat k, float scale)
{
    Mat scores = mat_new(arena, q.rows, k.rows);
    matmul_transposed(scores, q, k);
    for (int i = 0; i < scores.rows; i++)
        for (int j = 0; j < scores.cols; j++) *mat_ref(scores, i, j) *= scale;
    return scores;
}

static Mat weights_of(Arena *arena, Mat q, Mat k, float scale)
{
    Mat weights = scores_of(arena, q, k, scale);
    softmax_rows(weights, weights);
    return weights;
}

static Mat mixed(Arena *arena, Mat weights, Mat v)
{
    Mat out = mat_new(arena, weights.rows, v.cols);
    matmul(out, weights, v);
    return out;
}

// What a matrix gives to a reader who forgets its stride: rows end to end, from its first number on.
static Mat end_to_end(Mat m) { return (Mat){ m.at, m.rows, m.cols, m.cols }; }

static void scores_case(Judge *judge, int T, int S, int d)
{
    Arena *arena = judge->arena;
    Random random = random_from((uint64_t)(100 * T + 10 * S + d));
    Mat q = random_view(arena, &random, T, d), k = random_view(arena, &random, S, d);
    Mat expected = mat_new(arena, T, S), got = judge_output(judge, T, S);
    float scale = 1.0f / sqrtf((float)d);
    attention_scores(expected, q, k, (Mask){ 0 });
    judge_trying(judge, "my_scaled_scores of %d queries and %d keys, d = %d", T, S, d);
    my_scaled_scores(got, q, k);
    judge_answer(judge, (Answer){
        .got = got, .expected = expected,
        .hints.question = "scores (i, j) = row i of q . row j of k / sqrt(d)",
        .mistakes = { { "divide every score by sqrt(d)", scores_of(arena, q, k, 1.0f) },
                      { "divide by the square root of d, not by d", scores_of(arena, q, k, 1.0f / (float)d) },
                      { "d is the number of columns of q, not of its rows",
                        scores_of(arena, q, k, 1.0f / sqrtf((float)T)) },
                      { "d is the number of columns of k, not of its rows",
                        scores_of(arena, q, k, 1.0f / sqrtf((float)S)) },
                      { "divide by sqrt(d), do not multiply", scores_of(arena, q, k, sqrtf((float)d)) },
                      { "q and k are views: a row begins at mat_row(q, i), not at q.at + i * q.cols",
                        scores_of(arena, end_to_end(q), end_to_end(k), scale) } } });
}

static void look_up_case(Judge *judge, int S, int d, int dv)
{
    Arena *arena = judge->arena;
    Random random = random_from((uint64_t)(100 * S + 10 * d + dv));
    Mat q = random_view(arena, &random, 1, d), k = random_view(arena, &random, S, d);
    Mat v = random_view(arena, &random, S, dv), weights = judge_output(judge, 1, S), out = judge_output(judge, 1, dv);
    Mat expected = weights_of(arena, q, k, 1.0f / sqrtf((float)d));
    judge_trying(judge, "my_look_up among %d keys, d = %d, dv = %d: the weights", S, d, dv);
    my_look_up(out.at, weights.at, q.at, k, v);
    judge_answer(judge, (Answer){
        .got = weights, .expected = expected,
        .hints.question = "the softmax of query . key / sqrt(d), over all keys",
        .mistakes = { { "divide the scores by sqrt(d) before the softmax", weights_of(arena, q, k, 1.0f) },
                      { "these are the scores: softmax makes weights of them",
                        scores_of(arena, q, k, 1.0f / sqrtf((float)d)) },
                      { "divide by the square root of d, not by d", weights_of(arena, q, k, 1.0f / (float)d) } } });
    judge_trying(judge, "my_look_up among %d keys, d = %d, dv = %d: the output", S, d, dv);
    Mat scores = scores_of(arena, q, k, 1.0f / sqrtf((float)d));
    judge_answer(judge, (Answer){
        .got = out, .expected = mixed(arena, expected, v),
        .hints.question = "out[c] = the sum over all keys j of weights[j] * element (j, c) of v",
        .mistakes = { { "the values are mixed by the weights, not by the scores", mixed(arena, scores, v) },
                      { "out is a sum over all keys: only the last one is left, so add instead of overwriting",
                        mixed(arena, mat_cols(expected, S - 1, 1), mat_rows(v, S - 1, 1)) },
                      { "v is a view: its row j begins at mat_row(v, j)", mixed(arena, expected, end_to_end(v)) } } });
}

static void check(Judge *judge)
{
    scores_case(judge, 1, 1, 4);
    scores_case(judge, 2, 3, 5);
    scores_case(judge, 3, 2, 1);
    look_up_case(judge, 2, 3, 4);
    look_up_case(judge, 4, 5, 2);
    look_up_case(judge, 1, 2, 3);
}

int main(void) { return judge_main("03a", check); }
