// Exercise 13c: the reader's test of a merge, given right merges and wrong ones.
#include "base/portable_math.h"
#include "exercises/judge.h"

typedef void Merge(float *max, float *sum, float *mixed, float other_max, float other_sum, const float *other_mixed,
                   int dv);
typedef bool Test(Merge *merge);
Test merge_is_right;

static float factor(float max, float m) { return max == -INFINITY ? 0.0f : expf(max - m); }

// Both results with a factor each, in which m is the larger maximum; `columns` of mixed are merged, rescaled or
// not, and the maximum becomes `new_max`.
#define MERGE(name, own, others, columns, rescaled, new_max) \
    static void name(float *max, float *sum, float *mixed, float other_max, float other_sum, const float *other_mixed, \
                     int dv) \
    { \
        float m = fmaxf(*max, other_max), a = own, b = others; \
        *sum = *sum * a + other_sum * b; \
        for (int c = 0; c < dv && c < columns; c++) \
            mixed[c] = rescaled ? mixed[c] * a + other_mixed[c] * b : mixed[c] + other_mixed[c]; \
        *max = new_max; \
    }
MERGE(right, factor(*max, m), factor(other_max, m), dv, true, m)
MERGE(nothing_rescaled, 1, 1, dv, true, m)
MERGE(own_as_is, 1, factor(other_max, m), dv, true, m)
MERGE(others_as_is, factor(*max, m), 1, dv, true, m)
MERGE(first_column, factor(*max, m), factor(other_max, m), 1, true, m)
MERGE(nan_of_nothing, expf(*max - m), expf(other_max - m), dv, true, m)
MERGE(overflows, m == -INFINITY ? 0 : expf(*max) / expf(m), m == -INFINITY ? 0 : expf(other_max) / expf(m), dv, true, m)
MERGE(sum_alone, factor(*max, m), factor(other_max, m), dv, false, m)
MERGE(max_kept, factor(*max, m), factor(other_max, m), dv, true, *max)

// The last bits are others.
static void right_otherwise(float *max, float *sum, float *mixed, float other_max, float other_sum,
                            const float *other_mixed, int dv)
{
    right(max, sum, mixed, other_max, other_sum, other_mixed, dv);
    for (int c = 0; c < dv; c++) mixed[c] *= 1.0000001f;
}

// The first two are right; what is said of the others depends on how many pass.
static const struct {
    Merge *merge;
    const char *question, *property;
} tried[] = {
    { right, "what would you get by hand for the numbers that your test gives it?", "a right merge is refused" },
    { right_otherwise, "how far may two floats be apart that should be the same?",
      "a merge that is right within rounding is refused" },
    { nothing_rescaled, "do the two results of your test have different maxima?" },
    { own_as_is, "has the other result the larger maximum in one of your cases?" },
    { others_as_is, "has the other result the smaller maximum in one of your cases?" },
    { sum_alone, "is mixed compared, and does something in it have to be rescaled?" },
    { max_kept, "is max compared, where it has to change?" },
    { first_column, "is there more than one column in mixed, and are all compared?" },
    { nan_of_nothing, "are two results over no keys merged, and does NaN count as wrong?" },
    { overflows, "are there scores for which exp(score) alone overflows?" },
};

static void check(Judge *judge, Function f)
{
    Test *test = (Test *)f;
    int passed = 0, wrong = COUNT(tried) - 2;
    for (int n = 2; n < COUNT(tried); n++) passed += test(tried[n].merge);
    const char *pass = arena_format(judge->arena, "of %d wrong merges %d pass", wrong, passed);
    if (passed == wrong) pass = "every wrong merge passes: nothing is tried yet";
    for (int n = 0; n < COUNT(tried); n++) {
        judge_trying(judge, "merge_is_right of a merge that is %s", n < 2 ? "right" : "wrong");
        judge_verdict(judge, test(tried[n].merge), n < 2,
                      (Hints){ n < 2 ? tried[n].property : pass, tried[n].question });
    }
}

enum { RIGHT, ALWAYS_YES, NOTHING_RESCALED, EXACT, ONE_CASE };

static bool is_near(float got, float expected)
{
    return judge_fault == EXACT ? got == expected : got == expected || fabsf(got - expected) <= 1e-5f * fabsf(expected);
}

// A result with a maximum of −INFINITY is over no keys: its sum and mixed are 0.
static bool tries(Merge *merge, float max, float other_max)
{
    float m = fmaxf(max, other_max), a = factor(max, m), b = factor(other_max, m);
    float any = max > -INFINITY, sum = 1.9f * any, mixed[2] = { 3.7f * any, 0.7f * any };
    float others = other_max > -INFINITY, other[2] = { 5.1f * others, -2.2f * others };
    if (judge_fault == NOTHING_RESCALED) a = b = 1.0f;
    merge(&max, &sum, mixed, other_max, 2.3f * others, other, 2);
    bool first = is_near(mixed[0], 3.7f * a + 5.1f * b);
    if (judge_fault == ONE_CASE) return first;
    return first && is_near(mixed[1], 0.7f * a - 2.2f * b) && is_near(sum, 1.9f * a + 2.3f * b) && is_near(max, m);
}

static bool faulty_test(Merge *merge)
{
    if (judge_fault == ALWAYS_YES) return true;
    if (judge_fault == ONE_CASE || judge_fault == NOTHING_RESCALED) return tries(merge, 1.25f, 2.6f);
    return tries(merge, 1.25f, 2.6f) && tries(merge, 2.0f, 0.3f) && tries(merge, 200.0f, 201.0f) &&
           tries(merge, -INFINITY, -INFINITY);
}

static const Task tasks[] = {
    { AS(Test, merge_is_right), AS(Test, faulty_test), .faulty = AS(Test, faulty_test), .check = check,
      .wrong = { FAULT(ALWAYS_YES, "every wrong merge passes: nothing is tried yet"),
                 FAULT(NOTHING_RESCALED, "a right merge is refused"),
                 FAULT(EXACT, "a merge that is right within rounding is refused"),
                 { .fault = ONE_CASE, .told = "of 8 wrong merges 5 pass" } } },
};
EXERCISE("13c", tasks)
