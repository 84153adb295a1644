// Chapter 17. Singular value decomposition, by one-sided Jacobi rotations in float64.
//
// Pairs of columns are rotated against each other until all are orthogonal. Precise but slow: n³ per sweep, about ten
// sweeps. Truncated to c terms, the decomposition is the closest matrix of rank c in the sum of squares, and the error
// is the sum of the squared singular values left out (Eckart and Young 1936). Not implemented: complex numbers, the
// faster bidiagonal methods. [Hestenes 1958, J. SIAM 6]
#ifndef MODEL_SVD_H
#define MODEL_SVD_H

#include "base/arena.h"

// a = u diag(s) vᵀ with r = min(m, n) terms, s ≥ 0 and descending. u (m, r) and v (n, r) are row-major with orthonormal
// columns; where s is 0, the column of the longer of the two is all 0.
typedef struct {
    int m, n, r;
    double *u, *s, *v;
} Svd;

// a (m, n), row-major and finite; m, n ≥ 0. Everything lives in `arena`.
Svd svd_decompose(Arena *arena, const double *a, int m, int n);

#endif
