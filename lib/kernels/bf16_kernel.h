// Chapter 15. The kernel in bf16, which is compiled once for each instruction set (simd.h).
#ifndef KERNELS_BF16_KERNEL_H
#define KERNELS_BF16_KERNEL_H

#include "kernels/bf16_tiles.h"

typedef void Bf16Kernel(const Bf16TileEngine *engine, Attended to, Mat q, Mat k, Mat v, Mask mask);

Bf16Kernel bf16_kernel_avx512, bf16_kernel_avx2, bf16_kernel_neon, bf16_kernel_generic;

#endif
