// Exercise 13d: my_prediction.
#include "exercises/judge.h"

#include <math.h>

void my_prediction(float l[4], float *r, float *share, float *out);

enum { KEYS = 4 };
static const float EXPS[KEYS] = { 1, 2, 4, 2 }, VALUES[KEYS] = { 1, 0, 0, 4 };

// l after each key, with what was there multiplied by exp(old m − new m), or by 1.
static Mat running(Arena *arena, bool rescaled)
{
    Mat l = mat_new(arena, 1, KEYS);
    float max = 0.0f, sum = 0.0f;                              // exp of m
    for (int j = 0; j < KEYS; j++) {
        float grown = fmaxf(max, EXPS[j]);
        sum = sum * (rescaled ? max / grown : 1.0f) + EXPS[j] / grown;
        max = grown;
        l.at[j] = sum;
    }
    return l;
}

// The sum so far in one measure for all keys.
static Mat divided_by(Arena *arena, float measure)
{
    Mat l = mat_new(arena, 1, KEYS);
    for (int j = 0; j < KEYS; j++) l.at[j] = (j ? l.at[j - 1] : 0.0f) + EXPS[j] / measure;
    return l;
}

static Mat number(Arena *arena, float value) { return mat_of(arena, 1, 1, &value); }

static void check(Judge *judge)
{
    enum { LATER = 3 };
    Arena *arena = judge->arena;
    Mat l = judge_output(judge, 1, KEYS), later[LATER];
    for (int n = 0; n < LATER; n++) later[n] = judge_output(judge, 1, 1);
    judge_trying(judge, "my_prediction: l after each key");
    my_prediction(l.at, later[0].at, later[1].at, later[2].at);
    judge_answer(judge, (Answer){
        .got = l, .expected = running(arena, true), .tolerance = 0.006f,
        .hints = { .property = "the first key's l is 1, as it is its own maximum",
                   .question = "by what is the old l multiplied when the second key comes, and by what at the fourth?",
                   .formula = "l ← l · exp(m − m′) + exp(s − m′)" },
        .mistakes = { { "the old sum keeps its measure here: when m grows, l is multiplied first",
                        running(arena, false) },
                      { "this is Σ exp(score): l is measured against the largest score so far",
                        divided_by(arena, 1.0f) },
                      { "this measures all keys against the last m, which nobody knows before the third key",
                        divided_by(arena, 4.0f) } } });
    judge_trying(judge, "my_prediction: r");
    judge_answer(judge, (Answer){ .got = later[0], .expected = number(arena, 3), .tolerance = 0.006f,
                                  .hints.question = "which keys are larger than all before them?",
                                  .mistakes = { { "the first key is counted, too: it finds m = −∞", number(arena, 2) },
                                                { "the fourth key is not larger than the third",
                                                  number(arena, 4) } } });
    judge_trying(judge, "my_prediction: share");
    judge_answer(judge, (Answer){
        .got = later[1], .expected = number(arena, 3.0f / 9.0f), .tolerance = 0.006f,
        .hints = { .question = "of all the exp(score) there are, how much lies in the first two keys?",
                   .formula = "exp(lse₁) / (exp(lse₁) + exp(lse₂))" },
        .mistakes = { { "two keys of four, and both parts have l = 1.5; but each l is in a measure of its own",
                        number(arena, 0.5f) },
                      { "this is the share of the second part", number(arena, 6.0f / 9.0f) } } });
    judge_trying(judge, "my_prediction: out");
    float mixed = 0.0f;
    for (int j = 0; j < KEYS; j++) mixed += EXPS[j] * VALUES[j];
    judge_answer(judge, (Answer){
        .got = later[2], .expected = number(arena, mixed / 9.0f), .tolerance = 0.006f,
        .hints = { .question = "which weight has the first key, and which the last?", .formula = "Σ weightⱼ valueⱼ" },
        .mistakes = { { "this is not divided by the sum", number(arena, mixed) },
                      { "this is not divided by the sum", number(arena, mixed / 4.0f) },
                      { "this is the plain mean of the values", number(arena, 1.25f) } } });
}

int main(void) { return judge_main("13d", check); }
