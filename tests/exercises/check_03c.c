// Exercise 03c: my_prediction.
#include "base/portable_math.h"
#include "exercises/judge.h"

void my_prediction(float *variance, float *divisor, float *equal, float *ahead, float *highest, float *numbers,
                   float *products);

#define MIXTURE(least, most) \
    .low = least, .high = most, \
    .outside = "an output is a mixture of values: it is not below the least, nor above the largest"

// clang-format off
static const Prediction predictions[] = {
    { "variance of q · k, entries of variance 4, d = 9", 144, 0.5,
      "what is the variance of a single product, and how many are added?", "E[q² k²] = E[q²] · E[k²]", {
        { 9, "that holds for entries of variance 1: here each product has more" },
        { 36, "each product has two factors, and both have variance 4" }, { 4, "that is the variance of one entry" },
        { 16, "that is the variance of a single product: how many are added?" } } },
    { "divisor, for a variance of 1", 12, 0.05,
      "when all scores are divided by c, what is their variance divided by?", "Var(x / c) = Var(x) / c²", {
        { 36, "that is d times the 4 of one factor: which variance have the scores, and what is its root?" },
        { 3, "√d is right for entries of variance 1: these scores are wider" },
        { 9, "d goes too far even for entries of variance 1: its root would do there" },
        { 144, "the variance is a mean of squares: dividing by it goes too far" } } },
    { "equal: three equal scores, the values 1, 2 and 6", 3, 0.005, "what weight has each?", "outᵢ = Σⱼ wᵢⱼ vⱼ", {
        { 9, "the weights sum to 1: each is a third" },
        { 1.0 / 3.0, "that is the weight of each: the output is the sum of the values, each times its weight" },
        { 2, "that is the middle one: an output is a weighted mean" },
        { 6, "equal scores prefer nobody: the largest value has no more weight than the others" } }, MIXTURE(1, 6) },
    { "ahead: the value 2 has a score 100 ahead", 2, 0.005, "what is exp(-100)?", NULL, {
        { 200, "the score decides the weight, and the weight is at most 1" },
        { 3, "that is the plain mean, as of equal scores" },
        { 6, "scores choose, not values: the second value has the large score" },
        { 100, "that is a score: the output is a mixture of values" } }, MIXTURE(1, 6) },
    { "highest: the values -1, 4 and 2", 4, 0.005, "when is a weighted mean largest?", "wⱼ ≥ 0 and Σⱼ wⱼ = 1", {
        { 5, "that adds up values: the weights sum to 1" }, { 6, "that adds up values: the weights sum to 1" },
        { 1.667, "that is the plain mean: a query may prefer one key" } }, MIXTURE(-1, 4) },
    { "numbers in the output", 6, 0.05, "how many rows has the output, and how wide is one?", "out is (T, dv)", {
        { 15, "that is the table of scores: the output has a row a query, as wide as a value" },
        { 24, "an output is as wide as a value, not as a key" },
        { 2, "that is one row: there is an output for each query" },
        { 10, "there is an output for each query, not for each key" } } },
    { "products: multiplications of scores and mixture", 150, 0.05,
      "how many pairs of a query and a key are there, and what does each cost, twice?", "T·S·d + T·S·dv", {
        { 120, "those are the scores: mixing the values takes some, too" },
        { 30, "those are for the mixture: the scores take some, too" }, { 240, "a value is dv wide, not d" },
        { 3600, "scores and mixture come one after the other: their costs add up" } } },
};
// clang-format on

static void check(Judge *judge, Function f)
{
    float got[] = { NAN, NAN, NAN, NAN, NAN, NAN, NAN };
    (void)f;
    my_prediction(&got[0], &got[1], &got[2], &got[3], &got[4], &got[5], &got[6]);
    for (int p = 0; p < COUNT(predictions); p++) judge_prediction(judge, (double)got[p], predictions[p]);
}

static const Task tasks[] = { { .check = check } };
EXERCISE("03c", tasks)
