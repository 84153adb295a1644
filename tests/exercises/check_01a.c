// Exercise 01a: my_dot and my_scores.
#include "attention/dot_product.h"
#include "base/random.h"
#include "exercises/judge.h"

float my_dot(const float *a, const float *b, int n);
void  my_scores(Mat scores, Mat q, Mat k);

static void dot_of(Judge *judge, const char *which, int n, const float *a, const float *b)
{
    judge_trying(judge, "my_dot of %s", which);
    judge_number(judge, my_dot(a, b, n), dot(a, b, 1, n),
                 "multiply a[k] by b[k] for every k below n and add it all up");
}

// Scores of T random queries and S random keys, read from the middle of wider matrices: strides count.
static void scores_of(Judge *judge, int T, int S, int d)
{
    Random random = random_from(1);
    Mat wide_q = mat_new(judge->arena, T, d + 3), wide_k = mat_new(judge->arena, S, d + 2);
    random_normals(&random, wide_q);
    random_normals(&random, wide_k);
    Mat q = mat_cols(wide_q, 1, d), k = mat_cols(wide_k, 2, d);
    Mat expected = mat_new(judge->arena, T, S), unstrided = mat_new(judge->arena, T, S);
    Mat got = mat_cols(judge_output(judge, T, S + 2), 1, S);
    matmul_transposed(expected, q, k);
    matmul_transposed(unstrided, (Mat){ q.at, T, d, d }, (Mat){ k.at, S, d, d });

    Mat swapped = mat_new(judge->arena, T, S);
    for (int i = 0; i < T; i++)
        for (int j = 0; j < S; j++) *mat_ref(swapped, i, j) = *mat_ref(expected, j % T, i % S);
    judge_trying(judge, "my_scores of q (%d, %d) and k (%d, %d)", T, d, S, d);
    my_scores(got, q, k);
    judge_answer(judge, (Answer){
        .got = got, .expected = expected,
        .hints.question = "scores at (i, j) is row i of q times row j of k, added up",
        .mistakes = { { "rows are stride floats apart, not cols: use mat_row or mat_ref", unstrided },
                      { "i and j are swapped: rows are queries, columns are keys", swapped } } });
}

static void check(Judge *judge)
{
    dot_of(judge, "(1, 2) and (3, 4)", 2, (float[]){ 1, 2 }, (float[]){ 3, 4 });
    dot_of(judge, "(2, -1, 0.5) and (4, 4, -2)", 3, (float[]){ 2, -1, 0.5f }, (float[]){ 4, 4, -2 });
    dot_of(judge, "two lists of no numbers", 0, (float[]){ 7 }, (float[]){ 7 });
    scores_of(judge, 1, 1, 2);
    scores_of(judge, 3, 3, 4);
    scores_of(judge, 2, 5, 3);
    scores_of(judge, 12, 7, 12);
}

int main(void) { return judge_main("01a", check); }
