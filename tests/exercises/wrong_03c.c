// Exercise 03c, predicted wrongly: number WRONG of these gets this answer.
//
// 1: holds for entries of variance 1
// 2: each product has two factors
// 3: the variance of one entry
// 4: their variances add up
// 5: √d is right for entries of variance 1
// 6: dividing by it goes too far
// 7: both factors of a product
// 8: each is a third
// 9: that is the middle one
// 10: the weight is at most 1
// 11: the plain mean, as of equal scores
// 12: scores choose, not values
// 13: that adds up values
// 14: a query may prefer one key
// 15: that is the table of scores
// 16: as wide as a value, not as a key
// 17: not for each key
// 18: those are the scores
// 19: those are for the mixture
// 20: a value is dv wide
// 21: those are FLOPs
// 22: 5 is not it
// 23: nothing is predicted yet
// 24: of a single product
// 25: the root of its variance
// 26: even for entries of variance 1
// 27: the deviation of one factor
// 28: the 4 of one factor
// 29: equal scores prefer nobody
// 30: that is its weight
// 31: half of each of two
// 32: that is one row
// 33: the numbers of the keys
// 34: those are the pairs
// 35: their costs add up
// 36: of independent factors
// 37: nine of them, not √9
// 38: right for a single product
// 39: that is the weight of each
// 40: in the middle between
// 41: that is a score
// 42: is not added to the value
// 43: no value counts twice
// 44: there is a row for each of them
// 45: how wide is one?
// 46: is the scale
// 47: not for each number of the output
// 48: an output is a mixture of values
#include "exercises/wrong.h"

void my_prediction(float *variance, float *divisor, float *equal, float *ahead, float *highest, float *numbers,
                   float *products);
void my_prediction(float *variance, float *divisor, float *equal, float *ahead, float *highest, float *numbers,
                   float *products)
{
    static const struct {
        int which;
        float value;
    } wrongly[] = {
        { 0, 144 },    { 0, 9 },  { 0, 36 }, { 0, 4 },   { 0, 1296 },    { 1, 3 },    { 1, 144 },
        { 1, 6 },      { 2, 9 },  { 2, 2 },  { 3, 200 }, { 3, 3 },       { 3, 6 },    { 4, 6 },
        { 4, 1.667f }, { 5, 15 }, { 5, 24 }, { 5, 10 },  { 6, 120 },     { 6, 30 },   { 6, 240 },
        { 6, 300 },    { 2, 5 },  { 2, 5 },  { 0, 16 },  { 0, 12 },      { 1, 9 },    { 0, 6 },
        { 1, 36 },     { 2, 6 },  { 3, 1 },  { 4, 3 },   { 5, 2 },       { 5, 40 },   { 6, 15 },
        { 6, 3600 },   { 0, 72 }, { 0, 48 }, { 1, 4 },   { 2, 0.3333f }, { 2, 3.5f }, { 3, 100 },
        { 3, 102 },    { 4, 8 },  { 5, 16 }, { 5, 3 },   { 6, 165 },     { 6, 126 },  { 4, 12 },
    };
    float *all[] = { variance, divisor, equal, ahead, highest, numbers, products };
    static const float right[] = { 144, 12, 3, 2, 4, 6, 150 };
    int how = wrong();
    if (how == 23) return;
    for (int p = 0; p < 7; p++) *all[p] = right[p];
    *all[wrongly[how].which] = wrongly[how].value;
}
