// Chapter 16, step 3: the first kernel once more, with the keys the other way round. For the emulator.
#include "kernels.h"

// first_scores, but the keys lie channel by channel: k (d, S).
static __global__ void turned_scores(float *scores, const float *q, const float *k, int T, int S, int d)
{
    int n = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (n >= T * S) return;
    int i = n / S, j = n % S;
    float sum = 0.0f;
    for (int c = 0; c < d; c++) sum += q[i * d + c] * k[c * S + j];
    scores[n] = sum / sqrtf((float)d);
}

// All pointers are into the card's memory.
extern "C" cudaError_t gpu_turned(float *scores, const float *q, const float *k, int T, int S, int d)
{
    int threads = 32, blocks = (T * S + threads - 1) / threads;
    turned_scores<<<blocks, threads>>>(scores, q, k, T, S, d);
    return cudaGetLastError();
}
