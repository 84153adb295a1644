// Exercise 22c: six numbers of a layer whose maps are subtracted.
#include "exercises/judge.h"

typedef float Predict(void);
Predict my_lambda, my_row_sum, my_size, my_value_width, my_numbers_kept, my_multiplications;

// clang-format off
static const struct {
    Predict *answer;
    Prediction p;
} all[] = {
    { my_lambda, { "my_lambda", -0.2, 0,
      "what is the exponential of each product, and what is added to their difference?",
      "λ = exp(λq1 · λk1) − exp(λq2 · λk2) + λ_init", {
        { 1.8, "this leaves the second exponential out, or takes the difference the other way round" },
        { 3.8, "the second exponential is taken away, not added" },
        { 0.107, "these are the products themselves; their exponentials are asked for" },
        { -1.0, "λ_init is missing" },
        { 0.8, "this is λ_init alone: it is where training begins" },
        { -1.2, "exp(0) is 1, not 0" },
        { 0.2, "nothing keeps λ above 0: mind the sign" } } } },
    { my_row_sum, { "my_row_sum", 1.2, 0, "what does each of the two maps sum up to in a row?",
      "1 − λ, with the λ of question 1", {
        { 0.8, "this is 1 + λ: the second map is taken away λ times, and λ is negative" },
        { 1.0, "each map by itself sums up to 1, their difference does not" },
        { 0.2, "this is 1 − λ_init; the λ of question 1 counts" },
        { 0.0, "this would be for λ = 1" } } } },
    { my_size, { "my_size", 0.2, 0, "how large is it behind the norm, and by what is it multiplied then?",
      "1 − λ_init", {
        { 1.0, "so large it is behind the norm; a factor follows" },
        { 0.8, "the factor is not λ_init" },
        { 1.2, "the factor does not learn: it has λ_init, not λ" },
        { -0.2, "a root is not negative" } } } },
    { my_value_width, { "my_value_width", 256, 0.5, "8 pairs write D numbers side by side: how many each?", "D / 8", {
        { 128, "so wide are its queries and keys; a pair takes the place of two heads" },
        { 2048, "this is what all pairs give together" },
        { 512, "the two maps of a pair share one value" },
        { 16, "this is the number of maps" } } } },
    { my_numbers_kept, { "my_numbers_kept", 4096, 0.5,
      "how many keys of 128 are kept, and how many values of which width?", "16 keys of d, and 8 values of 2d", {
        { 2048, "this is the keys, or the values: both are kept" },
        { 6144, "there is one value of 256 for each pair, not for each map" },
        { 8192, "these are bytes in 16 bits, or every map has keys and values of 256" },
        { 3072, "each map has a key of its own, or a value has 256 numbers" } } } },
    { my_multiplications, { "my_multiplications", 6144, 0.5,
      "for each map: how many multiplications has a score, and how many the value's share?", "16 maps · (d + 2d)", {
        { 4096, "so many have 16 plain heads of 128; here both maps of a pair mix a value of 256" },
        { 2048, "scores alone; the values are multiplied, too" },
        { 768, "this is one pair" },
        { 3072, "every pair has two maps" },
        { 384, "this is one map" } } } },
};
// clang-format on

static void check(Judge *judge, Function f)
{
    (void)f;
    for (int n = 0; n < COUNT(all); n++) judge_prediction(judge, (double)all[n].answer(), all[n].p);
}

static const Task tasks[] = { { .check = check } };
EXERCISE("22c", tasks)
