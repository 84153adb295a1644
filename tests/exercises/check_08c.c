// Exercise 08c: numbers worked out by hand. Each array is judged alone: a wrong one is not carried into the next.
#include "base/portable_math.h"
#include "exercises/judge.h"

#include <string.h>

extern float my_dout[2], my_dw[3], my_mean[1], my_ds[3], my_dq[2], my_dv[2];

typedef void Numbers(float *to);

// Without the right numbers, which would be the solution: only the words of a mistake that gives the same.
static const Task tasks[6];

static bool same(const float *a, const float *b, int count)
{
    bool all = true;
    for (int c = 0; c < count; c++) all = all && fabsf(a[c] - b[c]) <= 0.007f;
    return all;
}

static void judge_array(Judge *judge, Function f, int count, const Task *task)
{
    float got[3], numbers[3];
    ((Numbers *)f)(got);
    ((Numbers *)task->right)(numbers);
    if (same(got, numbers, count)) return;
    for (int w = 0; w < MOST_WRONG && task->wrong[w].words; w++) {
        ((Numbers *)task->wrong[w].function)(numbers);
        judge_claim(judge, !same(got, numbers, count),
                    (Hints){ task->wrong[w].words, w ? NULL : task->hints[0].question }); // the first is that all are 0
    }
    judge_claim(judge, false, task->hints[0]);
}

#define ARRAY(name, number) \
    static void given_##name(float *to) { memcpy(to, my_##name, sizeof my_##name); } \
    static void name##_check(Judge *judge, Function f) \
    { \
        judge_trying(judge, "my_" #name); \
        judge_array(judge, f, COUNT(my_##name), &tasks[number]); \
    }
ARRAY(dout, 0)
ARRAY(dw, 1)
ARRAY(mean, 2)
ARRAY(ds, 3)
ARRAY(dq, 4)
ARRAY(dv, 5)

#define NUMBERS(name, ...) \
    static void name(float *to) \
    { \
        const float numbers[] = { __VA_ARGS__ }; \
        memcpy(to, numbers, sizeof numbers); \
    }
#define TWICE(x)  x, x
#define THRICE(x) x, x, x

// Forward: the weights of the keys 0 and 2, and a number of the output, which is also dout. Then dw is O, O, 2 O.
#define W0   0.24826f
#define W2   0.50349f
#define O    0.75174f
#define MEAN 1.13024f
#define DS0  -0.09396f
#define DS2  0.18793f
#define ROOT 1.41421f
NUMBERS(zeros, THRICE(0))
NUMBERS(zero_pair, TWICE(0))
NUMBERS(zero_mean, 0)
NUMBERS(right_dout, TWICE(O))
NUMBERS(minus_dout, TWICE(-O))
NUMBERS(old_wish, O - 1, O)
NUMBERS(half_dout, TWICE(O / 2))
NUMBERS(right_dw, O, O, 2 * O)
NUMBERS(old_dw, O - 1, O, 2 * O - 1)
NUMBERS(weighted_dw, W0 *O, W0 *O, W2 * 2 * O)
NUMBERS(query_for_values, THRICE(2 * O))
NUMBERS(right_mean, MEAN)
NUMBERS(sum_of_dw, 4 * O)
NUMBERS(plain_mean, 4 * O / 3)
NUMBERS(right_ds, DS0, DS0, DS2)
NUMBERS(minus_ds, -DS0, -DS0, -DS2)
NUMBERS(own_alone, W0 *(1 - W0) * O, W0 *(1 - W0) * O, W2 *(1 - W2) * 2 * O)
NUMBERS(no_brackets, W0 *O - MEAN, W0 *O - MEAN, W2 * 2 * O - MEAN)
NUMBERS(no_weight, O - MEAN, O - MEAN, 2 * O - MEAN)
NUMBERS(right_dq, TWICE((DS0 + DS2) / ROOT))
NUMBERS(own_key, TWICE(DS2 / ROOT))
NUMBERS(undivided, TWICE(DS0 + DS2))
NUMBERS(right_dv, TWICE(W2 *O))
NUMBERS(weight_alone, TWICE(W2))
NUMBERS(of_token_0, TWICE(W0 *O))

#define ANSWER(name) AS(Numbers, given_##name), AS(Numbers, right_##name), .check = name##_check
#define STILL_0      "these numbers are still 0"
#define BARE         "the weight in front is missing: what is hardly heard hardly counts"

// clang-format off
static const Task tasks[6] = {
    { ANSWER(dout),
      .hints = { { "the loss is ½ (out - wish)², number by number", "what is the slope of ½ o²?", "dout = out - wish" } },
      .wrong = { { AS(Numbers, zero_pair), STILL_0 },
                 { AS(Numbers, minus_dout), "the sign: more of what is too much makes the loss rise" },
                 { AS(Numbers, old_wish), "that is the wish of section 5; here it is (0, 0)" },
                 { AS(Numbers, half_dout), "the slope of ½ o² is o: the ½ does not come in again" } } },
    { ANSWER(dw),
      .hints = { { "a weight counts more where dout and its value point the same way",
                   "out = w0 v0 + w1 v1 + w2 v2: by how much does it move with w2?", "dw_j = dout · v_j" } },
      .wrong = { { AS(Numbers, zeros), STILL_0 },
                 { AS(Numbers, old_dw), "that is the wish of section 5; here it is (0, 0)" },
                 { AS(Numbers, query_for_values), "dout meets each value here, not the query" },
                 { AS(Numbers, weighted_dw), "the weight comes in later, for the mean and for ds" } } },
    { ANSWER(mean),
      .hints = { { "it lies between the smallest and the largest dw", "how much does each dw count?",
                   "mean = Σ w_j dw_j" } },
      .wrong = { { AS(Numbers, zero_mean), STILL_0 },
                 { AS(Numbers, sum_of_dw), "these are all three dw in full: each counts by its weight" },
                 { AS(Numbers, plain_mean), "each dw counts by its weight, not by a third" } } },
    { ANSWER(ds),
      .hints = { { "the three sum to 0", "is each dw better or worse than the mean, and how much is its key heard?",
                   "ds_j = w_j (dw_j - mean)" } },
      .wrong = { { AS(Numbers, zeros), STILL_0 },
                 { AS(Numbers, minus_ds), "the sign is turned round" },
                 { AS(Numbers, own_alone), "each score moves all three weights: what the other two lose is missing" },
                 { AS(Numbers, no_brackets), "the weight counts for the mean, too: w times all of the difference" },
                 { AS(Numbers, weighted_dw), "the mean has not been taken away" },
                 { AS(Numbers, no_weight), BARE } } },
    { ANSWER(dq),
      .hints = { { "token 2's query meets all three keys", "s_j = q · k_j / √2: what does q's first number meet in it?",
                   "dq = Σ ds_j k_j / √2" } },
      .wrong = { { AS(Numbers, zero_pair), "these numbers are 0, and should not come out so, though ds sums to 0" },
                 { AS(Numbers, own_key), "that is what token 2's own key gives; the other two keys are left out" },
                 { AS(Numbers, undivided), "the scores were divided by √2, and so is what comes back" } } },
    { ANSWER(dv),
      .hints = { { "its value has a share in the output", "out = Σ w_j v_j: by how much does out move with v_2?",
                   "dv_2 = w_2 dout" } },
      .wrong = { { AS(Numbers, zero_pair), STILL_0 },
                 { AS(Numbers, right_dout), BARE },
                 { AS(Numbers, weight_alone), "that is the weight alone: dout is missing" },
                 { AS(Numbers, of_token_0), "that is what token 0's value gets; token 2 has another weight" } } },
};
// clang-format on
EXERCISE("08c", tasks)
