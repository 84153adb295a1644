// Chapter 16, rung 6. Hopper's own instructions: products by four warps at once out of shared memory (wgmma), copies of
// whole tiles by an engine (TMA) that report to barriers, and warps with different work. [Shah et al. 2024,
// arXiv:2407.08608, §3.1, §3.2]
//
// A block has three warp groups. One copies; each of the others has 64 queries, and works on the weights of one tile
// while the tensor cores multiply the scores of the next. Blocks stay: each takes one piece of work after the other.
// Scores and values must be finite, as in mma.cu; rows must begin at multiples of eight numbers.
#include "device.h"

struct HopperMaps { TensorMap q, k, v; };

#if !defined __CUDA_ARCH__ || defined __CUDA_ARCH_FEAT_SM90_ALL

enum { FRAGMENTS = HOPPER_KEYS / 8, PANEL = 64 };              // a panel: 64 channels of all rows of a tile, 128 bytes a row

// Tiles of work n, n + 1, … of the keys and values of a block lie in a ring.
struct Ring {
    int n;
    __device__ int stage() const { return n % HOPPER_STAGES; }
    __device__ int parity() const { return n / HOPPER_STAGES & 1; }
};

// Where things lie in shared memory.
template <int d> struct Place {
    uint32_t base;
    __device__ uint32_t queries(int group) const { return base + group * 64 * 128; }
    __device__ uint32_t keys(int stage) const { return base + hopper_keys_at(stage, d); }
    __device__ uint32_t values(int stage) const { return base + hopper_values_at(stage, d); }
    // Barriers: the queries have come, are free; keys; values.
    __device__ uint32_t barrier(int n) const { return base + hopper_barriers_at(d) + 8 * n; }
    __device__ uint32_t queries_here() const { return barrier(0); }
    __device__ uint32_t queries_free() const { return barrier(1); }
    __device__ uint32_t keys_here(int stage) const { return barrier(2 + stage); }
    __device__ uint32_t keys_free(int stage) const { return barrier(2 + HOPPER_STAGES + stage); }
    __device__ uint32_t values_here(int stage) const { return barrier(2 + 2 * HOPPER_STAGES + stage); }
    __device__ uint32_t values_free(int stage) const { return barrier(2 + 3 * HOPPER_STAGES + stage); }
};

// What this block does in its turn-th turn.
INLINE int works(const GpuProblem &p) { return gpu_parts(p.T, HOPPER_QUERIES) * p.H * p.B; }
INLINE bool has_work(const GpuProblem &p, int turn) { return hopper_turn(turn, blockIdx.x, gridDim.x) < works(p); }
INLINE GpuWork work_of(const GpuProblem &p, int turn)
{
    return gpu_work_by(hopper_turn(turn, blockIdx.x, gridDim.x), gpu_parts(p.T, HOPPER_QUERIES), p.H, p.B, p.causal,
                       gpu_together(p.H, p.G, p.S, p.d));
}

// ---- the copying warp: one lane of it

template <int d, int rows>
INLINE void copy_tile(uint32_t to, const TensorMap *map, uint32_t barrier, int row, int head, int batch)
{
    barrier_expect(barrier, 2 * rows * d);
#pragma unroll
    for (int c = 0; c < d; c += PANEL) copy_box(to + 2 * c * rows, map, barrier, c, row, head, batch);
}

template <int d> INLINE void copy_all(const GpuProblem &p, const HopperMaps &maps, const Place<d> &place)
{
    Ring ring = { 0 };
    for (int turn = 0; has_work(p, turn); turn++) {
        GpuWork work = work_of(p, turn);
        int g = gpu_key_head(work.head, p.H, p.G), first = work.tile * HOPPER_QUERIES;
        int tiles = gpu_tiles_seen(first, HOPPER_QUERIES, HOPPER_KEYS, p.T, p.S, p.causal);
        barrier_wait(place.queries_free(), turn & 1 ^ 1);
        copy_tile<d, HOPPER_QUERIES>(place.queries(0), &maps.q, place.queries_here(), first, work.head, work.batch);
        for (int tile = 0; tile < tiles; tile++, ring.n++) {
            int stage = ring.stage(), free = ring.parity() ^ 1;
            barrier_wait(place.keys_free(stage), free);
            copy_tile<d, HOPPER_KEYS>(place.keys(stage), &maps.k, place.keys_here(stage), tile * HOPPER_KEYS, g,
                                      work.batch);
            barrier_wait(place.values_free(stage), free);
            copy_tile<d, HOPPER_KEYS>(place.values(stage), &maps.v, place.values_here(stage), tile * HOPPER_KEYS, g,
                                      work.batch);
        }
    }
}

// ---- the multiplying warp groups

// One lane of each warp says so: its warp needs this no more.
INLINE void leave(uint32_t barrier, int lane)
{
    if (lane == 0) barrier_arrive(barrier);
}

// scores = q kᵀ, begun. 16 channels a product, 32 bytes further on in a panel.
template <int d, HalfKind kind> INLINE void begin_scores(float (&scores)[1][FRAGMENTS][4], uint32_t q, uint32_t k)
{
    products_begin();
#pragma unroll
    for (int c = 0; c < d; c += 16) {
        int panel = c / PANEL, in = 2 * (c % PANEL);
        multiply_group<kind>(scores[0], hopper_rows(q + panel * HOPPER_QUERIES * 128 + in),
                             hopper_rows(k + panel * HOPPER_KEYS * 128 + in), c > 0);
    }
    products_commit();
}

// out += weights v, begun. 16 keys a product, 16 rows further down.
template <int d, HalfKind kind>
INLINE void begin_values(float (&out)[1][d / 8][4], const uint32_t (&weights)[HOPPER_KEYS / 16][4], uint32_t v)
{
    products_begin();
#pragma unroll
    for (int key = 0; key < HOPPER_KEYS / 16; key++)
        multiply_group<kind>(out[0], weights[key], hopper_columns(v + key * 16 * 128));
    products_commit();
}

// Weights as operands: they stay in the lanes in which they were scores.
template <HalfKind kind>
INLINE void pack(uint32_t (&to)[HOPPER_KEYS / 16][4], const float (&weights)[1][FRAGMENTS][4])
{
#pragma unroll
    for (int e = 0; e < FRAGMENTS * 2; e++) {
        const int key = e / 4, reg = e % 4;
        GpuPlace low = gpu_weight_from(reg, 0), high = gpu_weight_from(reg, 1);
        to[key][reg] = packed<kind>(weights[0][2 * key + low.row][low.col], weights[0][2 * key + high.row][high.col]);
    }
}

template <int d, HalfKind kind>
INLINE void write_rows(const GpuProblem &p, const GpuWork &work, const Rows<d, 1> &rows, int first, int lane)
{
#pragma unroll
    for (int half = 0; half < 2; half++) {
        float sum = sum_of_four(rows.sum[0][half]);
        int i = first + mma_c(lane, 2 * half).row;
        if (i >= p.T) continue;
        bool blind = gpu_keys_seen(i, p.T, p.S, p.causal) == 0;
        float share = blind ? 0.0f : 1.0f / sum;
        uint16_t *to = p.out + gpu_offset(p.out_step, work.batch, work.head, i) + mma_c(lane, 2 * half).col;
#pragma unroll
        for (int n = 0; n < d / 8; n++)
            *(uint32_t *)(to + n * 8) = packed<kind>(rows.out[0][n][2 * half] * share,
                                                     rows.out[0][n][2 * half + 1] * share);
        if (p.lse && lane % 4 == 0)
            p.lse[((int64_t)work.batch * p.H + work.head) * p.T + i] =
                blind ? -INFINITY : rows.max[0][half] * p.scale + logf(sum);
    }
}

// All keys for the 64 queries of a warp group. While the tensor cores add tile n − 1 of the values, and before that
// multiply tile n of the keys, the weights of tile n are made.
template <int d, HalfKind kind>
INLINE void past_keys(const GpuProblem &p, const Place<d> &place, Rows<d, 1> &rows, Ring &ring, int tiles, int group,
                      int first, int lane)
{
    const float scale = p.scale * LOG2E;
    float scores[1][FRAGMENTS][4], rescale[1][2];
    uint32_t weights[HOPPER_KEYS / 16][4];

    // 1. The first tile's weights.
    int stage = ring.stage();
    barrier_wait(place.keys_here(stage), ring.parity());
    begin_scores<d, kind>(scores, place.queries(group), place.keys(stage));
    products_wait<0>();
    settled(scores[0]);
    leave(place.keys_free(stage), lane);
    if (gpu_tile_is_cut(0, first, HOPPER_KEYS, p.T, p.S, p.causal)) hide_scores(p, scores, first, 0, lane);
    soften(rows, scores, scale, rescale);
    pack<kind>(weights, scores);

    // 2. The scores of the next one and the values of the last one are multiplied at the same time.
    for (int tile = 1; tile < tiles; tile++) {
        const int last = ring.stage(), last_parity = ring.parity();
        ring.n++;
        stage = ring.stage();
        barrier_wait(place.keys_here(stage), ring.parity());
        begin_scores<d, kind>(scores, place.queries(group), place.keys(stage));
        barrier_wait(place.values_here(last), last_parity);
        begin_values<d, kind>(rows.out, weights, place.values(last));

        products_wait<1>();
        settled(scores[0]);
        leave(place.keys_free(stage), lane);
        if (gpu_tile_is_cut(tile, first, HOPPER_KEYS, p.T, p.S, p.causal))
            hide_scores(p, scores, first, tile * HOPPER_KEYS, lane);
        soften(rows, scores, scale, rescale);

        products_wait<0>();
        settled(rows.out[0]);
        leave(place.values_free(last), lane);
        rescale_rows(rows, rescale);
        pack<kind>(weights, scores);
    }

    // 3. The last one's values.
    stage = ring.stage();
    barrier_wait(place.values_here(stage), ring.parity());
    begin_values<d, kind>(rows.out, weights, place.values(stage));
    leave(place.queries_free(), lane);
    products_wait<0>();
    settled(rows.out[0]);
    leave(place.values_free(stage), lane);
    ring.n++;
}

template <int d, HalfKind kind>
INLINE void multiply_all(const GpuProblem &p, const Place<d> &place, int group, int thread)
{
    const int lane = thread % GPU_LANES, warp = thread / GPU_LANES;
    Ring ring = { 0 };
    for (int turn = 0; has_work(p, turn); turn++) {
        GpuWork work = work_of(p, turn);
        int block_first = work.tile * HOPPER_QUERIES, first = block_first + group * 64 + warp * 16;
        int tiles = gpu_tiles_seen(block_first, HOPPER_QUERIES, HOPPER_KEYS, p.T, p.S, p.causal);
        Rows<d, 1> rows;
        begin_rows(rows);
        barrier_wait(place.queries_here(), turn & 1);
        if (tiles > 0) past_keys<d, kind>(p, place, rows, ring, tiles, group, first, lane);
        else leave(place.queries_free(), lane);
        write_rows<d, kind>(p, work, rows, first, lane);
    }
}

#endif

template <int d, HalfKind kind>
static __global__ void __launch_bounds__(HOPPER_THREADS, 1) hopper_kernel(GpuProblem p,
                                                                          const __grid_constant__ HopperMaps maps)
{
#if !defined __CUDA_ARCH__ || defined __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ __align__(1024) uint8_t hopper_memory[];
    const Place<d> place = { (shared_address(hopper_memory) + 1023) & ~1023u };
    const int group = threadIdx.x / 128;

    // 1. The barriers: copies arrive at the first kind, a lane of each multiplying warp at the second.
    if (threadIdx.x == 0) {
        for (int n = 0; n < 2 + 4 * HOPPER_STAGES; n++) {
            bool comes = n < 2 ? n == 0 : (n - 2) / HOPPER_STAGES % 2 == 0;
            barrier_init(place.barrier(n), comes ? 1 : 4 * HOPPER_GROUPS);
        }
        barriers_made();
    }
    __syncthreads();

    // 2. Each to its work. Who copies needs few registers.
    if (group == HOPPER_GROUPS) {
        registers_give<HOPPER_GROUPS == 2 ? 24 : 32>();
        if (threadIdx.x % 128 == 0) copy_all<d>(p, maps, place);
    } else {
        registers_take<HOPPER_GROUPS == 2 ? 240 : 160>();
        multiply_all<d, kind>(p, place, group, threadIdx.x % 128);
    }
#endif
}

// ---- the CPU's part

// How the copy engine finds rows of (batch, head, row, channel): boxes of 64 channels and so many rows, swizzled by
// eights of rows over their 128 bytes.
static cudaError_t map_of(TensorMap *map, const uint16_t *from, GpuStrides step, int rows, int heads, int batches, int d,
                          HalfKind kind, int box_rows)
{
    typedef CUresult Encode(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                            const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                            CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
    static Encode *encode = NULL;
    cudaDriverEntryPointQueryResult found;
    if (!encode) {
        cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000,
                                                             cudaEnableDefault, &found);
        if (error || !encode) return error ? error : cudaErrorNotSupported;
    }
    cuuint64_t sizes[4] = { (cuuint64_t)d, (cuuint64_t)rows, (cuuint64_t)heads, (cuuint64_t)batches };
    cuuint64_t steps[3] = { 2 * (cuuint64_t)step.row, 2 * (cuuint64_t)step.head, 2 * (cuuint64_t)step.batch };
    cuuint32_t box[4] = { PANEL, (cuuint32_t)box_rows, 1, 1 }, each[4] = { 1, 1, 1, 1 };
    CUresult made = encode(map, kind == BFLOAT16 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
                           4, (void *)from, sizes, steps, box, each, CU_TENSOR_MAP_INTERLEAVE_NONE,
                           CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return made == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

template <int d, HalfKind kind> static cudaError_t run(const GpuProblem *p)
{
    HopperMaps maps;
    const int works = gpu_parts(p->T, HOPPER_QUERIES) * p->H * p->B, processors = gpu_multiprocessors();
    if (!works) return cudaSuccess;
    cudaError_t error = map_of(&maps.q, p->q, p->q_step, p->T, p->H, p->B, d, kind, HOPPER_QUERIES);
    maps.k = maps.v = maps.q;                                  // of no keys nothing is ever copied
    if (p->S > 0 && !error) error = map_of(&maps.k, p->k, p->kv_step, p->S, p->G, p->B, d, kind, HOPPER_KEYS);
    if (p->S > 0 && !error) error = map_of(&maps.v, p->v, p->kv_step, p->S, p->G, p->B, d, kind, HOPPER_KEYS);
    auto *kernel = hopper_kernel<d, kind>;
    if (!error) error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, hopper_shared(d));
    if (error) return error;
    kernel<<<gpu_smaller(works, processors), HOPPER_THREADS, hopper_shared(d)>>>(*p, maps);
    return cudaGetLastError();
}

extern "C" cudaError_t gpu_hopper(const GpuProblem *p)
{
    if (p->d == 64) return p->kind == BFLOAT16 ? run<64, BFLOAT16>(p) : run<64, FLOAT16>(p);
    if (p->d == 128) return p->kind == BFLOAT16 ? run<128, BFLOAT16>(p) : run<128, FLOAT16>(p);
    return cudaErrorInvalidValue;
}
