// Exercise 19a, solved. Task 1 with float32 for scale and zero, where lib/attention/quantised.c has float16.
#include "base/portable_math.h"

void my_codes(unsigned char *codes, float *scale, float *zero, const float *x, int n, int bits);
void my_numbers(float *x, const unsigned char *codes, float scale, float zero, int n);
void my_scores(float *scores, int *multiplies, const float *q, const float *scale, const float *zero,
               const unsigned char *codes, int n, int d);

void my_codes(unsigned char *codes, float *scale, float *zero, const float *x, int n, int bits)
{
    float low = x[0], high = x[0];
    for (int i = 0; i < n; i++) {
        low = fminf(low, x[i]);
        high = fmaxf(high, x[i]);
    }
    *zero = low;
    *scale = (high - low) / (float)((1 << bits) - 1);
    for (int i = 0; i < n; i++) codes[i] = *scale > 0.0f ? (unsigned char)roundf((x[i] - low) / *scale) : 0;
}

void my_numbers(float *x, const unsigned char *codes, float scale, float zero, int n)
{
    for (int i = 0; i < n; i++) x[i] = scale * (float)codes[i] + zero;
}

void my_scores(float *scores, int *multiplies, const float *q, const float *scale, const float *zero,
               const unsigned char *codes, int n, int d)
{
    float scaled[256], base = 0.0f;
    for (int c = 0; c < d; c++) {
        scaled[c] = q[c] * scale[c];
        base += q[c] * zero[c];
    }
    for (int j = 0; j < n; j++) {
        scores[j] = base;
        for (int c = 0; c < d; c++) scores[j] += scaled[c] * (float)codes[j * d + c];
    }
    *multiplies = n * d + 2 * d;
}
