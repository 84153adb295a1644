// Exercise 02b: my_prediction.
#include "exercises/predicted.h"

void my_prediction(float weights[2], float *raised, float *doubled, float *third, float *hidden, float *bits);

static const char NO_WEIGHT[] = "a weight lies between 0 and 1";

static void check(Judge *judge)
{
    float weights[2] = { NAN, NAN }, raised = NAN, doubled = NAN, third = NAN, hidden = NAN, bits = NAN;
    judge_trying(judge, "my_prediction");
    my_prediction(weights, &raised, &doubled, &third, &hidden, &bits);
    judge_within(judge, weights[0], 0.0, 1.0, NO_WEIGHT,
                 (Prediction){ "weights[0]: the key with score 0, beside one with log 3",
                               0.25,
                               0,
                               "what do the exponentials 1 and 3 sum to?",
                               "wⱼ = exp(sⱼ) / Σₖ exp(sₖ)",
                               { { 1, "that is its exponential: divide it by the sum of both" },
                                 { 0, "that is a share of the scores: take shares of the exponentials" },
                                 { 1.0 / 3.0, "a third of the other's weight is not a third of all" },
                                 { 0.75, "the larger score has the larger weight" },
                                 { 0.5, "half each is for two equal scores: what are the exponentials of these?" },
                                 { 0.27, "so far behind is a score that lags by 1: log 3 is a little more" } } });
    judge_within(judge, weights[1], 0.0, 1.0, NO_WEIGHT,
                 (Prediction){
                     "weights[1]: the key with score log 3",
                     0.75,
                     0,
                     "what do the two weights sum to?",
                     NULL,
                     { { 3, "that is its exponential: divide it by the sum of both" },
                       { 1.0986, "that is its score: it goes through exp first" },
                       { 1, "that would leave nothing for the other key" },
                       { 0.73, "so far ahead is a score that leads by 1: log 3 is a little more" },
                       { 2.0 / 3.0,
                         "two thirds would be twice the other's weight, and the exponentials are 1 and 3" } } });
    judge_within(judge, raised, 0.0, 1.0, NO_WEIGHT,
                 (Prediction){ "raised: 5 is added to both scores",
                               0.25,
                               0,
                               "by which factor does each exponential grow, and their sum?",
                               "exp(s + c) = exp(c) exp(s)",
                               { { 0.99, "what grows the exponential above grows the sum below as well" },
                                 { 5.25, "5 is added to the scores, not to the weight" },
                                 { 0.5, "the scores are 5 and 5 + log 3: they are no more alike than before" },
                                 { exp(5.0), "that is its exponential: divide it by the sum of both" },
                                 { 0.1, "5 is added to both; were both doubled, it would be that" },
                                 { 0.4506, "that is a share of the scores 5 and 6.1: take shares of the exponentials" },
                                 { 0.75, "that is the weight of the other key" } } });
    judge_within(judge, doubled, 0.0, 1.0, NO_WEIGHT,
                 (Prediction){
                     "doubled: the scores 0 and 2 log 3",
                     0.1,
                     0,
                     "what is exp(2 log 3)?",
                     "exp(2 s) = exp(s)²",
                     { { 0.25, "adding to all scores changes nothing; doubling changes their difference" },
                       { 1.0 / 7.0, "the exponential of a doubled score is squared, not doubled" },
                       { 0.125, "a doubled score does not halve the other's weight: work out both exponentials" },
                       { 0.5, "the scores are doubled, not the weight" },
                       { 0.0625, "a squared weight must still be divided: do the squares sum to 1?" },
                       { 1.0 / 9.0, "that is the ratio of the two weights, and the two sum to 1" },
                       { 0.9, "that is the weight of the other key" } } });
    judge_within(judge, third, 0.0, 1.0, NO_WEIGHT,
                 (Prediction){ "third: the key with score log 3, when one with score 0 joins",
                               0.6,
                               0,
                               "what does the third key add to the sum?",
                               "exp(0) = 1",
                               { { 0.75, "a score of 0 is not a weight of 0: the new key takes its share from all" },
                                 { 0.5, "the new key does not take a third from everybody: add up three exponentials" },
                                 { 0.2, "that is the weight of one of the two keys with score 0" },
                                 { 0.4286, "that is with a new key whose exponential is 3: its score is 0" },
                                 { 0.375, "the new key does not take half: add up three exponentials" },
                                 { 1.0 / 3.0, "three keys have a third each only when their scores are equal" },
                                 { 3, "that is its exponential: divide it by the sum of all three" },
                                 { 0.25, "that is what the key with score 0 had before" } } });
    judge_within(
        judge, hidden, 0.0, 1.0, NO_WEIGHT,
        (Prediction){
            "hidden: two keys with the score -∞",
            0.0,
            0,
            "what may a query take that may look at nothing?",
            NULL,
            { { 0.5, "half of what? Both keys are hidden" },
              { 1, "both keys are hidden, the first as well" },
              { NAN, "nothing is predicted yet; or NaN is, as the formula gives it: the book's softmax does not" } } });
    judge_within(judge, bits, 0.0, 2.0, "four weights have an entropy from 0 to 2 bits",
                 (Prediction){
                     "bits: the weights 1/2, 1/4, 1/8, 1/8",
                     1.75,
                     0,
                     "1/2 adds half of 1 bit; how many bits has 1/8?",
                     "−Σⱼ wⱼ log₂ wⱼ",
                     { { 2, "that many bits have four equal weights; these are less undecided" },
                       { 1.213, "that is in nats: bits take the logarithm to base 2" },
                       { 9, "that is the sum of all logarithms: each counts by its weight" },
                       { -1.75, "the sign: the logarithm of a weight below 1 is negative" },
                       { 1.375, "the weight 1/8 stands there twice, and both count" },
                       { 1.5, "so many bits have 1/2, 1/4, 1/4: of these, one quarter is shared once more" },
                       { 0.4375, "entropy is a sum, not a mean" },
                       { 2.25,
                         "that is the mean of the logarithms: each counts by its weight, and the weights differ" },
                       { 0.527, "that is to base 10: bits take the logarithm to base 2" },
                       { 0.875,
                         "that is a share of the 2 bits of four equal weights: in bits nothing is divided by them" },
                       { 3.364, "that is how many keys: entropy is the logarithm of it" } } });
}

int main(void) { return judge_main("02b", check); }
