// Exercise 19c, solved wrongly: number WRONG of these gets this answer.
//
// 1: nothing is predicted yet
// 2: scale and zero are stored, too
// 3: a scale without a zero
// 4: or a group of 32
// 5: 64 numbers share one scale and one zero
// 6: is not it
// 7: these are bits
// 8: scale and zero are stored, too
// 9: a key and a value are kept
// 10: this is one layer of 32
// 11: this is one key head of 8
// 12: not query heads
// 13: the block is complete
// 14: keys and values both wait
// 15: this is one layer of 32
// 16: this is one token
// 17: it is float32
// 18: keeps nothing of its own
// 19: INT4 stays
// 20: pairs share, not fours
// 21: this is more
// 22: the number of a kept token take bytes
// 23: 16 bits a number here, and not 4
// 24: and not 32
// 25: each takes bytes
// 26: tokens come whole
// 27: in 16 bits, and not in INT4
// 28: is not it
// 29: each key head of each layer keeps its own
// 30: no layers share here
// 31: nothing is predicted yet
// 32: or a group of 128
// 33: a little more than the codes do
// 34: 4 bytes for each of the two
// 35: kept in each layer, too
// 36: kept in each key head, too
// 37: these are 8
// 38: a group of 16
// 39: this is in 32 bits
// 40: this is one key head of 8
// 41: is not it
// 42: the bits of the whole group
// 43: this is one layer of 32
#include "base/portable_math.h"
#include "exercises/wrong.h"

void my_bytes(double *bits, double *token, double *newest, double *pairs, double *kept);
void my_bytes(double *bits, double *token, double *newest, double *pairs, double *kept)
{
    int how = wrong();
    const double numbers = 65536, right = numbers * 4.5 / 8, wait = 63 * numbers * 4, each = numbers * 2 + 2048;
    const double first[] = { 4.5, 0, 4, 4.25, 5, 36, 7 };
    const double tokens[] = { numbers * 4.5, numbers / 2, right / 2, right / 32, right / 8, right * 4 };
    const double waits[] = { 64 * numbers * 4, wait / 2, wait / 32, wait / 63, 63 * right };
    const double halves[] = { right, numbers, right / 4, right * 2 };
    const double keeps[] = { 65536 * right / (numbers * 2), 65536, 65536 * right / (numbers * 4 + 2048), 65536 / 4 };
    *bits = how <= 6 ? first[how] : 4.5;
    *token = how >= 7 && how <= 12 ? tokens[how - 7] : right;
    *newest = how >= 13 && how <= 17 ? waits[how - 13] : wait;
    *pairs = how >= 18 && how <= 21 ? halves[how - 18] : right / 2;
    if (how == 27) *token = 131072;
    if (how == 28) *newest = 100000;
    if (how == 31) *token = 0;
    if (how == 32) *bits = 4.25;
    *kept = floor(how >= 22 && how <= 25 ? keeps[how - 22] : 65536 * right / each) + (how == 26 ? 0.5 : 0.0);
    if (how == 29) *kept = floor(65536 * right / (numbers * 2 + 8)); // once a token, whatever its key heads
    if (how == 30) *kept = floor(65536 * right / 2 / each);          // of layers in pairs
    if (how == 33) *kept = floor(65536 * right / each) + 1;
    if (how == 34) *kept = floor(65536 * right / (numbers * 2 + 1024));
    if (how == 35) *kept = floor(65536 * right / (numbers * 2 + 64));
    if (how == 36) *kept = floor(65536 * right / (numbers * 2 + 256));
    if (how == 37) *bits = 8.5;
    if (how == 38) *bits = 6;
    if (how == 39) *token = numbers * 4;
    if (how == 40) *newest = wait / 8;
    if (how == 41) *kept = 18100;
    if (how == 42) *bits = 288;
    if (how == 43) *pairs = right / 32;
}
