// Exercise 06c: my_wo. It is judged by what it makes of outputs of heads, since that is what it is for.
#include "attention/dot_product.h"
#include "base/random.h"
#include "exercises/judge.h"

#include <math.h>

void my_wo(Mat wo);

enum { D = 6, T = 4 };

static const float goal[] = {
    0, 0, 0.5f, 0,    1, 0, 0, 0, 0, 0.5f, 0, 0, 0, 0, 0.5f, 0, -1, 0,
    0, 0, 0,    0.5f, 0, 0, 1, 0, 0, 0,    0, 0, 0, 1, 0,    0, 0,  0,
};

static Mat transposed(Arena *arena, Mat m)
{
    Mat t = mat_new(arena, m.cols, m.rows);
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++) *mat_ref(t, j, i) = *mat_ref(m, i, j);
    return t;
}

// What Wo would give with some of its elements changed by a factor: those of columns first … first + count − 1.
static Mat out_of(Arena *arena, Mat heads, Mat wo, int first, int count, float factor)
{
    Mat changed = mat_copy(arena, wo), out = mat_new(arena, T, D);
    for (int i = 0; i < D; i++)
        for (int j = first; j < first + count; j++) *mat_ref(changed, i, j) *= factor;
    matmul(out, heads, changed);
    return out;
}

// Column j of Wo as what it makes of the heads' numbers: "0.5 · head 0's first number + …".
static const char *made_of(Arena *arena, Mat wo, int j)
{
    const char *text = "";
    for (int c = 0; c < D; c++) {
        double times = (double)*mat_ref(wo, c, j);
        if (times == 0.0) continue;
        text = arena_format(arena, "%s%s%.3g · head %d's %s number", text, *text ? times < 0.0 ? " - " : " + " : "",
                            *text ? fabs(times) : times, c / 2, c % 2 ? "second" : "first");
    }
    return *text ? text : "0";
}

static const char *first_wrong_column(Arena *arena, Mat got, Mat right, Mat wo)
{
    static const char *const wanted[] = { "head 2's first number",
                                          "head 2's second number",
                                          "the average of the first numbers of heads 0 and 1",
                                          "the average of the second numbers of heads 0 and 1",
                                          "head 0's first number less head 1's",
                                          "0" };
    for (int j = 0; j < D; j++)
        if (mat_max_difference(mat_cols(got, j, 1), mat_cols(right, j, 1)) > 1e-5)
            return arena_format(arena, "column %d of out should be %s; yours is %s", j, wanted[j],
                                made_of(arena, wo, j));
    return "";
}

static void check(Judge *judge)
{
    Arena *arena = judge->arena;
    Random random = random_from(6);
    Mat heads = mat_new(arena, T, D), got = judge_output(judge, T, D), wo = mat_new(arena, D, D);
    Mat right = mat_of(arena, D, D, goal);
    random_normals(&random, heads);
    judge_trying(judge, "heads times my_wo");
    my_wo(wo);
    matmul(got, heads, wo);
    Mat expected = out_of(arena, heads, right, 0, 0, 1);
    judge_answer(
        judge,
        (Answer){
            .got = got,
            .expected = expected,
            .hints = { .property = first_wrong_column(arena, got, expected, wo),
                       .question =
                           "column j of out is made with column j of Wo: which heads' numbers should count, and "
                           "how much?",
                       .formula = "out[i][j] = Σ heads[i][c] · Wo[c][j]" },
            .mistakes = {
                { "Wo is still all zeros: nothing of any head gets through", out_of(arena, heads, right, 0, D, 0) },
                { "rows and columns of Wo are exchanged: row c says where the heads' column c goes",
                  out_of(arena, heads, transposed(arena, right), 0, 0, 1) },
                { "columns 2 and 3 are sums; an average was asked for", out_of(arena, heads, right, 2, 2, 2) },
                { "columns 2 and 3 are still 0. (If you wrote 1 / 2: in C that is 0, and 0.5f is a half)",
                  out_of(arena, heads, right, 2, 2, 0) },
                { "the sign of column 4: head 0 less head 1", out_of(arena, heads, right, 4, 1, -1) } } });
}

int main(void) { return judge_main("06c", check); }
