// Exercise 02b: my_prediction.
#include "base/portable_math.h"
#include "exercises/judge.h"

void my_prediction(float weights[2], float *raised, float *doubled, float *third, float *hidden, float *bits);

#define A_WEIGHT .low = 0, .high = 1, .outside = "a weight lies between 0 and 1"

// clang-format off
static const Prediction predictions[] = {
    { "weights[0]: the key with score 0, beside one with log 3", 0.25, 0,
      "what do the exponentials 1 and 3 sum to?", "wⱼ = exp(sⱼ) / Σₖ exp(sₖ)", {
        { 1, "that is its exponential: divide it by the sum of both" },
        { 0, "that is a share of the scores: take shares of the exponentials" },
        { 1.0 / 3.0, "a third of the other's weight is not a third of all" },
        { 0.75, "the larger score has the larger weight" } }, A_WEIGHT },
    { "weights[1]: the key with score log 3", 0.75, 0, "what do the two weights sum to?", NULL, {
        { 3, "that is its exponential: divide it by the sum of both" },
        { 1.0986, "that is its score: it goes through exp first" },
        { 2.0 / 3.0, "two thirds would be twice the other's weight, and the exponentials are 1 and 3" } }, A_WEIGHT },
    { "raised: 5 is added to both scores", 0.25, 0,
      "by which factor does each exponential grow, and their sum?", "exp(s + c) = exp(c) exp(s)", {
        { 0.99, "what grows the exponential above grows the sum below as well" },
        { 5.25, "5 is added to the scores, not to the weight" },
        { 0.5, "the scores are 5 and 5 + log 3: they are no more alike than before" },
        { 0.4506, "that is a share of the scores 5 and 6.1: take shares of the exponentials" } }, A_WEIGHT },
    { "doubled: the scores 0 and 2 log 3", 0.1, 0, "what is exp(2 log 3)?", "exp(2 s) = exp(s)²", {
        { 0.25, "adding to all scores changes nothing; doubling changes their difference" },
        { 1.0 / 7.0, "the exponential of a doubled score is squared, not doubled" },
        { 0.125, "a doubled score does not halve the other's weight: work out both exponentials" },
        { 0.5, "the scores are doubled, not the weight" } }, A_WEIGHT },
    { "third: the key with score log 3, when one with score 0 joins", 0.6, 0,
      "what does the third key add to the sum?", "exp(0) = 1", {
        { 0.75, "a score of 0 is not a weight of 0: the new key takes its share from all" },
        { 0.5, "the new key does not take a third from everybody: add up three exponentials" },
        { 0.2, "that is the weight of one of the two keys with score 0" },
        { 0.4286, "that is with a new key whose exponential is 3: its score is 0" } }, A_WEIGHT },
    { "hidden: two keys with the score -∞", 0, 0, "what may a query take that may look at nothing?", NULL, {
        { 0.5, "half of what? Both keys are hidden" }, { 1, "both keys are hidden, the first as well" },
        { NAN, "nothing is predicted yet; or NaN is, as the formula gives it: the book's softmax does not" } }, A_WEIGHT },
    { "bits: the weights 1/2, 1/4, 1/8, 1/8", 1.75, 0,
      "1/2 adds half of 1 bit; how many bits has 1/8?", "−Σⱼ wⱼ log₂ wⱼ", {
        { 2, "that many bits have four equal weights; these are less undecided" },
        { 1.213, "that is in nats: bits take the logarithm to base 2" },
        { 9, "that is the sum of all logarithms: each counts by its weight" },
        { -1.75, "the sign: the logarithm of a weight below 1 is negative" } },
      .low = 0, .high = 2, .outside = "four weights have an entropy from 0 to 2 bits" },
};
// clang-format on

static void predict(Judge *judge, Function f)
{
    (void)f;
    float got[] = { NAN, NAN, NAN, NAN, NAN, NAN, NAN };
    my_prediction(got, &got[2], &got[3], &got[4], &got[5], &got[6]);
    for (int p = 0; p < COUNT(predictions); p++) judge_prediction(judge, (double)got[p], predictions[p]);
}

static const Task tasks[] = { { .check = predict } };
EXERCISE("02b", tasks)
