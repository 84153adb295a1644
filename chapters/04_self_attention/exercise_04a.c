// Exercise 04a. Write it: self-attention, and who gets how much of it.
//
// Write the two functions, then run: make exercise-04a
#include "attention/dot_product.h"
#include "attention/self_attention.h"
#include "attention/softmax.h"
#include "base/portable_math.h"

// Task 1. One head on one sentence: out (T, dv) = softmax(q kᵀ / √d) v with q = x w.wq, k = x w.wk, v = x w.wv.
// Here x is (T, D), w.wq and w.wk are (D, d), w.wv is (D, dv). No mask. New matrices come from mat_new(arena, rows,
// cols). The functions of the first three chapters do most of it; what is left is the scale.
void my_self_attention(Mat out, Mat x, HeadWeights w, Arena *arena)
{
    (void)out;
    (void)x;
    (void)w;
    (void)arena;
}

// Task 2. What every word receives of all attention: received[j] is the sum of the arrows that end at word j.
// weights is (T, T), received has room for T numbers. Rows are queries, columns are keys: which do you add up?
void my_received(float *received, Mat weights)
{
    (void)received;
    (void)weights;
}
