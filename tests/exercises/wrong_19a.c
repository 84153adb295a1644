// Exercise 19a, solved wrongly: number WRONG of these gets this answer.
//
// 1: codes are cut off, not rounded
// 2: codes are rounded up
// 3: between 2^bits codes there is one less
// 4: the range begins at 0 here
// 5: the range is the same on both sides of 0
// 6: zero is the mean here
// 7: the scale reaches from 0 to the largest number
// 8: the least number has code 0
// 9: the scale is not a number
// 10: codes behind the last number were written
// 11: zero is left out
// 12: zero is multiplied by the scale, too
// 13: as if it were a code
// 14: a code has no sign
// 15: zeros are left out
// 16: q · z grows from key to key
// 17: each channel has its own
// 18: the scale and the zero of channel 0
// 19: they lie key after key
// 20: divided by √d here
// 21: each key is unpacked first
// 22: is not said
// 23: is not that of the nearest step
// 24: written nothing into its output
// 25: the last is 2^bits − 1
// 26: the range ends at 0
// 27: from the largest number down
// 28: is not said
// 29: zero is not taken from a number
// 30: zero is not taken from a number
// 31: divided by the number of bits
// 32: that of codes with a sign
// 33: the scale belongs to the code
// 34: zero is taken away again
// 35: added once for each channel
// 36: the zeros are added as they are
// 37: those before the first key count as well
// 38: those before the first key count as well
// 39: shifts by bits − 1
// 40: the scale is turned over
// 41: a zero-point
// 42: the code is divided
// 43: the scales are left out
// 44: each zero is multiplied by its scale
// 45: the sum of one key goes on
// 46: none are counted
#include "base/portable_math.h"
#include "exercises/wrong.h"

void my_codes(unsigned char *codes, float *scale, float *zero, const float *x, int n, int bits);
void my_numbers(float *x, const unsigned char *codes, float scale, float zero, int n);
void my_scores(float *scores, int *multiplies, const float *q, const float *scale, const float *zero,
               const unsigned char *codes, int n, int d);

void my_codes(unsigned char *codes, float *scale, float *zero, const float *x, int n, int bits)
{
    int how = wrong();
    if (how == 24) return;
    float low = x[0], high = x[0], mean = 0.0f, most = (float)((1 << bits) - 1);
    for (int i = 0; i < n; i++) {
        low = fminf(low, x[i]);
        high = fmaxf(high, x[i]);
        mean += x[i] / (float)n;
    }
    if (how == 4) low = 0.0f;
    if (how == 26) high = fmaxf(high, 0.0f);
    if (how == 5) low = -(high = fmaxf(fabsf(low), fabsf(high)));
    *zero = how == 6 ? mean : low;
    *scale = (high - low) / (how == 3 || how == 25 ? most + 1.0f : most);
    if (how == 7) *scale = high / most;
    if (how == 31) *scale = (high - low) / (float)bits;
    if (how == 32) *scale = (high - low) / (float)((1 << (bits - 1)) - 1);
    if (how == 39) *scale = (high - low) / (float)(1 << (bits - 1));
    if (how == 9 && high == low) *scale = NAN;
    if (how == 23) *scale *= 2.0f; // nothing that is known
    for (int i = 0; i < n; i++) {
        float steps = *scale > 0.0f ? (x[i] - *zero) / *scale : 0.0f;
        if ((how == 29 || how == 30) && *scale > 0.0f) steps = x[i] / *scale;
        steps = how == 1 ? floorf(steps) : how == 2 ? ceilf(steps) : roundf(steps);
        float code = fminf(fmaxf(steps, 0.0f), how == 25 ? most + 1.0f : most);
        if (how == 29) code = (float)(unsigned char)(int)steps;
        codes[i] = (unsigned char)(how == 8 ? code + 1.0f : how == 27 ? most - code : code);
    }
    if (how == 27) *zero = high;
    if (how == 41) *zero = *scale > 0.0f ? roundf(-low / *scale) : 0.0f;
    if (how == 40 && high > low) *scale = 1.0f / *scale;
    if (how == 28 && high == low) *scale = 1.0f; // nothing wrong: no code but 0 is read with it
    if (how == 10) codes[n] = 0;
}

void my_numbers(float *x, const unsigned char *codes, float scale, float zero, int n)
{
    int how = wrong();
    for (int i = 0; i < n; i++) {
        float code = how == 14 ? (float)(signed char)codes[i] : (float)codes[i];
        x[i] = how == 11   ? scale * code
               : how == 12 ? scale * (code + zero)
               : how == 13 ? scale * (code - zero)
               : how == 33 ? code + scale * zero
               : how == 34 ? scale * code - zero
                           : scale * code + zero;
        if (how == 42) x[i] = code / scale + zero;
    }
}

void my_scores(float *scores, int *multiplies, const float *q, const float *scale, const float *zero,
               const unsigned char *codes, int n, int d)
{
    int how = wrong();
    float base = 0.0f;
    for (int j = 0; j < n; j++) {
        scores[j] = how == 45 && j > 0 ? scores[j - 1] : 0.0f;
        if (how != 16) base = 0.0f;
        for (int c = 0; c < d; c++) {
            int own = how == 17 ? j % d : how == 18 ? 0 : c, at = how == 19 ? c * n + j : j * d + c;
            scores[j] += q[c] * (how == 43 ? 1.0f : scale[own]) * (float)codes[at];
            float times = how == 35 ? (float)d : how == 44 ? scale[own] : 1.0f;
            base += how == 15 ? 0.0f : how == 36 ? zero[own] : times * q[c] * zero[own];
        }
        scores[j] += base;
        if (how == 20) scores[j] /= sqrtf((float)d);
    }
    *multiplies = how == 21 ? 2 * n * d : n * d + 2 * d;
    if (how == 22 || how == 28) *multiplies = -1;
    if (how == 37) *multiplies = n * d;
    if (how == 38) *multiplies = 1;
    if (how == 46) *multiplies = 0;
}
