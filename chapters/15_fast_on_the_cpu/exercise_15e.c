// Exercise 15e. Numbers of 16 bits, and tiles of pairs.
//
// Write the three functions, then run: make exercise-15e
#include "base/mat.h"

// Task 1. The bf16 nearest to x, as a float: one whose lower 16 bits are 0. Half-way between two of them, the one whose
// last bit is 0. A NaN must stay one. You need not care for what is larger than all bf16, or smaller than
// 2⁻¹²⁶. The bits of a float: uint32_t bits; memcpy(&bits, &x, 4);
float my_bf16(float x)
{
    (void)x;
    return 0.0f;
}

// Task 2. A tile for the right side of a product. k is (16, 32): 16 keys, 32 channels of each. `to` is (16, 32), too: a
// row is a pair of channels, and in it stand both numbers of key 0, both of key 1, and so on.
void my_key_pairs(Mat to, Mat k)
{
    (void)to;
    (void)k;
}

// Task 3. The same for values. v is (32, 16): 32 keys, 16 channels of each. Now the sum runs over the keys: a row of
// `to` (16, 32) is a pair of keys, and both numbers of channel 0 stand in it, both of channel 1, and so on.
void my_value_pairs(Mat to, Mat v)
{
    (void)to;
    (void)v;
}
