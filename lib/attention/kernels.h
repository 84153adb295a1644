// Chapter 15. Every way to compute attention, by name: for flags, tables of timings and tests.
#ifndef ATTENTION_KERNELS_H
#define ATTENTION_KERNELS_H

#include "attention/attention.h"

typedef struct { const char *name; AttentionKernel *run; } NamedKernel;

extern const NamedKernel attention_kernels[];
extern const int attention_kernels_count;

AttentionKernel *attention_kernel(const char *name);             // NULL: there is none of this name

#endif
