// Exercise 01b: my_nearest, mended.
#include "attention/dot_product.h"
#include "exercises/judge.h"

#include <math.h>

int my_nearest(const float *query, Mat x);

// What is compared, and where the search begins.
typedef enum { RIGHT, NOT_DIVIDED, SQUARED, SIZES_SUMMED, WITHOUT_SIGN, FROM_ZERO, FARTHEST, BY_DISTANCE } How;

// |r₀| + |r₁| + …: no norm of this book.
static float sizes_summed(const float *row, int n)
{
    float sum = 0.0f;
    for (int k = 0; k < n; k++) sum += fabsf(row[k]);
    return sum;
}

static float square_of_distance(const float *query, const float *row, int n)
{
    float sum = 0.0f;
    for (int k = 0; k < n; k++) sum += (query[k] - row[k]) * (query[k] - row[k]);
    return sum;
}

static int nearest(const float *query, Mat x, How how)
{
    int best = 0;
    float most = how == FROM_ZERO ? 0.0f : -INFINITY;
    for (int i = 0; i < x.rows; i++) {
        const float *row = mat_row(x, i);
        float product = dot(query, row, 1, x.cols), norm = vector_norm(row, x.cols);
        if (how == SQUARED) norm *= norm;
        if (how == SIZES_SUMMED) norm = sizes_summed(row, x.cols);
        float alike = how == NOT_DIVIDED ? product : product / norm;
        if (how == BY_DISTANCE) alike = -square_of_distance(query, row, x.cols);
        if (how == WITHOUT_SIGN) alike = fabsf(alike);
        if (how == FARTHEST) alike = -alike;
        if (alike > most) {
            most = alike;
            best = i;
        }
    }
    return best;
}

static Mat number(Judge *judge, int row) { return mat_of(judge->arena, 1, 1, (float[]){ (float)row }); }

static void nearest_of(Judge *judge, const char *which, Mat x, const float *query)
{
    Mat flat = { x.at, x.rows, x.cols, x.cols };
    judge_trying(judge, "my_nearest among %s", which);
    int got = my_nearest(query, x), right = nearest(query, x, RIGHT);
    judge_answer(judge, (Answer){
        .got = number(judge, got), .expected = number(judge, right),
        .hints = { .property = got < 0 || got >= x.rows ? "that is no row of x" :
                       arena_format(judge->arena, "row %d has a cosine of %.2f with the query, row %d one of %.2f", got,
                                    (double)cosine(query, mat_row(x, got), x.cols), right,
                                    (double)cosine(query, mat_row(x, right), x.cols)),
                   .question = "what does a row gain when all its numbers are doubled, and what should it gain?",
                   .formula = "cos(a, b) = a · b / (|a| |b|)" },
        .mistakes = { { "that row wins by its norm alone: doubling a row does not turn it",
                        number(judge, nearest(query, x, NOT_DIVIDED)) },
                      { "a norm is the root of the squares added up, not the sum of the sizes",
                        number(judge, nearest(query, x, SIZES_SUMMED)) },
                      { "now short rows win: a row's norm has a root, a · a is its square",
                        number(judge, nearest(query, x, SQUARED)) },
                      { "this row has the nearest tip; which one points the way the query points?",
                        number(judge, nearest(query, x, BY_DISTANCE)) },
                      { "x is a view: its row i does not begin at i * cols",
                        number(judge, nearest(query, flat, RIGHT)) },
                      { "every cosine here is below 0: what is the first one compared with?",
                        number(judge, nearest(query, x, FROM_ZERO)) },
                      { "a cosine of -1 is as far apart as can be, and not alike",
                        number(judge, nearest(query, x, WITHOUT_SIGN)) },
                      { "this is the row that is least like the query",
                        number(judge, nearest(query, x, FARTHEST)) } } });
}

static void check(Judge *judge)
{
    Arena *arena = judge->arena;
    const float query[] = { 1.0f, 0.0f };
    nearest_of(judge, "four rows of norm 1",
               mat_of(arena, 4, 2, (float[]){ 0, 1, 0.8f, 0.6f, -0.5f, 0.866f, 0.5f, 0.866f }), query);
    nearest_of(judge, "a long row and one that points the same way",
               mat_of(arena, 3, 2, (float[]){ 0, 3, 2, 0.1f, 9, 9 }), query);
    nearest_of(judge, "a short row and one that points the same way",
               mat_of(arena, 3, 2, (float[]){ 0.1f, 0.1f, 1.5f, 0, 0, 1 }), query);
    Mat wide = mat_of(arena, 3, 4, (float[]){ 0, 1, 9, 0, -1, 1, 0, 9, 3, 0.3f, 9, 0 });
    nearest_of(judge, "the first two columns of a wider matrix", mat_cols(wide, 0, 2), query);
    nearest_of(judge, "one row that points the opposite way", mat_of(arena, 2, 2, (float[]){ -1, 0, 1, 1 }), query);
    const float slanted[] = { 2.0f, 1.0f, 0.0f };
    nearest_of(judge, "three rows, of which one is the query itself",
               mat_of(arena, 3, 3, (float[]){ 1, 0, 0, 2, 1, 0, 0, 0, 1 }), slanted);
    nearest_of(judge, "rows that all point away", mat_of(arena, 3, 2, (float[]){ -2, 1, -1, 0, -1, 4 }), query);
}

int main(void) { return judge_main("01b", check); }
