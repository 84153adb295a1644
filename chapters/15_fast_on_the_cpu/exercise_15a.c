// Exercise 15a. The two ideas at the bottom of the fast kernel: a block of sums in registers, and 2ˣ in two parts.
//
// Write the two functions, then run: make exercise-15a
#include "base/mat.h"
#include "base/portable_math.h"

#include <stdint.h>
#include <string.h>

// Element (i, j) of m. The checker counts how often it is called: each call is a load from memory.
float fetch(Mat m, int i, int j);

// Task 1. left is (4, n), right is (n, 4). Add left · right to sums (4, 4), and fetch every number of left and of right
// only once. That is 8 loads for each of the n steps, for 16 multiply-adds. sums is the result: reading and writing it
// with mat_ref is free.
// Hint: the loop over the n steps is the outermost one. What it has fetched stays in eight local variables.
void my_register_block(Mat sums, Mat left, Mat right)
{
    (void)sums;
    (void)left;
    (void)right;
}

// Task 2. 2ˣ for any x ≤ 127, without exp, exp2, pow or ldexp, with a relative error below 1e-6. x = n + r, n being the
// nearest whole number: 2ʳ is a polynomial, and 2ⁿ goes into the exponent of the float. Below x = −126 give 0.
// Hint: 2ʳ = 1 + a + a²/2 + a³/6 + …, a = r · 0.69314718; for r from −½ to ½ the sixth power is the last that counts. A
// float's exponent begins at bit 23: adding n · 2²³ to its bits multiplies by 2ⁿ. memcpy moves the bits to an int32_t
// and back. Shift no negative number to the left; multiply it.
float my_exp2(float x)
{
    (void)x;
    return 0.0f;
}
