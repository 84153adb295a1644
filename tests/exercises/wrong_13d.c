// Exercise 13d, solved wrongly: number WRONG of these gets this answer.
//
// 1: when m grows, l is multiplied first
// 2: this is Σ exp(score)
// 3: nobody knows before the third key
// 4: the first key is counted
// 5: in a measure of its own
// 6: the share of the second part
// 7: not divided by the sum
// 8: the plain mean
// 9: 6 is not it
// 10: not larger than the third
// 11: nothing is predicted yet
// 12: the key adds its own
// 13: it is not the largest
// 14: what was there stays as it is
// 15: how much is there in all
// 16: the first key has a value
// 17: l sums exp(score − m)
// 18: the factor is upside down
// 19: on its way to the largest
// 20: the last value alone
// 21: and not of the first
// 22: the difference itself
// 23: what was there stays as it is
// 24: is measured against m
// 25: this is the score
// 26: lse is a logarithm
// 27: go with the outputs of the parts
// 28: the sum of the values
// 29: the plain mean of two outputs
// 30: which nobody knows before the third key
// 31: each key adds its own
// 32: the first part's lse
// 33: the output of the last two keys alone
// 34: the output of the first two keys alone
// 35: the sum of two outputs
#include "base/portable_math.h"
#include "exercises/wrong.h"

void my_prediction(float l[4], float *r, float *share, float *out);
void my_prediction(float l[4], float *r, float *share, float *out)
{
    static const float sums[][4] = {
        { 1, 1.5f, 1.75f, 2.25f }, { 1, 2, 3, 3.5f }, { 1, 3, 7, 9 }, { 0.25f, 0.75f, 1.75f, 2.25f }
    };
    int how = wrong();
    for (int j = 0; j < 4; j++) l[j] = sums[how <= 3 ? how : 0][j] + (how == 9 ? 5.0f : 0.0f);
    if (how == 11) l[0] = NAN;
    if (how == 12) l[1] = 0.5f;
    if (how == 13) l[3] = 2.75f;
    if (how == 14) l[3] = 1.875f;
    if (how == 17) l[1] = 1.69f;
    if (how == 18) l[2] = 4.0f;
    if (how == 21) l[2] = 1.375f;
    if (how == 22) l[2] = 2.04f;
    if (how == 23) l[3] = 1.375f;
    if (how == 24) l[3] = 3.75f;
    if (how == 25) l[3] = 2.443f;
    *r = how == 19 ? 1.0f : how == 4 ? 2.0f : how == 10 ? 4.0f : 3.0f;
    *share = how == 5 ? 0.5f : how == 6 ? 0.67f : how == 15 ? 3.0f : how == 26 ? 0.38f : 0.333f;
    *out = how == 7 ? 9.0f : how == 8 ? 1.25f : how == 16 ? 0.89f : how == 20 ? 4.0f : 1.0f;
    if (how >= 27) *out = how == 27 ? 3.0f : how == 28 ? 5.0f : how == 29 ? 0.8333f : 1.0f;
    if (how == 30) l[1] = 0.75f;
    if (how == 31) l[2] = 1.5f;
    if (how == 32) *share = 1.0986f;
    if (how >= 33) *out = how == 33 ? 1.3333f : how == 34 ? 0.3333f : 1.6667f;
}
