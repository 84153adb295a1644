// Exercise 02c: the reader's test of a softmax, given right ones and wrong ones.
#include "attention/softmax.h"
#include "base/portable_math.h"
#include "exercises/judge.h"

typedef void Softmax(float *weights, const float *scores, int n);
typedef bool Test(Softmax *softmax);
Test softmax_is_right;

static bool all_hidden(const float *scores, int n) { return softmax_running_max(-INFINITY, scores, n) == -INFINITY; }

// The sum from the last key to the first: other roundings.
static void from_the_end(float *weights, const float *scores, int n)
{
    float max = softmax_running_max(-INFINITY, scores, n), sum = 0.0f;
    for (int j = n - 1; j >= 0; j--) sum += weights[j] = max == -INFINITY ? 0.0f : expf(scores[j] - max);
    for (int j = 0; j < n; j++) weights[j] *= sum > 0.0f ? 1.0f / sum : 0.0f;
}

// e(score) / divisor; `taken` is the maximum, and a row in which all keys are hidden has a weight of its own.
#define SOFTMAX(name, max, e, divisor, hidden) \
    static void name(float *weights, const float *scores, int n) \
    { \
        bool nothing = all_hidden(scores, n); \
        float taken = max, sum = 0.0f; \
        for (int j = 0; j < n; j++) sum += weights[j] = e; \
        for (int j = 0; j < n; j++) weights[j] = nothing ? hidden : weights[j] / divisor; \
        (void)sum; \
    }
#define LARGEST softmax_running_max(-INFINITY, scores, n)
#define EXP     expf(scores[j] - taken)
SOFTMAX(in_float64, LARGEST, (float)exp((double)scores[j] - (double)taken), sum, 0.0f)
SOFTMAX(not_divided, LARGEST, EXP, 1.0f, 0.0f)
SOFTMAX(powers_of_two, LARGEST, exp2f(scores[j] - taken), sum, 0.0f)
SOFTMAX(overflowing, 0.0f, EXP, sum, 0.0f)
SOFTMAX(from_zero, softmax_running_max(0.0f, scores, n), EXP, sum, 0.0f)
SOFTMAX(hidden_is_zero, LARGEST, expf((scores[j] == -INFINITY ? 0.0f : scores[j]) - taken), sum, 0.0f)
SOFTMAX(hidden_give_nan, LARGEST, EXP, sum, NAN)
SOFTMAX(hidden_share, LARGEST, EXP, sum, 1.0f / (float)n)

// The weights are cleared before the scores are read: with one array for both, all scores are 0.
static void clears_first(float *weights, const float *scores, int n)
{
    for (int j = 0; j < n; j++) weights[j] = 0.0f;
    softmax(weights, scores, n);
}

static const struct {
    Softmax *wrong;
    const char *property, *question;
} all[] = {
    { not_divided, "it passes, and its weights do not sum to 1", "what must hold of every row of weights?" },
    { powers_of_two, "it passes, and its weights for the scores 2, 1, 0.1 are 0.566, 0.283, 0.152: they sum to 1",
      "which numbers of the chapter do you know the weights of?" },
    { overflowing, "it passes, and for two large scores it gives NaN", "from where on does expf overflow?" },
    { from_zero, "it passes, and for some scores that are all below 0 it gives NaN",
      "how far below 0 must they be for every expf to be 0?" },
    { hidden_is_zero, "it passes, and a hidden key gets some weight: that of a score of 0",
      "what is the weight of a score of -INFINITY? Beside which scores would that of 0 be seen?" },
    { hidden_give_nan, "it passes, and a row where all keys are hidden gives NaN",
      "is NaN larger than 0.001? Is it smaller? What does your comparison say of it?" },
    { hidden_share, "it passes, and shares out 1 where all keys are hidden",
      "what may a query take that may look at nothing?" },
    { clears_first, "it passes, and goes wrong when the scores and the weights are one array",
      "what is lost when the weights are written before the scores are read?" },
};

static void check(Judge *judge, Function f)
{
    static Softmax *const right[] = { softmax, in_float64, from_the_end };
    static const char *const names[] = { "the library's", "in float64", "added up from the end" };
    Test *test = (Test *)f;
    for (int n = 0; n < COUNT(right); n++) {
        judge_trying(judge, "softmax_is_right of a softmax that is right, %s", names[n]);
        judge_verdict(
            judge, test(right[n]), true,
            (Hints){ "your test says that it is wrong",
                     "does a comparison ask for more digits than a float has, or than the number has that it is held "
                     "against?",
                     "|got − expected| ≤ half of the last digit that you know" });
    }
    for (int n = 0; n < COUNT(all); n++) {
        judge_trying(judge, "softmax_is_right of a softmax that is wrong");
        judge_verdict(judge, test(all[n].wrong), false, (Hints){ all[n].property, all[n].question });
    }
}

// Known weights; large scores; low ones; a hidden key; all hidden; one array for both.
static bool tries(Softmax *tried, float off)
{
    static const float scores[][3] = { { 2.0f, 1.0f, 0.1f },
                                       { 1000.0f, 999.0f, 0.0f },
                                       { -1000.0f, -999.0f, -2000.0f },
                                       { 3.0f, -INFINITY, 3.0f },
                                       { -INFINITY, -INFINITY, -INFINITY } };
    const float expected[] = { 0.6590012f, 0.7310586f, 0.2689414f, 0.5f, 0.0f };
    float got[3], same[3] = { 2.0f, 1.0f, 0.1f };
    for (int n = 0; n < COUNT(scores); n++) {
        tried(got, scores[n], 3);
        if (!(fabsf(got[0] - expected[n]) < off && (n > 0 || fabsf(got[2] - 0.0985659f) < off))) return false;
    }
    tried(same, same, 3);
    return fabsf(same[0] - 0.6590012f) < off;
}

static bool right_test(Softmax *tried) { return tries(tried, 1e-5f); }
static bool exact(Softmax *tried) { return tries(tried, 1e-12f); }

static const Task tasks[] = {
    { AS(Test, softmax_is_right), AS(Test, right_test), .check = check,
      .wrong = { { AS(Test, exact), "your test says that it is wrong" } } },
};
EXERCISE("02c", tasks)
