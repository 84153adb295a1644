// Exercise 06a. Many heads on slices of one matrix.
//
// Write the function, then run: make exercise-06a
#include "attention/attention.h"

// Task. q, k and v are (T, D), with D = H · d. Head h works on columns h · d … h · d + d − 1 of each, and writes its
// result into the same columns of out (T, D). No mask: every word sees every word.
// Hint: attention_naive((Attended){ .out = … }, …, …, …, (Mask){ 0 }) is one head; mat_cols(m, first, count) is a view
// of some columns. No memory needs to be allocated and nothing needs to be copied.
void my_heads(Mat out, Mat q, Mat k, Mat v, int H)
{
    (void)out;
    (void)q;
    (void)k;
    (void)v;
    (void)H;
}
