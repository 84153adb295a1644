// Exercise 16b. Four lanes share a row.
//
// Write the two functions, then run: make exercise-16b
#include "base/portable_math.h"

// Every lane of the warp gives its number and gets that of the lane whose index differs from its own in these bits:
// what was in x[lane] is in x[lane ^ bits] afterwards, for all 32. On a card this is __shfl_xor_sync. A lane sees no
// other lane's registers but through it, so do with x[lane] only what needs x[lane] alone. The checker counts calls.
void exchange(float x[32], int bits);

// Task 1. Lanes 4 n … 4 n + 3 share a row of scores; x[lane] is what a lane has summed up of it. Make x[lane] the sum
// of the four, in all four of them, with two exchanges.
void my_sum_of_four(float x[32]) { (void)x; }

// Task 2. Each lane has its own maximum and the sum of 2^(score − its maximum) of the scores that it has seen. Bring
// the four to one maximum, the largest of theirs, and one sum that belongs to it, in all four lanes; with four
// exchanges at most. A lane that has seen nothing has the maximum −1e30 and the sum 0.
void my_merge_of_four(float max[32], float sum[32])
{
    (void)max;
    (void)sum;
}
