// Exercise 01b: my_nearest, mended.
#include "attention/dot_product.h"
#include "exercises/judge.h"

#include <math.h>

int my_nearest(const float *query, Mat x);

// What is compared, and where the search begins.
typedef enum {
    RIGHT,
    NOT_DIVIDED,
    SIZES_SUMMED,
    SQUARED,
    BY_DISTANCE,
    END_TO_END,
    NORM_END_TO_END,
    PRODUCT_END_TO_END,
    STRIDE_WIDE,
    ONE_COLUMN_SHORT,
    FROM_ZERO,
    WITHOUT_SIGN,
    SIGN_KEPT,
    FARTHEST,
    FROM_ROW_1,
    NOT_THE_LAST,
    NEVER_KEPT,
    KEPT_WHOLE,
    ROW_0,
    HOWS
} How;

static const char *const words[HOWS] = {
    [NOT_DIVIDED] = "that row wins by its norm alone: doubling a row does not turn it",
    [SIZES_SUMMED] = "a norm is the root of the squares added up, not the sum of the sizes",
    [SQUARED] = "now short rows win: a row's norm has a root, a · a is its square",
    [BY_DISTANCE] = "this row has the nearest tip; which one points the way the query points?",
    [END_TO_END] = "x is a view: its row i does not begin at i * cols",
    [NORM_END_TO_END] = "the norm is that of other numbers: it, too, begins where row i of the view begins",
    [PRODUCT_END_TO_END] = "the product reads other numbers: it, too, begins where row i of the view begins",
    [ONE_COLUMN_SHORT] = "the last column is not looked at: a row has cols numbers",
    [STRIDE_WIDE] = "a row is cols numbers wide: stride is how far apart two rows begin",
    [FROM_ZERO] = "every cosine here is below 0: what is the first one compared with?",
    [WITHOUT_SIGN] = "a cosine of -1 is as far apart as can be, and not alike",
    [SIGN_KEPT] = "one of the two that are compared has lost its sign: a cosine of -1 is as far apart as can be",
    [NEVER_KEPT] = "the last row that beats the beginning wins: is the best cosine so far kept?",
    [KEPT_WHOLE] = "what stands behind the point is lost: is the best cosine so far a float?",
    [ROW_0] = "row 0 is the answer whatever comes behind it: does the search go on?",
    [FARTHEST] = "this is the row that is least like the query",
    [FROM_ROW_1] = "row 0 is not looked at, or cannot win",
    [NOT_THE_LAST] = "the last row is not looked at: rows run to n - 1",
};

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
    if (how == END_TO_END) x.stride = x.cols;
    int width = how == STRIDE_WIDE ? x.stride : x.cols - (how == ONE_COLUMN_SHORT);
    for (int i = how == FROM_ROW_1; i < x.rows - (how == NOT_THE_LAST); i++) {
        const float *row = mat_row(x, i), *wrong_row = x.at + i * x.cols;
        float product = dot_product(query, how == PRODUCT_END_TO_END ? wrong_row : row, 1, width);
        float norm = vector_norm(how == NORM_END_TO_END ? wrong_row : row, width);
        if (how == SQUARED) norm *= norm;
        if (how == SIZES_SUMMED) norm = sizes_summed(row, x.cols);
        float alike = how == NOT_DIVIDED ? product : product / norm;
        if (how == BY_DISTANCE) alike = -square_of_distance(query, row, x.cols);
        if (how == WITHOUT_SIGN) alike = fabsf(alike);
        if (how == FARTHEST) alike = -alike;
        if ((how == SIGN_KEPT ? fabsf(alike) : alike) > most) {
            most = how == NEVER_KEPT ? most : how == KEPT_WHOLE ? (float)(int)alike : alike;
            best = i;
        }
        if (how == ROW_0) break;
    }
    return best;
}

static Mat number(Judge *judge, int row) { return mat_of(judge->arena, 1, 1, (float[]){ (float)row }); }

// One of the cases, from the first on. A mistake is named by the row that it would answer with, and rows are few: so
// only one that gives the right row in all cases before is named.
static void nearest_of(Judge *judge, const char *which, Mat x, const float *query, bool seen[HOWS])
{
    judge_trying(judge, "my_nearest among %s", which);
    int got = my_nearest(query, x), right = nearest(query, x, RIGHT), count = 0;
    bool no_row = got < 0 || got >= x.rows;
    Answer answer = {
        .got = number(judge, got),
        .expected = number(judge, right),
        .hints = { .property = no_row
                                   ? "that is no row of x"
                                   : arena_format(judge->arena,
                                                  "row %d has a cosine of %.2f with the query, row %d one of %.2f", got,
                                                  (double)cosine_similarity(query, mat_row(x, got), x.cols), right,
                                                  (double)cosine_similarity(query, mat_row(x, right), x.cols)),
                   .question = no_row
                                   ? "from which row to which does the search run, and where does best begin?"
                                   : "what does a row gain when all its numbers are doubled, and what should it gain?",
                   .formula = "cos(a, b) = a · b / (|a| |b|)" }
    };
    for (How how = NOT_DIVIDED; how < HOWS; how++) {
        int row = nearest(query, x, how);
        if (!seen[how]) answer.mistakes[count++] = (Mistake){ words[how], number(judge, row) };
        seen[how] = seen[how] || row != right;
    }
    bool away = cosine_similarity(query, mat_row(x, right), x.cols) < 0.0f;
    if (away) answer.mistakes[count++] = (Mistake){ words[FROM_ZERO], number(judge, -1) };
    judge_answer(judge, answer);
}

// Behind the two numbers of a query stand others, for who reads too far.
static void check(Judge *judge)
{
    Arena *arena = judge->arena;
    bool seen[HOWS] = { false };
    const float query[] = { 1, 0, 9, 9 }, slanted[] = { 2, 1, 0 }, leaning[] = { 1, 0.5f, 9, 9 };
    nearest_of(judge, "five rows of norm 1",
               mat_of(arena, 5, 2, (float[]){ 0, 1, 0.1f, 0.995f, -0.5f, 0.866f, 0.5f, 0.866f, 0.8f, 0.6f }), query,
               seen);
    nearest_of(judge, "six rows of norm 1",
               mat_of(arena, 6, 2,
                      (float[]){ 0, 1, 0.1f, 0.995f, -0.5f, 0.866f, 0.8f, 0.6f, 0.5f, 0.866f, -0.1f, 0.995f }),
               query, seen);
    nearest_of(judge, "a long row and one that points the same way",
               mat_of(arena, 3, 2, (float[]){ 9, 9, 0, 3, 2, 0.1f }), query, seen);
    nearest_of(judge, "a short row and one that points the same way",
               mat_of(arena, 4, 2, (float[]){ 1.5f, 0, 2, 1, 0.1f, 0.1f, -1, 0 }), query, seen);
    nearest_of(judge, "four rows, of which one is the query itself",
               mat_of(arena, 4, 3, (float[]){ 0, 0, 1, 2, 1, 0, 1, 0, 0, 0, 1, 0 }), slanted, seen);
    nearest_of(judge, "a row whose tip is near, and one that points the same way",
               mat_of(arena, 3, 2, (float[]){ -3, 0, 1, 0.5f, 7, 0.1f }), query, seen);
    Mat wide =
        mat_of(arena, 6, 4, (float[]){ 1, -1, 1, 9, 2, 2, 1, -9, -1, 0, 0, 9, 0.3f, 0, 0, 2, 2, 0, 0, 2, -1, 0, 0, 2 });
    nearest_of(judge, "the first two columns of a wider matrix", mat_cols(wide, 0, 2), leaning, seen);
    nearest_of(judge, "two rows that point the opposite way, and one that does not",
               mat_of(arena, 3, 2, (float[]){ -1, 0, 1, 1, -1, 0.1f }), query, seen);
    nearest_of(judge, "rows that all point away", mat_of(arena, 3, 2, (float[]){ -2, 1, -1, 0, -1, 4 }), query, seen);
}

int main(void) { return judge_main("01b", check); }
