// Exercise 01a: my_dot and my_scores.
#include "attention/dot_product.h"
#include "exercises/judge.h"

typedef float Dot(const float *a, const float *b, int n);
typedef void Scores(Mat scores, Mat q, Mat k);
Dot my_dot;
Scores my_scores;

// Each list has one number more, which is not to be read.
static const struct {
    const char *which;
    int n;
    float a[5], b[5];
} lists[] = {
    { "(2, 4, 3) and (1, 5, 6)", 3, { 2, 4, 3, 7 }, { 1, 5, 6, 7 } },
    { "(1, -2, 1.5, -2) and (1.5, 5, 2.5, 1)", 4, { 1, -2, 1.5f, -2, 7 }, { 1.5f, 5, 2.5f, 1, 7 } },
    { "two lists of no numbers", 0, { 7 }, { 7 } },
};

static void dot_case(Judge *judge, Function f, int n)
{
    judge_trying(judge, "my_dot of %s", lists[n].which);
    judge_result(judge, (double)((Dot *)f)(lists[n].a, lists[n].b, lists[n].n));
}

static float right_dot(const float *a, const float *b, int n) { return dot_product(a, b, 1, n); }

#define DOT(name, start, first, end, step) \
    static float name(const float *a, const float *b, int n) \
    { \
        float sum = start; \
        for (int k = first; k < end; k++) step; \
        return sum; \
    }
DOT(nothing, 0, n, n, sum += a[k] * b[k])
DOT(replaced, 0, 0, n, sum = a[k] * b[k])
DOT(without_last, 0, 0, n - 1, sum += a[k] * b[k])
DOT(one_more, 0, 0, n + 1, sum += a[k] * b[k])

static const int shapes[][3] = { { 3, 3, 3 }, { 2, 5, 3 }, { 1, 1, 2 }, { 12, 7, 12 } }; // T, S, d

// Everything is a view, so strides count.
static void scores_case(Judge *judge, Function f, int n)
{
    Random random = random_from(1);
    int T = shapes[n][0], S = shapes[n][1], d = shapes[n][2];
    Mat q = judge_random_view(judge, &random, T, d), k = judge_random_view(judge, &random, S, d);
    Mat scores = judge_output_view(judge, T, S);
    judge_trying(judge, "my_scores of q (%d, %d) and k (%d, %d)", T, d, S, d);
    ((Scores *)f)(scores, q, k);
}

#define ROWS_MEET dot_product(mat_row(q, i), mat_row(k, j), 1, q.cols)
#define SCORES(name, place, score) \
    static void name(Mat scores, Mat q, Mat k) \
    { \
        float sum = 0.0f; \
        for (int i = 0; i < q.rows; i++) \
            for (int j = 0; j < k.rows; j++) { \
                sum += ROWS_MEET; \
                *(place) = score; \
            } \
        (void)sum; \
    }
SCORES(end_to_end, mat_ref(scores, i, j), dot_product(q.at + i * q.cols, k.at + j * k.cols, 1, q.cols))
SCORES(by_columns, mat_ref(scores, i, j), dot_product(mat_row(q, i), k.at + j, k.stride, q.cols))
SCORES(swapped, mat_ref(scores, j, i), ROWS_MEET)
SCORES(never_set_back, mat_ref(scores, i, j), sum)
SCORES(beside, scores.at + i * scores.cols + j, ROWS_MEET)

static const Task tasks[] = {
    { AS(Dot, my_dot), AS(Dot, right_dot), dot_case, COUNT(lists),
      .hints = { { NULL, "for two lists of two numbers, which two products are added?",
                   "a · b = Σₖ aₖ bₖ, over all k from 0 to n − 1" } },
      .wrong = { { AS(Dot, nothing), "the sum is still 0: my_dot is still the stub, or adds nothing" },
                 { AS(Dot, replaced), "only the last product is left: add to the sum, do not replace it" },
                 { AS(Dot, without_last), "the last product is missing: indices run from 0 to n - 1" },
                 { AS(Dot, one_more), "one product too many: behind index n - 1 nothing belongs to the lists" } } },
    { AS(Scores, my_scores), AS(Scores, matmul_transposed), scores_case, COUNT(shapes),
      .hints = { { NULL, "which row of q and which row of k meet in the first element that is wrong?",
                   "scoresᵢⱼ = Σ over c of qᵢc · kⱼc" } },
      .wrong = { { AS(Scores, end_to_end), "rows are stride floats apart, not cols: use mat_row or mat_ref" },
                 { AS(Scores, by_columns), "this is q k, rows times columns: here rows of q meet rows of k" },
                 { AS(Scores, swapped), "i and j are swapped: rows are queries, columns are keys" },
                 { AS(Scores, never_set_back), "each score begins at 0: this sum is never set back" },
                 { AS(Scores, beside), "it writes beside the scores, which are columns of a wider matrix",
                   "how far apart do two rows of such a matrix begin: cols floats, or stride?" } } },
};
EXERCISE("01a", tasks)
