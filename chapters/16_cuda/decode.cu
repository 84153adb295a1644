// Chapter 16, rung 5. One query a head against a cache. The query heads of a group are the rows of one tile, so each
// key is read once for all of them; every warp takes a share of the keys, with buffers and softmax of its own; a second
// kernel merges the shares. [Dao, Haziza, Massa and Sizov 2023, Flash-Decoding]
#include "device.h"

enum { KEY_FRAGMENTS = DECODE_KEYS / 8 };

// What a warp knows of its place.
struct Warp {
    int             b, g, part, split, splits;
    const uint16_t *k, *v;
    uint32_t        shared;
};

template <int d> INLINE void copy_queries(const GpuProblem &p, const Warp &warp, int lane)
{
#pragma unroll
    for (int step = 0; step < gpu_copies(DECODE_ROWS, d, GPU_LANES); step++) {
        GpuPlace place = gpu_copy(lane, step, GPU_LANES, d);
        int h = decode_head(warp.g, warp.part, place.row, p.H, p.G);
        copy_async(warp.shared + 2 * gpu_at(place.row, place.col, d, GPU_SWIZZLE),
                   p.q + gpu_offset(p.q_step, warp.b, gpu_larger(h, 0), 0) + place.col * GPU_CHUNK, h >= 0);
    }
}

template <int d> INLINE void copy_keys(const GpuProblem &p, const Warp &warp, int tile, int lane)
{
    int stage = gpu_stage(tile, DECODE_STAGES);
    copy_rows<d, DECODE_KEYS, GPU_LANES>(warp.shared + 2 * decode_keys_at(stage, d), warp.k, p.kv_step.row,
                                         tile * DECODE_KEYS, p.S, lane);
    copy_rows<d, DECODE_KEYS, GPU_LANES>(warp.shared + 2 * decode_values_at(stage, d), warp.v, p.kv_step.row,
                                         tile * DECODE_KEYS, p.S, lane);
}

// The partial result of each head: its output, divided by its sum, and its logsumexp in powers of two.
template <int d>
INLINE void put_down(const GpuProblem &p, const Warp &warp, const Rows<d, 1> &rows, bool blind, int lane)
{
    int64_t all = decode_partial(p.B, 0, 0, p.H, warp.splits);
#pragma unroll
    for (int half = 0; half < 2; half++) {
        float sum = sum_of_four(rows.sum[0][half]);
        int h = decode_head(warp.g, warp.part, mma_c(lane, 2 * half).row, p.H, p.G);
        if (h < 0) continue;
        float share = blind ? 0.0f : 1.0f / sum;
        int64_t at = decode_partial(warp.b, h, warp.split, p.H, warp.splits);
        float *to = p.scratch + at * d + mma_c(lane, 2 * half).col;
#pragma unroll
        for (int n = 0; n < d / 8; n++)
            *(float2 *)(to + n * 8) = make_float2(rows.out[0][n][2 * half] * share,
                                                  rows.out[0][n][2 * half + 1] * share);
        if (lane % 4 == 0)
            p.scratch[all * d + at] = blind ? GPU_HIDDEN : rows.max[0][half] * p.scale * LOG2E + log2f(sum);
    }
}

template <int d, HalfKind kind>
static __global__ void __launch_bounds__(GPU_THREADS) decode_kernel(GpuProblem p, int splits)
{
    extern __shared__ __align__(256) uint16_t shared[];
    const int lane = threadIdx.x % GPU_LANES, parts = decode_parts(p.H, p.G);
    Warp warp;
    warp.b = blockIdx.z, warp.g = blockIdx.y / parts, warp.part = blockIdx.y % parts, warp.splits = splits;
    warp.split = blockIdx.x * GPU_WARPS + threadIdx.x / GPU_LANES;
    warp.k = p.k + gpu_offset(p.kv_step, warp.b, warp.g, 0);
    warp.v = p.v + gpu_offset(p.kv_step, warp.b, warp.g, 0);
    warp.shared = shared_address(shared) + threadIdx.x / GPU_LANES * decode_shared_of_warp(d);
    const int first = decode_first_tile(warp.split, splits, p.S), end = decode_first_tile(warp.split + 1, splits, p.S);
    Rows<d, 1> rows;
    begin_rows(rows);

    // 1. The queries and the first tiles: a group of copies for each tile, be it empty.
    copy_queries<d>(p, warp, lane);
    for (int n = 0; n < DECODE_STAGES - 1; n++) {
        if (first + n < end) copy_keys<d>(p, warp, first + n, lane);
        copies_commit();
    }

    // 2. Tile by tile. The lanes of a warp wait for each other only.
    for (int tile = first; tile < end; tile++) {
        copies_wait<DECODE_STAGES - 2>();
        __syncwarp();
        if (tile + DECODE_STAGES - 1 < end) copy_keys<d>(p, warp, tile + DECODE_STAGES - 1, lane);
        copies_commit();

        float scores[1][KEY_FRAGMENTS][4];
        int stage = gpu_stage(tile, DECODE_STAGES);
        multiply_scores<d, kind, 1, DECODE_KEYS>(scores, warp.shared, warp.shared + 2 * decode_keys_at(stage, d), lane);
        if (gpu_tile_is_cut(tile, 0, DECODE_KEYS, 1, p.S, false)) {
#pragma unroll
            for (int e = 0; e < KEY_FRAGMENTS * 4; e++)
                if (tile * DECODE_KEYS + e / 4 * 8 + mma_c(lane, e % 4).col >= p.S)
                    scores[0][e / 4][e % 4] = GPU_HIDDEN;
        }
        soften(rows, scores, p.scale * LOG2E);
        multiply_values<d, kind, 1, DECODE_KEYS>(rows.out, scores, warp.shared + 2 * decode_values_at(stage, d), lane);
    }

    // 3. Out.
    copies_wait<0>();
    put_down(p, warp, rows, first == end, lane);
}

// A block a head, a thread a channel.
template <int d, HalfKind kind> static __global__ void __launch_bounds__(d) merge_kernel(GpuProblem p, int splits)
{
    int h = blockIdx.x, b = blockIdx.y, c = threadIdx.x;
    const float *partial = p.scratch + decode_partial(b, h, 0, p.H, splits) * d + c;
    const float *lse = p.scratch + decode_partial(p.B, 0, 0, p.H, splits) * d + decode_partial(b, h, 0, p.H, splits);
    float max = GPU_HIDDEN, sum = 0.0f, out = 0.0f;
    bool blind = p.S == 0;
    for (int s = 0; s < splits; s++) max = fmaxf(max, lse[s]);
    for (int s = 0; s < splits; s++) {
        float weight = exp2_fast(lse[s] - max);
        sum += weight;
        out += weight * partial[(int64_t)s * d];
    }
    p.out[gpu_offset(p.out_step, b, h, 0) + c] = rounded<kind>(blind ? 0.0f : out / sum);
    if (p.lse && c == 0) p.lse[(int64_t)b * p.H + h] = blind ? -INFINITY : (max + log2f(sum)) * LN2;
}

extern "C" int gpu_decode_splits(const GpuProblem *p)
{
    return decode_splits(p->B, p->H, p->G, p->S, gpu_multiprocessors());
}

template <int d, HalfKind kind> static cudaError_t run(const GpuProblem *p)
{
    int splits = gpu_decode_splits(p), bytes = GPU_WARPS * decode_shared_of_warp(d);
    auto *kernel = decode_kernel<d, kind>;
    cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (error) return error;
    dim3 blocks(splits / GPU_WARPS, p->G * decode_parts(p->H, p->G), p->B);
    kernel<<<blocks, GPU_THREADS, bytes>>>(*p, splits);
    merge_kernel<d, kind><<<dim3(p->H, p->B), d>>>(*p, splits);
    return cudaGetLastError();
}

extern "C" cudaError_t gpu_decode(const GpuProblem *p)
{
    if (p->T != 1) return cudaErrorInvalidValue;
    if (p->d == 64) return p->kind == BFLOAT16 ? run<64, BFLOAT16>(p) : run<64, FLOAT16>(p);
    if (p->d == 128) return p->kind == BFLOAT16 ? run<128, BFLOAT16>(p) : run<128, FLOAT16>(p);
    return cudaErrorInvalidValue;
}
