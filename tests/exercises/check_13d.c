// Exercise 13d: my_prediction.
#include "base/portable_math.h"
#include "exercises/judge.h"

void my_prediction(float l[4], float *r, float *share, float *out);

static const char question[] = "by what is the old l multiplied when this key comes, and what is added?";
static const char formula[] = "l ← l · exp(m − m′) + exp(s − m′)";
static const char raw[] = "this is Σ exp(score): l is measured against the largest score so far";
static const char stays[] = "the old sum keeps its measure here: when m grows, l is multiplied first";
static const char alone[] = "this is what the key adds; what was there is missing";
static const char old_sum[] = "the old sum alone, brought to the new measure: the key adds its own";
static const char undivided[] = "this is not divided by the sum";

// clang-format off
static const Prediction predictions[] = {
    { "my_prediction: l after the first key", 1, 0, "which score is the largest when only one is there?", formula, {
        { 0.25, "this measures all keys against the last m, which nobody knows before the third key" },
        { 0, "this is the score, and l sums exp(score − m)" } } },
    { "my_prediction: l after the second key", 1.5, 0, question, formula, {
        { 2, stays }, { 3, raw }, { 0.5, old_sum }, { 1, alone } } },
    { "my_prediction: l after the third key", 1.75, 0, question, formula, {
        { 2.5, stays }, { 7, raw }, { 0.75, old_sum }, { 1, alone } } },
    { "my_prediction: l after the fourth key", 2.25, 0, question, formula, {
        { 9, raw }, { 0.5, alone },
        { 2.75, "it adds less than 1: it is not the largest" },
        { 1.375, "m stays at this key, so what was there stays as it is" } } },
    { "my_prediction: r", 3, 0, "which keys are larger than all before them?", NULL, {
        { 2, "the first key is counted, too: it finds m = −∞" }, { 1, "m moves on its way to the largest, too" },
        { 4, "the fourth key is not larger than the third" } } },
    { "my_prediction: share", 3.0 / 9.0, 0, "of all the exp(score) there are, how much lies in the first two keys?",
      "exp(lse₁) / (exp(lse₁) + exp(lse₂))", {
        { 0.5, "half of the keys, and l and lse give a half; but each l is in a measure of its own, and lse is a "
               "logarithm" },
        { 0.3801, "this sets lse against lse, and lse is a logarithm" },
        { 6.0 / 9.0, "this is the share of the second part, or two l in measures of their own" },
        { 3, "so much lies in the first part; how much is there in all?" } } },
    { "my_prediction: out", 1, 0, "which weight has the first key, and which the last?", "Σ weightⱼ valueⱼ", {
        { 9, undivided }, { 2.25, undivided },
        { 1.25, "this is the plain mean of the values" },
        { 4, "this is the last value alone, and others have weights, too" } } },
};
// clang-format on

static void check(Judge *judge, Function f)
{
    float got[] = { NAN, NAN, NAN, NAN, NAN, NAN, NAN };
    (void)f;
    my_prediction(got, &got[4], &got[5], &got[6]);
    for (int p = 0; p < COUNT(predictions); p++) judge_prediction(judge, (double)got[p], predictions[p]);
}

static const Task tasks[] = { { .check = check } };
EXERCISE("13d", tasks)
