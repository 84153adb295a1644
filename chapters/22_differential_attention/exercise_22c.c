// Exercise 22c. Predict: λ, sums and sizes of a layer whose maps are subtracted.
//
// Write the numbers, then run: make exercise-22c
#include "base/portable_math.h"

// A layer has D = 2048, 16 maps of d = 128 in 8 pairs, and 16 key heads. Its λ_init is 0.8. After training λq1 · λk1 is
// 0, and λq2 · λk2 is ln 2 = 0.693.

// 1. Its λ.
float my_lambda(void) { return NAN; }

// 2. What a row of the signed map sums up to, with that λ.
float my_row_sum(void) { return NAN; }

// 3. The root of the mean square of what a pair gives after its norm, with gains of 1.
float my_size(void) { return NAN; }

// 4. How many numbers wide is the value that a pair mixes?
float my_value_width(void) { return NAN; }

// 5. How many numbers does the cache keep of a token in this layer?
float my_numbers_kept(void) { return NAN; }

// 6. Multiplications for one query and one key in sight, in all pairs together: scores and values.
float my_multiplications(void) { return NAN; }
