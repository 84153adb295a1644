// The rungs of chapter 16, as C sees them. One signature: a GpuProblem whose pointers are into the card's memory.
#ifndef KERNELS_H
#define KERNELS_H

#include "gpu_schedule.h"

#ifdef EMULATED
    #include "emulator/runtime.h"
#else
    #include <cuda_runtime_api.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

// Starts the kernel on the default stream and does not wait for it. What it refuses, it answers.
typedef cudaError_t GpuKernel(const GpuProblem *problem);

// first.cu: all pointers are into the CPU's memory. float32; scores (T, S), q (T, d), k (S, d).
cudaError_t gpu_first(float *scores, const float *q, const float *k, int T, int S, int d);

GpuKernel gpu_naive, gpu_tiles;            // any d; scratch: B H T S floats
GpuKernel gpu_online, gpu_mma, gpu_hopper; // d = 64, 128
GpuKernel gpu_decode;                      // d = 64, 128 and T = 1; scratch: decode_scratch floats

int gpu_multiprocessors(void);                                       // of the card in use
int gpu_decode_splits(const GpuProblem *problem);                    // what gpu_decode will use
cudaError_t gpu_decode_split(const GpuProblem *problem, int splits); // gpu_decode with so many, at least one

#ifdef __cplusplus
}
#endif

#endif
