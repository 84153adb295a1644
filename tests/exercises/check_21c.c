// Exercise 21c: my_drafts.
#include "base/portable_math.h"
#include "exercises/judge.h"

void my_drafts(double *keep, double *tokens, double *most, double *reading, double *busy, double *rows);

#define TOKENS 2.952

// clang-format off
static const Prediction predictions[] = {
    { "my_drafts: keep", 0.7, 0.007, "how often is each token drafted and kept?", "Σ min(p, q)", {
        { 0.3, "this is the chance that it is not kept" },
        { 0.31, "this is Σ p q, the chance that two draws are the same" },
        { 0.75, "this is the mean of min(1, p / q): tokens are not drafted equally often" },
        { 0.6, "this is the largest chance of p" } } },
    { "my_drafts: tokens", TOKENS, 0.01 * TOKENS,
      "with which chance is the second drafted token kept, and the third? And what comes in any case?",
      "1 + α + α² + α³", {
        { 3.4, "a token is only looked at when all before it were kept" },
        { 1.952, "behind those that are kept there is always one of the target's" },
        { 2.44, "this is for γ = 2" },
        { 3.3616, "this is for γ = 4" },
        { 1.512, "this is 1 + α³: one kept token counts, too" },
        { 2.4, "three times 0.8: they depend on each other, and the target adds one" } } },
    { "my_drafts: most", 5, 0.05, "1 + α + α² + …: where does it end?", "1 / (1 − α)", {
        { 4, "these are drafted tokens that are kept: one of the target's is behind them" },
        { 1.25, "this is 1 / α" } } },
    { "my_drafts: reading", TOKENS / 1.3, 0.01 * TOKENS / 1.3, "how long does a round take, in steps of the target?",
      "tokens / (1 + γ c)", {
        { TOKENS, "the draft takes time, too" },
        { TOKENS / 1.1, "the draft takes three steps for a round, not one" },
        { TOKENS / 1.4, "the draft takes three steps for a round, not four" },
        { TOKENS / 0.3, "the target takes a step for each round, too" },
        { 4 / 1.3, "a round gives four tokens only when all drafts are kept" },
        { 3 / 1.3, "a round does not give as many tokens as were drafted: some are not kept, and the target adds one" },
        { 1.3 / TOKENS, "this is the time for a token: how many times as fast is it?" } } },
    { "my_drafts: busy", TOKENS / 4.3, 0.01 * TOKENS / 4.3, "for how many tokens is the target's step?",
      "tokens / (γ + 1 + γ c)", {
        { TOKENS / 4, "the draft takes time, too" },
        { TOKENS / 3.3, "the target looks at one token more than were drafted" },
        { TOKENS / 4.4, "the draft takes three steps for a round, not four" },
        { 4 / 4.3, "a round gives four tokens only when all drafts are kept" },
        { 4.3 / TOKENS, "this is the time for a token: how many times as fast is it?" } } },
    { "my_drafts: rows", 71, 0.01, "how many tokens may be taken back, and what did they write over?",
      "sinks + window + γ", {
        { 68, "what the drafts write over is in the window again when they are taken back" },
        { 67, "the sinks have rows of their own" },
        { 72, "the token before the drafts is never taken back" },
        { 74, "three are taken back at most: what was kept stays" },
        { 71.5, "near enough, but rows come whole" } } },
};
// clang-format on

static void check(Judge *judge, Function f)
{
    double got[] = { 0, 0, 0, 0, 0, 0 };
    (void)f;
    my_drafts(&got[0], &got[1], &got[2], &got[3], &got[4], &got[5]);
    for (int n = 0; n < COUNT(predictions); n++)
        judge_prediction(judge, got[n] == 0.0 ? (double)NAN : got[n], predictions[n]);
}

static const Task tasks[] = { { .check = check } };
EXERCISE("21c", tasks)
