// Chapter 25. The products that are compiled once for each instruction set (simd.h); fast.h says which one is in use.
#ifndef KERNELS_WEIGHT_KERNEL_H
#define KERNELS_WEIGHT_KERNEL_H

#include "kernels/activation.h"
#include "kernels/weight.h"

// What the terms of a product are while they are multiplied.
//   FLOATS   x (n, in) as it is
//   PAIRS    x (n, in / 2): pairs of bf16, for VDPBF16PS
//   TURNED   x (n, in or one more): the same as floats, of each pair the second first, and 0 where it has none: so the
//            sums are made in the order of that instruction. A product of two bf16 is exact in float32, so that it and
//            its sum are rounded once, as there
typedef enum { TERMS_FLOATS, TERMS_PAIRS, TERMS_TURNED } Terms;

typedef struct {
    int width;   // outputs at a time, in one panel or a few
    size_t room; // floats of scratch for them

    // out (n, count) += x · some outputs of w, count ≤ width. Those are packed into `room` a part at a time, and all
    // rows of x pass by. PAIRS and TURNED are for weights of bf16; PAIRS for vectors of 16, an even `in`, and not for
    // (in, out) in runs.
    void (*panel)(Mat out, Mat x, Weight w, int first, int count, float *room, Terms terms);

    // x rounded to bf16: as FLOATS, to (n, in), or as the others, as wide as said above.
    void (*round)(Mat to, Mat x, Terms terms);

    // The same for few rows, which pass by the weights where they stand; any count. Not for (in, out) in runs.
    void (*in_place)(Mat out, Mat x, Weight w, int first, int count);

    void (*activate)(float *x, int n, Activation f); // x = f(x)
} WeightKernel;

extern const WeightKernel weight_kernel_avx512, weight_kernel_avx2, weight_kernel_neon, weight_kernel_generic;
const WeightKernel *weight_kernel(void); // the one for the kind in use

// Where output o of a weight begins.
static inline const unsigned char *weight_output(Weight w, int o)
{
    return w.at + (w.run ? o / w.run * w.run_step + o % w.run * w.out_step : o * w.out_step);
}

// Does each output stand as a row of numbers that are neighbours?
static inline bool weight_by_rows(Weight w) { return w.in_step == (ptrdiff_t)dtype_size(w.stored); }

#endif
