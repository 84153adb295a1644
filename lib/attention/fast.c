// Chapter 15. The fast kernel for three kinds of processor, chosen when the program runs.
#include "attention/fast.h"

#include "attention/fast_kinds.h"
#include "attention/grouped.h"
#include "attention/tiled.h"
#include "base/cost.h"
#include "base/threads.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

// ---- three kinds of processor

#define NAME(f) PASTE(f, _plain)
#define KIND 4
#include "attention/fast_kind.h"
#include "attention/fast_body.h"
#include "attention/fast_decode_body.h"
#include "attention/fast_probe_body.h"
#include "attention/fast_undef.h"

#if defined __x86_64__
#define NAME(f) PASTE(f, _avx2)
#undef KIND
#define KIND 8
#include "attention/fast_kind.h"
#include "attention/fast_body.h"
#include "attention/fast_decode_body.h"
#include "attention/fast_probe_body.h"
#include "attention/fast_undef.h"

#define NAME(f) PASTE(f, _avx512)
#undef KIND
#define KIND 16
#include "attention/fast_kind.h"
#include "attention/fast_body.h"
#include "attention/fast_decode_body.h"
#include "attention/fast_probe_body.h"
#include "attention/fast_undef.h"
#endif

// ---- the choice

typedef void Blocks(Arena *scratch, Attended to, Mat q, Mat k, Mat v, Mask mask, NextBlock *next, void *context);

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

double fast_polynomial(double r) { return POLYNOMIAL(r); }
float  fast_exp2(float x) { return exp2_plain(x - (Four){ 0 })[0]; }

const char *fast_kind(void) { return fast_kinds[kind_in_use()]; }

// ---- one head, all heads

// The blocks of a head are handed out one by one, to however many threads ask.
static int next_block(void *context) { return atomic_fetch_add((atomic_int *)context, 1); }

void attention_fast(Attended to, Mat q, Mat k, Mat v, Mask mask)
{
    attention_require(to, q, k, v);
    atomic_int next = 0;
    Arena *scratch = arena_open();
    kinds[kind_in_use()].blocks(scratch, to, q, k, v, mask, next_block, &next);
    arena_close(scratch);
    attention_weights(to.weights, q, k, mask);
}

typedef struct { Attended to; Mat q, k, v; int H, G; const Mask *masks; atomic_int *next; } Heads;

static Mat columns(Mat m, int part, int parts)
{
    return mat_empty(m) ? m : mat_cols(m, part * (m.cols / parts), m.cols / parts);
}

// Every thread walks past all heads and takes what blocks are left.
static void attend_all(int worker, void *context)
{
    (void)worker;
    const Heads *a = context;
    Arena *scratch = arena_open();
    for (int h = 0; h < a->H; h++) {
        int g = h / (a->H / a->G);
        Attended to = { .out = columns(a->to.out, h, a->H), .lse = columns(a->to.lse, h, a->H) };
        kinds[kind_in_use()].blocks(scratch, to, columns(a->q, h, a->H), columns(a->k, g, a->G), columns(a->v, g, a->G),
                                    a->masks[h], next_block, &a->next[h]);
    }
    arena_close(scratch);
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
    REQUIRE(q.rows == 1 && mat_empty(to.weights), "q is " SHAPE "; decoding takes one query a head and gives no maps",
            SHAPED(q));
    for (int h = 1; h < H; h++)
        REQUIRE(masks[h].window == masks[0].window && masks[h].sinks == masks[0].sinks &&
                masks[h].padding == masks[0].padding, "heads 0 and %d see different keys", h);
    Heads heads = { to, q, k, v, H, k.cols / (q.cols / H), masks, NULL };
    parallel_for(heads.G, decode_group, &heads);
}
