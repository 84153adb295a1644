// Exercise 06c: my_wo. It is judged by what it makes of outputs of heads, since that is what it is for.
#include "attention/dot_product.h"
#include "base/portable_math.h"
#include "exercises/judge.h"

#include <string.h>

typedef void Wo(Mat wo);
Wo my_wo;

enum { D = 6, T = 4 };
static float written[D * D]; // the wo of the reader

static void wo_case(Judge *judge, Function f, int n)
{
    Random random = random_from(6);
    Mat heads = judge_random(judge, &random, T, D), wo = mat_new(judge->arena, D, D);
    (void)n;
    judge_trying(judge, "heads times my_wo");
    ((Wo *)f)(wo);
    if (!judge->quiet) memcpy(written, wo.at, sizeof written);
    matmul(judge_output(judge, T, D), heads, wo);
}

enum { ZEROS = 1, EXCHANGED, SUMS, HALF_IS_0, HEAD_0_FIRST };

static void set(Mat wo, int i, int j, float value)
{
    *(judge_fault == EXCHANGED ? mat_ref(wo, j, i) : mat_ref(wo, i, j)) = value;
}

static void faulty_wo(Mat wo)
{
    const int fault = judge_fault;
    float share = fault == SUMS ? 1.0f : fault == HALF_IS_0 ? 0.0f : 0.5f;
    for (int c = 0; c < 2 && fault != ZEROS; c++) {
        set(wo, (fault == HEAD_0_FIRST ? 0 : 4) + c, c, 1.0f);
        set(wo, c, 2 + c, share);
        set(wo, 2 + c, 2 + c, share);
    }
    if (fault == ZEROS) return;
    set(wo, 0, 4, 1.0f);
    set(wo, 2, 4, -1.0f);
}

// Column j of the reader's Wo as what it makes of the heads' numbers: "0.5 · head 0's first number + …".
static const char *made_of(Arena *arena, int j)
{
    const char *text = "";
    for (int c = 0; c < D; c++) {
        double times = (double)written[c * D + j];
        if (times == 0.0) continue;
        text = arena_format(arena, "%s%s%.3g · head %d's %s number", text, *text ? times < 0.0 ? " - " : " + " : "",
                            *text ? fabs(times) : times, c / 2, c % 2 ? "second" : "first");
    }
    return *text ? text : "0";
}

static Hints wo_hints(Judge *judge, Difference d)
{
    static const char *const wanted[] = { "head 2's first number",
                                          "head 2's second number",
                                          "the average of the first numbers of heads 0 and 1",
                                          "the average of the second numbers of heads 0 and 1",
                                          "head 0's first number less head 1's",
                                          "0" };
    int j = 0;
    while (j < D - 1 && mat_max_difference(mat_cols(d.got, j, 1), mat_cols(d.expected, j, 1)) <= 1e-5) j++;
    return (Hints){ arena_format(judge->arena, "column %d of out should be %s; yours is %s", j, wanted[j],
                                 made_of(judge->arena, j)),
                    "column j of out is made with column j of Wo: which heads' numbers should count, and how much?",
                    "out[i][j] = Σ heads[i][c] · Wo[c][j]" };
}

static const Task tasks[] = {
    { AS(Wo, my_wo), AS(Wo, faulty_wo), wo_case, 1, .faulty = AS(Wo, faulty_wo), .explain = wo_hints,
      .wrong = { FAULT(ZEROS, "Wo is still all zeros: nothing of any head gets through"),
                 FAULT(EXCHANGED, "rows and columns of Wo are exchanged: row c says where the heads' column c goes"),
                 FAULT(SUMS, "columns 2 and 3 are sums; an average was asked for"),
                 FAULT(HALF_IS_0,
                       "columns 2 and 3 are still 0. (If you wrote 1 / 2: in C that is 0, and 0.5f is a half)"),
                 { .fault = HEAD_0_FIRST,
                   .told = "should be head 2's first number; yours is 1 · head 0's first number" } } },
};
EXERCISE("06c", tasks)
