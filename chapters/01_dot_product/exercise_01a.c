// Exercise 01a. Write it: the dot product, and a table of them.
//
// Write the two functions, then run: make exercise-01a
#include "base/mat.h"

// Task 1. Multiply what stands in the same place of a and b, both of n numbers, and add it all up.
float my_dot(const float *a, const float *b, int n)
{
    (void)a;
    (void)b;
    (void)n;
    return 0.0f;
}

// Task 2. Compare every row of q (T, d) with every row of k (S, d): scores (T, S) at (i, j) is row i of q · row j of k.
// T, S and d may all differ. mat_row(m, i) is row i as an array, *mat_ref(m, i, j) the element at row i, column j.
void my_scores(Mat scores, Mat q, Mat k)
{
    (void)scores;
    (void)q;
    (void)k;
}
