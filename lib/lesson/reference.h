// The definition of attention in float64, for chapters that say how far off a kernel is.
#ifndef LESSON_REFERENCE_H
#define LESSON_REFERENCE_H

#include "attention/mask.h"
#include "base/mat.h"

// out (T, dv), row after row, from the same float32 numbers q (T, d), k (S, d), v (S, dv). A query that sees nothing
// gets 0.
double *reference_compute(Arena *arena, Mat q, Mat k, Mat v, Mask mask);

// |got − want| / |want|, both as Frobenius norms: roots of sums of squares. `want` has got's shape.
double reference_error(Mat got, const double *want);

#endif
