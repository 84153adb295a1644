// What the kernels of chapter 16 share on the device: 16-bit numbers, tiles, products of tiles, the softmax of their
// rows.
#ifndef DEVICE_H
#define DEVICE_H

#include "ptx.h"

static const float LOG2E = 1.44269504f, LN2 = 0.693147181f;

// ---- 16-bit numbers

template <HalfKind kind> INLINE float value_of(uint16_t bits)
{
    return kind == HALF_BFLOAT16 ? __uint_as_float((uint32_t)bits << 16) : float_of_half(bits);
}

// Rounded to the nearest, by hand for bfloat16: the oldest cards here have no instruction for it.
template <HalfKind kind> INLINE uint16_t rounded(float value)
{
    uint32_t bits = __float_as_uint(value);
    if (kind == HALF_FLOAT16) return half_of_float(value);
    return value != value ? 0x7FC0 : (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
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

// ---- copies

// Rows first … of one head into a tile, by `threads` threads. Rows from `end` on become 0; end ≥ 1. The chunks of a
// thread lie below each other: in a tile that is whole a copy costs one addition besides itself.
template <int d, int rows, int threads>
INLINE void copy_rows(uint32_t tile, const uint16_t *from, int64_t row_step, int first, int end, int thread)
{
    thread = computed_again(thread);
    const GpuPlace place = gpu_copy(thread, 0, threads, d);
    const int to = gpu_at(place.row, place.col, d, GPU_SWIZZLE), down = gpu_rows_of_step(threads, d);
    const uint16_t *at = from + (first + place.row) * row_step + place.col * GPU_CHUNK;
    if (first + rows <= end) {
    #pragma unroll
        for (int step = 0; step < gpu_copies(rows, d, threads); step++) {
            copy_async(tile + 2 * gpu_later(to, step, threads, d), at, true);
            at += down * row_step;
        }
    } else {
    #pragma unroll 1
        for (int step = 0; step < gpu_copies(rows, d, threads); step++) {
            bool real = first + place.row + step * down < end;
            copy_async(tile + 2 * gpu_later(to, step, threads, d), real ? at : from, real);
            at += down * row_step;
        }
    }
}

// ---- matrices

// gpu_further for an address. Shared memory and its tiles begin at multiples of a row.
INLINE uint32_t further(uint32_t at, int chunks) { return gpu_further(at, chunks, 2 * GPU_CHUNK); }

// scores = q kᵀ for `M` times 16 queries and `keys` keys. What is loaded of the keys serves all M. All is written out:
// loads of one step run beside products of another, and the first products add to the register that is always 0.
template <int d, HalfKind kind, int M, int keys>
INLINE void multiply_scores(float (&scores)[M][keys / 8][4], uint32_t q, uint32_t k, int lane)
{
    GpuPlace left = gpu_rows_of_a(lane), right = gpu_rows_of_keys(lane);
    q += 2 * gpu_at(left.row, left.col, d, GPU_SWIZZLE);
    k += 2 * gpu_at(right.row, right.col, d, GPU_SWIZZLE);
    #pragma unroll
    for (int e = 0; e < M * (keys / 8) * 4; e++) scores[e / (keys / 8 * 4)][e / 4 % (keys / 8)][e % 4] = 0.0f;
    #pragma unroll
    for (int chunk = 0; chunk < d / GPU_CHUNK; chunk += 2) {
        uint32_t a[M][4], b[4];
    #pragma unroll
        for (int m = 0; m < M; m++) load_matrices(a[m], further(q, chunk) + 2 * 16 * m * d);
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
template <int d, int M> struct Rows {
    float max[M][2], sum[M][2], out[M][d / 8][4];
};

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

// A score becomes GPU_HIDDEN where its query, from `query` on, does not see its key, from `key` on.
template <int M, int fragments>
INLINE void hide_scores(const GpuProblem &p, float (&scores)[M][fragments][4], int query, int key, int lane)
{
    #pragma unroll
    for (int r = 0; r < 2 * M; r++) {
        const int m = r / 2, half = r % 2;
        int row = query + 16 * m + mma_c(lane, 2 * half).row;
        int seen = gpu_keys_seen(row, p.T, p.S, p.causal) - key;
    #pragma unroll
        for (int e = 0; e < fragments * 2; e++)
            if (e / 2 * 8 + mma_c(lane, 2 * half + e % 2).col >= seen) scores[m][e / 2][2 * half + e % 2] = GPU_HIDDEN;
    }
}

// Scores become weights, 2^((score − max) scale), and are added up. By `rescale` what came before must be multiplied.
template <int d, int M, int fragments>
INLINE void soften(Rows<d, M> &rows, float (&scores)[M][fragments][4], float scale, float (&rescale)[M][2])
{
    #pragma unroll
    for (int r = 0; r < 2 * M; r++) {
        const int m = r / 2, half = r % 2;
        // 1. The new maximum, of the whole row.
        float max = rows.max[m][half];
    #pragma unroll
        for (int n = 0; n < fragments; n++) max = fmaxf(max, fmaxf(scores[m][n][2 * half], scores[m][n][2 * half + 1]));
        max = largest_of_four(max);

        // 2. The weights and their sum.
        float base = gpu_base(max, scale);
        rescale[m][half] = exp2_fast((rows.max[m][half] - max) * scale);
        rows.max[m][half] = max;
        rows.sum[m][half] *= rescale[m][half];
    #pragma unroll
        for (int e = 0; e < fragments * 2; e++) {
            float &score = scores[m][e / 2][2 * half + e % 2];
            score = exp2_fast(fmaf(score, scale, -base));
            rows.sum[m][half] += score;
        }
    }
}

template <int d, int M> INLINE void rescale_rows(Rows<d, M> &rows, const float (&rescale)[M][2])
{
    #pragma unroll
    for (int e = 0; e < M * (d / 8) * 4; e++)
        rows.out[e / (d / 8 * 4)][e / 4 % (d / 8)][e % 4] *= rescale[e / (d / 8 * 4)][e % 4 / 2];
}

// Scores to weights, and the sums brought to the new maximum.
template <int d, int M, int fragments>
INLINE void soften(Rows<d, M> &rows, float (&scores)[M][fragments][4], float scale)
{
    float rescale[M][2];
    soften(rows, scores, scale, rescale);
    rescale_rows(rows, rescale);
}

#endif

#endif
