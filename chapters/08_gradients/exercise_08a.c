// Exercise 08a. Two backward passes.
//
// Write the two functions, then run: make exercise-08a
#include "attention/dot_product.h"

// Task 1. Forward, softmax turned n scores into weights. dweights[j] says how fast the loss rises with weights[j].
// Add to dscores[j] how fast it rises with score j. No table of n × n is needed, and no exponential.
// Hint: raise score j a little: weights[j] rises by weights[j] · (1 − weights[j]) times that, and every other weight k
// falls by weights[k] · weights[j] times that. dot_product(a, b, 1, n) is a dot product of n numbers.
void my_softmax_backward(float *dscores, const float *dweights, const float *weights, int n)
{
    (void)dscores;
    (void)dweights;
    (void)weights;
    (void)n;
    // your code goes here
}

// Task 2. Forward, out (m, n) = a (m, k) b (k, n), that is out[i][j] = Σ a[i][l] b[l][j]. dout says how fast the loss
// rises with each element of out. Add to da (m, k) and db (k, n) how fast it rises with each element of a and of b.
// Both hold something already.
// Hint: three loops, over i, l and j. Forward, the innermost has out[i][j] += a[i][l] * b[l][j]. What gets dout[i][j]
// times b[l][j], and what gets dout[i][j] times a[i][l]? *mat_ref(m, i, j) is element (i, j) of a view.
void my_matmul_backward(Mat da, Mat db, Mat dout, Mat a, Mat b)
{
    (void)da;
    (void)db;
    (void)dout;
    (void)a;
    (void)b;
    // and here
}
