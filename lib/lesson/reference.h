// Reference attention in float64, to measure the error of kernels.
#ifndef LESSON_REFERENCE_H
#define LESSON_REFERENCE_H

#include "attention/mask.h"
#include "base/mat.h"

// Computes out (T, dv), row-major, from float32 q (T, d), k (S, d), v (S, dv). A query that sees no key gets 0.
double *reference_compute(Arena *arena, Mat q, Mat k, Mat v, Mask mask);

// Relative error |got − want| / |want| in the Frobenius norm. `want` has got's shape.
double reference_error(Mat got, const double *want);

#endif
