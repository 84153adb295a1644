// Chapter 16, before the first rung: one kernel with all that the CPU has to do around it.
#include "kernels.h"

#include "first.h"

// q, k and scores lie in the CPU's memory; the card works on copies in its own.
extern "C" cudaError_t gpu_first(float *scores, const float *q, const float *k, int T, int S, int d)
{
    float *q_there, *k_there, *scores_there;
    size_t q_bytes = sizeof(float) * T * d, k_bytes = sizeof(float) * S * d, bytes = sizeof(float) * T * S;
    cudaError_t error = cudaMalloc(&q_there, q_bytes + k_bytes + bytes);
    if (error) return error;
    k_there = q_there + T * d;
    scores_there = k_there + S * d;
    cudaMemcpy(q_there, q, q_bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(k_there, k, k_bytes, cudaMemcpyHostToDevice);

    int threads = 32, blocks = (T * S + threads - 1) / threads;
    first_scores<<<blocks, threads>>>(scores_there, q_there, k_there, T, S, d);
    error = cudaGetLastError();

    if (!error) error = cudaMemcpy(scores, scores_there, bytes, cudaMemcpyDeviceToHost);     // waits for the kernel
    cudaFree(q_there);
    return error;
}
