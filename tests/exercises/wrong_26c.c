// Exercise 26c, predicted wrongly: number WRONG of these gets this answer.
//
// 1: nothing is predicted yet
// 2: the sum before the norm
// 3: divides by the length of the row
// 4: its root is meant
// 5: its share before the norm
// 6: by its own root
// 7: what is lost without it: another question
// 8: divides by the length of the row
// 9: without it the row is shorter
// 10: the lead that is left
// 11: the sign: how much is lost
// 12: the sign: what is given back
// 13: the divisor has changed
// 14: with nothing in its place
// 15: the lead that is left
// 16: the model divides anew
// 17: half of each A is the identity
// 18: to the first word in layer 1
// 19: only a part of its weight
// 20: its rollout at itself
// 21: the root is missing
// 22: smaller for larger D
// 23: 0.5 is not it
// 24: a row with one number in it
// 25: how much of it is due to the divisor
// 26: the two weights at the first word
// 27: what the maps alone give the second word itself
// 28: that of D = 64
// 29: what the norm gives back: the other part
// 30: what is lost: the other part
// 31: two shares of the second word
// 32: to itself in layer 1
#include "base/portable_math.h"
#include "exercises/wrong.h"

float my_lead(void);
float my_share(void);
float my_loss(void);
float my_return(void);
float my_loss_with_mean(void);
float my_rollout(void);
float my_chance(void);

static float lead(float x, float y) { return (x + y) / sqrtf((x * x + y * y) / 2.0f); }

// The right number, or the one of this wrong answer.
static float or_wrong(float right, int first, const float *wrongs, int count)
{
    int way = wrong() - first;
    return way >= 0 && way < count ? wrongs[way] : right;
}

float my_lead(void)
{
    const float wrongs[] = { NAN, 8, 1.37f, 0.47f };
    if (wrong() == 24) return 1.41f;
    return wrong() == 23 ? 0.5f : or_wrong(lead(3, 5), 1, wrongs, 4);
}

float my_share(void)
{
    const float wrongs[] = { 5, lead(0, 5), lead(3, 5) - lead(3, 0), 0.86f };
    return or_wrong(5.0f / sqrtf(17.0f), 5, wrongs, 4);
}

float my_loss(void)
{
    float lost = lead(3, 5) - lead(3, 0);
    const float wrongs[] = { 5.0f / sqrtf(17.0f), lead(3, 0), -lost };
    return wrong() == 29 ? 0.69f : or_wrong(lost, 9, wrongs, 3);
}

float my_return(void)
{
    float given = 5.0f / sqrtf(17.0f) - lead(3, 5) + lead(3, 0);
    const float wrongs[] = { -given, 0 };
    if (wrong() == 30) return 0.53f;
    return wrong() == 25 ? 1.41f : or_wrong(given, 12, wrongs, 2);
}

float my_loss_with_mean(void)
{
    const float wrongs[] = { lead(3, 5) - lead(1, 5), lead(2, 5), 1.0f / sqrtf(17.0f) };
    return or_wrong(lead(3, 5) - lead(2, 5), 14, wrongs, 3);
}

float my_rollout(void)
{
    const float wrongs[] = { 0.68f, 0.27f, 0.4f, 0.63f };
    const float more[] = { 0.12f, 0.32f };
    if (wrong() >= 31) return wrong() == 31 ? 0.03f : 0.1f;
    return wrong() >= 26 ? or_wrong(0.37f, 26, more, 2) : or_wrong(0.37f, 17, wrongs, 4);
}

float my_chance(void)
{
    const float wrongs[] = { 1.0f / 256, 16 };
    return wrong() == 28 ? 0.125f : or_wrong(0.06f, 21, wrongs, 2);
}
