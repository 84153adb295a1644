// Exercise 15c, predicted wrongly: number WRONG of these gets this answer.
//
// 1: these are the multiply-adds
// 2: each is loaded once
// 3: it is more
// 4: multiply-adds for each load
// 5: share them out
// 6: the spread number
// 7: the sums alone
// 8: one register serves both
// 9: wait for nothing
// 10: one sum alone
// 11: how many sums are there
// 12: no core does more
// 13: keep such a core busy
// 14: looked at twice, by every query
// 15: a multiply-add is two
// 16: so much for one query
// 17: mixed once
// 18: is worked on in full
// 19: three tiles are empty
// 20: half of all pairs
// 21: it is less
// 22: in percent
// 23: in percent
// 24: a multiply-add is two
// 25: the scores alone
// 26: how many pairs are in one
// 27: so many tiles are there
// 28: of three tiles
// 29: no core does more
// 30: the vectors alone
// 31: the numbers alone
// 32: loads for each number
// 33: loads for each vector
// 34: the vectors need registers, too
// 35: the vectors need registers, too
// 36: so much for one query
// 37: scored twice, not all
// 38: sees its own key
#include "exercises/wrong.h"

extern double my_predictions[7];
double my_predictions[7] = { 5, 5.0 / 6, 10, 50, 100, 192 * 256 * 48 + 192 * 64 * 32, 6 * 64 * 64 };

static const struct {
    int place;
    double number;
} said[] = {
    { 0, 6 },       { 0, 12 },      { 0, 4 },       { 1, 1.2 },     { 1, 5 },       { 2, 9 },     { 2, 6 },
    { 2, 11 },      { 3, 100 },     { 3, 12.5 },    { 3, 25 },      { 4, 150 },     { 4, 75 },    { 5, 2359296 },
    { 5, 4718592 }, { 5, 2361344 }, { 5, 2949120 }, { 6, 18528 },   { 6, 36864 },   { 6, 18432 }, { 3, 60 },
    { 3, 0.5 },     { 4, 1 },       { 5, 5505024 }, { 5, 1966080 }, { 6, 6 },       { 6, 9 },     { 6, 12288 },
    { 4, 300 },     { 0, 3 },       { 0, 2 },       { 1, 2.5 },     { 1, 5.0 / 3 }, { 2, 7 },     { 2, 8 },
    { 5, 14336 },   { 5, 3932160 }, { 6, 18336 },
};

// Before the checker begins.
__attribute__((constructor)) static void predict(void)
{
    int how = wrong();
    if (how >= 1) my_predictions[said[how - 1].place] = said[how - 1].number;
}
