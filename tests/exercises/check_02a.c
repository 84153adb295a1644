// Exercise 02a: my_softmax and my_entropy.
#include "attention/softmax.h"
#include "base/portable_math.h"
#include "exercises/judge.h"

typedef void Softmax(float *weights, const float *scores, int n);
typedef float Entropy(const float *weights, int n);
Softmax my_softmax;
Entropy my_entropy;

static const struct {
    const char *which;
    int n;
    float scores[4];
} rows[] = {
    { "the scores 2, 1, 0.1", 3, { 2.0f, 1.0f, 0.1f } },
    { "one score, 5", 1, { 5.0f } },
    { "the scores 1000, 999", 2, { 1000.0f, 999.0f } },
    { "the scores -1000, -1001", 2, { -1000.0f, -1001.0f } },
    { "the scores 1, -INFINITY: the second key is hidden", 2, { 1.0f, -INFINITY } },
    { "two scores of -INFINITY: every key is hidden", 2, { -INFINITY, -INFINITY } },
};

static void softmax_case(Judge *judge, Function f, int n)
{
    Mat weights = judge_output(judge, 1, rows[n].n);
    judge_trying(judge, "my_softmax of %s", rows[n].which);
    ((Softmax *)f)(weights.at, rows[n].scores, rows[n].n);
}

// e(score) / divisor, where the sum is that of all e(score), and the maximum is `lowest` at least.
#define SOFTMAX(name, lowest, e, divisor) \
    static void name(float *weights, const float *scores, int n) \
    { \
        float max = softmax_running_max(lowest, scores, n), sum = 0.0f; \
        for (int j = 0; j < n; j++) sum += weights[j] = e; \
        for (int j = 0; j < n; j++) weights[j] /= divisor; \
        (void)max, (void)sum; \
    }
SOFTMAX(not_divided, -INFINITY, expf(scores[j] - max), 1.0f)
SOFTMAX(unshifted, -INFINITY, expf(scores[j]), sum)
SOFTMAX(max_from_zero, 0.0f, expf(scores[j] - max), sum)
SOFTMAX(powers_of_two, -INFINITY, exp2f(scores[j] - max), sum)
SOFTMAX(hidden_row_nan, -INFINITY, expf(scores[j] - max), sum)

static const struct {
    const char *which;
    int n;
    float weights[4];
} spreads[] = {
    { "the weights 0.75, 0.125, 0.125", 3, { 0.75f, 0.125f, 0.125f } },
    { "four equal weights", 4, { 0.25f, 0.25f, 0.25f, 0.25f } },
    { "the weights 1, 0: nothing is left open", 2, { 1.0f, 0.0f } },
};

static void entropy_case(Judge *judge, Function f, int n)
{
    judge_trying(judge, "my_entropy of %s", spreads[n].which);
    judge_result(judge, (double)((Entropy *)f)(spreads[n].weights, spreads[n].n));
}

#define ENTROPY(name, step) \
    static float name(const float *weights, int n) \
    { \
        float sum = 0.0f; \
        for (int j = 0; j < n; j++) step; \
        return sum; \
    }
ENTROPY(in_nats, sum -= weights[j] > 0.0f ? weights[j] * logf(weights[j]) : 0.0f)
ENTROPY(wrong_sign, sum += weights[j] > 0.0f ? weights[j] * log2f(weights[j]) : 0.0f)
ENTROPY(unweighted, sum -= log2f(weights[j]))
ENTROPY(zero_times_infinity, sum -= weights[j] * log2f(weights[j]))

static const Task tasks[] = {
    { AS(Softmax, my_softmax), AS(Softmax, softmax), softmax_case, COUNT(rows),
      .hints = { { "the weights do not sum to 1, or the shares are not right",
                   "what is each exponential divided by, and when is that known?",
                   "wⱼ = exp(sⱼ − max s) / Σₖ exp(sₖ − max s)" } },
      .wrong = { { AS(Softmax, not_divided), "every weight must be divided by the sum of them all" },
                 { AS(Softmax, unshifted),
                   "expf overflows above 88.7: which number can be taken away from all scores?" },
                 { AS(Softmax, max_from_zero),
                   "every exponential is 0 here, and 0 / 0 is NaN: what was taken away from scores that are all below 0?" },
                 { AS(Softmax, powers_of_two), "these are powers of 2: exp is a power of e" },
                 { AS(Softmax, hidden_row_nan),
                   "-INFINITY - -INFINITY is NaN, and so is 0 / 0: a row with every key hidden takes nothing from "
                   "anybody, and needs a case of its own" } } },
    { AS(Entropy, my_entropy), AS(Entropy, softmax_entropy), entropy_case, COUNT(spreads),
      .hints = { { NULL, "what do two equal weights add, each?", "−Σⱼ wⱼ log₂ wⱼ" } },
      .wrong = { { AS(Entropy, in_nats), "that is in nats: bits take log2f" },
                 { AS(Entropy, wrong_sign), "the sign: the logarithm of a weight below 1 is negative" },
                 { AS(Entropy, unweighted), "each logarithm counts by its weight" },
                 { AS(Entropy, zero_times_infinity), "0 * log2f(0) is NaN: a weight of 0 adds nothing" } } },
};
EXERCISE("02a", tasks)
