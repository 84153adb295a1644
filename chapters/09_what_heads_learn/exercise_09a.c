// Exercise 09a. Two measures of what a head does.
//
// Write the two functions, then run: make exercise-09a
#include "base/mat.h"

// Task 1. weights (T, T) is the map of a causal head, tokens (T) what it was computed for. For a row i whose token
// stood there before, add up weights[i][j + 1] over all j < i with tokens[j] equal to tokens[i]: the weight on what
// followed. Return the mean of these sums over such rows; rows whose token is new do not count. Without any such row,
// return 0.
// Hint: *mat_ref(weights, i, j) is element (i, j). j + 1 is at most i, so it is always inside.
double my_induction_mass(Mat weights, const int *tokens)
{
    (void)weights;
    (void)tokens;
    // your code goes here
    return 0.0;
}

// Task 2. Relation r leads from position from[r] to position to[r], for r = 0 … n − 1, n ≥ 1. A head that always looks
// the same distance o away is right where to[r] − from[r] is o. Return the share of relations that the best such o gets
// right. Positions are below 24, so o lies between −23 and 23.
double my_fixed_offset(const int *from, const int *to, int n)
{
    (void)from;
    (void)to;
    (void)n;
    // and here
    return 0.0;
}
