// Chapter 25. The products that are compiled once for each instruction set (simd.h); see fast_kinds in fast.h.
#ifndef KERNELS_WEIGHT_KERNEL_H
#define KERNELS_WEIGHT_KERNEL_H

#include "kernels/activation.h"
#include "kernels/weight.h"

// The form of x in a product.
//   FLOATS   x (n, in) in float32
//   PAIRS    x (n, in / 2): pairs of bf16, for VDPBF16PS
//   TURNED   x (n, in rounded up to even): bf16 values as float32, the two of each pair swapped, padded with 0. The sums
//            then follow the order of VDPBF16PS. A product of two bf16 is exact in float32, so it and its sum are
//            rounded once, as in that instruction
typedef enum { TERMS_FLOATS, TERMS_PAIRS, TERMS_TURNED } Terms;

typedef struct {
    int width;   // outputs of one call, in one panel or a few
    size_t room; // floats of scratch for packed panels

    // out (n, count) += x · outputs first … first + count − 1 of w, count ≤ width. Packs the weights into `room`, some
    // inputs at a time, and multiplies all rows of x by them. PAIRS and TURNED require bf16 weights; PAIRS also
    // requires vectors of 16, an even `in`, and no runs in (in, out).
    void (*panel)(Mat out, Mat x, Weight w, int first, int count, float *room, Terms terms);

    // x rounded to bf16, in the given form and width.
    void (*round)(Mat to, Mat x, Terms terms);

    // The same for few rows of x, without packing; any count. Not for runs in (in, out).
    void (*in_place)(Mat out, Mat x, Weight w, int first, int count);

    void (*activate)(float *x, int n, Activation f); // x = f(x)
} WeightKernel;

extern const WeightKernel weight_kernel_avx512, weight_kernel_avx2, weight_kernel_neon, weight_kernel_generic;
const WeightKernel *weight_kernel(void); // of the instruction set in use

// The address of output o.
static inline const unsigned char *weight_output(Weight w, int o)
{
    return w.at + (w.run ? o / w.run * w.run_step + o % w.run * w.out_step : o * w.out_step);
}

// Is each output a contiguous row?
static inline bool weight_by_rows(Weight w) { return w.in_step == (ptrdiff_t)dtype_size(w.stored); }

#endif
