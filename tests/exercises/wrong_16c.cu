// Exercise 16c, solved wrongly: number WRONG of these gets this answer.
//
// 1: which nobody has written
// 2: which nobody has written
// 3: race in my_softmax
// 4: race in my_softmax
// 5: race in my_softmax
// 6: race in my_softmax: a load
// 7: which nobody has written
// 8: a row takes 5 barriers
// 9: deadlock in my_softmax
// 10: the division is gone
// 11: are not those of the scores
// 12: out of bounds
// 13: which nobody has written
// 14: are not those of the scores
// 15: 20 threads of 128 wait for each other
// 6, HINT=2: And does every thread come to each barrier
// 9, HINT=2: does every thread come to this barrier, and equally often
#include "exercises/wrong.h"

enum { THREADS = 128, WARPS = 4 };

// Over the 32 lanes of a warp, in all of them.
static __device__ float over_warp(float x, bool largest)
{
    for (int bits = 16; bits; bits /= 2) {
        float other = __shfl_xor_sync(0xFFFFFFFF, x, bits);
        x = largest ? fmaxf(x, other) : x + other;
    }
    return x;
}

// weights, scores (rows, S)
static __global__ void my_softmax(float *weights, const float *scores, int rows, int S, int how)
{
    __shared__ float parts[WARPS];
    int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
    if (how == 15 && thread >= S) return;

    for (int row = blockIdx.x; row < rows; row += gridDim.x) {
        const float *score = scores + row * S;
        float *weight = weights + row * S;
        float max = -INFINITY, sum = 0.0f;

        // 1. The largest score of the row.
        for (int j = thread; j < S; j += THREADS) max = fmaxf(max, score[j]);
        max = over_warp(max, true);
        if (how == 13) __syncthreads();
        if (lane == 0) {
            parts[warp] = max;
            if (how == 6) __syncthreads();
        }
        if (how == 7) __syncwarp();
        if (how != 1 && how != 2 && how != 6 && how != 7 && how != 13) __syncthreads();
        for (int w = 0; w < WARPS; w++) max = fmaxf(max, parts[w]);
        if (how != 1 && how != 3) __syncthreads();

        // 2. The sum of the weights.
        for (int j = thread; j < S; j += THREADS) sum += expf(score[j] - max);
        sum = over_warp(sum, false);
        if (lane == 0) parts[warp] = sum;
        if (how != 1 && how != 4) __syncthreads();
        sum = 0.0f;
        for (int w = 0; w < WARPS; w++) sum += parts[w];
        if (how != 1 && how != 5) __syncthreads();
        if (how == 8) __syncthreads();
        if (how == 14 && warp == 3) sum = 0.0f;

        // 3. The weights.
        for (int j = thread; j < S + (how == 12) && how != 11; j += THREADS) {
            weight[j] = expf(score[j] - max) / (how == 10 ? 1.0f : sum);
            if (how == 9) __syncthreads();
        }
    }
}

// What the checker calls; all pointers are into the card's memory.
extern "C" void my_launch(float *weights, const float *scores, int rows, int S, int blocks)
{
    my_softmax<<<blocks, THREADS>>>(weights, scores, rows, S, wrong());
}
