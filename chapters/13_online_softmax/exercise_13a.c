// Exercise 13a. Two partial results, not yet divided, become one.
//
// Write the function, then run: make exercise-13a
#include "base/portable_math.h"

// Task. A query has seen some of its keys. What it knows of them: max, the largest score; sum, Σ exp(score − max); and
// mixed (dv floats), Σ exp(score − max) · value. The other result is the same for other keys, against their own
// maximum. Bring max, sum and mixed to what they are after all of these keys. A result over no keys at all has max
// −INFINITY, sum 0 and mixed 0; either of the two may be one, or both.
void my_merge(float *max, float *sum, float *mixed, float other_max, float other_sum, const float *other_mixed, int dv)
{
    (void)max;
    (void)sum;
    (void)mixed;
    (void)other_max;
    (void)other_sum;
    (void)other_mixed;
    (void)dv;
}
