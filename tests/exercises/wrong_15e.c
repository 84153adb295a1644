// Exercise 15e, solved wrongly: number WRONG of these gets this answer.
//
// 1: still the stub
// 2: the next number towards 0
// 3: half-way it is rounded away from 0
// 4: half-way it is rounded towards 0
// 5: however near the other one is
// 6: nothing has been rounded
// 7: one too many behind the point
// 8: a NaN has become a number or ∞
// 9: run through its exponent
// 10: the rows stand as they were
// 11: the two channels of a pair must be neighbours
// 12: channels p and p + 16
// 13: the two channels of each pair have changed places
// 15: row p holds channels 2p and 2p + 1
// 16: the two keys of a pair must be neighbours
// 17: keys p and p + 16
// 18: the two keys of each pair have changed places
// 19: single numbers are turned
// 20: row p holds keys 2p and 2p + 1
// 21: this is not the nearest number
// 22: the upper half of the bits is empty
// 23: to the odd one
// 24: it is bit 16
// 25: kept the lower half of the bits
// 26: taken for a whole number
// 27: the sign is gone
// 28: rounded down each time
// 29: one too few behind the point
// 30: as in float16
// 31: row p has channels p and p + 16, and no pairs
// 32: the first once more: 2p and 2p + 1 are two channels
// 33: from the last to the first
// 34: have been rounded
// 35: row p has keys p and p + 16, and no pairs
// 36: the first once more: 2p and 2p + 1 are two keys
// 37: from the last to the first
// 38: have been rounded
#include "kernels/bf16.h"
#include "exercises/wrong.h"

#include <string.h>

float my_bf16(float x);
float my_bf16(float x)
{
    int how = wrong();
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint32_t odd = bits >> 16 & 1, keep = how == 7 ? 0xffff8000 : 0xffff0000;
    if (how == 1) return 0.0f;
    if (how == 6) return x;
    if (x != x && how != 8 && how != 9) return x;
    if (how == 8 && x != x) return bf16_value((uint16_t)(bits >> 16));
    if (how == 9 && bits == 0x7f800001) return x;
    if (how == 21 && x < 0) how = 2;
    if (how == 26) return (float)bf16_of(x);
    if (how == 27) return bf16_value(bf16_of(x < 0 ? -x : x));
    if (how == 28) how = x < 0 ? 5 : 2;
    if (how == 29 || how == 30) {
        int cut = how == 29 ? 17 : 13;
        bits += (1u << (cut - 1)) - 1 + (bits >> cut & 1);
        bits = bits >> cut << cut;
        memcpy(&x, &bits, sizeof x);
        return x;
    }
    if (how == 25) {
        bits &= 0xffff;
        memcpy(&x, &bits, sizeof x);
        return x;
    }
    if (how == 23) odd = !odd;
    if (how == 24) odd = bits >> 17 & 1;
    bits += how == 2 ? 0 : how == 3 ? 0x8000 : how == 4 ? 0x7fff : how == 5 ? 0xffff : how == 7 ? 0x4000 : 0x7fff + odd;
    bits &= keep;
    if (how == 22) bits >>= 16;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// The number at place n of row p, for wrong answer `how` of those that keys and values share.
static float at_place(Mat from, int p, int n, int how, bool values)
{
    int first = n / 2, which = 2 * p + n % 2;
    if (how == 11) {
        first = n % 16;
        which = 2 * p + n / 16;
    }
    if (how == 12) which = p + 16 * (n % 2);
    if (how == 13) which = 2 * p + 1 - n % 2;
    if (how == 14 && values) return *mat_ref(from, n, p);
    if (how == 15) which = (2 * p + 2 + n % 2) % 32;
    if (how == 31) {
        first = n % 16;
        which = p + n / 16 * 16;
    }
    if (how == 32) which = 2 * p;
    if (how == 33) which = 30 - 2 * p + n % 2;
    float number = values ? *mat_ref(from, which, first) : *mat_ref(from, first, which);
    return how == 34 ? bf16_value(bf16_of(number)) : number;
}

void my_key_pairs(Mat to, Mat k);
void my_key_pairs(Mat to, Mat k)
{
    for (int e = 0; e < 16 * 32; e++)
        *mat_ref(to, e / 32, e % 32) = wrong() == 10 ? k.at[e] : at_place(k, e / 32, e % 32, wrong(), false);
}

void my_value_pairs(Mat to, Mat v);
void my_value_pairs(Mat to, Mat v)
{
    int how = wrong() >= 16 && wrong() < 21 ? wrong() - 5 : wrong() > 34 ? wrong() - 4 : 0;
    for (int e = 0; e < 16 * 32; e++) *mat_ref(to, e / 32, e % 32) = at_place(v, e / 32, e % 32, how, true);
}
