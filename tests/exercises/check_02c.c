// Exercise 02c: the reader's test of a softmax, given right ones and wrong ones.
#include "attention/softmax.h"
#include "exercises/judge.h"

#include <math.h>
#include <string.h>

typedef void Softmax(float *weights, const float *scores, int n);

bool softmax_is_right(Softmax *softmax);

// ---- right ones

static void in_float64(float *weights, const float *scores, int n)
{
    double max = -INFINITY, sum = 0.0;
    for (int j = 0; j < n; j++) max = fmax(max, (double)scores[j]);
    if (max == -INFINITY) max = 0.0;
    for (int j = 0; j < n; j++) sum += exp((double)scores[j] - max);
    for (int j = 0; j < n; j++) weights[j] = sum > 0.0 ? (float)(exp((double)scores[j] - max) / sum) : 0.0f;
}

// The sum from the last key to the first: other roundings.
static void from_the_end(float *weights, const float *scores, int n)
{
    float max = softmax_running_max(-INFINITY, scores, n), sum = 0.0f;
    for (int j = n - 1; j >= 0; j--) sum += weights[j] = max == -INFINITY ? 0.0f : expf(scores[j] - max);
    for (int j = 0; j < n; j++) weights[j] *= sum > 0.0f ? 1.0f / sum : 0.0f;
}

// ---- wrong ones

static void not_divided(float *weights, const float *scores, int n)
{
    float max = softmax_running_max(-INFINITY, scores, n);
    for (int j = 0; j < n; j++) weights[j] = max == -INFINITY ? 0.0f : expf(scores[j] - max);
}

static void shifted_by(float *weights, const float *scores, int n, float max)
{
    float sum = 0.0f;
    for (int j = 0; j < n; j++) sum += weights[j] = expf(scores[j] - max);
    for (int j = 0; j < n; j++) weights[j] /= sum;
}

static bool all_hidden(float *weights, const float *scores, int n)
{
    if (softmax_running_max(-INFINITY, scores, n) != -INFINITY) return false;
    for (int j = 0; j < n; j++) weights[j] = 0.0f;
    return true;
}

static void overflowing(float *weights, const float *scores, int n)
{
    if (!all_hidden(weights, scores, n)) shifted_by(weights, scores, n, 0.0f);
}

static void from_zero(float *weights, const float *scores, int n)
{
    if (!all_hidden(weights, scores, n)) shifted_by(weights, scores, n, softmax_running_max(0.0f, scores, n));
}

static void nothing_gives_nan(float *weights, const float *scores, int n)
{
    shifted_by(weights, scores, n, softmax_running_max(-INFINITY, scores, n));
}

static void nothing_gives_equal(float *weights, const float *scores, int n)
{
    if (!all_hidden(weights, scores, n)) softmax(weights, scores, n);
    else
        for (int j = 0; j < n; j++) weights[j] = 1.0f / (float)n;
}

static void powers_of_two(float *weights, const float *scores, int n)
{
    softmax_at(weights, scores, n, 1.0f / logf(2.0f));
}

static void hidden_is_zero(float *weights, const float *scores, int n)
{
    if (all_hidden(weights, scores, n)) return;
    for (int j = 0; j < n; j++) weights[j] = scores[j] == -INFINITY ? 0.0f : scores[j];
    softmax(weights, weights, n);
}

// The weights are cleared before the scores are read: with one array for both, all scores are 0.
static void clears_first(float *weights, const float *scores, int n)
{
    memset(weights, 0, (size_t)n * sizeof *weights);
    softmax(weights, scores, n);
}

// Right, but for scores that are too large, or too far below 0, for expf: there it shares out evenly.
static void even_from(float *weights, const float *scores, int n, float sign)
{
    float max = softmax_running_max(-INFINITY, scores, n);
    softmax(weights, scores, n);
    for (int j = 0; j < n && isfinite(max) && sign * max > 88.0f; j++) weights[j] = 1.0f / (float)n;
}

static void even_where_large(float *weights, const float *scores, int n) { even_from(weights, scores, n, 1.0f); }
static void even_where_low(float *weights, const float *scores, int n) { even_from(weights, scores, n, -1.0f); }

// A test that finds the right one wrong may ask something else of a row where all keys are hidden.
static void must_not_want(Judge *judge, const char *wanted, Softmax *mistaken)
{
    judge_claim(judge, !softmax_is_right(mistaken),
                (Hints){ .property =
                             arena_format(judge->arena,
                                          "your test says that it is wrong, and lets one pass that %s where all "
                                          "keys are hidden",
                                          wanted),
                         .question = "what may a query take that may look at nothing? Exercise 02a says it" });
}

// Or it may answer the wrong way round: then these are right to it.
static void must_not_be_turned(Judge *judge)
{
    bool turned = softmax_is_right(not_divided) && softmax_is_right(powers_of_two);
    judge_claim(judge, !turned,
                (Hints){ .property = "your test says that it is wrong, and of two that are wrong, that they are right",
                         .question = "which of the two answers is true to mean?" });
}

static void must_pass(Judge *judge, const char *which, Softmax *right)
{
    judge_trying(judge, "softmax_is_right of a softmax that is right%s", which);
    bool found_right = softmax_is_right(right);
    if (!found_right) must_not_be_turned(judge);
    if (!found_right) must_not_want(judge, "gives NaN", nothing_gives_nan);
    if (!found_right) must_not_want(judge, "shares out 1", nothing_gives_equal);
    judge_claim(
        judge, found_right,
        (Hints){ .property = "your test says that it is wrong",
                 .question =
                     "does a comparison ask for more digits than a float has, or than the number has that it is held "
                     "against?",
                 .formula = "|got − expected| ≤ half of the last digit that you know" });
}

static void must_fail(Judge *judge, const char *property, const char *question, Softmax *mistaken)
{
    judge_trying(judge, "softmax_is_right of a softmax that is wrong");
    judge_claim(judge, !softmax_is_right(mistaken), (Hints){ property, question, NULL });
}

static const char of_nan[] = "is NaN larger than 0.001? Is it smaller? What does your comparison say of it?";

// A test that lets NaN pass may try such scores, and be blind to NaN: then it finds what is even there.
static void must_not_give_nan(Judge *judge, const char *scores, const char *question, Softmax *mistaken, Softmax *even)
{
    bool blind = !softmax_is_right(even);
    must_fail(judge,
              arena_format(judge->arena, "it passes, and for %s it gives NaN%s", scores,
                           blind ? ": your test tries such scores, and does not see NaN" : ""),
              blind ? of_nan : question, mistaken);
}

static void check(Judge *judge)
{
    must_pass(judge, ", the library's", softmax);
    must_pass(judge, ", in float64", in_float64);
    must_pass(judge, ", added up from the end", from_the_end);
    must_fail(judge, "it passes, and its weights do not sum to 1", "what must hold of every row of weights?",
              not_divided);
    must_fail(judge, "it passes, and its weights for the scores 2, 1, 0.1 are 0.566, 0.283, 0.152: they sum to 1",
              "which numbers of the chapter do you know the weights of?", powers_of_two);
    must_not_give_nan(judge, "two large scores", "from where on does expf overflow?", overflowing, even_where_large);
    must_not_give_nan(judge, "some scores that are all below 0", "how far below 0 must they be for every expf to be 0?",
                      from_zero, even_where_low);
    must_fail(judge, "it passes, and a hidden key gets some weight: that of a score of 0",
              "what is the weight of a score of -INFINITY? Beside which scores would that of 0 be seen?",
              hidden_is_zero);
    must_fail(judge, "it passes, and a row where all keys are hidden gives NaN", of_nan, nothing_gives_nan);
    must_fail(judge, "it passes, and shares out 1 where all keys are hidden",
              "what may a query take that may look at nothing?", nothing_gives_equal);
    must_fail(judge, "it passes, and goes wrong when the scores and the weights are one array",
              "what is lost when the weights are written before the scores are read?", clears_first);
}

int main(void) { return judge_main("02c", check); }
