// Chapter 16, rung 3. Chapter 14's kernel: no table. 32 queries past tiles of 32 keys, which lie in shared memory; four
// threads share a query, each has every fourth group of four channels of it, and of its output.
#include "device.h"

enum { QUERIES = GPU_THREADS / 4, KEYS = 32 };

// What a tile holds, widened to float32. Rows from `end` on are 0.
template <int d, HalfKind kind>
INLINE void fetch(float (*tile)[d], const uint16_t *from, int64_t row_step, int first, int end)
{
    for (int n = threadIdx.x; n < KEYS * d / 2; n += GPU_THREADS) {
        int row = 2 * n / d, c = 2 * n % d;
        uint32_t two = first + row < end ? *(const uint32_t *)(from + (first + row) * row_step + c) : 0;
        tile[row][c] = value_of<kind>(two & 0xFFFF);
        tile[row][c + 1] = value_of<kind>(two >> 16);
    }
}

// What the four threads have of a row: channels 16 n + 4 part … + 3.
template <int d> INLINE int channel(int part, int e) { return e / 4 * 16 + part * 4 + e % 4; }

template <int d, HalfKind kind> static __global__ void __launch_bounds__(GPU_THREADS, 2)   // registers for two blocks
online_kernel(GpuProblem p)
{
    __shared__ __align__(16) float k[KEYS][d], v[KEYS][d];
    GpuWork work = gpu_work(blockIdx.x, gpu_parts(p.T, QUERIES), p.H, p.B, p.causal);
    int g = gpu_key_head(work.head, p.H, p.G), part = threadIdx.x % 4, i = work.tile * QUERIES + threadIdx.x / 4;
    const uint16_t *q = p.q + gpu_offset(p.q_step, work.batch, work.head, gpu_smaller(i, p.T - 1));
    int seen = gpu_keys_seen(gpu_smaller(i, p.T - 1), p.T, p.S, p.causal);
    int tiles = gpu_tiles_seen(work.tile * QUERIES, QUERIES, KEYS, p.T, p.S, p.causal);
    float query[d / 4], out[d / 4], max = GPU_HIDDEN, sum = 0.0f, scale = p.scale * LOG2E;
#pragma unroll
    for (int e = 0; e < d / 4; e++) query[e] = value_of<kind>(q[channel<d>(part, e)]), out[e] = 0.0f;

    for (int tile = 0; tile < tiles; tile++) {
        // 1. Keys and values into shared memory, as floats.
        __syncthreads();
        fetch<d, kind>(k, p.k + gpu_offset(p.kv_step, work.batch, g, 0), p.kv_step.row, tile * KEYS, p.S);
        fetch<d, kind>(v, p.v + gpu_offset(p.kv_step, work.batch, g, 0), p.kv_step.row, tile * KEYS, p.S);
        __syncthreads();

        // 2. The tile's scores and the new maximum. Hidden is −10³⁰, not −∞: −∞ − (−∞) is NaN.
        float scores[KEYS], before = max;
#pragma unroll
        for (int j = 0; j < KEYS; j++) {
            float score = 0.0f;
#pragma unroll
            for (int e = 0; e < d / 4; e++) score += query[e] * k[j][channel<d>(part, e)];
            score = sum_of_four(score);              // all lanes of the warp take part, whatever they see
            scores[j] = tile * KEYS + j < seen ? score : GPU_HIDDEN;
            max = fmaxf(max, scores[j]);
        }

        // 3. What was summed up is rescaled; the tile's share of sum and out. Weights are 2ˣ, as log₂ e is in `scale`;
        // the base is max · scale, or 0 where all is hidden.
        float rescale = exp2_fast((before - max) * scale), base = gpu_base(max, scale);
        sum *= rescale;
#pragma unroll
        for (int e = 0; e < d / 4; e++) out[e] *= rescale;
#pragma unroll
        for (int j = 0; j < KEYS; j++) {
            float weight = exp2_fast(fmaf(scores[j], scale, -base));
            sum += weight;
#pragma unroll
            for (int e = 0; e < d / 4; e++) out[e] += weight * v[j][channel<d>(part, e)];
        }
    }

    if (i >= p.T) return;
    uint16_t *to = p.out + gpu_offset(p.out_step, work.batch, work.head, i);
#pragma unroll
    for (int e = 0; e < d / 4; e++) to[channel<d>(part, e)] = rounded<kind>(seen ? out[e] / sum : 0.0f);
    if (p.lse && part == 0)
        p.lse[((int64_t)work.batch * p.H + work.head) * p.T + i] = seen ? max * p.scale + logf(sum) : -INFINITY;
}

template <int d, HalfKind kind> static cudaError_t run(const GpuProblem *p)
{
    int blocks = gpu_parts(p->T, QUERIES) * p->H * p->B;
    if (blocks) online_kernel<d, kind><<<blocks, GPU_THREADS>>>(*p);
    return cudaGetLastError();
}

extern "C" cudaError_t gpu_online(const GpuProblem *p)
{
    if (p->d == 64) return p->kind == HALF_BFLOAT16 ? run<64, HALF_BFLOAT16>(p) : run<64, HALF_FLOAT16>(p);
    if (p->d == 128) return p->kind == HALF_BFLOAT16 ? run<128, HALF_BFLOAT16>(p) : run<128, HALF_FLOAT16>(p);
    return cudaErrorInvalidValue;
}
