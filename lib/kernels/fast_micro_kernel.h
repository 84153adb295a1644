// The micro-kernel of both products of a tile: ROWS scalars times VECTORS vectors. The register block, ROWS · VECTORS
// sums, stays in registers.
#ifndef KERNELS_FAST_MICRO_KERNEL_H
#define KERNELS_FAST_MICRO_KERNEL_H

#include "kernels/simd.h"

#if VECTOR_REGISTERS == 32
enum { ROWS = 4, VECTORS = 4, BLOCK = LANES * VECTORS };
#else
enum { ROWS = 4, VECTORS = 3, BLOCK = LANES * VECTORS };
#endif

// One step of the inner loop: `rows` scalars times n vectors. The rows · n FMAs are independent.
ISA_INLINE void one_step(Vec sums[ROWS][VECTORS], const float *const number[ROWS], ptrdiff_t at, const Vec *vector,
                         const int rows, const int n)
{
    for (int r = 0; r < rows; r++) {
        Vec spread = vec_splat(number[r][at]);
        for (int v = 0; v < n; v++) sums[r][v] += spread * vector[v];
    }
}

// sums[r][v] += Σ over step of left[r][step · apart] · right[step][v]. A scalar of `left` is used for n vectors, a
// vector of `right` for `rows` scalars.
ISA_INLINE void multiply(Vec sums[ROWS][VECTORS], int steps, const float *const left[ROWS], ptrdiff_t apart,
                         const Vec *right, const int rows, const int n)
{
    const Vec *end = right + steps * VECTORS;
    for (ptrdiff_t at = 0; right != end; at += apart, right += VECTORS) {
        Vec vector[VECTORS];
        for (int v = 0; v < n; v++) vector[v] = rows > 1 ? vec_held(right[v]) : right[v];
        one_step(sums, left, at, vector, rows, n);
    }
}

#endif
