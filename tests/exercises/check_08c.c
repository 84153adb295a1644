// Exercise 08c: numbers worked out by hand. Each array is judged alone: a wrong one is not carried into the next.
#include "base/portable_math.h"
#include "exercises/judge.h"

extern float my_dout[2], my_dw[3], my_mean[1], my_ds[3], my_dq[2], my_dv[2];

// Forward: the weights of the keys 0 and 2, and a number of the output, which is also dout. Then dw is O, O, 2 O.
#define W0   0.24826
#define W2   0.50349
#define O    0.75174
#define MEAN 1.13024
#define DS0  -0.09396
#define DS2  0.18793
#define ROOT 1.41421
#define TWICE(x) \
    { \
        x, x \
    }
#define STILL_0 "these numbers are still 0"
#define BARE    "the weight in front is missing: what is hardly heard hardly counts"

// Of a mistake that another one cannot be told from in a number, or that leaves a number right, that number is NaN.
// clang-format off
static const struct {
    const char *what;
    const float *given;
    int count;
    double right[3];
    const char *property, *question, *formula;
    struct {
        double numbers[3];
        const char *words;
    } wrong[6];
} arrays[] = {
    { "my_dout", my_dout, 2, TWICE(O),
      "the loss is ½ (out - wish)², number by number", "what is the slope of ½ o²?", "dout = out - wish", {
        { { 0 }, STILL_0 },
        { TWICE(-O), "the sign: more of what is too much makes the loss rise" },
        { { O - 1, NAN }, "that is the wish of section 5; here it is (0, 0)" },
        { TWICE(O / 2), "the slope of ½ o² is o: the ½ does not come in again" } } },
    { "my_dw", my_dw, 3, { O, O, 2 * O }, "a weight counts more where dout and its value point the same way",
      "out = w0 v0 + w1 v1 + w2 v2: by how much does it move with w2?", "dw_j = dout · v_j", {
        { { 0 }, STILL_0 },
        { { O - 1, NAN, 2 * O - 1 }, "that is the wish of section 5; here it is (0, 0)" },
        { { 2 * O, 2 * O, NAN }, "dout meets each value here, not the query" },
        { { W0 * O, W0 * O, W2 * 2 * O }, "the weight comes in later, for the mean and for ds" } } },
    { "my_mean", my_mean, 1, { MEAN }, "it lies between the smallest and the largest dw", "how much does each dw count?",
      "mean = Σ w_j dw_j", {
        { { 0 }, STILL_0 },
        { { 4 * O }, "these are all three dw in full: each counts by its weight" },
        { { 4 * O / 3 }, "each dw counts by its weight, not by a third" } } },
    { "my_ds", my_ds, 3, { DS0, DS0, DS2 }, "the three sum to 0",
      "is each dw better or worse than the mean, and how much is its key heard?", "ds_j = w_j (dw_j - mean)", {
        { { 0 }, STILL_0 },
        { { -DS0, -DS0, -DS2 }, "the sign is turned round" },
        { { W0 * (1 - W0) * O, W0 * (1 - W0) * O, NAN },
          "each score moves all three weights: what the other two lose is missing" },
        { { W0 * O - MEAN, W0 * O - MEAN, W2 * 2 * O - MEAN },
          "the weight counts for the mean, too: w times all of the difference" },
        { { W0 * O, W0 * O, W2 * 2 * O }, "the mean has not been taken away" },
        { { O - MEAN, O - MEAN, NAN }, BARE } } },
    { "my_dq", my_dq, 2, TWICE((DS0 + DS2) / ROOT), "token 2's query meets all three keys",
      "s_j = q · k_j / √2: what does q's first number meet in it?", "dq = Σ ds_j k_j / √2", {
        { { 0 }, "these numbers are 0, and should not come out so, though ds sums to 0" },
        { TWICE(DS2 / ROOT), "that is what token 2's own key gives; the other two keys are left out" },
        { TWICE(DS0 + DS2), "the scores were divided by √2, and so is what comes back" } } },
    { "my_dv", my_dv, 2, TWICE(W2 * O), "its value has a share in the output",
      "out = Σ w_j v_j: by how much does out move with v_2?", "dv_2 = w_2 dout", {
        { { 0 }, STILL_0 },
        { TWICE(O), BARE },
        { TWICE(W2), "that is the weight alone: dout is missing" },
        { TWICE(W0 * O), "that is what token 0's value gets; token 2 has another weight" } } },
};
// clang-format on

static void check(Judge *judge, Function f)
{
    (void)f;
    for (int n = 0; n < COUNT(arrays); n++)
        for (int e = 0; e < arrays[n].count; e++) {
            Prediction p = { .what = arrays[n].what, arrays[n].right[e], 0.007, arrays[n].question, arrays[n].formula };
            for (int w = 0, beliefs = 0; w < COUNT(arrays[n].wrong) && arrays[n].wrong[w].words; w++)
                if (!isnan(arrays[n].wrong[w].numbers[e]))
                    p.beliefs[beliefs++] = (Belief){ arrays[n].wrong[w].numbers[e], arrays[n].wrong[w].words };
            p.otherwise = arrays[n].property;
            judge_prediction(judge, (double)arrays[n].given[e], p);
        }
}

static const Task tasks[] = { { .check = check } };
EXERCISE("08c", tasks)
