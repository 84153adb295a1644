// Chapter 17. The singular value decomposition: a matrix as a sum of products of a column and a row, the largest first.
//
// Cut off after c of them, the sum is the matrix of rank c that comes closest (Eckart and Young 1936): the sum of the
// squares of what is missing is that of the singular values left out. All in float64, by one-sided Jacobi rotations:
// pairs of columns are turned against each other until all stand at right angles. Slow, n³ a sweep and about ten
// sweeps, and precise. What is not here: complex numbers, the faster ways by way of a bidiagonal matrix.
// [Hestenes 1958, J. SIAM 6]
#ifndef MODEL_SVD_H
#define MODEL_SVD_H

#include "base/arena.h"

// a = u diag(s) vᵀ with r = min(m, n) terms, s ≥ 0 and falling. u (m, r) and v (n, r) lie row after row, and their
// columns have length 1 and stand at right angles; but where s is 0, the column of the longer one is all 0.
typedef struct {
    int m, n, r;
    double *u, *s, *v;
} Svd;

// a (m, n), row after row, of finite numbers; m, n ≥ 0. Everything lives in `arena`.
Svd svd_decompose(Arena *arena, const double *a, int m, int n);

#endif
