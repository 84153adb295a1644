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

typedef void Decode(Partial to, Mat q, Mat k, Mat v, const Mask *masks, Span sinks, Span keys);
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

enum { ENOUGH = 512 };                               // queries of a thread that repay a copy of their keys, as measured

static Mat columns(Mat m, int part, int parts)
{
    return mat_empty(m) ? m : mat_cols(m, part * (m.cols / parts), m.cols / parts);
}

// Every thread walks past all heads and takes what blocks are left. Where rows of a head lie apart, each in another page of
// memory, it makes a copy in which they lie side by side, if it has queries enough to make up for that.
static void attend_all(int worker, void *context)
{
    (void)worker;
    const Heads *a = context;
    Arena *scratch = arena_open();
    ArenaMark mark = arena_mark(scratch);
    Mat k = { 0 }, v = { 0 };
    for (int h = 0, R = a->H / a->G; h < a->H; h++) {
        if (h % R == 0) {
            arena_release(scratch, mark);
            k = columns(a->k, h / R, a->G), v = columns(a->v, h / R, a->G);
            if (a->G > 1 && a->q.rows * R / threads_count() >= ENOUGH) k = mat_copy(scratch, k), v = mat_copy(scratch, v);
        }
        Attended to = { .out = columns(a->to.out, h, a->H), .lse = columns(a->to.lse, h, a->H) };
        kinds[kind_in_use()].blocks(scratch, to, columns(a->q, h, a->H), k, v, a->masks[h], next_block, &a->next[h]);
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

// The keys that a step sees, sinks first, are cut into parts; all groups walk past one part before the next part's turn, as
// their rows lie side by side. Parts do not depend on the number of threads, and so the result does not either.
typedef struct { Heads heads; int sinks, from, seen, parts; Partial *of; } Parts;

static Span overlap(Span a, int first, int end)
{
    int from = a.first > first ? a.first : first, to = smaller(a.first + a.count, end);
    return (Span){ from, to > from ? to - from : 0 };
}

static void decode_part(int n, void *context)
{
    const Parts *a = context;
    const Heads *h = &a->heads;
    int part = n / h->G, g = n % h->G, first = (int)((int64_t)a->seen * part / a->parts);
    Span all = { first, (int)((int64_t)a->seen * (part + 1) / a->parts) - first };
    Span sinks = overlap(all, 0, a->sinks), keys = overlap(all, a->sinks, a->seen);
    keys.first += a->from - a->sinks;
    kinds[kind_in_use()].decode(a->of[n], group_rows(h->q, g, h->G, h->H), columns(h->k, g, h->G), columns(h->v, g, h->G),
                                h->masks + g * (h->H / h->G), sinks, keys);
}

// The parts of one head become its output: each is scaled to the largest of their maxima.
static void merge_parts(const Parts *a, int head)
{
    const Heads *h = &a->heads;
    int R = h->H / h->G, g = head / R, r = head % R, dv = h->v.cols / h->G;
    float scale = LOG2E / mask_root(h->masks[0], h->q.cols / h->H), max = -FLT_MAX, sum = 0.0f;
    Mat out = mat_cols(h->to.out, head * dv, dv);
    mat_fill(out, 0.0f);
    for (int part = 0; part < a->parts; part++) {
        float other = *mat_ref(a->of[part * h->G + g].max, r, 0);
        max = other > max ? other : max;
    }
    for (int part = 0; part < a->parts; part++) {
        Partial of = a->of[part * h->G + g];
        float factor = fast_exp2((*mat_ref(of.max, r, 0) - max) * scale);
        sum += factor * *mat_ref(of.sum, r, 0);
        for (int c = 0; c < dv; c++) *mat_ref(out, 0, c) += factor * *mat_ref(of.out, r, c);
    }
    float share = max == -FLT_MAX && sum == 0.0f ? 0.0f : 1.0f / sum;                   // nothing was seen
    for (int c = 0; c < dv; c++) *mat_ref(out, 0, c) *= share;
    if (!mat_empty(h->to.lse)) *mat_ref(h->to.lse, 0, head) = row_lse(max, sum, scale);
}

// What the newest query sees of S keys: the first ones, and a run of later ones that begins behind them.
static void decode_keys(Span *sinks, Span *keys, Mask mask, int S)
{
    int at = mask_position(mask, 0, 1, S), end = S - mask.padding;
    if (mask.causal) end = smaller(end, at + 1);
    end = larger(end, 0);
    *sinks = (Span){ 0, 0 };
    *keys = (Span){ 0, end };
    if (mask.window <= 0) return;

    int from = larger(at - mask.window + 1, 0), to = smaller(at + mask.window, end), first = smaller(mask.sinks, end);
    if (first >= from) *keys = (Span){ 0, larger(to, first) };           // the window begins among the sinks
    else {
        sinks->count = larger(first, 0);
        *keys = (Span){ from, larger(to - from, 0) };
    }
}

// Do two heads see the same keys, in the same measure? Their slopes may differ.
static bool like(Mask a, Mask b)
{
    return a.causal == b.causal && a.window == b.window && a.sinks == b.sinks && a.padding == b.padding
        && a.shift == b.shift && a.scale == b.scale;
}

void attention_fast_decode(Attended to, Mat q, Mat k, Mat v, int H, const Mask *masks)
{
    grouped_require(to, q, k, v, H);
    REQUIRE(q.rows == 1 && mat_empty(to.weights), "q is " SHAPE "; decoding takes one query a head and gives no maps",
            SHAPED(q));
    for (int h = 1; h < H; h++)
        REQUIRE(like(masks[h], masks[0]), "heads 0 and %d see different keys, or scale them in different ways", h);

    // 1. What is seen.
    Arena *scratch = arena_open();
    int G = k.cols / (q.cols / H), R = H / G;
    Parts a = { .heads = { to, q, k, v, H, G, masks, NULL } };
    Span sinks, keys;
    decode_keys(&sinks, &keys, masks[0], k.rows);
    a.sinks = sinks.count;
    a.from = keys.first;
    a.seen = sinks.count + keys.count;

    // 2. Part by part, then all of them as one.
    a.parts = a.seen > SPAN ? (a.seen + SPAN - 1) / SPAN : 1;
    a.of = arena_alloc(scratch, (size_t)(a.parts * G) * sizeof *a.of);
    for (int n = 0; n < a.parts * G; n++)
        a.of[n] = (Partial){ mat_new(scratch, R, v.cols / G), mat_new(scratch, R, 1), mat_new(scratch, R, 1) };
    parallel_for(a.parts * G, decode_part, &a);
    for (int head = 0; head < H; head++) merge_parts(&a, head);
    cost_scratch(counted.scratch + (int64_t)arena_peak(scratch));
    arena_close(scratch);
}
