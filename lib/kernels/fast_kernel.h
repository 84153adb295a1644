// Chapter 15. The vectors of one kind of processor, and what fast.c has to know of the kernels that are made of them.
//
// fast_kernel.c, plain_c.c and reordered.c are compiled once for each kind. KIND is the number of floats in its
// vectors: 16 (AVX-512), 8 (AVX2), or 4, for what C and the compiler have on every machine; neon has four, too, but
// twice the registers. The Makefile compiles what the machine could have (KINDS), and fast.c chooses when the program
// runs.
#ifndef KERNELS_FAST_KERNEL_H
#define KERNELS_FAST_KERNEL_H

#include "attention/attention.h"
#include "attention/tiled.h"
#include "base/portable_math.h"

#include <stdint.h>
#include <string.h>

#ifndef KIND
    #define KIND 4 // in what is compiled once
#endif
#define FOR_KIND_OF(f, kind) f##_##kind
#define FOR_KIND_(f, kind)   FOR_KIND_OF(f, kind)
#define neon                 0 // for the next line only
#if KIND == 0
    #undef neon
    #undef KIND
    #define KIND 4
    #define NEON
    #define FOR_KIND(f) f##_neon
#else
    #undef neon
    #define FOR_KIND(f) FOR_KIND_(f, KIND) // the name of f for this kind: f_16
#endif

// ---- what the kinds have in common

// KEYS in a tile: its weights and one block of queries or outputs fit into the first cache together.
// SPAN: keys that decoding weighs at a time.
enum { KEYS = 64, SPAN = 2048 };
// FURTHEST: how far above what is subtracted a score may lie, in powers of two. 2⁴⁰ leaves room for sums of a million.
#define FURTHEST 40.0f
// LEAST: below it a power of two counts as 0. A weight that is 2⁻¹⁰⁰ of another adds nothing to a float32, but numbers
// under 2⁻¹²⁶, and products with them, take processors much longer than others.
#define LEAST -100.0f
#define LOG2E 1.44269504f

// 2ˣ = 2ⁿ · 2ʳ with n the nearest whole number and r from −½ to ½; 2ʳ by a polynomial of degree 5 that is 1 at 0. Its
// largest relative error is 9.4 · 10⁻⁸, with coefficients that are float32; the least that can be is 9.1 · 10⁻⁸.
#define POLYNOMIAL(r) \
    ((((((r)*0.0013269411f + 0.009671294f) * (r) + 0.055507112f) * (r) + 0.24022247f) * (r) + 0.693147f) * (r) + 1.0f)

#define ROUNDER 12583039.0f // 1.5 · 2²³ + 127

static inline int smaller(int a, int b) { return a < b ? a : b; }
static inline int larger(int a, int b) { return a > b ? a : b; }

// From a query's position to the nearest of the keys 0 … end − 1. ALiBi's distances are measured from that key: softmax
// does not change when all scores of a row do alike, and they stay small, and exact, where all keys are far away.
static inline int to_nearest_key(int position, int end)
{
    return position < 0 ? -position : position < end ? 0 : position - end + 1;
}

// Which of the tiles of keys 0 … end − 1 queries take as number `turn`: one after the other; but where ALiBi slopes,
// from the one at `position` back to the first, and then those behind it. So the largest scores come early, and what is
// subtracted from all of them is about right from the first tile on.
static inline int tile_in_turn(int turn, Mask mask, int position, int end)
{
    int near = mask.alibi == 0.0f ? 0 : smaller(larger(position, 0), larger(end - 1, 0)) / KEYS;
    return turn <= near ? near - turn : turn;
}

// log Σ exp(score) of a row from its largest score (in units of q · k) and Σ 2^((score − max) · scale), when all scores
// are `lowered` first. Of nothing seen, −FLT_MAX and 0, it is −INFINITY.
static inline float row_lse(float max, float sum, float scale, double lowered)
{
    if (max == INFINITY) return max;
    return (float)(((double)max * (double)scale + log2((double)sum)) * 0.69314718055994531 - lowered);
}

// ---- what is compiled for each kind, and chosen by fast.c

typedef enum { RUNG_LANES, RUNG_1X4, RUNG_2X4, RUNG_4X4, RUNG_LAZY, RUNG_FAST } RungName;

typedef int NextBlock(void *context); // which block of queries is next

// What the heads of a group gathered on some of the keys: Σ 2^((s − max) · scale) v, the largest s, the sum of weights.
typedef struct {
    Mat out, max, sum;
} Partial; // (R, dv) (R, 1) (R, 1)

// What the heads of some groups, q (groups.count · R, d), gather on some of S keys, which are kept in whatever form:
// `of` says where. to and masks: [groups.count], [groups.count · R]. `sinks` are keys, too, in front of the others.
typedef void DecodeKeys(Arena *scratch, const void *of, const Partial *to, MaskRange groups, Mat q, const Mask *masks,
                        MaskRange sinks, MaskRange keys);
typedef struct {
    const void *of;
    int S, G;
    DecodeKeys *decode;
} DecodeRows;

// One query a head against such rows: a step is cut into parts, shared out among threads and put together. Shapes and
// masks as in attention_fast_decode, once grouped_require has seen them.
void fast_decode_parts(Attended to, Mat q, DecodeRows rows, int H, const Mask *masks);

typedef struct {
    void (*blocks)(RungName rung, Arena *scratch, Attended to, Mat q, Mat k, Mat v, Mask mask, NextBlock *next,
                   void *context);
    void (*decode)(Arena *scratch, const Partial *to, int groups, Mat q, Mat k, Mat v, const Mask *masks,
                   MaskRange sinks, MaskRange keys);
    int64_t (*probe)(int rounds, int rows); // see fast_probe_rows
} FastKernel;

extern const FastKernel fast_kernel_16, fast_kernel_8, fast_kernel_neon, fast_kernel_4;
AttentionKernel plain_c_16, plain_c_8, plain_c_neon, plain_c_4, reordered_16, reordered_8, reordered_neon, reordered_4;

// ---- vectors of this kind

#if defined __x86_64__ && KIND == 16
    #include <immintrin.h>
    #define TARGET __attribute__((target("avx512f,avx512dq")))
#elif defined __x86_64__ && KIND == 8
    #include <immintrin.h>
    #define TARGET __attribute__((target("avx2,fma,f16c")))
#elif defined NEON
    #include <arm_neon.h>
    #define TARGET
#else
    #define TARGET
#endif
#define INLINE static inline __attribute__((always_inline)) TARGET

// Numbers under 2⁻¹²⁶, which float32 keeps with fewer and fewer bits, count as 0 from here to speed_restored: with them
// some processors take a hundred times as long for a sum or a product. Nothing that is summed up beside 1 needs them.
static inline uint64_t speed_steady(void)
{
#if defined __x86_64__
    unsigned was = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(was | 0x8040); // as inputs, as results
    return was;
#elif defined __aarch64__
    uint64_t was;
    __asm__ volatile("mrs %0, fpcr" : "=r"(was));
    __asm__ volatile("msr fpcr, %0" : : "r"(was | 1 << 24));
    return was;
#else
    return 0;
#endif
}

static inline void speed_restored(uint64_t was)
{
#if defined __x86_64__
    __builtin_ia32_ldmxcsr((unsigned)was);
#elif defined __aarch64__
    __asm__ volatile("msr fpcr, %0" : : "r"(was));
#else
    (void)was;
#endif
}

// A loop whose every turn is written out, so that what it indexes can stay in registers.
#ifdef __clang__
    #define UNROLLED _Pragma("clang loop unroll(full)")
#elif defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    #define UNROLLED // gcc warns of loops that it has rewritten before it comes to that
#else
    #define UNROLLED _Pragma("GCC unroll 8")
#endif

// Asks for what stands `floats` further on; that it may lie behind the end of the cache does no harm.
#define PREFETCH(at, floats) __builtin_prefetch((const void *)((uintptr_t)(at) + (uintptr_t)(floats) * sizeof(float)))

enum { LANES = KIND };
typedef float Vec __attribute__((vector_size(4 * LANES), may_alias));
typedef float Loose __attribute__((vector_size(4 * LANES), aligned(4), may_alias)); // anywhere in memory
typedef int Bits __attribute__((vector_size(4 * LANES), may_alias));
typedef unsigned Words __attribute__((vector_size(4 * LANES), may_alias));

INLINE Vec vec_splat(float x) { return x - (Vec){ 0 }; }

// x in a register. A compiler that knows where x was loaded from may load it anew for each use.
INLINE Vec vec_held(Vec x)
{
#if defined __x86_64__ && KIND >= 8
    __asm__("" : "+v"(x));
#endif
    return x;
}

INLINE Vec vec_select(Bits bits, Vec a, Vec b) { return (Vec)((bits & (Bits)a) | (~bits & (Bits)b)); }

// The larger one; b where a is NaN.
INLINE Vec vec_max(Vec a, Vec b)
{
#if defined __x86_64__ && KIND == 16
    return _mm512_max_ps(a, b);
#elif defined __x86_64__ && KIND == 8
    return _mm256_max_ps(a, b);
#elif defined NEON
    return (Vec)vmaxnmq_f32((float32x4_t)a, (float32x4_t)b);
#else
    return vec_select(a > b, a, b);
#endif
}

// Is any lane true?
INLINE bool vec_any(Bits b)
{
#if defined __x86_64__ && KIND == 16
    return _mm512_test_epi32_mask((__m512i)b, (__m512i)b) != 0;
#elif defined __x86_64__ && KIND == 8
    return _mm256_movemask_ps((__m256)b) != 0;
#else
    int any = 0;
    for (int lane = 0; lane < LANES; lane++) any |= b[lane];
    return any != 0;
#endif
}

#if !defined __x86_64__ || KIND != 16
// Adding 1.5 · 2²³ leaves no room for a fraction: x is rounded, and the last bits of the sum are n. With 127 more they
// are the exponent of the float 2ⁿ, once they are shifted into its place. A NaN stays one: nothing of it but 2ʳ counts.
// A vector that is cast keeps its bits. Where x < LEAST, −100, all bits of a lane are set, elsewhere none.
INLINE Vec vec_exp2(Vec x)
{
    Vec shifted = x + ROUNDER, r = x - (shifted - ROUNDER), power = (Vec)((Words)shifted << 23);
    Vec scaled = POLYNOMIAL(r) * power; // far below it overflows, and is not used
    return (Vec)((Words)scaled & ~(Words)(x < LEAST));
}
#else
// Taking the fraction and scaling by 2ⁿ are one instruction each here. Scaling is not asked for what comes to nothing:
// some processors take hundreds of times as long for such a result. A NaN stays one.
INLINE Vec vec_exp2(Vec x)
{
    __mmask16 counts = _mm512_cmp_ps_mask(x, vec_splat(LEAST), _CMP_NLT_UQ);
    Vec r = _mm512_reduce_ps(x, _MM_FROUND_TO_NEAREST_INT);
    return _mm512_maskz_scalef_ps(counts, POLYNOMIAL(r), x - r);
}
#endif

// Numbers of bf16 as the upper halves of words, as bf16_of (attention/bf16.h) has them.
INLINE Words vec_bf16(Vec x)
{
    Words bits = (Words)x, size = bits & 0x7fffffff;
    Words near = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
    Words none = (Words)(size < 0x00800000), strange = (Words)(size > 0x7f800000);
    near = (near & ~none) | (bits & 0x80000000 & none);
    return (near & ~strange) | ((bits | 0x00400000) & 0xffff0000 & strange);
}

// ---- blocks of numbers on their side

// Lower and upper halves of two vectors, zipped: a₀ b₀ a₁ b₁ …, as the places to take them from.
#if KIND == 4
    #define LOWER 0, 4, 1, 5
    #define UPPER 2, 6, 3, 7
#elif KIND == 8
    #define LOWER 0, 8, 1, 9, 2, 10, 3, 11
    #define UPPER 4, 12, 5, 13, 6, 14, 7, 15
#else
    #define LOWER 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
    #define UPPER 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#endif
#ifdef __clang__
    #define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
    #define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (Bits){ __VA_ARGS__ })
#endif

// LANES × LANES floats on their side: log₂ LANES times row i is zipped with row i + LANES / 2.
INLINE void vec_zip(Vec *to, const Vec *from)
{
    for (int i = 0; i < LANES / 2; i++) {
        to[2 * i] = SHUFFLE(from[i], from[i + LANES / 2], LOWER);
        to[2 * i + 1] = SHUFFLE(from[i], from[i + LANES / 2], UPPER);
    }
}

INLINE void vec_turn(Vec *rows)
{
    Vec other[LANES];
    vec_zip(other, rows);
    vec_zip(rows, other);
    if (LANES > 4) vec_zip(other, rows);
    if (LANES > 8) vec_zip(rows, other);
    if (LANES == 8) memcpy(rows, other, sizeof other);
}

// Zips two vectors and adds both halves: what is left to add is half as much, for both at once.
INLINE Vec vec_add_halves(Vec a, Vec b) { return SHUFFLE(a, b, LOWER) + SHUFFLE(a, b, UPPER); }

// The sums over the lanes of `count` vectors, count a multiple of LANES: sums[0][i], sums[1][i] … are those of vectors
// i, i + LANES ….
#if defined __x86_64__ && KIND == 16
// Within quarters of a vector zipping costs half as much as across them.
INLINE void vec_add_lanes(Vec *sums, const int count)
{
    const __m512i order = _mm512_setr_epi32(0, 8, 4, 12, 1, 9, 5, 13, 2, 10, 6, 14, 3, 11, 7, 15);
    for (int first = 0; first < count; first += LANES) {
        Vec *at = sums + first;
        UNROLLED for (int i = 0; i < 8; i++) at[i] =
            (Vec)_mm512_unpacklo_ps(at[i], at[i + 8]) + (Vec)_mm512_unpackhi_ps(at[i], at[i + 8]);
        UNROLLED for (int i = 0; i < 4; i++) at[i] =
            (Vec)_mm512_unpacklo_ps(at[i], at[i + 4]) + (Vec)_mm512_unpackhi_ps(at[i], at[i + 4]);
        UNROLLED for (int i = 0; i < 2; i++) at[i] =
            (Vec)_mm512_shuffle_f32x4(at[i], at[i + 2], 0x88) + (Vec)_mm512_shuffle_f32x4(at[i], at[i + 2], 0xdd);
        at[0] = (Vec)_mm512_shuffle_f32x4(at[0], at[1], 0x88) + (Vec)_mm512_shuffle_f32x4(at[0], at[1], 0xdd);
        at[0] = _mm512_permutexvar_ps(order, at[0]);
    }
}
#else
INLINE void vec_add_lanes(Vec *sums, const int count)
{
    for (int first = 0; first < count; first += LANES)
        UNROLLED for (int round = 0; round < 4; round++) UNROLLED for (int i = 0; i < LANES >> (round + 1); i++)
            sums[first + i] = vec_add_halves(sums[first + i], sums[first + i + (LANES >> (round + 1))]);
}
#endif

// The same of 2, 4, … vectors, LANES at most, all in one: each sum is in LANES / count lanes, side by side.
INLINE Vec vec_lane_sums(Vec *sums, const int count)
{
    UNROLLED for (int n = count / 2; n > 0; n /= 2) UNROLLED for (int i = 0; i < n; i++) sums[i] =
        vec_add_halves(sums[i], sums[i + n]);
    UNROLLED for (int n = count; n < LANES; n *= 2) sums[0] = vec_add_halves(sums[0], sums[0]);
    return sums[0];
}

// Up to LANES floats; the lanes that are missing, and all of NULL, are 0.
INLINE Vec vec_part(const float *from, int count)
{
    Vec part = { 0 };
    if (from) memcpy(&part, from, sizeof(float) * (size_t)smaller(count, LANES));
    return part;
}

#endif
