// Exercise 21c: my_drafts.
#include "exercises/predicted.h"

void my_drafts(double *keep, double *tokens, double *most, double *reading, double *busy, double *rows);

static const double TOKENS = 2.952;

// One in a hundred is near enough, of a well-known wrong number as well.
static void number_case(Judge *judge, double got, Prediction p)
{
    p.tolerance = 0.01 * p.right;
    if (got == 0) got = NAN; // nothing is predicted yet
    for (int b = 0; b < MOST_BELIEFS; b++)
        if (fabs(got - p.beliefs[b].value) <= 0.01 * p.beliefs[b].value) p.beliefs[b].value = (float)got;
    judge_prediction(judge, (float)got, p);
}

static void rule_cases(Judge *judge, double keep, double tokens, double most)
{
    number_case(judge, keep,
                (Prediction){
                    .what = "my_drafts: keep",
                    .right = 0.7,
                    .question = "how often is each token drafted and kept?",
                    .formula = "Σ min(p, q)",
                    .beliefs = {
                        { 0.3, "this is the chance that it is not kept" },
                        { 0.31, "this is Σ p q, the chance that two draws are the same" },
                        { 2.25 / 3, "this is the mean of min(1, p / q): tokens are not drafted equally often" },
                        { 0.6, "this is the largest chance of p" } } });
    number_case(judge, tokens,
                (Prediction){
                    .what = "my_drafts: tokens",
                    .right = TOKENS,
                    .question = "with which chance is the second drafted token kept, "
                                "and the third? And what comes in any case?",
                    .formula = "1 + α + α² + α³",
                    .beliefs = { { 3.4, "a token is only looked at when all before it were kept" },
                                 { 1.952, "behind those that are kept there is always one of the target's" },
                                 { 2.44, "this is for γ = 2" },
                                 { 3.3616, "this is for γ = 4" },
                                 { 1.512, "this is 1 + α³: one kept token counts, too" },
                                 { 2.4, "three times 0.8: they depend on each other, and the target adds one" } } });
    number_case(judge, most,
                (Prediction){
                    .what = "my_drafts: most",
                    .right = 5,
                    .question = "1 + α + α² + …: where does it end?",
                    .formula = "1 / (1 − α)",
                    .beliefs = { { 4, "these are drafted tokens that are kept: one of the target's is behind them" },
                                 { 1.25, "this is 1 / α" } } });
}

static void speed_cases(Judge *judge, double reading, double busy, double rows)
{
    number_case(judge, reading,
                (Prediction){
                    .what = "my_drafts: reading",
                    .right = TOKENS / 1.3,
                    .question = "how long does a round take, in steps of the "
                                "target?",
                    .formula = "tokens / (1 + γ c)",
                    .beliefs = { { TOKENS, "the draft takes time, too" },
                                 { TOKENS / 1.1, "the draft takes three steps for a round, not one" },
                                 { TOKENS / 1.4, "the draft takes three steps for a round, not four" },
                                 { TOKENS / 0.3, "the target takes a step for each round, too" },
                                 { 4 / 1.3, "a round gives four tokens only when all drafts are kept" },
                                 { 3 / 1.3,
                                   "a round does not give as many tokens as were drafted: some are not kept, and the "
                                   "target adds one" },
                                 { 1.3 / TOKENS, "this is the time for a token: how many times as fast is it?" } } });
    number_case(judge, busy,
                (Prediction){
                    .what = "my_drafts: busy",
                    .right = TOKENS / 4.3,
                    .question = "for how many tokens is the target's step?",
                    .formula = "tokens / (γ + 1 + γ c)",
                    .beliefs = { { TOKENS / 4, "the draft takes time, too" },
                                 { TOKENS / 3.3, "the target looks at one token more than were drafted" },
                                 { TOKENS / 4.4, "the draft takes three steps for a round, not four" },
                                 { 4 / 4.3, "a round gives four tokens only when all drafts are kept" },
                                 { 4.3 / TOKENS, "this is the time for a token: how many times as fast is it?" } } });
    number_case(judge, rows,
                (Prediction){
                    .what = "my_drafts: rows",
                    .right = 71,
                    .question = "how many tokens may be taken back, and what did they "
                                "write over?",
                    .formula = "sinks + window + γ",
                    .beliefs = { { 68, "what the drafts write over is in the window again when they are taken back" },
                                 { 67, "the sinks have rows of their own" },
                                 { 72, "the token before the drafts is never taken back" },
                                 { 74, "three are taken back at most: what was kept stays" } } });
    judge_claim(judge, rows == floor(rows), (Hints){ "near enough, but rows come whole", NULL, NULL });
}

static void check(Judge *judge)
{
    double keep = 0, tokens = 0, most = 0, reading = 0, busy = 0, rows = 0;
    my_drafts(&keep, &tokens, &most, &reading, &busy, &rows);
    rule_cases(judge, keep, tokens, most);
    speed_cases(judge, reading, busy, rows);
}

int main(void) { return judge_main("21c", check); }
