// Chapter 15. What the three kinds of processor have in common, and 2ˣ for each of them. See fast_kind.h for the rest.
#ifndef ATTENTION_FAST_KINDS_H
#define ATTENTION_FAST_KINDS_H

#include "base/cost.h"
#include "base/mat.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// KEYS in a tile: its weights and one block of queries or outputs fit into the first cache together.
// SPAN, STREAMS, AHEAD: keys that decoding weighs at a time, the streams it reads, how many rows it asks for in advance.
enum { KEYS = 64, SPAN = 2048, STREAMS = 4, AHEAD = 4 };
// FURTHEST: how far above what is subtracted a score may lie, in powers of two. 2⁴⁰ leaves room for sums of a million.
#define FURTHEST 40.0f
#define LOG2E    1.44269504f

// 2ˣ = 2ⁿ · 2ʳ with n the nearest whole number and r from −½ to ½; 2ʳ by the polynomial of degree 5 whose largest
// relative error is least among those that are 1 at 0: 9.4 · 10⁻⁸, with coefficients that are float32.
#define POLYNOMIAL(r)                                                                                \
    ((((((r) * 0.0013269411f + 0.009671294f) * (r) + 0.055507112f) * (r) + 0.24022247f) * (r) + 0.693147f) * (r) + 1.0f)

static inline int smaller(int a, int b) { return a < b ? a : b; }
static inline int larger(int a, int b) { return a > b ? a : b; }

// log Σ exp(score) of a row from its largest score (in units of q · k) and Σ 2^((score − max) · scale). Of nothing seen,
// −FLT_MAX and 0, it is −INFINITY.
static inline float row_lse(float max, float sum, float scale)
{
    return max == INFINITY ? max : (float)(((double)max * (double)scale + log2((double)sum)) * 0.69314718055994531);
}

// Asks for what stands `floats` further on; that it may lie behind the end of the cache does no harm.
#define PREFETCH(at, floats) __builtin_prefetch((const void *)((uintptr_t)(at) + (uintptr_t)(floats) * sizeof(float)))

typedef int NextBlock(void *context);

// What the heads of a group gathered on some of the keys: Σ 2^((s − max) · scale) v, the largest s, and the sum of weights.
typedef struct { Mat out, max, sum; } Partial;       // (R, dv) (R, 1) (R, 1)

// A loop whose every turn is written out, so that what it indexes can stay in registers.
#ifdef __clang__
#define UNROLLED _Pragma("clang loop unroll(full)")
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define UNROLLED                                     // gcc warns of loops that it has rewritten before it comes to that
#else
#define UNROLLED _Pragma("GCC unroll 8")
#endif
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (Bits){ __VA_ARGS__ })
#endif

#define PASTE(a, b) a##b
#define ALWAYS_INLINE static inline __attribute__((always_inline))

typedef float Four __attribute__((vector_size(16), may_alias));
typedef unsigned FourWords __attribute__((vector_size(16), may_alias));

// Adding 1.5 · 2²³ leaves no room for a fraction: x is rounded, and the last bits of the sum are n. Shifted into the
// place of the exponent they multiply by 2ⁿ. Below 2⁻¹²⁶ the result is 0.
ALWAYS_INLINE Four exp2_plain(Four x)
{
    Four shifted = x + 12582912.0f, r = x - (shifted - 12582912.0f), p = POLYNOMIAL(r);
    FourWords scaled = (FourWords)p + ((FourWords)shifted << 23);          // far below it overflows, and is not used
    return (Four)(scaled & ~(FourWords)(x < -126.0f));
}

#if defined __x86_64__
#include <immintrin.h>

#define AVX2   __attribute__((target("avx2,fma")))
#define AVX512 __attribute__((target("avx512f,avx512dq")))

AVX2 ALWAYS_INLINE __m256 exp2_avx2(__m256 x)
{
    __m256 shifted = x + 12582912.0f, r = x - (shifted - 12582912.0f), p = POLYNOMIAL(r);
    __m256i scaled = _mm256_add_epi32((__m256i)p, _mm256_slli_epi32((__m256i)shifted, 23));
    return _mm256_andnot_ps(x < -126.0f, (__m256)scaled);
}

// Rounding and scaling by 2ⁿ are one instruction each here.
AVX512 ALWAYS_INLINE __m512 exp2_avx512(__m512 x)
{
    x = _mm512_max_ps(_mm512_set1_ps(-200.0f), x);
    __m512 n = _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT), r = x - n;
    return _mm512_scalef_ps(POLYNOMIAL(r), n);
}
#endif

#endif
