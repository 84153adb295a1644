// Chapter 16, rung 5. One query a head against a cache. The query heads of a group are the rows of one tile, so each
// key is read once for all of them; every warp takes a share of the keys, with buffers and softmax of its own. A block
// merges those of its four warps, a second kernel those of the blocks. [Dao et al. 2023, Flash-Decoding]
#include "device.h"

enum { KEY_FRAGMENTS = DECODE_KEYS / 8, MERGE_WAYS = 8 };

// What a warp knows of its place: its block has split `split` of `splits`, itself a share of that.
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

// ---- four warps' shares become one

// In the shared memory of a warp, where its tiles were: outputs (16, d), then logsumexps in powers of two.
template <int d> INLINE void put_down(float *to, const Rows<d, 1> &rows, bool blind, float scale, int lane)
{
#pragma unroll
    for (int half = 0; half < 2; half++) {
        const int row = mma_c(lane, 2 * half).row;
        float sum = sum_of_four(rows.sum[0][half]), share = blind ? 0.0f : 1.0f / sum;
#pragma unroll
        for (int n = 0; n < d / 8; n++)
            *(float2 *)(to + row * d + n * 8 + mma_c(lane, 2 * half).col) =
                make_float2(rows.out[0][n][2 * half] * share, rows.out[0][n][2 * half + 1] * share);
        if (lane % 4 == 0) to[DECODE_ROWS * d + row] = blind ? GPU_HIDDEN : rows.max[0][half] * scale + log2f(sum);
    }
}

// A thread a channel, or several: one head after the other. A block that has all keys writes what is asked for, others
// their partial results.
template <int d, HalfKind kind> INLINE void put_together(const GpuProblem &p, const Warp &warp, const float *all)
{
    const int step = decode_shared_of_warp(d) / sizeof(float);
    for (int n = threadIdx.x; n < DECODE_ROWS * d; n += GPU_THREADS) {
        const int row = n / d, c = n % d, h = decode_head(warp.g, warp.part, row, p.H, p.G);
        if (h < 0) continue;
        float max = GPU_HIDDEN, sum = 0.0f, out = 0.0f;
#pragma unroll
        for (int w = 0; w < GPU_WARPS; w++) max = fmaxf(max, all[w * step + DECODE_ROWS * d + row]);
#pragma unroll
        for (int w = 0; w < GPU_WARPS; w++) {
            float weight = exp2_fast(all[w * step + DECODE_ROWS * d + row] - max);
            sum += weight;
            out += weight * all[w * step + n];
        }
        if (warp.splits == 1) {
            p.out[gpu_offset(p.out_step, warp.b, h, 0) + c] = rounded<kind>(p.S ? out / sum : 0.0f);
            if (p.lse && c == 0) p.lse[(int64_t)warp.b * p.H + h] = p.S ? (max + log2f(sum)) * LN2 : -INFINITY;
        } else {
            int64_t at = decode_partial(warp.b, h, warp.split, p.H, warp.splits);
            p.scratch[at * d + c] = out / sum;
            if (c == 0) p.scratch[decode_partial(p.B, 0, 0, p.H, warp.splits) * d + at] = max + log2f(sum);
        }
    }
}

template <int d, HalfKind kind>
static __global__ void __launch_bounds__(GPU_THREADS) decode_kernel(GpuProblem p, int splits)
{
    extern __shared__ __align__(256) uint16_t shared[];
    const int lane = threadIdx.x % GPU_LANES, parts = decode_parts(p.H, p.G);
    Warp warp;
    warp.b = blockIdx.z, warp.g = blockIdx.y / parts, warp.part = blockIdx.y % parts, warp.splits = splits;
    warp.split = blockIdx.x;
    warp.k = p.k + gpu_offset(p.kv_step, warp.b, warp.g, 0);
    warp.v = p.v + gpu_offset(p.kv_step, warp.b, warp.g, 0);
    warp.shared = shared_address(shared) + threadIdx.x / GPU_LANES * decode_shared_of_warp(d);
    const int share = warp.split * GPU_WARPS + threadIdx.x / GPU_LANES, shares = splits * GPU_WARPS;
    const int first = decode_first_tile(share, shares, p.S), end = decode_first_tile(share + 1, shares, p.S);
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

    // 3. Out: of the warp, of the block.
    copies_wait<0>();
    __syncwarp();
    float *all = (float *)shared;
    put_down(all + threadIdx.x / GPU_LANES * (decode_shared_of_warp(d) / sizeof(float)), rows, first == end,
             p.scale * LOG2E, lane);
    __syncthreads();
    put_together<d, kind>(p, warp, all);
}

// A block a head; a thread a channel, and of the splits every MERGE_WAYS-th one.
template <int d, HalfKind kind> static __global__ void __launch_bounds__(d * MERGE_WAYS) merge_kernel(GpuProblem p,
                                                                                                      int splits)
{
    __shared__ float sums[MERGE_WAYS], outs[MERGE_WAYS][d], maxima[MERGE_WAYS];
    int h = blockIdx.x, b = blockIdx.y, c = threadIdx.x, way = threadIdx.y;
    const float *partial = p.scratch + decode_partial(b, h, 0, p.H, splits) * d + c;
    const float *lse = p.scratch + decode_partial(p.B, 0, 0, p.H, splits) * d + decode_partial(b, h, 0, p.H, splits);

    // 1. Each way for itself.
    float max = GPU_HIDDEN, sum = 0.0f, out = 0.0f;
    for (int s = way; s < splits; s += MERGE_WAYS) max = fmaxf(max, lse[s]);
#pragma unroll 4
    for (int s = way; s < splits; s += MERGE_WAYS) {
        float weight = exp2_fast(lse[s] - max);
        sum += weight;
        out += weight * partial[(int64_t)s * d];
    }
    outs[way][c] = out;
    if (c == 0) {
        sums[way] = sum;
        maxima[way] = max;
    }
    __syncthreads();

    // 2. All ways together.
    if (way > 0) return;
    max = GPU_HIDDEN;
    sum = out = 0.0f;
    for (int w = 0; w < MERGE_WAYS; w++) max = fmaxf(max, maxima[w]);
    for (int w = 0; w < MERGE_WAYS; w++) {
        float weight = exp2_fast(maxima[w] - max);
        sum += weight * sums[w];
        out += weight * outs[w][c];
    }
    p.out[gpu_offset(p.out_step, b, h, 0) + c] = rounded<kind>(out / sum);
    if (p.lse && c == 0) p.lse[(int64_t)b * p.H + h] = (max + log2f(sum)) * LN2;
}

extern "C" int gpu_decode_splits(const GpuProblem *p)
{
    return decode_splits(p->B, p->H, p->G, p->S, gpu_multiprocessors());
}

template <int d, HalfKind kind> static cudaError_t run(const GpuProblem *p, int splits)
{
    int bytes = decode_shared(d);
    auto *kernel = decode_kernel<d, kind>;
    cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (error) return error;
    dim3 blocks(splits, p->G * decode_parts(p->H, p->G), p->B);
    kernel<<<blocks, GPU_THREADS, bytes>>>(*p, splits);
    if (splits > 1) merge_kernel<d, kind><<<dim3(p->H, p->B), dim3(d, MERGE_WAYS)>>>(*p, splits);
    return cudaGetLastError();
}

extern "C" cudaError_t gpu_decode_split(const GpuProblem *p, int splits)
{
    if (p->T != 1 || splits < 1) return cudaErrorInvalidValue;
    if (p->d == 64) return p->kind == HALF_BFLOAT16 ? run<64, HALF_BFLOAT16>(p, splits) : run<64, HALF_FLOAT16>(p, splits);
    if (p->d == 128) return p->kind == HALF_BFLOAT16 ? run<128, HALF_BFLOAT16>(p, splits) : run<128, HALF_FLOAT16>(p, splits);
    return cudaErrorInvalidValue;
}

extern "C" cudaError_t gpu_decode(const GpuProblem *p) { return gpu_decode_split(p, gpu_decode_splits(p)); }
