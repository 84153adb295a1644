// Vectors of one instruction set, and operations on them.
//
// A kernel is one source that is compiled once for each instruction set (ISAS in the Makefile); ISA is the one being
// compiled. External names end in the instruction set's name (ISA_NAME), and fast.c chooses at run time.
//
//   ISA_AVX512    16 floats in a vector, 32 registers
//   ISA_AVX2       8 floats,             16 registers
//   ISA_NEON       4 floats,             32 registers
//   ISA_GENERIC    4 floats: portable vector types
#ifndef KERNELS_SIMD_H
#define KERNELS_SIMD_H

#include "base/portable_math.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ISA_GENERIC 1
#define ISA_AVX2    2
#define ISA_AVX512  3
#define ISA_NEON    4
#ifndef ISA
    #define ISA ISA_GENERIC // in files that are compiled once
#endif

#if ISA == ISA_AVX512
    #include <immintrin.h>
    #define ISA_TARGET       __attribute__((target("avx512f,avx512dq")))
    #define ISA_NAME(f)      f##_avx512
    #define VECTOR_REGISTERS 32
enum { LANES = 16 };
#elif ISA == ISA_AVX2
    #include <immintrin.h>
    #define ISA_TARGET       __attribute__((target("avx2,fma,f16c")))
    #define ISA_NAME(f)      f##_avx2
    #define VECTOR_REGISTERS 16
enum { LANES = 8 };
#elif ISA == ISA_NEON
    #include <arm_neon.h>
    #define ISA_TARGET
    #define ISA_NAME(f)      f##_neon
    #define VECTOR_REGISTERS 32
enum { LANES = 4 };
#else
    #define ISA_TARGET
    #define ISA_NAME(f)      f##_generic
    #define VECTOR_REGISTERS 16
enum { LANES = 4 };
#endif

// ISA_INLINE: always inlined, so that const arguments become compile-time constants. ISA_NOINLINE: never inlined,
// because compile time grows faster than the length of a function, and a called function does not compete for its
// caller's registers. Each micro-kernel is therefore ISA_NOINLINE with an ISA_INLINE body.
#define ISA_INLINE   static inline __attribute__((always_inline)) ISA_TARGET
#define ISA_NOINLINE static __attribute__((noinline)) ISA_TARGET

// LEAST: 2ˣ is 0 for x below it. A weight of 2⁻¹⁰⁰ relative to another adds nothing in float32, and numbers below 2⁻¹²⁶
// are subnormal.
#define LEAST -100.0f
#define LOG2E 1.44269504f

// 2ˣ = 2ⁿ · 2ʳ with n the nearest integer and |r| ≤ ½; 2ʳ is a polynomial of degree 5 that is 1 at 0. Its largest
// relative error is 9.4 · 10⁻⁸ with float32 coefficients; the minimax polynomial has 9.1 · 10⁻⁸.
#define POLYNOMIAL(r) \
    ((((((r)*0.0013269411f + 0.009671294f) * (r) + 0.055507112f) * (r) + 0.24022247f) * (r) + 0.693147f) * (r) + 1.0f)

#define ROUNDER 12583039.0f // 1.5 · 2²³ + 127

static inline int smaller(int a, int b) { return a < b ? a : b; }
static inline int larger(int a, int b) { return a > b ? a : b; }

// The number of vectors that hold `floats` floats.
static inline int vec_count(int floats) { return (floats + LANES - 1) / LANES; }

// Until subnormals_restore, subnormal numbers (below 2⁻¹²⁶) are flushed to 0, as inputs and as results: some processors
// take a hundred times as long for them. They are negligible in a sum of weights that contains a 1.
static inline uint64_t subnormals_flush(void)
{
#if defined __x86_64__
    unsigned was = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(was | 0x8040); // DAZ and FTZ
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

static inline void subnormals_restore(uint64_t was)
{
#if defined __x86_64__
    __builtin_ia32_ldmxcsr((unsigned)was);
#elif defined __aarch64__
    __asm__ volatile("msr fpcr, %0" : : "r"(was));
#else
    (void)was;
#endif
}

// A loop that is unrolled completely, so that an array that it indexes can stay in registers.
#ifdef __clang__
    #define UNROLLED _Pragma("clang loop unroll(full)")
#elif defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    #define UNROLLED // gcc warns about loops that earlier passes changed before the pragma was applied
#else
    #define UNROLLED _Pragma("GCC unroll 8")
#endif

// Prefetches the cache line `floats` numbers further on. The address may be out of bounds: prefetch does not fault.
#define PREFETCH(at, floats) __builtin_prefetch((const void *)((uintptr_t)(at) + (uintptr_t)(floats) * sizeof(float)))

typedef float Vec __attribute__((vector_size(4 * LANES), may_alias));
typedef float Loose __attribute__((vector_size(4 * LANES), aligned(4), may_alias)); // may be unaligned
typedef int Bits __attribute__((vector_size(4 * LANES), may_alias));
typedef unsigned Words __attribute__((vector_size(4 * LANES), may_alias));

ISA_INLINE Vec vec_splat(float x) { return x - (Vec){ 0 }; }

// Keeps x in a register: the compiler might otherwise load it again for each use.
ISA_INLINE Vec vec_held(Vec x)
{
#if ISA == ISA_AVX512 || ISA == ISA_AVX2
    __asm__("" : "+v"(x));
#endif
    return x;
}

ISA_INLINE Vec vec_select(Bits bits, Vec a, Vec b) { return (Vec)((bits & (Bits)a) | (~bits & (Bits)b)); }

// The larger one; b where a is NaN.
ISA_INLINE Vec vec_max(Vec a, Vec b)
{
#if ISA == ISA_AVX512
    return _mm512_max_ps(a, b);
#elif ISA == ISA_AVX2
    return _mm256_max_ps(a, b);
#elif ISA == ISA_NEON
    return (Vec)vmaxnmq_f32((float32x4_t)a, (float32x4_t)b);
#else
    return vec_select(a > b, a, b);
#endif
}

// Is any lane true?
ISA_INLINE bool vec_any(Bits b)
{
#if ISA == ISA_AVX512
    return _mm512_test_epi32_mask((__m512i)b, (__m512i)b) != 0;
#elif ISA == ISA_AVX2
    return _mm256_movemask_ps((__m256)b) != 0;
#else
    int any = 0;
    for (int lane = 0; lane < LANES; lane++) any |= b[lane];
    return any != 0;
#endif
}

#if ISA != ISA_AVX512
// Adding 1.5 · 2²³ rounds x to an integer, n, in the low bits of the sum; with 127 more they are the exponent field of
// the float 2ⁿ, after a shift. A NaN stays a NaN, through 2ʳ. A vector cast keeps the bits. A comparison sets all bits
// of a lane where it is true, none elsewhere.
ISA_INLINE Vec vec_exp2(Vec x)
{
    Vec shifted = x + ROUNDER, r = x - (shifted - ROUNDER), power = (Vec)((Words)shifted << 23);
    Vec scaled = POLYNOMIAL(r) * power; // overflows for x far below LEAST, where it is not used
    return (Vec)((Words)scaled & ~(Words)(x < LEAST));
}
#else
// AVX-512 has one instruction for the fraction and one for scaling by 2ⁿ. Lanes below LEAST are masked out, since a
// subnormal result takes hundreds of times as long on some processors. A NaN stays a NaN.
ISA_INLINE Vec vec_exp2(Vec x)
{
    __mmask16 counts = _mm512_cmp_ps_mask(x, vec_splat(LEAST), _CMP_NLT_UQ);
    Vec r = _mm512_reduce_ps(x, _MM_FROUND_TO_NEAREST_INT);
    return _mm512_maskz_scalef_ps(counts, POLYNOMIAL(r), x - r);
}
#endif

// Rounds to bf16, in the upper half of each word, as bf16_of (bf16.h) does.
ISA_INLINE Words vec_bf16(Vec x)
{
    Words bits = (Words)x, size = bits & 0x7fffffff;
    Words near = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
    Words none = (Words)(size < 0x00800000), strange = (Words)(size > 0x7f800000);
    near = (near & ~none) | (bits & 0x80000000 & none);
    return (near & ~strange) | ((bits | 0x00400000) & 0xffff0000 & strange);
}

// ---- transposition, and sums over lanes

// Interleaves the lower, or the upper, halves of two vectors: a₀ b₀ a₁ b₁ …, as indices into the lanes of both.
#if ISA == ISA_AVX2
    #define LOWER 0, 8, 1, 9, 2, 10, 3, 11
    #define UPPER 4, 12, 5, 13, 6, 14, 7, 15
#elif ISA == ISA_AVX512
    #define LOWER 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
    #define UPPER 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#else
    #define LOWER 0, 4, 1, 5
    #define UPPER 2, 6, 3, 7
#endif
#ifdef __clang__
    #define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
    #define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (Bits){ __VA_ARGS__ })
#endif

// Transposes a block of LANES × LANES floats: log₂ LANES times, row i is interleaved with row i + LANES / 2.
ISA_INLINE void vec_interleave(Vec *to, const Vec *from)
{
    for (int i = 0; i < LANES / 2; i++) {
        to[2 * i] = SHUFFLE(from[i], from[i + LANES / 2], LOWER);
        to[2 * i + 1] = SHUFFLE(from[i], from[i + LANES / 2], UPPER);
    }
}

ISA_INLINE void vec_transpose(Vec *rows)
{
    Vec other[LANES];
    vec_interleave(other, rows);
    vec_interleave(rows, other);
    if (LANES > 4) vec_interleave(other, rows);
    if (LANES > 8) vec_interleave(rows, other);
    if (LANES == 8) memcpy(rows, other, sizeof other);
}

// Interleaves two vectors and adds the halves: half as many numbers remain to be added, for both at once.
ISA_INLINE Vec vec_add_halves(Vec a, Vec b) { return SHUFFLE(a, b, LOWER) + SHUFFLE(a, b, UPPER); }

// The sums over the lanes of `count` vectors, count a multiple of LANES: sums[0][i], sums[1][i] … are those of vectors
// i, i + LANES ….
#if ISA == ISA_AVX512
// Interleaving within 128-bit quarters of a vector costs half as much as across them.
ISA_INLINE void vec_add_lanes(Vec *sums, const int count)
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
ISA_INLINE void vec_add_lanes(Vec *sums, const int count)
{
    for (int first = 0; first < count; first += LANES)
        UNROLLED for (int round = 0; round < 4; round++) UNROLLED for (int i = 0; i < LANES >> (round + 1); i++)
            sums[first + i] = vec_add_halves(sums[first + i], sums[first + i + (LANES >> (round + 1))]);
}
#endif

// The same for `count` vectors, 2, 4, … LANES, in one vector: each sum fills LANES / count adjacent lanes.
ISA_INLINE Vec vec_lane_sums(Vec *sums, const int count)
{
    UNROLLED for (int n = count / 2; n > 0; n /= 2) UNROLLED for (int i = 0; i < n; i++) sums[i] =
        vec_add_halves(sums[i], sums[i + n]);
    UNROLLED for (int n = count; n < LANES; n *= 2) sums[0] = vec_add_halves(sums[0], sums[0]);
    return sums[0];
}

// Loads up to LANES floats; the other lanes are 0, and so is everything if `from` is NULL.
ISA_INLINE Vec vec_part(const float *from, int count)
{
    Vec part = { 0 };
    if (from) memcpy(&part, from, sizeof(float) * (size_t)smaller(count, LANES));
    return part;
}

#endif
