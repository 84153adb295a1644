// A made-up exercise that tests the judge: `mistakes --self-test` tries readers who go wrong in every way.
// `mistakes` alone is a reader who is right but for rounding; with LOUD in the environment, one who prints and stops.
#include "base/portable_math.h"
#include "exercises/judge.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

// The task: out[i] = 2 · in[i].
typedef void Double(float *out, const float *in, int n);

static const float numbers[][6] = { { 1, 3, 5, 7, 9, 11 }, { 2, 2, 2, 2, 2, 4 }, { 5, 0, 0, 0, 0, 0 } };

static void double_case(Judge *judge, Function f, int n)
{
    Mat out = judge_output(judge, 2, 3);
    judge_trying(judge, "my_double of %d numbers", 6);
    ((Double *)f)(out.at, numbers[n], 6);
}

static void right(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++) out[i] = 2 * in[i];
}

enum { SQUARED = 1, ADDED, ONE_MISSING, LAST_MISSING, ELEMENT, IS_NAN, IS_INFINITE, PAST, BEFORE, NOTHING };
enum { CRASH = NOTHING + 1, DIVIDES, STOPS, SHAPE_WRONG, VIEW_WRONG, INDEX_WRONG, SHAPE_BEFORE, EXITS, ENDLESS };
enum { ONE_MORE = ENDLESS + 1, AT_LEAST_5, ALWAYS_WRONG, ALSO_WRONG, CRASHES_LATER };

static void go_wrong(float *out)
{
    Mat square = { out, 2, 2, 3 }, wide = { out, 2, 3, 3 };
    switch (judge_fault) {
    case CRASH: raise(SIGSEGV); break;
    case DIVIDES: raise(SIGFPE); break;
    case STOPS: REQUIRE(false, "n is %d", 6);
    case SHAPE_WRONG: mat_set(square, wide); break;
    case VIEW_WRONG: mat_cols(wide, 1, 3); break;
    case INDEX_WRONG: REQUIRE(false, "row %d of a matrix " MAT_SHAPE, 2, MAT_SHAPED(square));
    case SHAPE_BEFORE: fprintf(stderr, "(2, 3)\nmy own words: "); REQUIRE(false, "n is %d", 6);
    case EXITS: exit(0);
    case ENDLESS:
        for (volatile int i = 0;; i = !i) {}
    default: break;
    }
}

static void faulty(float *out, const float *in, int n)
{
    const int fault = judge_fault;
    if (fault == NOTHING) return;
    go_wrong(out);
    for (int i = 0; i < n; i++) {
        if ((fault == ONE_MISSING && i == 1) || (fault == LAST_MISSING && i == n - 1)) continue;
        out[i] = fault == SQUARED ? in[i] * in[i] : 2 * in[i] + (fault == ADDED ? out[i] : 0.0f);
    }
    if (fault == ELEMENT) out[2] += 1e-3f;
    if (fault == IS_NAN || fault == IS_INFINITE) out[0] = fault == IS_NAN ? NAN : INFINITY;
    if (fault == PAST) out[n] = 0.0f;
    if (fault == BEFORE) out[-1] = 0.0f;
    // These agree on the first numbers. AT_LEAST_5 and ONE_MORE are told apart by the last.
    if (fault == ONE_MORE || fault == AT_LEAST_5 || fault == CRASHES_LATER) out[0] += in[0] == 1 ? 1 : 0;
    if (fault == AT_LEAST_5 || fault == CRASHES_LATER) out[0] += in[0] == 5 ? 1 : 0;
    if (fault == CRASHES_LATER && in[0] == 2) raise(SIGSEGV);
    if (fault == ALWAYS_WRONG || fault == ALSO_WRONG) out[0] += 3;
}

static void reader(float *out, const float *in, int n)
{
    if (getenv("LOUD")) printf("the reader's own words\n");
    if (getenv("LOUD")) fprintf(stderr, "and these: ");
    REQUIRE(!getenv("LOUD"), "n is %d", n);
    right(out, in, n);
    out[2] += 1e-6f;
}

// Claims of which number `fault` is false.
enum { ALL_LEVELS = 1, TWO_LEVELS };

static void check(Judge *judge, Function f)
{
    (void)f;
    judge_trying(judge, "something else");
    judge_claim(judge, judge_fault != ALL_LEVELS, (Hints){ "the property", "the question", "the formula" });
    judge_claim(judge, judge_fault != TWO_LEVELS, (Hints){ NULL, "the question", "the formula" });
    judge_prediction(judge, 1, (Prediction){ "a prediction", 1, 0, "its question", NULL, { { 3, "not three" } } });
    judge_verdict(judge, true, true, (Hints){ "a verdict that is wrong" });
}

static const char levels_1[] = "  hint: the property\n  more: make exercise-07a HINT=2\n";
static const char levels_2[] = "  hint: the property\n  hint: the question\n  more: make exercise-07a HINT=3\n";
static const char levels_3[] = "  hint: the property\n  hint: the question\n  hint: the formula\n";

static const Task tasks[] = {
    { AS(Double, reader), AS(Double, right), double_case, COUNT(numbers), .faulty = AS(Double, faulty),
      .hints = { { NULL, "the plain hint", NULL, "the doubles" } },
      .wrong = { FAULT(SQUARED, "doubled, not squared"),
                 FAULT(LAST_MISSING, "the last is left out"),
                 FAULT(ONE_MORE, "one more in place of the 1"),
                 FAULT(AT_LEAST_5, "one more in place of the 5, too"),
                 { .fault = ALWAYS_WRONG, .words = "as the next", .told = "hint: the plain hint" },
                 { .fault = ALSO_WRONG, .words = "as the one before", .told = "hint: the plain hint" },
                 { .fault = CRASHES_LATER, .told = "hint: the plain hint", .not_told = "crashed" },
                 { .fault = NOTHING, .told = "6 of 6 elements are wrong\n  hint: the function has written nothing" },
                 { .fault = NOTHING, .told = "not yet\n  tried: my_double of 6 numbers: the doubles\n" },
                 { .fault = ELEMENT,
                   .told = "row 0, column 2 (both from 0): expected 10, got 10.001\n  1 of 6 elements is wrong" },
                 { .fault = IS_NAN, .told = "expected 2, got NaN" },
                 { .fault = IS_INFINITE, .told = "expected 2, got inf" },
                 { .fault = ADDED, .told = "computed from an output that was not written yet" },
                 { .fault = ONE_MISSING, .told = "expected 6, but it was not written", .not_told = "left out" },
                 { .fault = PAST, .told = "it writes outside its output" },
                 { .fault = BEFORE, .told = "it writes outside its output" },
                 { .fault = CRASH,
                   .told = "6 numbers\n  it crashed: it read or wrote memory that is not its own\n  hint: " },
                 { .fault = DIVIDES, .told = "divided an integer by zero" },
                 { .fault = STOPS, .told = "it was stopped", .not_told = "hint" },
                 { .fault = SHAPE_WRONG, .told = "above\n  hint: a shape is (rows, columns)" },
                 { .fault = VIEW_WRONG, .told = "above\n  hint: mat_cols(m, first, count)" },
                 { .fault = INDEX_WRONG, .told = "above\n  hint: does every index stay below its count?" },
                 { .fault = SHAPE_BEFORE, .told = "it was stopped", .not_told = "hint" },
                 { .fault = EXITS, .told = "it ended the whole program, with 0" },
                 { .fault = ENDLESS, .told = "it did not come back within 1 seconds\n  hint: " } } },
    { NULL, AS(Double, right), .check = check,
      .wrong = { { .fault = ALL_LEVELS, .told = levels_1 },
                 { .fault = ALL_LEVELS, .told = levels_2, .hint = 2 },
                 { .fault = ALL_LEVELS, .told = levels_3, .not_told = "more", .hint = 3 },
                 { .fault = TWO_LEVELS, .told = "hint: the question\n  more", .not_told = "the formula" },
                 { .fault = TWO_LEVELS, .told = "question\n  hint: the formula", .not_told = "more", .hint = 2 } } },
};

// NUMBER: the exercise's, for what comes next.
int main(int argc, char **argv)
{
    const char *number = getenv("NUMBER");
    return judge_exercise((Exercise){ number ? number : "07a", tasks, COUNT(tasks) }, argc, argv);
}
