// A peer: attention over OpenBLAS's sgemm. Where OpenBLAS is not there it is left out.
#ifndef BENCH_SGEMM_H
#define BENCH_SGEMM_H

#include "attention/attention.h"

// One thread, contiguous heads, no mask but causal. NULL: built without OpenBLAS.
extern AttentionKernel *const sgemm_naive; // all scores, softmax row by row, all outputs
extern AttentionKernel *const sgemm_tiles; // as PyTorch does it on CPUs: 256 queries × 512 keys at a time

void sgemm_settle(char **argv);  // first of all: starts anew where the environment slows OpenBLAS
const char *sgemm_core(void);    // whose kernels OpenBLAS uses; NULL: it is not there
const char *sgemm_version(void); // "OpenBLAS 0.3.21"; NULL too

#endif
