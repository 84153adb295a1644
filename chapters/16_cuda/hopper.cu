// Chapter 16, rung 6. Hopper's own instructions: products by four warps at once out of shared memory (wgmma), copies of
// whole tiles by an engine (TMA) that report to barriers, and warps with different work. [Shah et al. 2024,
// arXiv:2407.08608, §3.1, §3.2]
//
// A block has three warp groups. Of one, a single lane copies. The others have 64 queries each and take turns at the
// tensor cores: while these multiply for one group, the other makes weights. Blocks stay: each takes one piece of work
// after the other.
// Scores and values must be finite, as in mma.cu; rows must begin at multiples of eight numbers.
#include "device.h"

struct HopperMaps { TensorMap q, k, v, out; };

#if !defined __CUDA_ARCH__ || defined __CUDA_ARCH_FEAT_SM90_ALL

enum { FRAGMENTS = HOPPER_KEYS / 8, STEPS = HOPPER_KEYS / 16 };
enum { PANEL = 64 };                                           // channels of all rows of a tile, 128 bytes a row

// Tile number n of keys and values that a block works on, counted from its start: its place in the ring, and the parity
// of how often that place was used before.
struct Ring {
    int n;
    __device__ int stage() const { return n % HOPPER_STAGES; }
    __device__ int parity() const { return n / HOPPER_STAGES % 2; }
};

// Where things lie in shared memory. There are two places for queries, used in turns, and one for outputs. Barriers say
// that something has come, or that its place is free.
template <int d> struct Place {
    uint32_t base;
    uint8_t *memory;                                           // the same
    __device__ uint32_t queries(int turn) const { return base + hopper_queries_at(turn % 2, d); }
    __device__ uint32_t keys(int stage) const { return base + hopper_keys_at(stage, d); }
    __device__ uint32_t values(int stage) const { return base + hopper_values_at(stage, d); }
    __device__ volatile int *work(int turn) const { return (volatile int *)(memory + hopper_work_at(turn % 2, d)); }
    __device__ uint32_t barrier(int n) const { return base + hopper_barriers_at(d) + 8 * n; }
    __device__ uint32_t queries_here(int turn) const { return barrier(turn % 2); }
    __device__ uint32_t keys_here(int stage) const { return barrier(2 + stage); }
    __device__ uint32_t values_here(int stage) const { return barrier(2 + HOPPER_STAGES + stage); }
    __device__ uint32_t queries_free(int turn) const { return barrier(HOPPER_BARRIERS + turn % 2); }
    __device__ uint32_t keys_free(int stage) const { return barrier(HOPPER_BARRIERS + 2 + stage); }
    __device__ uint32_t values_free(int stage) const { return barrier(HOPPER_BARRIERS + 2 + HOPPER_STAGES + stage); }
};

// Pieces of work, longest first, are taken by whoever is free: the first by its block's number, the others from here.
// Zero between launches: the last block to end leaves it so. One launch at a time.
static __device__ int taken, ended;

INLINE int works(const GpuProblem &p) { return hopper_works(p.T, p.H, p.B); }
INLINE GpuWork work_of(const GpuProblem &p, int n)
{
    return gpu_work_by(n, gpu_parts(p.T, HOPPER_QUERIES), p.H, p.B, p.causal, gpu_together(p.H, p.G, p.S, p.d));
}

// What is the same in all lanes, and known to be so by the compiler: what follows from it is computed once a warp, and
// lies in the registers that a product takes its descriptors from.
INLINE int same_in_warp(int x) { return __shfl_sync(0xFFFFFFFF, x, 0); }

// A piece of work, passed on through shared memory; a tile of −1 says that there is no more.
INLINE void tell(volatile int *to, const GpuWork &work, bool more)
{
    to[0] = more ? work.tile : -1;
    to[1] = work.head;
    to[2] = work.batch;
}

INLINE GpuWork told(const volatile int *from)
{
    GpuWork work = { same_in_warp(from[0]), same_in_warp(from[1]), same_in_warp(from[2]) };
    return work;
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
    int n = blockIdx.x;
    for (int turn = 0;; turn++) {
        barrier_wait(place.queries_free(turn), 1 - turn / 2 % 2);
        const bool more = n < works(p);
        const GpuWork work = work_of(p, more ? n : 0);
        tell(place.work(turn), work, more);
        if (!more) {                                           // that, too, must be told
            barrier_arrive(place.queries_here(turn));
            break;
        }
        const int g = gpu_key_head(work.head, p.H, p.G), first = work.tile * HOPPER_QUERIES;
        const int tiles = gpu_tiles_seen(first, HOPPER_QUERIES, HOPPER_KEYS, p.T, p.S, p.causal);
        copy_tile<d, HOPPER_QUERIES>(place.queries(turn), &maps.q, place.queries_here(turn), first, work.head,
                                     work.batch);
        for (int tile = 0; tile < tiles; tile++, ring.n++) {
            const int stage = ring.stage(), free = 1 - ring.parity();
            barrier_wait(place.keys_free(stage), free);
            copy_tile<d, HOPPER_KEYS>(place.keys(stage), &maps.k, place.keys_here(stage), tile * HOPPER_KEYS, g,
                                      work.batch);
            barrier_wait(place.values_free(stage), free);
            copy_tile<d, HOPPER_KEYS>(place.values(stage), &maps.v, place.values_here(stage), tile * HOPPER_KEYS, g,
                                      work.batch);
        }
        n = gridDim.x + atomicAdd(&taken, 1);
    }
    __threadfence();
    if (atomicAdd(&ended, 1) == (int)gridDim.x - 1) taken = ended = 0;
}

// ---- the multiplying warp groups

// What a thread of a group keeps.
template <int d> struct Group {
    Rows<d, 1> rows;
    float      scores[1][FRAGMENTS][4];
    Ring       ring;
    int        number;                                         // of the group
    uint32_t   queries, queries_free;                          // where they lie, and the barrier to leave
};

// Groups take turns at the tensor cores: each gives the turn to the other when its products are begun. Barriers 1 and 2
// for that, 3 and 4 for a group of its own.
INLINE void my_turn(int number) { named_sync(1 + number, 2 * 128); }
INLINE void your_turn(int number) { named_arrive(1 + (number ^ 1), 2 * 128); }
INLINE void group_meets(int number) { named_sync(3 + number, 128); }

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
INLINE void begin_values(float (&out)[1][d / 8][4], const uint32_t (&weights)[STEPS][4], uint32_t v)
{
    products_begin();
#pragma unroll
    for (int key = 0; key < STEPS; key++)
        multiply_group<kind>(out[0], weights[key], hopper_columns(v + key * 16 * 128));
    products_commit();
}

// Weights as operands: they stay in the lanes in which they were scores.
template <HalfKind kind>
INLINE void pack(uint32_t (&to)[STEPS][4], const float (&weights)[1][FRAGMENTS][4])
{
#pragma unroll
    for (int e = 0; e < FRAGMENTS * 2; e++) {
        const int key = e / 4, reg = e % 4;
        GpuPlace low = gpu_weight_from(reg, 0), high = gpu_weight_from(reg, 1);
        to[key][reg] = packed<kind>(weights[0][2 * key + low.row][low.col], weights[0][2 * key + high.row][high.col]);
    }
}

// Outputs of a warp into shared memory, swizzled as the copy engine wants them, and the logsumexps out.
template <int d, HalfKind kind>
INLINE void put_down(const GpuProblem &p, const GpuWork &work, const Rows<d, 1> &rows, uint8_t *to, int query, int lane)
{
#pragma unroll
    for (int half = 0; half < 2; half++) {
        const GpuPlace place = mma_c(lane, 2 * half);
        const int i = query + place.row;
        const bool blind = gpu_keys_seen(i, p.T, p.S, p.causal) == 0;
        float sum = sum_of_four(rows.sum[0][half]), share = blind ? 0.0f : 1.0f / sum;
#pragma unroll
        for (int n = 0; n < d / 8; n++)
            *(uint32_t *)(to + hopper_out(place.row, 8 * n + place.col)) =
                packed<kind>(rows.out[0][n][2 * half] * share, rows.out[0][n][2 * half + 1] * share);
        if (p.lse && lane % 4 == 0 && i < p.T)
            p.lse[((int64_t)work.batch * p.H + work.head) * p.T + i] =
                blind ? -INFINITY : rows.max[0][half] * p.scale + logf(sum);
    }
}

// 64 outputs of a group, by way of shared memory. The engine takes them from there while the group works on; before the
// next ones are put down it must have done so.
template <int d, HalfKind kind>
INLINE void write_rows(const GpuProblem &p, const HopperMaps &maps, const Place<d> &place, const GpuWork &work,
                       const Group<d> &group, int first, int thread)
{
    const int warp = thread / GPU_LANES, at = hopper_out_at(d) + group.number * 64 * 128;
    if (thread == 0) boxes_wait();
    group_meets(group.number);
    put_down<d, kind>(p, work, group.rows, place.memory + at + warp * 16 * 128, first + warp * 16, thread % GPU_LANES);
    stores_before_engine();
    group_meets(group.number);
    if (thread > 0) return;
#pragma unroll
    for (int c = 0; c < d; c += PANEL)
        copy_box_out(&maps.out, place.base + at + 2 * c * HOPPER_QUERIES, c, first, work.head, work.batch);
    boxes_commit();
}

// The next tile's scores and this one's values are begun together, in one turn; then the scores become weights, in the
// other group's turn. `cut`: some query may see the next tile in part.
template <int d, HalfKind kind, bool cut>
INLINE void pass_tile(const GpuProblem &p, const Place<d> &place, Group<d> &group, uint32_t (&weights)[STEPS][4],
                      int tile, int query, int lane)
{
    float rescale[1][2];
    const Ring now = group.ring, then = { now.n + 1 };

    // 1. Both products are begun.
    barrier_wait(place.keys_here(then.stage()), then.parity());
    my_turn(group.number);
    begin_scores<d, kind>(group.scores, group.queries, place.keys(then.stage()));
    barrier_wait(place.values_here(now.stage()), now.parity());
    begin_values<d, kind>(group.rows.out, weights, place.values(now.stage()));
    your_turn(group.number);

    // 2. The scores are done (one group of products, the values', may still run): they become weights.
    products_wait<1>();
    settled(group.scores[0]);
    leave(place.keys_free(then.stage()), lane);
    if (cut) hide_scores(p, group.scores, query, (tile + 1) * HOPPER_KEYS, lane);
    soften(group.rows, group.scores, p.scale * LOG2E, rescale);

    // 3. What was summed up is brought to the new maximum.
    products_wait<0>();
    settled(group.rows.out[0]);
    leave(place.values_free(now.stage()), lane);
    rescale_rows(group.rows, rescale);
    pack<kind>(weights, group.scores);
    group.ring = then;
}

// All keys for the 64 queries of a group, those of this warp from `query` on; `whole` tiles are seen by all of them.
template <int d, HalfKind kind>
INLINE void past_keys(const GpuProblem &p, const Place<d> &place, Group<d> &group, int tiles, int whole, int query,
                      int lane)
{
    uint32_t weights[STEPS][4];
    int tile = 0;

    // 1. The first tile's weights.
    barrier_wait(place.keys_here(group.ring.stage()), group.ring.parity());
    my_turn(group.number);
    begin_scores<d, kind>(group.scores, group.queries, place.keys(group.ring.stage()));
    your_turn(group.number);
    products_wait<0>();
    settled(group.scores[0]);
    leave(place.keys_free(group.ring.stage()), lane);
    if (whole == 0) hide_scores(p, group.scores, query, 0, lane);
    soften(group.rows, group.scores, p.scale * LOG2E);
    pack<kind>(weights, group.scores);

    // 2. Tile after tile.
    for (; tile + 1 < whole; tile++) pass_tile<d, kind, false>(p, place, group, weights, tile, query, lane);
    for (; tile + 1 < tiles; tile++) pass_tile<d, kind, true>(p, place, group, weights, tile, query, lane);

    // 3. The last values.
    leave(group.queries_free, lane);
    barrier_wait(place.values_here(group.ring.stage()), group.ring.parity());
    begin_values<d, kind>(group.rows.out, weights, place.values(group.ring.stage()));
    products_wait<0>();
    settled(group.rows.out[0]);
    leave(place.values_free(group.ring.stage()), lane);
    group.ring.n++;
}

template <int d, HalfKind kind>
INLINE void multiply_all(const GpuProblem &p, const HopperMaps &maps, const Place<d> &place, int number, int thread)
{
    const int lane = thread % GPU_LANES;
    Group<d> group;
    group.ring.n = 0;
    group.number = number;
    if (number == 1) your_turn(1);
    for (int turn = 0;; turn++) {
        barrier_wait(place.queries_here(turn), turn / 2 % 2);
        const GpuWork work = told(place.work(turn));
        if (work.tile < 0) break;
        const int block_first = work.tile * HOPPER_QUERIES, first = block_first + number * 64;
        const int tiles = gpu_tiles_seen(block_first, HOPPER_QUERIES, HOPPER_KEYS, p.T, p.S, p.causal);
        const int whole = gpu_keys_seen(first, p.T, p.S, p.causal) / HOPPER_KEYS;
        group.queries = place.queries(turn) + number * 64 * 128;
        group.queries_free = place.queries_free(turn);
        begin_rows(group.rows);
        if (tiles > 0) past_keys<d, kind>(p, place, group, tiles, whole, first + thread / GPU_LANES * 16, lane);
        else {
            __syncwarp();                                      // all its lanes have read which work this is
            leave(group.queries_free, lane);
        }
        write_rows<d, kind>(p, maps, place, work, group, first, thread);
    }
    if (thread == 0) boxes_wait();
}

#endif

template <int d, HalfKind kind>
static __global__ void __launch_bounds__(HOPPER_THREADS, 1) hopper_kernel(GpuProblem p,
                                                                          const __grid_constant__ HopperMaps maps)
{
#if !defined __CUDA_ARCH__ || defined __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ __align__(1024) uint8_t hopper_memory[];
    const uint32_t start = shared_address(hopper_memory), base = (start + 1023) & ~1023u;
    const Place<d> place = { base, hopper_memory + (base - start) };
    const int group = same_in_warp(threadIdx.x / 128);

    // 1. The barriers: copies arrive at the first kind, a lane of each multiplying warp at the second.
    if (threadIdx.x == 0) {
        for (int n = 0; n < 2 * HOPPER_BARRIERS; n++)
            barrier_init(place.barrier(n), n < HOPPER_BARRIERS ? 1 : 4 * HOPPER_GROUPS);
        barriers_made();
    }
    __syncthreads();

    // 2. Each to its work. Who copies needs few registers.
    if (group == HOPPER_GROUPS) {
        registers_give<HOPPER_COPY_REGISTERS>();
        if (threadIdx.x % 128 == 0) copy_all<d>(p, maps, place);
    } else {
        registers_take<HOPPER_GROUP_REGISTERS>();
        multiply_all<d, kind>(p, maps, place, group, threadIdx.x % 128);
    }
#endif
}

// ---- the CPU's part

// How the copy engine finds rows of (batch, head, row, channel): boxes of 64 channels and so many rows, swizzled by
// eights of rows over their 128 bytes.
static cudaError_t map_of(TensorMap *map, const uint16_t *from, GpuStrides step, int rows, int heads, int batches,
                          int d, HalfKind kind, int box_rows)
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
    CUresult made = encode(map, kind == HALF_BFLOAT16 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
                           4, (void *)from, sizes, steps, box, each, CU_TENSOR_MAP_INTERLEAVE_NONE,
                           CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return made == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

template <int d, HalfKind kind> static cudaError_t run(const GpuProblem *p)
{
    HopperMaps maps;
    const int works = hopper_works(p->T, p->H, p->B), processors = gpu_multiprocessors();
    if (!works) return cudaSuccess;
    cudaError_t error = map_of(&maps.q, p->q, p->q_step, p->T, p->H, p->B, d, kind, HOPPER_QUERIES);
    if (!error) error = map_of(&maps.out, p->out, p->out_step, p->T, p->H, p->B, d, kind, 64);
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
    if (p->d == 64) return p->kind == HALF_BFLOAT16 ? run<64, HALF_BFLOAT16>(p) : run<64, HALF_FLOAT16>(p);
    if (p->d == 128) return p->kind == HALF_BFLOAT16 ? run<128, HALF_BFLOAT16>(p) : run<128, HALF_FLOAT16>(p);
    return cudaErrorInvalidValue;
}
