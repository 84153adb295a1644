// Exercise 02a. Write it: softmax, and how evenly it spreads its weights.
//
// Write the two functions, then run: make exercise-02a
#include "base/portable_math.h"

// Task 1. Turn n scores into weights: weights[j] = exp(scores[j]) / Σ exp(scores[k]). n is at least 1.
// It has to work for scores of 1000 and of −1000 as well, and a row of −INFINITY, where every key is hidden, gives
// weights of 0. expf(89) is already infinite: what may be taken away from every score?
void my_softmax(float *weights, const float *scores, int n)
{
    (void)weights;
    (void)scores;
    (void)n;
}

// Task 2. How evenly are n weights spread, in bits? −Σ weights[j] · log₂ weights[j].
// log2f is the logarithm to base 2. What is log2f(0), and what should a weight of 0 add?
float my_entropy(const float *weights, int n)
{
    (void)weights;
    (void)n;
    return NAN;
}
