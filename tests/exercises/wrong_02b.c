// Exercise 02b, predicted wrongly: number WRONG of these gets this answer.
//
// 1: that is its exponential
// 2: a share of the scores
// 3: the larger score has the larger weight
// 4: grows the sum below as well
// 5: doubling changes their difference
// 6: squared, not doubled
// 7: does not halve
// 8: takes its share from all
// 9: add up three exponentials
// 10: half of what?
// 11: four equal weights
// 12: that is in nats
// 13: each counts by its weight
// 14: 0.4 is not it
// 15: nothing is predicted yet
// 16: not a third of all
// 17: that is its score
// 18: not to the weight
// 19: no more alike than before
// 20: not the weight
// 21: do the squares sum to 1?
// 22: one of the two keys with score 0
// 23: whose exponential is 3
// 24: the first as well
// 25: as the formula gives it
// 26: how many keys
// 27: stands there twice
// 28: half each is for two equal scores
// 29: a score that lags by 1
// 30: a score that leads by 1
// 31: twice the other's weight
// 32: that is its exponential
// 33: were both doubled
// 34: the ratio of the two weights
// 35: had before
// 36: shared once more
// 37: a share of the scores 5 and 6.1
// 38: only when their scores are equal
// 39: the sum of all three
// 40: the mean of the logarithms
// 41: that is to base 10
// 42: a share of the 2 bits
// 43: a weight lies between 0 and 1
// 44: from 0 to 2 bits
#include "exercises/wrong.h"

#include <math.h>

void my_prediction(float weights[2], float *raised, float *doubled, float *third, float *hidden, float *bits);
void my_prediction(float weights[2], float *raised, float *doubled, float *third, float *hidden, float *bits)
{
    static const float firsts[][2] = { { 0.25f, 0.75f },   { 1, 3 },           { 0, 1 },       { 0.75f, 0.25f },
                                       { 0.333f, 0.667f }, { 0.25f, 1.0986f }, { 0.5f, 0.5f }, { 0.27f, 0.73f },
                                       { 0.25f, 0.73f },   { 0.25f, 0.667f } };
    int how = wrong(), first = how <= 3 ? how : how == 16 || how == 17 ? how - 12 : 0;
    if (how >= 28 && how <= 31) first = how - 22;
    if (how == 15) return;
    weights[0] = firsts[first][0];
    weights[1] = firsts[first][1];
    *raised = how == 4    ? 0.99f
              : how == 14 ? 0.4f
              : how == 18 ? 5.25f
              : how == 19 ? 0.5f
              : how == 32 ? 148.413f
              : how == 33 ? 0.1f
              : how == 37 ? 0.45f
              : how == 43 ? 25.0f
                          : 0.25f;
    *doubled = how == 5    ? 0.25f
               : how == 6  ? 0.14f
               : how == 7  ? 0.125f
               : how == 20 ? 0.5f
               : how == 21 ? 0.06f
               : how == 34 ? 0.11f
                           : 0.1f;
    *third = how == 8    ? 0.75f
             : how == 9  ? 0.5f
             : how == 22 ? 0.2f
             : how == 23 ? 0.43f
             : how == 35 ? 0.25f
             : how == 38 ? 0.33f
             : how == 39 ? 3.0f
                         : 0.6f;
    *hidden = how == 10 ? 0.5f : how == 24 ? 1.0f : how == 25 ? NAN : 0.0f;
    *bits = how == 11   ? 2.0f
            : how == 12 ? 1.21f
            : how == 13 ? 9.0f
            : how == 26 ? 3.36f
            : how == 27 ? 1.375f
            : how == 36 ? 1.5f
            : how == 40 ? 2.25f
            : how == 41 ? 0.53f
            : how == 42 ? 0.875f
            : how == 44 ? 4.0f
                        : 1.75f;
}
