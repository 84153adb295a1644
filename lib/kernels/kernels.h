// Every way to compute attention, by name: for flags, tables of timings and tests.
#ifndef KERNELS_KERNELS_H
#define KERNELS_KERNELS_H

#include "attention/attention.h"

// What a kernel computes: out = f(q kᵀ / √d + mask) v.
typedef enum { ATTENTION_SOFTMAX } AttentionFunction;

typedef struct {
    const char *name;
    AttentionKernel *run;
    const char *what;
    AttentionFunction function;
    bool rung;   // belongs to the ladder, in the order of the list
    bool rounds; // computes with 16-bit inputs; the others use float32
} AttentionKernelNamed;

extern const AttentionKernelNamed attention_kernels[];
extern const int attention_kernels_count;

const AttentionKernelNamed *attention_kernel(const char *name);  // NULL: no kernel has this name
const AttentionKernelNamed *attention_rung(int n);               // NULL: the ladder has at most n rungs
bool attention_kernel_exact(const AttentionKernelNamed *kernel); // does it compute softmax attention, in float32?

#endif
