// Chapter 16, rung 2. The same table, but both products work on tiles in shared memory: a number that was fetched
// serves sixteen threads.
#include "device.h"

#ifndef MORE
#define MORE 1                                       // columns: with one more, rows begin in different banks
#endif

enum { SIDE = 16 };                                  // a tile is SIDE × SIDE, one thread for each number

cudaError_t gpu_soften_table(const GpuProblem *p);   // naive.cu

// Queries blockIdx.y, keys blockIdx.x, sequence and head blockIdx.z. Both tiles are a few channels wide.
template <HalfKind kind> static __global__ void score_tiles(GpuProblem p)
{
    __shared__ float q[SIDE][SIDE + MORE], k[SIDE][SIDE + MORE];
    int x = threadIdx.x, y = threadIdx.y, b = blockIdx.z / p.H, h = blockIdx.z % p.H, g = gpu_key_head(h, p.H, p.G);
    int i = blockIdx.y * SIDE + y, j = blockIdx.x * SIDE + x, key = blockIdx.x * SIDE + y;
    float score = 0.0f;
    for (int c = x; c - x < p.d; c += SIDE) {             // all threads go round equally often: all must meet
        q[y][x] = i < p.T && c < p.d ? value_of<kind>(p.q[gpu_offset(p.q_step, b, h, i) + c]) : 0.0f;
        k[y][x] = key < p.S && c < p.d ? value_of<kind>(p.k[gpu_offset(p.kv_step, b, g, key) + c]) : 0.0f;
        __syncthreads();
        for (int n = 0; n < SIDE; n++) score += q[y][n] * k[x][n];
        __syncthreads();
    }
    if (i >= p.T || j >= p.S) return;
    p.scratch[((int64_t)blockIdx.z * p.T + i) * p.S + j] =
        j < gpu_keys_seen(i, p.T, p.S, p.causal) ? score * p.scale : -INFINITY;
}

// Queries blockIdx.y, channels blockIdx.x. Both tiles are a few keys long.
template <HalfKind kind> static __global__ void mix_tiles(GpuProblem p)
{
    __shared__ float weights[SIDE][SIDE + MORE], v[SIDE][SIDE + MORE];
    int x = threadIdx.x, y = threadIdx.y, b = blockIdx.z / p.H, h = blockIdx.z % p.H, g = gpu_key_head(h, p.H, p.G);
    int i = blockIdx.y * SIDE + y, c = blockIdx.x * SIDE + x;
    float sum = 0.0f;
    for (int first = 0; first < p.S; first += SIDE) {
        int across = first + x, down = first + y;
        weights[y][x] = i < p.T && across < p.S ? p.scratch[((int64_t)blockIdx.z * p.T + i) * p.S + across] : 0.0f;
        v[y][x] = down < p.S && c < p.d ? value_of<kind>(p.v[gpu_offset(p.kv_step, b, g, down) + c]) : 0.0f;
        __syncthreads();
        for (int n = 0; n < SIDE; n++) sum += weights[y][n] * v[n][x];
        __syncthreads();
    }
    if (i < p.T && c < p.d) p.out[gpu_offset(p.out_step, b, h, i) + c] = rounded<kind>(sum);
}

template <HalfKind kind> static cudaError_t run(const GpuProblem *p)
{
    dim3 threads(SIDE, SIDE), scores(gpu_parts(p->S, SIDE), gpu_parts(p->T, SIDE), p->B * p->H);
    dim3 outputs(gpu_parts(p->d, SIDE), gpu_parts(p->T, SIDE), p->B * p->H);
    if (scores.x && scores.y && scores.z) score_tiles<kind><<<scores, threads>>>(*p);
    cudaError_t error = gpu_soften_table(p);
    if (outputs.x && outputs.y && outputs.z) mix_tiles<kind><<<outputs, threads>>>(*p);
    return error ? error : cudaGetLastError();
}

extern "C" cudaError_t gpu_tiles(const GpuProblem *p)
{
    return p->kind == HALF_BFLOAT16 ? run<HALF_BFLOAT16>(p) : run<HALF_FLOAT16>(p);
}
