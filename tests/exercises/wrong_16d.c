// Exercise 16d, predicted wrongly: number WRONG of these gets this answer.
//
// 1: neighbours lie in different
// 2: one turn is the least
// 3: which bank is that
// 4: these are 32
// 5: a row is 33 numbers long
// 6: 33 is odd
// 7: one number more a row
// 8: four banks apart
// 9: how many different banks
// 10: eight rows begin
// 11: four lanes of a row
// 12: how many rows
// 13: one answer serves all
// 14: only the even banks
// 15: from banks 0 and 2
// 16: meet in a bank
// 17: round up
// 18: a block has 128 threads
// 19: not a row of them
// 20: whatever is left
// 21: busy in the last block
// 22: by their warps
// 23: so many threads
// 24: does not fit whole
// 25: more warps than one
// 26: sixteen blocks
// 27: it is less
// 28: it is more
// 29: in percent
// 30: neighbours share a piece
// 31: how many have 32 float numbers
// 32: so many numbers has a piece
// 33: have 16 bits, not 32
// 34: 32 bytes are sixteen
// 35: which of them share a piece
// 36: one number lies in one piece
// 37: lie three that are not
// 38: they lie 16 bytes apart
// 39: does lane 2
// 40: it is a whole number
// 41: it is a whole number
// 42: 64 numbers long
// 43: how many share a piece
// 44: are there in all
// 45: which share of 64 is that
// 46: in blocks of 64 threads
// 47: more warps than one
// 48: one number of each row
#include "exercises/wrong.h"

extern double my_predictions[15];
double my_predictions[15] = { 1, 32, 1, 4, 8, 1, 2, 4, 2, 32, 16, 40, 120, 5, 31.25 };

static const struct {
    int place;
    double number;
} said[] = {
    { 0, 32 },      { 0, 0 },     { 1, 1 },    { 1, 8 },     { 2, 32 },      { 2, 2 },   { 3, 1 },    { 3, 32 },
    { 3, 8 },       { 4, 1 },     { 4, 32 },   { 4, 4 },     { 5, 32 },      { 6, 1 },   { 6, 32 },   { 6, 16 },
    { 11, 39 },     { 11, 5000 }, { 11, 100 }, { 12, 0 },    { 12, 8 },      { 13, 16 }, { 13, 682 }, { 13, 6 },
    { 14, 7.8125 }, { 14, 100 },  { 11, 41 },  { 14, 25 },   { 14, 0.3125 }, { 7, 32 },  { 7, 1 },    { 7, 8 },
    { 8, 4 },       { 8, 1 },     { 9, 4 },    { 9, 64 },    { 10, 4 },      { 10, 32 }, { 10, 8 },   { 11, 39.0625 },
    { 13, 5.7 },    { 9, 1 },     { 10, 1 },   { 12, 5120 }, { 14, 20 },     { 12, 56 }, { 14, 7.8 }, { 9, 256 },
};

// Before the checker begins.
__attribute__((constructor)) static void predict(void)
{
    int how = wrong();
    if (how >= 1) my_predictions[said[how - 1].place] = said[how - 1].number;
}
