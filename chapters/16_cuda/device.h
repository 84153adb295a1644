// What the kernels of chapter 16 share on the device: 16-bit numbers, and PTX instructions under a name.
#ifndef DEVICE_H
#define DEVICE_H

#include "kernels.h"

#define INLINE __device__ __forceinline__

static const float LOG2E = 1.44269504f, LN2 = 0.693147181f;

// ---- 16-bit numbers

template <HalfKind kind> INLINE float value_of(uint16_t bits)
{
    float value;
    if (kind == BFLOAT16) return __uint_as_float((uint32_t)bits << 16);
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}

// Rounded to the nearest, by hand for bfloat16: the oldest cards here have no instruction for it.
template <HalfKind kind> INLINE uint16_t rounded(float value)
{
    uint32_t bits = __float_as_uint(value);
    uint16_t half;
    if (kind == BFLOAT16) return value != value ? 0x7FC0 : (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
    return half;
}

// 2ˣ, off by about two units in the last place.
INLINE float exp2_fast(float x)
{
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
    return power;
}

// Over the four lanes that share a row of C, or a query.
INLINE float largest_of_four(float x)
{
    x = fmaxf(x, __shfl_xor_sync(0xFFFFFFFF, x, 1));
    return fmaxf(x, __shfl_xor_sync(0xFFFFFFFF, x, 2));
}

INLINE float sum_of_four(float x)
{
    x += __shfl_xor_sync(0xFFFFFFFF, x, 1);
    return x + __shfl_xor_sync(0xFFFFFFFF, x, 2);
}

#if !defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 800

// Two numbers as one register, `low` in the lower half.
template <HalfKind kind> INLINE uint32_t packed(float low, float high)
{
    uint32_t word;
    if (kind == BFLOAT16) asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
    else asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
    return word;
}

// ---- copies that nobody waits for until he says so

INLINE uint32_t shared_address(const void *at) { return (uint32_t)__cvta_generic_to_shared(at); }

// 16 bytes from global to shared memory; zeros where there is nothing to copy. `from` must be valid all the same.
INLINE void copy_async(uint32_t to, const void *from, bool real)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" : : "r"(to), "l"(from), "r"(real ? 16 : 0) : "memory");
}

INLINE void copies_commit() { asm volatile("cp.async.commit_group;" : : : "memory"); }

// Waits until at most `newest` of the committed groups are still on their way.
template <int newest> INLINE void copies_wait() { asm volatile("cp.async.wait_group %0;" : : "n"(newest) : "memory"); }

// Rows first … of one head into a tile, by `threads` threads. Rows from `end` on become 0; end ≥ 1. Unrolled twice and
// no more, here and in multiply_scores: the addresses that a compiler then keeps at hand cost mma.cu its last
// registers.
template <int d, int rows, int threads>
INLINE void copy_rows(uint32_t tile, const uint16_t *from, int64_t row_step, int first, int end, int thread)
{
#pragma unroll 2
    for (int step = 0; step < gpu_copies(rows, d, threads); step++) {
        GpuPlace place = gpu_copy(thread, step, threads, d);
        int row = first + place.row;
        copy_async(tile + 2 * gpu_at(place.row, place.col, d, GPU_SWIZZLE),
                   from + gpu_smaller(row, end - 1) * row_step + place.col * GPU_CHUNK, row < end);
    }
}

// ---- matrices

INLINE void load_matrices(uint32_t (&to)[4], uint32_t at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(at));
}

INLINE void load_transposed(uint32_t (&to)[4], uint32_t at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(at));
}

// gpu_further for an address. Shared memory and its tiles begin at multiples of a row.
INLINE uint32_t further(uint32_t at, int chunks) { return gpu_further(at, chunks, 2 * GPU_CHUNK); }

#define MMA(type)                                                                                                     \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." type "." type ".f32 "                                      \
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                                    \
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                                     \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1))

// c += a b
template <HalfKind kind> INLINE void multiply(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    if (kind == BFLOAT16) MMA("bf16");
    else MMA("f16");
}

// scores = q kᵀ for `M` times 16 queries and `keys` keys. What is loaded of the keys serves all M.
template <int d, HalfKind kind, int M, int keys>
INLINE void multiply_scores(float (&scores)[M][keys / 8][4], uint32_t q, uint32_t k, int lane)
{
    GpuPlace left = gpu_rows_of_a(lane), right = gpu_rows_of_keys(lane);
    q += 2 * gpu_at(left.row, left.col, d, GPU_SWIZZLE);
    k += 2 * gpu_at(right.row, right.col, d, GPU_SWIZZLE);
#pragma unroll
    for (int e = 0; e < M * (keys / 8) * 4; e++) scores[e / (keys / 8 * 4)][e / 4 % (keys / 8)][e % 4] = 0.0f;
#pragma unroll 2
    for (int chunk = 0; chunk < d / GPU_CHUNK; chunk += 2) {
        uint32_t a[M][4], b[4];
#pragma unroll
        for (int m = 0; m < M; m++)
            load_matrices(a[m], further(q, chunk) + 2 * 16 * m * d);
#pragma unroll
        for (int key = 0; key < keys; key += 16) {
            load_matrices(b, further(k, chunk) + 2 * key * d);
#pragma unroll
            for (int m = 0; m < M; m++) {
                multiply<kind>(scores[m][key / 8], a[m], b[0], b[1]);
                multiply<kind>(scores[m][key / 8 + 1], a[m], b[2], b[3]);
            }
        }
    }
}

// out += weights v. The weights stay in the lanes in which they were scores; in pairs they need half the registers.
template <int d, HalfKind kind, int M, int keys>
INLINE void multiply_values(float (&out)[M][d / 8][4], const float (&weights)[M][keys / 8][4], uint32_t v, int lane)
{
    GpuPlace right = gpu_rows_of_values(lane);
    uint32_t a[M][keys / 16][4], b[4];
    v += 2 * gpu_at(right.row, right.col, d, GPU_SWIZZLE);
#pragma unroll
    for (int e = 0; e < M * (keys / 16) * 4; e++) {
        const int m = e / (keys / 16 * 4), key = e / 4 % (keys / 16), reg = e % 4;
        GpuPlace low = gpu_weight_from(reg, 0), high = gpu_weight_from(reg, 1);
        a[m][key][reg] = packed<kind>(weights[m][2 * key + low.row][low.col], weights[m][2 * key + high.row][high.col]);
    }
#pragma unroll
    for (int chunk = 0; chunk < d / GPU_CHUNK; chunk += 2) {
#pragma unroll
        for (int key = 0; key < keys / 16; key++) {
            load_transposed(b, further(v, chunk) + 2 * 16 * key * d);
#pragma unroll
            for (int m = 0; m < M; m++) {
                multiply<kind>(out[m][chunk], a[m][key], b[0], b[1]);
                multiply<kind>(out[m][chunk + 1], a[m][key], b[2], b[3]);
            }
        }
    }
}

// ---- the softmax of M times 16 rows

// Row lane / 4 is [.][0], the one eight below it is [.][1]. max is of scores as the product gives them; sum is over the
// lane's own columns until the end.
template <int d, int M> struct Rows { float max[M][2], sum[M][2], out[M][d / 8][4]; };

template <int d, int M> INLINE void begin_rows(Rows<d, M> &rows)
{
#pragma unroll
    for (int r = 0; r < 2 * M; r++) {
        rows.max[r / 2][r % 2] = GPU_HIDDEN;
        rows.sum[r / 2][r % 2] = 0.0f;
    }
#pragma unroll
    for (int e = 0; e < M * (d / 8) * 4; e++) rows.out[e / (d / 8 * 4)][e / 4 % (d / 8)][e % 4] = 0.0f;
}

// Scores become weights, 2^((score − max) scale); what was summed up is brought to the new maximum.
template <int d, int M, int fragments>
INLINE void soften(Rows<d, M> &rows, float (&scores)[M][fragments][4], float scale)
{
#pragma unroll
    for (int r = 0; r < 2 * M; r++) {
        const int m = r / 2, half = r % 2;
        // 1. The new maximum, of the whole row.
        float max = rows.max[m][half];
#pragma unroll
        for (int n = 0; n < fragments; n++) max = fmaxf(max, fmaxf(scores[m][n][2 * half], scores[m][n][2 * half + 1]));
        max = largest_of_four(max);

        // 2. What was there is rescaled, and the weights are added up.
        float rescale = exp2_fast((rows.max[m][half] - max) * scale), base = gpu_base(max, scale);
        rows.max[m][half] = max;
        rows.sum[m][half] *= rescale;
#pragma unroll
        for (int e = 0; e < d / 8 * 2; e++) rows.out[m][e / 2][2 * half + e % 2] *= rescale;
#pragma unroll
        for (int e = 0; e < fragments * 2; e++) {
            float &score = scores[m][e / 2][2 * half + e % 2];
            score = exp2_fast(fmaf(score, scale, -base));
            rows.sum[m][half] += score;
        }
    }
}

#endif

#endif
