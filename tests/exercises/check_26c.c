// Exercise 26c: seven numbers of a stream in miniature.
#include "base/portable_math.h"
#include "exercises/judge.h"

typedef float Number(void);
Number my_lead, my_share, my_loss, my_return, my_loss_with_mean, my_rollout, my_chance;
static Number *const numbers[] = { my_lead, my_share, my_loss, my_return, my_loss_with_mean, my_rollout, my_chance };

// (x, y) through the norm, and its two numbers added.
static double lead(double x, double y) { return (x + y) / sqrt((x * x + y * y) / 2); }

static void check(Judge *judge, Function f)
{
    double share = 5 / sqrt(17), lost = lead(3, 5) - lead(3, 0);
    // clang-format off
    const Prediction predictions[] = {
        { "my_lead: the lead", lead(3, 5), 0, "what is the row at the end, and the root of the mean of its squares?",
          "(x + y) / √((x² + y²) / 2)", {
            { 8, "this is the sum before the norm" },
            { 8 / sqrt(34), "this divides by the length of the row; the norm takes the mean of the squares" },
            { 8.0 / 17, "this divides by the mean square; its root is meant" },
            { lead(0, 5), "this is the lead of a row with one number in it; here both have some" } } },
        { "my_share: what head 1 says", share, 0, "by what is the whole row divided?", "5 / √(mean square of the row)", {
            { 5, "this is its share before the norm" },
            { lead(0, 5), "this divides what head 1 gives by its own root; the row has one for all" },
            { lost, "this is what is lost without it: another question" },
            { 5 / sqrt(34), "this divides by the length of the row; the norm takes the mean of the squares" } } },
        { "my_loss: without head 1", lost, 0, "what is the row then, and what is it divided by?",
          "lead before − lead of (3, 0)", {
            { share, "this is what it says; without it the row is shorter, and divided by less" },
            { lead(3, 0), "this is the lead that is left" },
            { share - lost, "this is what the norm gives back: the other part of what it says" },
            { -lost, "the sign: how much is lost is asked for" } } },
        { "my_return: what the norm gives back", share - lost, 0,
          "it says so much, and so much is lost: who made up for the rest?", "what it says − what is lost", {
            { lost, "this is what is lost: the other part of what it says" },
            { lost - share, "the sign: what is given back is positive here" },
            { lead(3, 0), "this is the lead that is left without head 1; how much of it is due to the divisor?" },
            { 0, "the divisor has changed" } } },
        { "my_loss_with_mean: the mean of head 0 in its place", lead(3, 5) - lead(2, 5), 0,
          "which numbers add up to the row then?", "lead before − lead of (1 + 1, 5)", {
            { lead(3, 5) - lead(1, 5), "this is what is lost with nothing in its place" },
            { lead(2, 5), "this is the lead that is left" },
            { 1 / sqrt(17), "this holds the divisor as it was; the model divides anew" } } },
        { "my_rollout: the second word's, at the first", 0.1 + 0.9 * 0.3, 0,
          "what is the second row of each A, and in how many ways does one come from the second word to the first?",
          "A¹₁₀ · A⁰₀₀ + A¹₁₁ · A⁰₁₀, with A = ½ I + ½ map", {
            { 0.2 + 0.8 * 0.6, "the word itself is left out: half of each A is the identity" },
            { 0.9 * 0.3, "there is a second way: to the first word in layer 1, where it stays" },
            { 0.1, "there is a second way: to itself in layer 1, to the first word in layer 0" },
            { 0.1 * 0.3, "these are two shares of the second word, multiplied; no way takes both" },
            { 0.2 * 0.6, "these are the two weights at the first word, multiplied; no way takes both" },
            { 0.8 * 0.4, "this is what the maps alone give the second word itself" },
            { 0.1 + 0.3, "the second layer gives its own row only a part of its weight" },
            { 0.9 * 0.7, "this is its rollout at itself" } } },
        { "my_chance: of a composition score", 1.0 / 16, 0.0031, "how does it fall with D?", "1 / √D", {
            { 1.0 / 256, "the root is missing" },
            { 0.125, "this is that of D = 64" },
            { 16, "it is below 1, and smaller for larger D" } } },
    };
    // clang-format on
    (void)f;
    for (int n = 0; n < COUNT(predictions); n++) judge_prediction(judge, (double)numbers[n](), predictions[n]);
}

static const Task tasks[] = { { .check = check } };
EXERCISE("26c", tasks)
