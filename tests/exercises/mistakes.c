// Readers who go wrong, for test_judge.sh: `mistakes HOW` judges one of them.
#include "exercises/judge.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *how;

static bool is(const char *name) { return !strcmp(how, name); }

// The task: out[i] = 2 · in[i].
static void my_double(float *out, const float *in, int n)
{
    if (is("stub")) return;
    for (int i = 0; i < n; i++) {
        if ((is("one missing") && i == 1) || (is("last missing") && i == n - 1)) continue;
        if (is("added")) out[i] += 2 * in[i];
        else out[i] = is("square") ? in[i] * in[i] : 2 * in[i];
    }
    if (is("element")) out[2] += 1e-3f;
    if (is("tiny")) out[2] += 1e-6f;
    if (is("nan")) out[0] = NAN;
    if (is("infinite")) out[0] = INFINITY;
    if (is("past")) out[n] = 0;
    if (is("past, divided")) out[n] /= 3;
    if (is("before")) out[-1] = 0;
    if (is("crash")) raise(SIGSEGV);
    if (is("divide")) raise(SIGFPE);
    if (is("stop")) REQUIRE(n < 0, "n is %d", n);
    Mat square = { out, 2, 2, 3 }, wide = { out, 2, 3, 3 };
    if (is("shape")) mat_set(square, wide);
    if (is("view")) mat_cols(wide, 1, 3);
    if (is("index")) REQUIRE(n < 0, "row %d of a matrix " MAT_SHAPE, 2, MAT_SHAPED(square));
    if (is("loud, then stop")) fprintf(stderr, "(2, 3)\nmy own words: ");
    if (is("loud, then stop")) REQUIRE(n < 0, "n is %d", n);
    if (is("exit")) exit(0);
    if (is("loud")) printf("the reader's own words\n");
    for (volatile int i = 0; is("endless"); i = !i) {}
}

static void check(Judge *judge)
{
    const float in[] = { 1, 3, 5, 7, 9, 11 };
    Mat got = judge_output(judge, 2, 3), expected = mat_new(judge->arena, 2, 3), squared = mat_new(judge->arena, 2, 3);
    Mat left = judge_output(judge, 2, 3); // its last number is not written
    for (int i = 0; i < 6; i++) {
        expected.at[i] = 2 * in[i];
        squared.at[i] = in[i] * in[i];
        if (i < 5) left.at[i] = expected.at[i];
    }
    judge_trying(judge, "something harmless before");
    judge_trying(judge, "my_double of %d numbers", 6);
    my_double(got.at, in, 6);
    judge_answer(judge, (Answer){ .got = got,
                                  .expected = expected,
                                  .hints.question = "the plain hint",
                                  .mistakes = { { NULL, squared },
                                                { "doubled, not squared", squared },
                                                { "the last is left out", left } } });
    judge_number(judge, is("number") ? 2 : 1, 1, "the hint for a number");
    judge_answer(judge,
                 (Answer){ .got = mat_of(judge->arena, 1, 1, (float[]){ is("levels") || is("two levels") ? 2 : 1 }),
                           .expected = mat_of(judge->arena, 1, 1, (float[]){ 1 }),
                           .hints = { .property = is("levels") ? "the property" : NULL,
                                      .question = "the question",
                                      .formula = "the formula" } });
    judge_claim(judge, !is("claim"), (Hints){ .property = "the property of a claim", .question = "its question" });
    judge_number(judge, is("finite") ? 3 : INFINITY, INFINITY, "the hint for an infinity");
}

int main(int argc, char **argv)
{
    how = argc > 1 ? argv[1] : "";
    return judge_main(is("of 07c") ? "07c" : "07a", check);
}
