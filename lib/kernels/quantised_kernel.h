// Chapter 19. The quantised decode kernel, which is compiled once for each instruction set (simd.h).
#ifndef KERNELS_QUANTISED_KERNEL_H
#define KERNELS_QUANTISED_KERNEL_H

#include "kernels/fast_kernel.h"
#include "attention/quantised.h"

// The `of` of the DecodeKeys below: a cache and its number of KV groups.
typedef struct {
    const QuantisedCache *cache;
    int G;
} CodedRows;

DecodeKeys quantised_kernel_avx512, quantised_kernel_avx2, quantised_kernel_neon, quantised_kernel_generic;

#endif
