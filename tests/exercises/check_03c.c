// Exercise 03c: my_prediction.
#include "exercises/predicted.h"

void my_prediction(float *variance, float *divisor, float *equal, float *ahead, float *highest, float *numbers,
                   float *products);

enum { VARIANCE, DIVISOR, EQUAL, AHEAD, HIGHEST, NUMBERS, PRODUCTS, COUNT };

// clang-format off
static const Prediction predictions[COUNT] = {
    [VARIANCE] = { "variance of q · k, entries of variance 4, d = 9", 144, 0.5,
                   "what is the variance of a single product, and how many are added?", "E[q² k²] = E[q²] · E[k²]", {
        { 9, "that holds for entries of variance 1: here each product has more" },
        { 36, "each product has two factors, and both have variance 4" },
        { 4, "that is the variance of one entry" },
        { 16, "that is the variance of a single product: how many are added?" },
        { 12, "that is how far off a typical score is, the root of its variance" },
        { 6, "that is √9 times the deviation of one factor: a product has two, and a variance is a mean of squares" },
        { 72, "the variance of a product of independent factors is the product of theirs, not the sum" },
        { 48, "variances add up: for nine products nine of them, not √9" },
        { 1296, "the products are independent: their variances add up, they are not squared again" } } },
    [DIVISOR] = { "divisor, for a variance of 1", 12, 0.05,
                  "when all scores are divided by c, what is their variance divided by?", "Var(x / c) = Var(x) / c²", {
        { 36, "that is d times the 4 of one factor: which variance have the scores, and what is its root?" },
        { 3, "√d is right for entries of variance 1: these scores are wider" },
        { 9, "d goes too far even for entries of variance 1: its root would do there" },
        { 144, "the variance is a mean of squares: dividing by it goes too far" },
        { 4, "that is right for a single product: how many are added?" },
        { 6, "both factors of a product are wider than usual, not one" } } },
    [EQUAL] = { "equal: three equal scores, the values 1, 2 and 6", 3, 0.005, "what weight has each?",
                "outᵢ = Σⱼ wᵢⱼ vⱼ", {
        { 9, "the weights sum to 1: each is a third" },
        { 1.0 / 3.0, "that is the weight of each: the output is the sum of the values, each times its weight" },
        { 3.5, "that lies in the middle between the least and the largest: the third value counts, too" },
        { 2, "that is the middle one: an output is a weighted mean" },
        { 6, "equal scores prefer nobody: the largest value has no more weight than the others" } } },
    [AHEAD] = { "ahead: the value 2 has a score 100 ahead", 2, 0.005, "what is exp(-100)?", NULL, {
        { 200, "the score decides the weight, and the weight is at most 1" },
        { 3, "that is the plain mean, as of equal scores" },
        { 6, "scores choose, not values: the second value has the large score" },
        { 1, "that is its weight, and the output is the value times that" },
        { 100, "that is a score: the output is a mixture of values" },
        { 102, "the score is not added to the value: it decides the weight" } } },
    [HIGHEST] = { "highest: the values -1, 4 and 2", 4, 0.005, "when is a weighted mean largest?",
                  "wⱼ ≥ 0 and Σⱼ wⱼ = 1", {
        { 5, "that adds up values: the weights sum to 1" },
        { 6, "that adds up values: the weights sum to 1" },
        { 1.667, "that is the plain mean: a query may prefer one key" },
        { 3, "that is half of each of two: a query may give one key nearly all" },
        { 8, "weights are not above 1: no value counts twice" } } },
    [NUMBERS] = { "numbers in the output", 6, 0.05, "how many rows has the output, and how wide is one?",
                  "out is (T, dv)", {
        { 15, "that is the table of scores: the output has a row a query, as wide as a value" },
        { 24, "an output is as wide as a value, not as a key" },
        { 2, "that is one row: there is an output for each query" },
        { 40, "those are the numbers of the keys" },
        { 16, "that has no queries in it: there is a row for each of them" },
        { 3, "that is how many rows the output has: how wide is one?" },
        { 10, "there is an output for each query, not for each key" } } },
    [PRODUCTS] = { "products: multiplications of scores and mixture", 150, 0.05,
                   "how many pairs of a query and a key are there, and what does each cost, twice?",
                   "T·S·d + T·S·dv", {
        { 120, "those are the scores: mixing the values takes some, too" },
        { 30, "those are for the mixture: the scores take some, too" },
        { 240, "a value is dv wide, not d" },
        { 165, "one product for each score is the scale: the count of scores and mixture leaves it out" },
        { 126, "mixing takes a multiplication for each number of each value, not for each number of the output" },
        { 15, "those are the pairs: each takes more than one multiplication" },
        { 3600, "scores and mixture come one after the other: their costs add up" },
        { 300, "those are FLOPs: additions are not asked for" } } },
};
// clang-format on

static const char no_mixture[] = "an output is a mixture of values: it is not below the least, nor above the largest";

static void check(Judge *judge)
{
    float got[COUNT] = { NAN, NAN, NAN, NAN, NAN, NAN, NAN };
    judge_trying(judge, "my_prediction");
    my_prediction(&got[VARIANCE], &got[DIVISOR], &got[EQUAL], &got[AHEAD], &got[HIGHEST], &got[NUMBERS],
                  &got[PRODUCTS]);
    for (int p = 0; p < COUNT; p++) {
        if (p < EQUAL || p > HIGHEST) judge_prediction(judge, got[p], predictions[p]);
        else if (p == HIGHEST) judge_within(judge, got[p], -1.0, 4.0, no_mixture, predictions[p]);
        else judge_within(judge, got[p], 1.0, 6.0, no_mixture, predictions[p]);
    }
}

int main(void) { return judge_main("03c", check); }
