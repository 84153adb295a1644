// What the card's memories give, by themselves: numbers one after the other, as many as they can at once, and how fast
// the multiprocessors' clock goes meanwhile. The yardsticks of this chapter.
#include "kernels.h"

#include <stddef.h>
#include <stdint.h>

// ---- as much as they can

static __global__ void read_all(const uint4 *from, size_t count, float *sums)
{
    uint32_t sum = 0;
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t n = (size_t)blockIdx.x * blockDim.x + threadIdx.x; n < count; n += 4 * step) {
        uint4 four[4] = {};
#pragma unroll
        for (int e = 0; e < 4; e++)
            if (n + e * step < count) four[e] = __ldcs(from + n + e * step);
#pragma unroll
        for (int e = 0; e < 4; e++) sum += four[e].x ^ four[e].y ^ four[e].z ^ four[e].w;
    }
    if (sum == 0x12345678) sums[0] = 1;              // hardly ever, but the compiler cannot know
}

extern "C" cudaError_t gpu_read(const void *from, size_t bytes, float *sums)
{
    read_all<<<8 * gpu_multiprocessors(), 256>>>((const uint4 *)from, bytes / sizeof(uint4), sums);
    return cudaGetLastError();
}

// What the L2 cache holds, `rounds` times: each block goes through all of it from a place of its own, and round again.
// `count` is a power of two.
static __global__ void read_again(const uint4 *from, uint32_t count, int rounds, float *sums)
{
    uint32_t sum = 0, at = blockIdx.x * (count / gridDim.x) + threadIdx.x;
    for (int round = 0; round < rounds; round++) {
        uint4 four[4];
#pragma unroll
        for (int e = 0; e < 4; e++) four[e] = __ldcg(from + (at + e * blockDim.x) % count);    // past the L1 cache
#pragma unroll
        for (int e = 0; e < 4; e++) sum += four[e].x ^ four[e].y ^ four[e].z ^ four[e].w;
        at += 4 * blockDim.x;
    }
    if (sum == 0x12345678) sums[0] = 1;
}

extern "C" cudaError_t gpu_read_again(const void *from, size_t bytes, int rounds, float *sums, double *read)
{
    const int blocks = 8 * gpu_multiprocessors(), threads = 256;
    read_again<<<blocks, threads>>>((const uint4 *)from, (uint32_t)(bytes / sizeof(uint4)), rounds, sums);
    *read = 4.0 * sizeof(uint4) * rounds * blocks * threads;
    return cudaGetLastError();
}

// ---- one after the other: every number says where the next one lies

template <bool near> static __global__ void follow(const uint64_t *at, int warm, int steps, int64_t *cycles)
{
    for (int n = 0; n < warm; n++) at = (const uint64_t *)(near ? __ldca(at) : __ldcg(at));
    const int64_t began = clock64();
    for (int n = 0; n < steps; n++) at = (const uint64_t *)(near ? __ldca(at) : __ldcg(at));
    cycles[0] = clock64() - began;
    cycles[1] = (int64_t)at;                         // so that the compiler cannot leave the loop out
}

// In shared memory places count from its beginning, in bytes; `nodes` of them are four bytes apart.
static __global__ void follow_shared(const uint32_t *next, int nodes, int steps, int64_t *cycles)
{
    extern __shared__ uint32_t places[];
    for (int n = 0; n < nodes; n++) places[n] = next[n];
    uint32_t at = 0;
    const int64_t began = clock64();
    for (int n = 0; n < steps; n++) at = *(const uint32_t *)((const char *)places + at);
    cycles[0] = clock64() - began;
    cycles[1] = at;
}

extern "C" cudaError_t gpu_follow(const uint64_t *first, bool near, int warm, int steps, int64_t *cycles)
{
    if (near) follow<true><<<1, 1>>>(first, warm, steps, cycles);
    else follow<false><<<1, 1>>>(first, warm, steps, cycles);
    return cudaGetLastError();
}

extern "C" cudaError_t gpu_follow_shared(const uint32_t *next, int nodes, int steps, int64_t *cycles)
{
    follow_shared<<<1, 1, 4 * nodes>>>(next, nodes, steps, cycles);
    return cudaGetLastError();
}

// ---- the clock

static __global__ void look(int64_t *clocks)
{
    uint32_t multiprocessor;
    int64_t nanoseconds;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
    clocks[2 * multiprocessor] = clock64();
    clocks[2 * multiprocessor + 1] = nanoseconds;
}

extern "C" cudaError_t gpu_look(int64_t *clocks)
{
    look<<<gpu_multiprocessors(), 1024>>>(clocks);
    return cudaGetLastError();
}
