// Exercise 15e, solved.
#include "kernels/bf16.h"

float my_bf16(float x);
float my_bf16(float x) { return bf16_value(bf16_of(x)); }

void my_key_pairs(Mat to, Mat k);
void my_key_pairs(Mat to, Mat k)
{
    for (int p = 0; p < 16; p++)
        for (int n = 0; n < 32; n++) *mat_ref(to, p, n) = *mat_ref(k, n / 2, 2 * p + n % 2);
}

void my_value_pairs(Mat to, Mat v);
void my_value_pairs(Mat to, Mat v)
{
    for (int p = 0; p < 16; p++)
        for (int n = 0; n < 32; n++) *mat_ref(to, p, n) = *mat_ref(v, 2 * p + n % 2, n / 2);
}
