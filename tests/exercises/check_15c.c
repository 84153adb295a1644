// Exercise 15c: my_predictions.
#include "base/portable_math.h"
#include "exercises/judge.h"

extern double my_predictions[7];

enum { T = 192, S = 256, D = 32, DV = 16, SIDE = 64 };
#define SCORES_AND_MIX (T * S * (D + DV))

static const char over[] = "no core does more than it can", percent[] = "in percent";
static const char flops[] = "these are floating-point operations: a multiply-add is two of them";

// clang-format off
static const Prediction predictions[] = {
    { "prediction 1", 2 + 3, 1e-5, "what stays in a register during a step?", "numbers + vectors", {
        { 6, "these are the multiply-adds: each number meets each vector" },
        { 12, "each is loaded once, and kept for all that it meets" },
        { 3, "these are the vectors alone: numbers are loaded, too" },
        { 2, "these are the numbers alone: vectors are loaded, too" } } },
    { "prediction 2", 5.0 / 6, 0.005, "how many multiply-adds are in a step?",
      "(numbers + vectors) / (numbers · vectors)", {
        { 6.0 / 5, "this is multiply-adds for each load" }, { 5, "these are the loads of a step: share them out" },
        { 5.0 / 2, "this is loads for each number: it meets three vectors" },
        { 5.0 / 3, "this is loads for each vector: it meets two numbers" } } },
    { "prediction 3", 6 + 3 + 1, 1e-5, "what is alive while one number meets the vectors?",
      "numbers · vectors + vectors + 1", {
        { 9, "the spread number needs a register, too" }, { 6, "these are the sums alone" },
        { 11, "numbers are spread one at a time: one register serves both" },
        { 7, "the vectors need registers, too: each number meets all of them" } } },
    { "prediction 4", 50, 1e-4, "how many multiply-adds end in four cycles, and how many could?", "sums / (4 · 2)", {
        { 100, "that takes two new multiply-adds in every cycle: are there so many that wait for nothing?" },
        { 12.5, "that is one sum alone" }, { 25, "that is one multiply-add in two cycles: how many sums are there?" },
        { 200, over } } },
    { "prediction 5", 100, 1e-4, "how many must be under way for all of the core?", "min(1, sums / (4 · 2))", {
        { 150, over }, { 300, over }, { 75, "how many sums keep such a core busy?" }, { 1, percent } } },
    { "prediction 6", SCORES_AND_MIX + T * SIDE * D, 2, "d for each score, dv for each output: of how many pairs?",
      "T·S·(d + dv) + T·64·d", {
        { SCORES_AND_MIX, "the last 64 keys are looked at twice, by every query" },
        { 2 * SCORES_AND_MIX, flops }, { 2 * (SCORES_AND_MIX + T * SIDE * D), flops },
        { T * S * D + T * SIDE * D, "these are the scores alone: values are mixed, too" } } },
    { "prediction 7", 6 * SIDE * SIDE, 0.1, "how many of the nine tiles hold a pair in sight?",
      "n·(n + 1) / 2 tiles, n = T / 64", {
        { T * (T + 1) / 2, "these are the pairs in sight: a tile that the mask cuts is worked on in full" },
        { T * T, "these are all pairs: three tiles are empty" },
        { T * T / 2, "half of all pairs: which tiles are empty, and which are cut?" },
        { 6, "these are tiles: how many pairs are in one?" } } },
};
// clang-format on

static void check(Judge *judge, Function f)
{
    (void)f;
    for (int n = 0; n < COUNT(predictions); n++) {
        Prediction p = predictions[n];
        double got = my_predictions[n] < 0.0 ? NAN : my_predictions[n];
        p.otherwise = got > p.right ? "it is less" : "it is more";
        judge_prediction(judge, got, p);
    }
}

static const Task tasks[] = { { .check = check } };
EXERCISE("15c", tasks)
