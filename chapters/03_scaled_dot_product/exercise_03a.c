// Exercise 03a. Write it: scores with their scale, and one soft look-up.
//
// Write the two functions, then run: make exercise-03a
#include "attention/dot_product.h"
#include "attention/softmax.h"
#include "base/portable_math.h"

// Task 1. Compare every row of q (T, d) with every row of k (S, d), and divide by √d: scores (T, S). q and k may be
// views into wider matrices. d is q.cols; chapter 01 has a function for most of it.
void my_scaled_scores(Mat scores, Mat q, Mat k)
{
    (void)scores;
    (void)q;
    (void)k;
    // your code goes here
}

// Task 2. Look one query (d numbers) up among the keys k (S, d) with the values v (S, dv). Two results:
// weights (S) is the softmax of query · key / √d, and out (dv) is the sum of all values, each times its weight.
// softmax(weights, weights, n) may work in place.
void my_look_up(float *out, float *weights, const float *query, Mat k, Mat v)
{
    (void)out;
    (void)weights;
    (void)query;
    (void)k;
    (void)v;
    // and here
}
