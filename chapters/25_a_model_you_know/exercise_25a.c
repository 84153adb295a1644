// Exercise 25a. Three norms, and RoPE in halves: the lines by which most readers of folders first go wrong.
//
// Write the two functions, then run: make exercise-25a
#include "base/mat.h"
#include "base/portable_math.h"

typedef enum { LAYER, RMS, RMS_PLUS_ONE } Kind;

// Task 1. Every row x of m (T, n) becomes, in place,
//
//     LAYER          (x − mean x) / √(mean (x − mean x)² + eps) · w + b
//     RMS            x / √(mean x² + eps) · w
//     RMS_PLUS_ONE   x / √(mean x² + eps) · (1 + w)
//
// w and b are (1, n) each; b counts for LAYER alone.
void my_norm(Mat m, Kind kind, Mat w, Mat b, float eps)
{
    (void)m;
    (void)kind;
    (void)w;
    (void)b;
    (void)eps;
    // your code goes here
}

// Task 2. Row t of m (T, d), d even, is a query of one head at position t. In place, columns c and c + d/2 are turned
// by the angle t · base^(−2c/d), for c = 0 … d/2 − 1: (a, b) becomes (a cos − b sin, a sin + b cos).
void my_rope(Mat m, float base)
{
    (void)m;
    (void)base;
    // and here
}
