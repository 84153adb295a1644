// Exercise 01b: my_nearest, fixed.
#include "attention/dot_product.h"
#include "base/portable_math.h"
#include "exercises/judge.h"

typedef int Nearest(const float *query, Mat x);
Nearest my_nearest;

// The query and a row may have other numbers behind them: the row in a wider matrix, of `stride` columns.
// clang-format off
static const struct {
    const char *which;
    int rows, cols, stride;
    float query[4], x[24];
} cases[] = {
    { "five rows of norm 1", 5, 2, 2, { 1, 0, 9, 9 }, { 0, 1, 0.1f, 0.995f, -0.5f, 0.866f, 0.5f, 0.866f, 0.8f, 0.6f } },
    { "a long row and one that points the same way", 3, 2, 2, { 1, 0, 9, 9 }, { 9, 9, 0, 3, 2, 0.1f } },
    { "a short row and one that points the same way", 4, 2, 2, { 1, 0, 9, 9 }, { 1.5f, 0, 2, 1, 0.1f, 0.1f, -1, 0 } },
    { "four rows, of which one is the query itself", 4, 3, 3, { 2, 1, 0 }, { 0, 0, 1, 2, 1, 0, 1, 0, 0, 0, 1, 0 } },
    { "a row whose tip is near, and one that points the same way", 3, 2, 2, { 1, 0, 9, 9 }, { -3, 0, 1, 0.5f, 7, 0.1f } },
    { "the first two columns of a wider matrix", 6, 2, 4, { 1, 0.5f, 9, 9 },
      { 1, -1, 1, 9, 2, 2, 1, -9, -1, 0, 0, 9, 0.3f, 0, 0, 2, 2, 0, 0, 2, -1, 0, 0, 2 } },
    { "two rows that point the opposite way, and one that does not", 3, 2, 2, { 1, 0, 9, 9 }, { -1, 0, 1, 1, -1, 0.1f } },
    { "rows that all point away", 3, 2, 2, { 1, 0, 9, 9 }, { -2, 1, -1, 0, -1, 4 } },
};
// clang-format on

static void nearest_case(Judge *judge, Function f, int n)
{
    Mat x = mat_cols(mat_of(judge->arena, cases[n].rows, cases[n].stride, cases[n].x), 0, cases[n].cols);
    judge_trying(judge, "my_nearest among %s", cases[n].which);
    judge_result(judge, ((Nearest *)f)(cases[n].query, x));
}

static float distance(const float *query, const float *row, int n)
{
    float sum = 0.0f;
    for (int k = 0; k < n; k++) sum += (query[k] - row[k]) * (query[k] - row[k]);
    return sum;
}

#define NEAREST(name, first, end, least, similarity, kept) \
    static int name(const float *query, Mat x) \
    { \
        int best = 0; \
        float most = least; \
        for (int i = first; i < end; i++) { \
            const float *row = mat_row(x, i); \
            (void)row; \
            float similar = similarity; \
            if (similar <= most) continue; \
            most = kept; \
            best = i; \
        } \
        return best; \
    }
NEAREST(right, 0, x.rows, -INFINITY, cosine_similarity(query, row, x.cols), similar)
NEAREST(not_divided, 0, x.rows, -INFINITY, dot_product(query, row, 1, x.cols), similar)
NEAREST(end_to_end, 0, x.rows, -INFINITY, cosine_similarity(query, x.at + i * x.cols, x.cols), similar)
NEAREST(from_zero, 0, x.rows, 0.0f, cosine_similarity(query, row, x.cols), similar)
NEAREST(by_distance, 0, x.rows, -INFINITY, -distance(query, row, x.cols), similar)
NEAREST(without_sign, 0, x.rows, -INFINITY, fabsf(cosine_similarity(query, row, x.cols)), similar)
NEAREST(without_last, 0, x.rows - 1, -INFINITY, cosine_similarity(query, row, x.cols), similar)

static const Task tasks[] = {
    { AS(Nearest, my_nearest), AS(Nearest, right), nearest_case, COUNT(cases),
      .hints = { { "another row has a larger cosine with the query",
                   "what does a row gain when all its numbers are doubled, and what should it gain?",
                   "cos(a, b) = a · b / (|a| |b|)" } },
      .wrong = { { AS(Nearest, not_divided), "that row wins by its norm alone: doubling a row does not turn it" },
                 { AS(Nearest, end_to_end), "x is a view: its row i does not begin at i * cols" },
                 { AS(Nearest, from_zero), "every cosine here is below 0: what is the first one compared with?" },
                 { AS(Nearest, by_distance),
                   "this row has the nearest tip; which one points the way the query points?" },
                 { AS(Nearest, without_sign), "a cosine of -1 is as far apart as can be, and not alike" },
                 { AS(Nearest, without_last), "the last row is not looked at: rows run to n - 1" } } },
};
EXERCISE("01b", tasks)
