// Exercise 13d: my_prediction.
#include "exercises/predicted.h"

void my_prediction(float l[4], float *r, float *share, float *out);

enum { KEYS = 4 };

static void sum_cases(Judge *judge, const float l[KEYS])
{
    static const char question[] = "by what is the old l multiplied when this key comes, and what is added?";
    static const char formula[] = "l ← l · exp(m − m′) + exp(s − m′)";
    static const char raw[] = "this is Σ exp(score): l is measured against the largest score so far";
    static const char stays[] = "the old sum keeps its measure here: when m grows, l is multiplied first";
    static const char scores[] = "this is the score, and l sums exp(score − m)";
    static const char stays_as_it_is[] = "m stays at this key, so what was there stays as it is";
    static const char alone[] = "this is what the key adds; what was there is missing";
    const Prediction cases[KEYS] = {
        { "my_prediction: l after the first key",
          1,
          0,
          "which score is the largest when only one is there?",
          formula,
          { { 0.25, "this measures all keys against the last m, which nobody knows before the third key" },
            { 0, scores } } },
        { "my_prediction: l after the second key",
          1.5,
          0,
          question,
          formula,
          { { 2, stays },
            { 3, raw },
            { 0.5, "the old sum alone, brought to the new measure: the key adds its own" },
            { 1, alone },
            { 1.6931, scores },
            { 1.1931, scores },
            { 0.75, "this measures against the largest of all, which nobody knows before the third key" } } },
        { "my_prediction: l after the third key",
          1.75,
          0,
          question,
          formula,
          { { 2.5, stays },
            { 7, raw },
            { 0.75, "the old sum alone, brought to the new measure: the key adds its own" },
            { 1, alone },
            { 4, "the factor is upside down: a larger maximum makes the old sum smaller" },
            { 1.375, "the old l is in the measure of the second key, and not of the first" },
            { 1.5, "nothing was added: each key adds its own exp(s − m)" },
            { 2.0397, "the factor is exp of a difference, and this is the difference itself" } } },
        { "my_prediction: l after the fourth key",
          2.25,
          0,
          question,
          formula,
          { { 9, raw },
            { 2.75, "it adds less than 1: it is not the largest" },
            { 1.875, stays_as_it_is },
            { 1.375, stays_as_it_is },
            { 2.4431, scores },
            { 3.75, "this adds exp(score): the key, too, is measured against m" },
            { 1.75, "a key that is no maximum adds something, too" },
            { 0.5, alone } } },
    };
    for (int j = 0; j < KEYS; j++) judge_prediction(judge, l[j], cases[j]);
}

static void check(Judge *judge)
{
    float l[KEYS] = { NAN, NAN, NAN, NAN }, r = NAN, share = NAN, out = NAN;
    my_prediction(l, &r, &share, &out);
    sum_cases(judge, l);
    judge_prediction(judge, r,
                     (Prediction){ .what = "my_prediction: r",
                                   .right = 3,
                                   .question = "which keys are larger than all before them?",
                                   .beliefs = { { 2, "the first key is counted, too: it finds m = −∞" },
                                                { 1, "m moves on its way to the largest, too" },
                                                { 4, "the fourth key is not larger than the third" } } });
    judge_prediction(
        judge, share,
        (Prediction){
            .what = "my_prediction: share",
            .right = 3.0 / 9.0,
            .question = "of all the exp(score) there are, how much lies in the first two keys?",
            .formula = "exp(lse₁) / (exp(lse₁) + exp(lse₂))",
            .beliefs = { { 0.5,
                           "half of the keys, and l and lse give a half; but each l is in a measure of its own, and "
                           "lse is a logarithm" },
                         { 0.3801, "this sets lse against lse, and lse is a logarithm" },
                         { 6.0 / 9.0, "this is the share of the second part, or two l in measures of their own" },
                         { 3, "so much lies in the first part; how much is there in all?" },
                         { 1.0986, "this is the first part's lse: what is exp of it, beside the other's?" } } });
    judge_prediction(judge, out,
                     (Prediction){
                         .what = "my_prediction: out",
                         .right = 9.0 / 9.0,
                         .question = "which weight has the first key, and which the last?",
                         .formula = "Σ weightⱼ valueⱼ",
                         .beliefs = {
                             { 9, "this is not divided by the sum" },
                             { 2.25, "this is not divided by the sum" },
                             { 1.25, "this is the plain mean of the values" },
                             { 4, "this is the last value alone, and others have weights, too" },
                             { 8.0 / 9.0, "the first key has a value and a weight, too" },
                             { 3, "the shares of the parts go with the outputs of the parts, and not with values" },
                             { 4.0 / 3.0, "this is the output of the last two keys alone" },
                             { 1.0 / 3.0, "this is the output of the first two keys alone" },
                             { 5.0 / 3.0, "this is the sum of two outputs, and they are mixed by their shares" },
                             { 5, "this is the sum of the values: where are the weights?" },
                             { 5.0 / 6.0,
                               "this is the plain mean of two outputs, and the parts have other shares" } } });
}

int main(void) { return judge_main("13d", check); }
