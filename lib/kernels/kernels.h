// Chapter 15. Every way to compute attention, by name: for flags, tables of timings and tests.
#ifndef KERNELS_KERNELS_H
#define KERNELS_KERNELS_H

#include "attention/attention.h"

typedef struct {
    const char *name;
    AttentionKernel *run;
    const char *what;
    bool rounds; // to 16 bits; the others compute in float32
} AttentionKernelNamed;

// The rungs of chapter 15's ladder come first, in its order; others follow.
extern const AttentionKernelNamed attention_kernels[];
extern const int attention_kernels_count, attention_rungs_count;

const AttentionKernelNamed *attention_kernel(const char *name); // NULL: there is none of this name

#endif
