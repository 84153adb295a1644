// Small kernels for the tests of chapter 16's emulator: each instruction of ptx.h, used as it should be and wrongly.
#include "chapters/16_cuda/ptx.h"

#include "cuda/instructions.h"

// It comes first here, and calls nothing: fault 2, a place beyond the array, is looked up in the file's first lines.
static __global__ void places(float *out, int beyond)
{
    int n = blockIdx.x * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x;
    out[n + beyond] = n;
    out[64 + n] = threadIdx.x + 100 * threadIdx.y + 10000 * blockIdx.x + 1000000 * gridDim.x;
}

// The launch of a kernel as an Instruction. A fault is what its kernel says; for banks and strides it is the stride.
#define SMALL(name, ...) \
    extern "C" cudaError_t small_##name(float *out, const void *in, int fault) \
    { \
        (void)in, (void)fault; \
        __VA_ARGS__; \
        return cudaGetLastError(); \
    }

SMALL(places, places<<<2, fault == 1 ? dim3(2000) : dim3(8, 4)>>>(out, fault == 2 ? 16384 : 0))

static __global__ void turns(float *out) { out[blockIdx.x] = atomicAdd(&out[8], 1.0f); }
SMALL(turns, cudaMemset(out, 0, 64); turns<<<8, 1>>>(out))

// 1: no barrier before reading. 2: none before writing again. 3: some threads leave before the barrier. 4: a place
// beyond the array. 5: a place nobody has written. 6: the warps do not wait for each other.
static __global__ void exchange(float *out, int fault)
{
    __shared__ float numbers[65];
    int n = threadIdx.x;
    for (int turn = 0; turn < 2; turn++) {
        if (fault == 3 && n == 63 && turn == 1) return;
        numbers[fault == 4 && n == 63 ? 65 : n] = n + 100 * turn;
        if (fault == 6) __syncwarp();
        else if (fault != 1) __syncthreads();
        out[n] = numbers[fault == 5 && n == 63 ? 64 : (n + 33) % 64];
        if (fault != 2) __syncthreads();
    }
}
SMALL(exchange, exchange<<<1, 64>>>(out, fault))

// 1: no __syncwarp. 2: one lane's mask leaves it out.
static __global__ void exchange_warp(float *out, int fault)
{
    __shared__ float numbers[32];
    int lane = threadIdx.x;
    numbers[lane] = lane;
    if (fault != 1) __syncwarp(fault == 2 && lane == 5 ? 0xFFFFFFDF : 0xFFFFFFFF);
    out[lane] = numbers[lane ^ 1];
}
SMALL(exchange_warp, exchange_warp<<<1, 32>>>(out, fault))

// The second warp reads what the first has written; each meets within itself alone. 1: so they do. 0: all meet.
static __global__ void one_way(float *out, int fault)
{
    __shared__ float numbers[32];
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) numbers[lane] = lane;
    if (fault) __syncwarp();
    else __syncthreads();
    if (threadIdx.x >= 32) out[lane] = numbers[lane];
    __syncthreads();
}
SMALL(one_way, one_way<<<1, 64>>>(out, fault))

// 1: from a lane that takes no part.
static __global__ void shuffles(float *out, int fault)
{
    int lane = threadIdx.x;
    float sum = lane;
    for (int bits = 16; bits; bits /= 2) sum += __shfl_xor_sync(0xFFFFFFFF, sum, bits);
    float above = __shfl_down_sync(0xFFFFFFFF, (float)lane, 1), below = __shfl_up_sync(0xFFFFFFFF, (float)lane, 1);
    if (fault == 1 && lane < 16) above = __shfl_sync(0x0000FFFF, above, 20);
    out[lane] = sum + 1000 * above + 100000 * below + 10000000 * __all_sync(0xFFFFFFFF, lane < 32);
}
SMALL(shuffles, shuffles<<<1, 32>>>(out, fault))

// 1: beyond the allocation. 2: what nobody has written (in out). 3: what another block has written. 4: no multiple.
static __global__ void reads(float *out, const float *in, int fault)
{
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    float value = fault == 1 && n == 31 ? in[16384] : fault == 2 && n == 31 ? out[40] : in[n];
    if (fault == 4 && n == 31) value = *(const float *)((const char *)in + 2);
    out[fault == 3 && n == 31 ? 0 : n] = value;
}
SMALL(reads, reads<<<2, 16>>>(out, (const float *)in, fault))

// 1: read before the wait. 2: not waited for at all. 3: waited for the wrong group. 4: others read without a barrier.
static __global__ void copies(float *out, const uint16_t *in, int fault)
{
    extern __shared__ __align__(16) uint16_t halves[];
    int lane = threadIdx.x, from = fault == 4 ? lane ^ 1 : lane;
    copy_async(shared_address(halves) + 16 * lane, in + 8 * lane, lane != 7);
    copies_commit();
    copies_commit();
    if (fault == 1) out[lane] = float_of_half(halves[8 * lane]);
    if (fault == 3) copies_wait<2>();
    else if (fault != 2) copies_wait<1>();
    for (int c = 0; c < 8; c++) out[8 * from + c] = float_of_half(halves[8 * from + c]);
    if (fault == 3) copies_wait<0>();
}
SMALL(copies, copies<<<1, 32, 512>>>(out, (const uint16_t *)in, fault))

// 1: the lanes have not met before. 2: an address that is no multiple of 16 bytes.
static __global__ void matrices(float *out, const uint16_t *in, int fault)
{
    extern __shared__ __align__(16) uint16_t halves[];
    int lane = threadIdx.x;
    uint32_t words[4], at = shared_address(halves) + lane % 16 * 32 + lane / 16 * 16;
    for (int n = lane; n < 256; n += 32) halves[n] = in[n];
    if (fault != 1) __syncwarp();
    for (int turn = 0; turn < 2; turn++) {
        if (turn) load_transposed(words, at);
        else load_matrices(words, at + (fault == 2 ? 2 : 0));
        for (int m = 0; m < 4; m++) {
            out[turn * 256 + lane * 8 + 2 * m] = float_of_half(words[m] & 0xFFFF);
            out[turn * 256 + lane * 8 + 2 * m + 1] = float_of_half(words[m] >> 16);
        }
    }
}
SMALL(matrices, matrices<<<1, 32, 512>>>(out, (const uint16_t *)in, fault))

// 1: one lane does something else meanwhile.
static __global__ void product(float *out, const uint16_t *in, int fault)
{
    int lane = threadIdx.x;
    uint32_t a[4], b[2];
    float c[4] = { 1, 1, 1, 1 };
    for (int reg = 0; reg < 4; reg++) {
        GpuPlace low = mma_a(lane, reg, 0);
        a[reg] = *(const uint32_t *)(in + 16 * low.row + low.col);
    }
    for (int reg = 0; reg < 2; reg++) {
        GpuPlace low = mma_b(lane, reg, 0);
        b[reg] = *(const uint32_t *)(in + 256 + 16 * low.col + low.row);
    }
    if (fault == 1 && lane == 9) __syncwarp();
    else multiply<HALF_FLOAT16>(c, a, b[0], b[1]);
    for (int reg = 0; reg < 4; reg++) out[mma_c(lane, reg).row * 8 + mma_c(lane, reg).col] = c[reg];
}
SMALL(product, product<<<1, 32>>>(out, (const uint16_t *)in, fault))

static __global__ void banks(float *out, int stride)
{
    __shared__ float numbers[32 * 33];
    numbers[threadIdx.x * stride] = 1;
    __syncwarp();
    out[threadIdx.x] = numbers[threadIdx.x * stride];
}
SMALL(banks, banks<<<1, 32>>>(out, fault))

static __global__ void strides(float *out, const float *in, int stride) { out[threadIdx.x] = in[threadIdx.x * stride]; }
SMALL(strides, strides<<<1, 32>>>(out, (const float *)in, fault))

// ---- Hopper

// Warp 0 gives, warp 1 takes. 1: the wrong parity. 2: too few arrivals. 3: no barriers_made, by a copy. 4: nobody waits
// until the place is free. 5: only one lane arrives, and the others have not met it. 6: the barrier is not there.
static __global__ void phases(float *out, int fault)
{
    __shared__ uint64_t barriers[2];
    __shared__ float given[32];
    uint32_t here = shared_address(&barriers[0]), free = shared_address(&barriers[1]);
    int lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        barrier_init(here, fault == 2 ? 33 : fault == 5 ? 1 : 32);
        if (fault != 6) barrier_init(free, 32);
        barriers_made();
    }
    __syncthreads();
    for (int turn = 0; turn < 3; turn++) {
        if (threadIdx.x < 32) {
            if (fault != 4) barrier_wait(free, turn & 1 ^ 1);
            given[lane] = 100 * turn + lane;
            if (fault != 5 || lane == 0) barrier_arrive(here);
        } else {
            barrier_wait(here, (turn & 1) ^ (fault == 1));
            out[lane] = given[31 - lane];
            barrier_arrive(free);
        }
    }
}
SMALL(phases, phases<<<1, 64>>>(out, fault))

// 1: the taker passes by, too. 2: nobody gives.
static __global__ void numbered(float *out, int fault)
{
    __shared__ float given[32];
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        given[lane] = lane;
        if (fault != 2) named_arrive(3, 64);
    } else if (threadIdx.x < 64) {
        if (fault == 1) named_arrive(3, 64);
        else named_sync(3, 64);
        out[lane] = given[31 - lane];
    }
}
SMALL(numbered, numbered<<<1, 96>>>(out, fault))

static cudaError_t map_of(TensorMap *map, const void *at, int rows, int batches, int box)
{
    cuuint64_t lengths[4] = { 64, (cuuint64_t)rows, 1, (cuuint64_t)batches };
    cuuint64_t steps[3] = { 128, 128 * (cuuint64_t)rows, 128 * (cuuint64_t)rows };
    cuuint32_t boxes[4] = { 64, (cuuint32_t)box, 1, 1 }, each[4] = { 1, 1, 1, 1 };
    return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 4, (void *)at, lengths, steps, boxes, each,
                                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                  CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS
               ? cudaSuccess : cudaErrorInvalidValue;
}

// Where channel c of a row of a box lies.
INLINE uint32_t swizzled(int row, int c) { return 128 * row + ((c / 8 ^ (row & 7)) * 16) + c % 8 * 2; }

// 1: nobody waits. 2: too few bytes are announced. 3: too many. 4: no barriers_made. 5: read without the swizzle.
// 6: the box does not begin at a multiple of 1,024.
static __global__ void box(float *out, const __grid_constant__ TensorMap map, int fault)
{
    extern __shared__ __align__(1024) char memory[];
    uint32_t base = shared_address(memory), barrier = base + 16384 + 1024;
    if (threadIdx.x == 0) {
        barrier_init(barrier, 1);
        if (fault != 4) barriers_made();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        barrier_expect(barrier, fault == 2 ? 8192 : fault == 3 ? 32768 : 16384);
        copy_box(base + (fault == 6 ? 512 : 0), &map, barrier, 0, 90, 0, 1);
    }
    if (fault != 1) barrier_wait(barrier, 0);
    for (int n = threadIdx.x; n < 128 * 64; n += 128)
        out[n] = float_of_half(*(uint16_t *)(memory + (fault == 5 ? 2 * n : swizzled(n / 64, n % 64))));
}

extern "C" cudaError_t small_box(float *out, const void *in, int fault)
{
    TensorMap map;
    cudaError_t error = map_of(&map, in, 100, 3, 128);
    if (!error) box<<<1, 128, 16384 + 2048>>>(out, map, fault);
    return error ? error : cudaGetLastError();
}

// 1: the stores are not told to the engine. 2: the lanes do not meet. 3: nobody waits. 4: written again too early.
static __global__ void box_out(const __grid_constant__ TensorMap map, int fault)
{
    extern __shared__ __align__(1024) char memory[];
    int lane = threadIdx.x;
    for (int n = lane; n < 32 * 64; n += 32) *(uint16_t *)(memory + swizzled(n / 64, n % 64)) = half_of_float(n);
    if (fault != 1) stores_before_engine();
    if (fault != 2) __syncwarp();
    if (lane == 0) {
        copy_box_out(&map, shared_address(memory), 0, 16, 0, 0);
        boxes_commit();
        if (fault == 4) *(uint16_t *)memory = 1;
        if (fault != 3) boxes_wait();
    }
}

extern "C" cudaError_t small_box_out(float *out, const void *, int fault)
{
    TensorMap map;
    cudaError_t error = map_of(&map, out, 40, 1, 32);
    if (!error) box_out<<<1, 32, 4096>>>(map, fault);
    return error ? error : cudaGetLastError();
}

INLINE uint64_t described(uint32_t at, uint32_t leading)
{
    return (at >> 4 & 0x3FFF) | (uint64_t)(leading >> 4) << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}

// 1: no products_begin. 2: sums are read before the wait. 3: the tile is overwritten before the wait. 4: the stores
// are not told to the engine. 5: no barrier before the products. 6: nobody waits. 7: one group too few is waited for.
// 8: sums are written before the wait.
INLINE void group_product(float *out, const uint16_t *in, char *memory, bool registers, int fault)
{
    uint32_t base = shared_address(memory);
    int thread = threadIdx.x, lane = thread % 32, first = thread / 32 * 16;
    float c[8][4];
    for (int n = thread; n < 2 * 64 * 64; n += 128)
        *(uint16_t *)(memory + n / 4096 * 8192 + swizzled(n / 64 % 64, n % 64)) = in[n];
    if (fault != 4) stores_before_engine();
    if (fault != 5) __syncthreads();
    for (int e = 0; e < 32; e++) c[e / 4][e % 4] = 0;
    if (fault != 1) products_begin();
    for (int k = 0; k < 64; k += 16) {
        uint32_t a[4];
        for (int reg = 0; reg < 4; reg++) {
            GpuPlace place = mma_a(lane, reg, 0);
            a[reg] = *(const uint32_t *)(in + (first + place.row) * 64 + k + place.col);
        }
        if (registers) multiply_group<HALF_FLOAT16>(c, a, described(base + 8192 + 128 * k, 8192));
        else multiply_group<HALF_FLOAT16>(c, described(base + 2 * k, 16), described(base + 8192 + 2 * k, 16), k > 0);
        if (k == 32) products_commit();
    }
    products_commit();
    if (fault == 2) out[0] = c[0][0];
    if (fault == 8) c[0][0] = 1;
    if (fault == 3 && thread == 0) *(uint16_t *)(memory + 8192) = 0;
    if (fault == 7) {
        products_wait<1>();
        out[0] = c[0][0];
    } else if (fault != 6) products_wait<0>();
    for (int e = 0; e < 32; e++)
        out[(first + mma_c(lane, e % 4).row) * 64 + e / 4 * 8 + mma_c(lane, e % 4).col] = c[e / 4][e % 4];
    if (fault == 7) products_wait<0>();
}

static __global__ void group_shared(float *out, const uint16_t *in, int fault)
{
    extern __shared__ __align__(1024) char memory[];
    group_product(out, in, memory, false, fault);
}

static __global__ void group_registers(float *out, const uint16_t *in, int fault)
{
    extern __shared__ __align__(1024) char memory[];
    group_product(out, in, memory, true, fault);
}
SMALL(group, group_shared<<<1, 128, 16384>>>(out, (const uint16_t *)in, fault))

SMALL(group_registers, group_registers<<<1, 128, 16384>>>(out, (const uint16_t *)in, fault))
