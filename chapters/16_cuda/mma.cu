// Chapter 16, rung 4. Tensor cores: mma.sync on tiles of 128 queries and 64 keys, four warps, two buffers of keys and
// values. [Dao 2023, arXiv:2307.08691]
//
// Scores and values must be finite: a hidden value that is NaN is multiplied by 0 and felt. The rest is chapter 14's.
#include "device.h"

enum { M = WARP_QUERIES / 16, KEY_FRAGMENTS = MMA_KEYS / 8 };

// What a block knows of its place. Chunks of 16 bytes in 32 bits reach 64 GiB.
struct Block {
    uint32_t keys;                                   // where its key head's keys and values begin: in chunks
    uint32_t shared;                                 // queries; keys and values of both buffers
    int      first;                                  // its first query
};

// Asked again rather than kept, like all that follows from it: a thread has no register to spare.
INLINE GpuWork work_of(const GpuProblem &p)
{
    return gpu_work_by(computed_again(blockIdx.x), gpu_parts(p.T, MMA_QUERIES), p.H, p.B, p.causal,
                       gpu_together(p.H, p.G, p.S, p.d));
}

INLINE Block block_new(const GpuProblem &p, const void *shared)
{
    Block block;
    const GpuWork work = work_of(p);
    block.keys = gpu_offset(p.kv_step, work.batch, gpu_key_head(work.head, p.H, p.G), 0) / GPU_CHUNK;
    block.shared = shared_address(shared);
    block.first = work.tile * MMA_QUERIES;
    return block;
}

// Key tiles that somebody in the block sees.
INLINE int tiles_of(const GpuProblem &p, const Block &block)
{
    return gpu_tiles_seen(computed_again(block.first), MMA_QUERIES, MMA_KEYS, p.T, p.S, p.causal);
}

template <int d> INLINE void copy_tile(const GpuProblem &p, const Block &block, const uint16_t *from, int at, int tile)
{
    from += (int64_t)GPU_CHUNK * computed_again(block.keys);
    copy_rows<d, MMA_KEYS, GPU_THREADS>(block.shared + 2 * at, from, p.kv_step.row, tile * MMA_KEYS, p.S, threadIdx.x);
}

template <int d> INLINE void copy_keys(const GpuProblem &p, const Block &block, int tile)
{
    copy_tile<d>(p, block, p.k, mma_keys_at(gpu_stage(tile, MMA_STAGES), d), tile);
}

template <int d> INLINE void copy_values(const GpuProblem &p, const Block &block, int tile)
{
    copy_tile<d>(p, block, p.v, mma_values_at(gpu_stage(tile, MMA_STAGES), d), tile);
}

// A lane puts down pairs of neighbours.
template <int d, HalfKind kind>
INLINE void write_rows(const GpuProblem &p, const GpuWork &work, const Rows<d, M> &rows, int first, int lane)
{
#pragma unroll
    for (int r = 0; r < 2 * M; r++) {
        const int m = r / 2, half = r % 2;
        float sum = sum_of_four(rows.sum[m][half]);
        int i = first + 16 * m + mma_c(lane, 2 * half).row;
        if (i >= p.T) continue;
        bool blind = gpu_keys_seen(i, p.T, p.S, p.causal) == 0;
        float share = blind ? 0.0f : 1.0f / sum;
        uint16_t *to = p.out + gpu_offset(p.out_step, work.batch, work.head, i) + mma_c(lane, 2 * half).col;
#pragma unroll
        for (int n = 0; n < d / 8; n++)
            *(uint32_t *)(to + n * 8) = packed<kind>(rows.out[m][n][2 * half] * share,
                                                     rows.out[m][n][2 * half + 1] * share);
        if (p.lse && lane % 4 == 0)
            p.lse[((int64_t)work.batch * p.H + work.head) * p.T + i] =
                blind ? -INFINITY : rows.max[m][half] * p.scale + logf(sum);
    }
}

// One tile after the other. While it is worked on the next one is on its way, into the other buffer: the barrier says
// that all warps have left it. The first values are a group of copies of their own, which a second barrier is for: even
// a warp that sees nothing takes part in the first tile.
template <int d, HalfKind kind> INLINE void past_keys(const GpuProblem &p, const Block &block, Rows<d, M> &rows,
                                                      int warp, int lane)
{
    for (int tile = 0; tile < tiles_of(p, block); tile++) {
        if (tile == 0) copies_wait<1>();
        else copies_wait<0>();
        __syncthreads();
        if (tile + 1 < tiles_of(p, block)) {
            copy_keys<d>(p, block, tile + 1);
            copy_values<d>(p, block, tile + 1);
        }
        copies_commit();
        const int first = computed_again(block.first) + warp * WARP_QUERIES;
        const int tiles = gpu_tiles_seen(first, WARP_QUERIES, MMA_KEYS, p.T, p.S, p.causal);
        if (tile >= gpu_larger(tiles, 1)) continue;

        float scores[M][KEY_FRAGMENTS][4];
        int stage = gpu_stage(tile, MMA_STAGES);
        multiply_scores<d, kind, M, MMA_KEYS>(scores, block.shared + 2 * warp * WARP_QUERIES * d,
                                              block.shared + 2 * mma_keys_at(stage, d), lane);
        if (gpu_tile_is_cut(tile, first, MMA_KEYS, p.T, p.S, p.causal))
            hide_scores(p, scores, first, tile * MMA_KEYS, lane);
        soften(rows, scores, p.scale * LOG2E);
        if (tile == 0) {
            copies_wait<1>();
            __syncthreads();
        }
        multiply_values<d, kind, M, MMA_KEYS>(rows.out, scores, block.shared + 2 * mma_values_at(stage, d), lane);
    }
}

template <int d, HalfKind kind> static __global__ void __launch_bounds__(GPU_THREADS) mma_kernel(GpuProblem p)
{
    extern __shared__ __align__(256) uint16_t shared[];
    const Block block = block_new(p, shared);
    const int lane = threadIdx.x % GPU_LANES, warp = threadIdx.x / GPU_LANES;
    Rows<d, M> rows;
    begin_rows(rows);

    // 1. The queries and the first keys; the first values.
    const GpuWork work = work_of(p);
    const uint16_t *q = p.q + gpu_offset(p.q_step, work.batch, work.head, 0);
    copy_rows<d, MMA_QUERIES, GPU_THREADS>(block.shared, q, p.q_step.row, block.first, p.T, threadIdx.x);
    if (tiles_of(p, block) > 0) copy_keys<d>(p, block, 0);
    copies_commit();
    if (tiles_of(p, block) > 0) copy_values<d>(p, block, 0);
    copies_commit();

    // 2. All keys that somebody in the block sees.
    past_keys<d, kind>(p, block, rows, warp, lane);

    // 3. Out.
    copies_wait<0>();
    write_rows<d, kind>(p, work_of(p), rows, block.first + warp * WARP_QUERIES, lane);
}

template <int d, HalfKind kind> static cudaError_t run(const GpuProblem *p)
{
    int blocks = gpu_parts(p->T, MMA_QUERIES) * p->H * p->B;
    auto *kernel = mma_kernel<d, kind>;
    cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, mma_shared(d));
    if (error || !blocks) return error;
    kernel<<<blocks, GPU_THREADS, mma_shared(d)>>>(*p);
    return cudaGetLastError();
}

extern "C" cudaError_t gpu_mma(const GpuProblem *p)
{
    if (p->d == 64) return p->kind == HALF_BFLOAT16 ? run<64, HALF_BFLOAT16>(p) : run<64, HALF_FLOAT16>(p);
    if (p->d == 128) return p->kind == HALF_BFLOAT16 ? run<128, HALF_BFLOAT16>(p) : run<128, HALF_FLOAT16>(p);
    return cudaErrorInvalidValue;
}
