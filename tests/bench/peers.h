// The others: attention over OpenBLAS's sgemm, and PyTorch. What is not there is left out, and the reason is given.
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include "attention/attention.h"

// One thread, contiguous heads, no mask but causal. NULL: built without OpenBLAS.
extern AttentionKernel *const sgemm_naive;           // all scores, softmax row by row, all outputs
extern AttentionKernel *const sgemm_tiles;           // as PyTorch does it on CPUs: 256 queries × 512 keys at a time

void        sgemm_settle(char **argv);               // first of all: starts anew where the environment slows OpenBLAS
const char *sgemm_core(void);                        // whose kernels OpenBLAS uses; NULL: it is not there

// PyTorch's scaled_dot_product_attention in a python3 of its own ($PYTHON, if set): sdpa.py on one thread, and for
// chapter 16 ../cuda/sdpa.py on a GPU. Below 0: Python is gone, or has not got what was asked for.
typedef struct Torch Torch;
Torch *torch_start(const char *script, char *why, int room);   // of this folder; NULL: `why` says what is missing
double torch_ask(Torch *torch, const char *command);           // a line; the number that is answered
double torch_shape(Torch *torch, int H, int T, int S, int d, bool causal);   // for the runs to come; its error against float64
double torch_run(void *torch);                       // one head; seconds of thread time. Below 0: Python is gone
void   torch_stop(Torch *torch);                     // NULL is allowed

#endif
