// Chapter 15. The fast kernel for three kinds of processor, chosen when the program runs.
#include "attention/fast.h"

#include "attention/grouped.h"
#include "attention/softmax.h"
#include "attention/tiled.h"
#include "base/cost.h"
#include "base/threads.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

// KEYS in a tile: its weights and one block of queries or outputs fit into the first cache together.
// FAR: how far, in powers of two, a score may lie above what is subtracted from it. 2⁴⁰ leaves room for sums of a million.
// SPAN, STREAMS, AHEAD: keys that decoding weighs at a time, the streams it reads, how many rows it asks for in advance.
enum { KEYS = 64, SPAN = 1024, STREAMS = 4, AHEAD = 5 };
#define FAR   40.0f
#define LOG2E 1.44269504f

// 2ˣ = 2ⁿ · 2ʳ with n the nearest whole number and r from −½ to ½; 2ʳ by the polynomial of degree 5 whose largest relative
// error is least (9 · 10⁻⁸) among those that are 1 at 0.
#define POLYNOMIAL(r) ((((((r) * 0.0013264725f + 0.009671513f) * (r) + 0.055507336f) * (r) + 0.24022242f) * (r) + 0.693147f) * (r) + 1.0f)

static int smaller(int a, int b) { return a < b ? a : b; }

// log Σ exp(score) of a row from its largest score (in units of q · k) and Σ 2^((score − max) · scale).
static float row_lse(float max, float sum, float scale)
{
    if (max == -FLT_MAX && sum == 0.0f) return -INFINITY;                  // nothing was seen; a NaN leaves the maximum, too
    return max == INFINITY ? max : (float)(((double)max * (double)scale + log2((double)sum)) * 0.69314718055994531);
}

// Asks for what stands `floats` further on; that it may lie behind the end of the cache does no harm.
#define PREFETCH(at, floats) __builtin_prefetch((const void *)((uintptr_t)(at) + (uintptr_t)(floats) * sizeof(float)))

typedef int NextBlock(void *context);

// A loop whose every turn is written out, so that what it indexes can stay in registers.
#ifdef __clang__
#define UNROLLED _Pragma("clang loop unroll(full)")
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define UNROLLED _Pragma("GCC unroll 8")
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (Bits){ __VA_ARGS__ })
#endif

#define PASTE(a, b) a##b

// ---- four lanes, in what C and the compiler have on every machine

#define NAME(f) PASTE(f, _plain)
#define TARGET
#define LANES 4
#define VECTORS 3
#define ROWS 4
#define QUERIES 2
#define LOWER 0, 4, 1, 5
#define UPPER 2, 6, 3, 7
#define MAX(a, b) SELECT((a) > (b), a, b)
#define EXP2(x) exp2_plain(x)

typedef float Four __attribute__((vector_size(16), may_alias));
typedef int FourBits __attribute__((vector_size(16), may_alias));

// Adding 1.5 · 2²³ leaves no room for a fraction: x is rounded, and the last bits of the sum are n. Below 2⁻¹²⁶ it is 0.
static inline __attribute__((always_inline)) Four exp2_plain(Four x)
{
    Four shifted = x + 12582912.0f, r = x - (shifted - 12582912.0f), p = POLYNOMIAL(r);
    FourBits scaled = (FourBits)p + ((FourBits)shifted << 23);
    return (Four)(scaled & ~(x < -126.0f));
}

#include "attention/fast_body.h"
#include "attention/fast_decode_body.h"

#include "attention/fast_undef.h"

#if defined __x86_64__
#include <immintrin.h>

// ---- eight lanes: AVX2

#define NAME(f) PASTE(f, _avx2)
#define TARGET __attribute__((target("avx2,fma")))
#define LANES 8
#define VECTORS 3
#define ROWS 4
#define QUERIES 2
#define LOWER 0, 8, 1, 9, 2, 10, 3, 11
#define UPPER 4, 12, 5, 13, 6, 14, 7, 15
#define MAX(a, b) _mm256_max_ps(a, b)
#define EXP2(x) exp2_avx2(x)

TARGET static inline __attribute__((always_inline)) __m256 exp2_avx2(__m256 x)
{
    __m256 shifted = x + 12582912.0f, r = x - (shifted - 12582912.0f), p = POLYNOMIAL(r);
    __m256i scaled = _mm256_add_epi32((__m256i)p, _mm256_slli_epi32((__m256i)shifted, 23));
    return _mm256_andnot_ps(x < -126.0f, (__m256)scaled);
}

#include "attention/fast_body.h"
#include "attention/fast_decode_body.h"

#include "attention/fast_undef.h"

// ---- sixteen lanes: AVX-512

#define NAME(f) PASTE(f, _avx512)
#define TARGET __attribute__((target("avx512f,avx512dq")))
#define LANES 16
#define VECTORS 4
#define ROWS 4
#define QUERIES 4
#define LOWER 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define UPPER 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define MAX(a, b) _mm512_max_ps(a, b)
#define EXP2(x) exp2_avx512(x)

// Rounding and scaling by 2ⁿ are one instruction each here.
TARGET static inline __attribute__((always_inline)) __m512 exp2_avx512(__m512 x)
{
    x = _mm512_max_ps(_mm512_set1_ps(-200.0f), x);
    __m512 n = _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT), r = x - n;
    return _mm512_scalef_ps(POLYNOMIAL(r), n);
}

#include "attention/fast_body.h"
#include "attention/fast_decode_body.h"
#include "attention/fast_undef.h"
#endif

// ---- the choice

typedef void Blocks(Attended to, Mat q, Mat k, Mat v, Mask mask, NextBlock *next, void *context);

static bool always(void) { return true; }
#if defined __x86_64__
static bool has_avx512(void) { return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"); }
static bool has_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#endif

typedef void Decode(Attended to, Mat q, Mat k, Mat v, const Mask *masks);
typedef int64_t Probe(int rounds);
typedef struct { bool (*here)(void); Blocks *blocks; Decode *decode; Probe *probe; } Kind;
static const Kind kinds[] = {
#if defined __x86_64__
    { has_avx512, blocks_avx512, decode_avx512, probe_avx512 },
    { has_avx2, blocks_avx2, decode_avx2, probe_avx2 },
#endif
    { always, blocks_plain, decode_plain, probe_plain },
};
const char *const fast_kinds[] = {
#if defined __x86_64__
    "avx512", "avx2",
#endif
    "plain",
};
const int fast_kinds_count = sizeof kinds / sizeof *kinds;

static atomic_int chosen = -1;

static int kind_in_use(void)
{
    int kind = atomic_load(&chosen);
    if (kind >= 0) return kind;
    for (kind = 0; !kinds[kind].here(); kind++) {}
    atomic_store(&chosen, kind);
    return kind;
}

bool fast_choose(const char *name)
{
    if (!name) return atomic_store(&chosen, -1), true;
    for (int kind = 0; kind < fast_kinds_count; kind++)
        if (!strcmp(name, fast_kinds[kind]) && kinds[kind].here()) return atomic_store(&chosen, kind), true;
    return false;
}

int64_t fast_probe(int rounds) { return kinds[kind_in_use()].probe(rounds); }

const char *fast_kind(void) { return fast_kinds[kind_in_use()]; }

// ---- one head, all heads

// The blocks of a head are handed out one by one, to however many threads ask.
static int next_block(void *context) { return atomic_fetch_add((atomic_int *)context, 1); }

void attention_fast(Attended to, Mat q, Mat k, Mat v, Mask mask)
{
    attention_require(to, q, k, v);
    atomic_int next = 0;
    kinds[kind_in_use()].blocks(to, q, k, v, mask, next_block, &next);
    if (mat_empty(to.weights)) return;
    attention_scores(to.weights, q, k, mask);
    softmax_rows(to.weights, to.weights);
}

typedef struct { Attended to; Mat q, k, v; int H, G; const Mask *masks; atomic_int *next; } Heads;

static Mat columns(Mat m, int part, int parts) { return mat_empty(m) ? m : mat_cols(m, part * (m.cols / parts), m.cols / parts); }

// Every thread walks past all heads and takes what blocks are left.
static void attend_all(int worker, void *context)
{
    (void)worker;
    const Heads *a = context;
    for (int h = 0; h < a->H; h++) {
        int g = h / (a->H / a->G);
        Attended to = { .out = columns(a->to.out, h, a->H), .lse = columns(a->to.lse, h, a->H) };
        kinds[kind_in_use()].blocks(to, columns(a->q, h, a->H), columns(a->k, g, a->G), columns(a->v, g, a->G), a->masks[h],
                                    next_block, &a->next[h]);
    }
}

void attention_fast_heads(Attended to, Mat q, Mat k, Mat v, int H, const Mask *masks)
{
    grouped_require(to, q, k, v, H);
    REQUIRE(mat_empty(to.weights), "the maps are asked for; grouped_attend gives them");
    Arena *scratch = arena_open();
    Heads heads = { to, q, k, v, H, k.cols / (q.cols / H), masks, arena_alloc(scratch, (size_t)H * sizeof(atomic_int)) };
    parallel_for(threads_count(), attend_all, &heads);
    arena_close(scratch);
}

// ---- decoding

// The heads of group g, one below the other: a row of H d numbers is H rows of d.
static Mat group_rows(Mat m, int g, int G, int H)
{
    if (mat_empty(m)) return m;
    int d = m.cols / H, R = H / G;
    return (Mat){ m.at + (ptrdiff_t)g * R * d, R, d, d };
}

static void decode_group(int g, void *context)
{
    const Heads *a = context;
    Attended to = { .out = group_rows(a->to.out, g, a->G, a->H), .lse = group_rows(a->to.lse, g, a->G, a->H) };
    kinds[kind_in_use()].decode(to, group_rows(a->q, g, a->G, a->H), columns(a->k, g, a->G), columns(a->v, g, a->G),
                                a->masks + g * (a->H / a->G));
}

void attention_fast_decode(Attended to, Mat q, Mat k, Mat v, int H, const Mask *masks)
{
    grouped_require(to, q, k, v, H);
    REQUIRE(q.rows == 1 && mat_empty(to.weights), "q is " SHAPE "; decoding takes one query a head and gives no maps", SHAPED(q));
    for (int h = 1; h < H; h++)
        REQUIRE(masks[h].window == masks[0].window && masks[h].sinks == masks[0].sinks && masks[h].padding == masks[0].padding,
                "heads 0 and %d see different keys", h);
    Heads heads = { to, q, k, v, H, k.cols / (q.cols / H), masks, NULL };
    parallel_for(heads.G, decode_group, &heads);
}
