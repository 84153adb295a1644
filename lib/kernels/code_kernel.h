// Chapter 19. What quantised_fast.c has to know of the kernel over codes, which is compiled once for each kind of
// processor.
#ifndef KERNELS_CODE_KERNEL_H
#define KERNELS_CODE_KERNEL_H

#include "kernels/fast_kernel.h"
#include "attention/quantised.h"

// A DecodeKeys over a CodeKernelRows. What its heads gather on tokens first … is added up for each of `groups`.
typedef struct {
    const QuantisedCache *cache;
    int G;
} CodeKernelRows;

DecodeKeys code_kernel_16, code_kernel_8, code_kernel_neon, code_kernel_4;

#endif
