// Chapter 15. The fast kernel and the rungs below it: the choice of instruction set, one head, all heads, decoding.
#include "kernels/fast.h"

#include "kernels/fast_kernel.h"
#include "attention/grouped.h"
#include "base/cost.h"
#include "base/measure.h"
#include "base/threads.h"

#if defined __x86_64__
    #include <cpuid.h>
#endif
#include <float.h>
#include <stdatomic.h>
#include <string.h>

// ---- instruction sets, and the choice

static bool always(void) { return true; }
#if defined __x86_64__
static bool has_avx512(void) { return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"); }

// __builtin_cpu_supports does not know f16c in every compiler: leaf 1 of CPUID.
// [Intel, Software Developer's Manual, volume 2, CPUID]
static bool has_f16c(void)
{
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_F16C);
}

static bool has_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c(); }
#endif

static const struct {
    bool (*here)(void);
    int lanes;
} kinds[] = {
#if defined __x86_64__
    { has_avx512, 16 },
    { has_avx2, 8 },
#elif defined __aarch64__
    { always, 4 },
#endif
    { always, 4 },
};
// clang-format off
const char *const fast_kinds[] = {
#if defined __x86_64__
    "avx512", "avx2",
#elif defined __aarch64__
    "neon",
#endif
    "plain",
};
// clang-format on
const int fast_kinds_count = sizeof kinds / sizeof *kinds;

static atomic_int chosen = -1;

int fast_kind_index(void)
{
    int kind = atomic_load(&chosen);
    if (kind >= 0) return kind;
    for (kind = 0; !kinds[kind].here(); kind++) {}
    atomic_store(&chosen, kind);
    return kind;
}

bool fast_choose(const char *name)
{
    int kind = -1;
    if (name) {
        for (kind = 0; kind < fast_kinds_count; kind++)
            if (!strcmp(name, fast_kinds[kind]) && kinds[kind].here()) break;
        if (kind == fast_kinds_count) return false;
    }
    atomic_store(&chosen, kind);
    return true;
}

const char *fast_kind(void) { return fast_kinds[fast_kind_index()]; }
int fast_lanes(void) { return kinds[fast_kind_index()].lanes; }

double fast_polynomial(double r) { return POLYNOMIAL(r); }
float fast_exp2(float x) { return vec_exp2(vec_splat(x))[0]; }

// ---- the probe

int64_t fast_probe_rows(int rounds, int rows)
{
    static FastProbe *const versions[] = { FAST_VERSIONS(fast_probe) };
    return versions[fast_kind_index()](rounds, rows);
}

int64_t fast_probe(int rounds) { return fast_probe_rows(rounds, 4); }

// Multiply-adds per second; `rounds` is doubled until the measurement takes `seconds`.
static double measure_rate(double seconds, int *rounds)
{
    for (;; *rounds *= 2) {
        double began = measure_clock_thread();
        double done = (double)fast_probe(*rounds), took = measure_clock_thread() - began;
        if (took >= seconds || *rounds >= 1 << 24) return done / (took > 1e-9 ? took : 1e-9);
    }
}

// The best of three: the kernel may still be busy, on this thread's CPU time, with recently freed memory.
double fast_probe_rate(double seconds)
{
    static _Thread_local int rounds = 16; // of about 2 µs each, at first
    double best = 0.0;
    for (int i = 0; i < 3; i++) {
        double rate = measure_rate(seconds / 6, &rounds);
        best = rate > best ? rate : best;
    }
    return best;
}

// ---- one head

// Blocks of a head are handed out one by one, to any number of threads.
static int next_block(void *context) { return atomic_fetch_add((atomic_int *)context, 1); }

static FastBlocks *blocks_in_use(void)
{
    static FastBlocks *const versions[] = { FAST_VERSIONS(fast_blocks) };
    return versions[fast_kind_index()];
}

static void one_head(RungName rung, Attended to, Mat q, Mat k, Mat v, Mask mask)
{
    attention_require(to, q, k, v);
    atomic_int next = 0;
    Arena *scratch = arena_open();
    blocks_in_use()(rung, scratch, to, q, k, v, mask, next_block, &next);
    arena_close(scratch);
    attention_weights(to.weights, q, k, mask);
}

void attention_lanes(Attended to, Mat q, Mat k, Mat v, Mask mask) { one_head(RUNG_LANES, to, q, k, v, mask); }
void attention_1x4(Attended to, Mat q, Mat k, Mat v, Mask mask) { one_head(RUNG_1X4, to, q, k, v, mask); }
void attention_2x4(Attended to, Mat q, Mat k, Mat v, Mask mask) { one_head(RUNG_2X4, to, q, k, v, mask); }
void attention_4x4(Attended to, Mat q, Mat k, Mat v, Mask mask) { one_head(RUNG_4X4, to, q, k, v, mask); }
void attention_lazy(Attended to, Mat q, Mat k, Mat v, Mask mask) { one_head(RUNG_LAZY, to, q, k, v, mask); }
void attention_fast(Attended to, Mat q, Mat k, Mat v, Mask mask) { one_head(RUNG_FAST, to, q, k, v, mask); }

void attention_packed(Attended to, Mat q, Mat k, Mat v, Mask mask)
{
    Arena *scratch = arena_open();
    attention_fast(to, q, mat_copy(scratch, k), mat_copy(scratch, v), mask);
    cost_scratch((int64_t)arena_peak(scratch));
    arena_close(scratch);
}

// Auto-vectorised kernels, which do not fill to.weights.
static void compiled(AttentionKernel *kernel, Attended to, Mat q, Mat k, Mat v, Mask mask)
{
    attention_require(to, q, k, v);
    kernel(to, q, k, v, mask);
    attention_weights(to.weights, q, k, mask);
}

void attention_plain_c(Attended to, Mat q, Mat k, Mat v, Mask mask)
{
    static AttentionKernel *const versions[] = { FAST_VERSIONS(plain_c) };
    compiled(versions[fast_kind_index()], to, q, k, v, mask);
}

void attention_reordered(Attended to, Mat q, Mat k, Mat v, Mask mask)
{
    static AttentionKernel *const versions[] = { FAST_VERSIONS(reordered) };
    compiled(versions[fast_kind_index()], to, q, k, v, mask);
}

// ---- all heads

// Multiply-adds that take a thread about fifty microseconds. A smaller call stays on one thread: waking another one
// takes as long.
enum { WORTH = 1 << 21 };

typedef struct {
    Attended to;
    Mat q, k, v;
    int H, G;
    const Mask *masks;
    atomic_int *next;
} Heads;

enum { ENOUGH = 512 }; // queries per thread that repay a copy of the keys, as measured

static Mat columns(Mat m, int part, int parts)
{
    return mat_empty(m) ? m : mat_cols(m, part * (m.cols / parts), m.cols / parts);
}

// Every thread iterates over all heads and takes the blocks that remain. Where the rows of a head are far apart, each
// in another page, the thread makes a contiguous copy of them, if it has enough queries to repay that.
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
            k = columns(a->k, h / R, a->G);
            v = columns(a->v, h / R, a->G);
            if (a->G > 1 && a->q.rows * R / threads_count() >= ENOUGH) {
                k = mat_copy(scratch, k);
                v = mat_copy(scratch, v);
            }
        }
        Attended to = { .out = columns(a->to.out, h, a->H), .lse = columns(a->to.lse, h, a->H) };
        blocks_in_use()(RUNG_FAST, scratch, to, columns(a->q, h, a->H), k, v, a->masks[h], next_block, &a->next[h]);
    }
    arena_close(scratch);
}

void attention_fast_heads(Attended to, Mat q, Mat k, Mat v, int H, const Mask *masks)
{
    grouped_require(to, q, k, v, H);
    REQUIRE(mat_empty(to.weights), "the maps are asked for; grouped_attend gives them");
    Arena *scratch = arena_open();
    Heads heads = {
        to, q, k, v, H, k.cols / (q.cols / H), masks, arena_alloc(scratch, (size_t)H * sizeof(atomic_int))
    };
    bool alone = (int64_t)q.rows * k.rows * (q.cols + to.out.cols) < WORTH;
    threads_parallel_for(alone ? 1 : threads_count(), attend_all, &heads);
    arena_close(scratch);
}

// ---- decoding

// Heads first … first + count − 1, stacked: a row of H d numbers becomes H rows of d.
static Mat heads_as_rows(Mat m, int first, int count, int H)
{
    if (mat_empty(m)) return m;
    int d = m.cols / H;
    return (Mat){ m.at + (ptrdiff_t)first * d, count, d, d };
}

// The visible keys, sinks first, are cut into parts. A task covers all groups of one part, as their rows are
// contiguous, or some groups if there are fewer parts than threads. The result of a group does not depend on that.
typedef struct {
    Attended to;
    Mat q;
    DecodeRows rows;
    int H;
    const Mask *masks;
    int sinks, from, seen, parts, cuts;
    Partial *of;
    atomic_int next;
} Parts;

static MaskRange overlap(MaskRange a, int first, int end)
{
    int from = a.first > first ? a.first : first, to = smaller(a.first + a.count, end);
    return (MaskRange){ from, to > from ? to - from : 0 };
}

static void decode_part(Arena *scratch, const Parts *a, int n)
{
    int part = n / a->cuts, cut = n % a->cuts, G = a->rows.G, R = a->H / G;
    int group = G * cut / a->cuts, groups = G * (cut + 1) / a->cuts - group;
    int first = (int)((int64_t)a->seen * part / a->parts);
    MaskRange all = { first, (int)((int64_t)a->seen * (part + 1) / a->parts) - first };
    MaskRange sinks = overlap(all, 0, a->sinks), keys = overlap(all, a->sinks, a->seen);
    keys.first += a->from - a->sinks;
    a->rows.decode(scratch, a->rows.of, a->of + part * G + group, (MaskRange){ group, groups },
                   heads_as_rows(a->q, group * R, groups * R, a->H), a->masks + group * R, sinks, keys);
}

// Every thread takes tasks until none remains, with one arena for all of them.
static void decode_some(int worker, void *context)
{
    (void)worker;
    Parts *a = context;
    Arena *scratch = arena_open();
    ArenaMark mark = arena_mark(scratch);
    for (int n; (n = next_block(&a->next)) < a->parts * a->cuts;) {
        decode_part(scratch, a, n);
        arena_release(scratch, mark);
    }
    arena_close(scratch);
}

// Into how many tasks to split the groups of a part, for load balance.
static int cuts_of(int parts, int G, int threads)
{
    int cuts = 1;
    while (cuts < G && parts * cuts < 4 * threads && parts * cuts % threads) cuts++;
    return cuts;
}

// Merges the parts of one head: each is rescaled to the largest of their maxima.
static void merge_parts(const Parts *a, int head)
{
    int R = a->H / a->rows.G, g = head / R, r = head % R, dv = a->to.out.cols / a->H;
    float scale = LOG2E / mask_root(a->masks[0], a->q.cols / a->H), max = -FLT_MAX, sum = 0.0f;
    Mat out = mat_cols(a->to.out, head * dv, dv);
    mat_fill(out, 0.0f);
    for (int part = 0; part < a->parts; part++) {
        float other = *mat_ref(a->of[part * a->rows.G + g].max, r, 0);
        max = other > max ? other : max;
    }
    for (int part = 0; part < a->parts; part++) {
        Partial of = a->of[part * a->rows.G + g];
        float factor = fast_exp2((*mat_ref(of.max, r, 0) - max) * scale);
        sum += factor * *mat_ref(of.sum, r, 0);
        for (int c = 0; c < dv; c++) *mat_ref(out, 0, c) += factor * *mat_ref(of.out, r, c);
    }
    float share = max == -FLT_MAX && sum == 0.0f ? 0.0f : 1.0f / sum; // no key seen
    for (int c = 0; c < dv; c++) *mat_ref(out, 0, c) *= share;
    if (mat_empty(a->to.lse)) return;
    Mask mask = a->masks[head];
    int base = to_nearest_key(mask_position(mask, 0, 1, a->rows.S), a->rows.S - mask.padding);
    *mat_ref(a->to.lse, 0, head) = row_lse(max, sum, scale, (double)mask.alibi * base);
}

// Are the masks equal up to their slopes?
static bool like(Mask a, Mask b)
{
    return a.causal == b.causal && a.window == b.window && a.sinks == b.sinks && a.globals == b.globals &&
           a.padding == b.padding && a.shift == b.shift && a.before == b.before && a.scale == b.scale;
}

void fast_decode_parts(Attended to, Mat q, DecodeRows rows, int H, const Mask *masks)
{
    REQUIRE(q.rows == 1 && mat_empty(to.weights),
            "q is " MAT_SHAPE "; decoding takes one query a head and gives no maps", MAT_SHAPED(q));
    for (int h = 1; h < H; h++)
        REQUIRE(like(masks[h], masks[0]), "heads 0 and %d see different keys, or scale them in different ways", h);

    // 1. The visible keys.
    Arena *scratch = arena_open();
    int G = rows.G, R = H / G;
    Parts a = { .to = to, .q = q, .rows = rows, .H = H, .masks = masks };
    MaskVisible sight = mask_visible(masks[0], (MaskRange){ 0, 1 }, 1, rows.S);
    a.sinks = sight.sinks;
    a.from = sight.keys.first;
    a.seen = sight.sinks + sight.keys.count;

    // 2. All parts, then the merge.
    a.parts = a.seen > SPAN ? (a.seen + SPAN - 1) / SPAN : 1;
    a.of = arena_alloc(scratch, (size_t)(a.parts * G) * sizeof *a.of);
    for (int n = 0; n < a.parts * G; n++)
        a.of[n] = (Partial){ mat_new(scratch, R, to.out.cols / H), mat_new(scratch, R, 1), mat_new(scratch, R, 1) };
    bool alone = (int64_t)a.seen * (q.cols + to.out.cols) < WORTH;
    a.cuts = alone ? 1 : cuts_of(a.parts, G, threads_count());
    threads_parallel_for(alone ? 1 : threads_count(), decode_some, &a);
    for (int head = 0; head < H; head++) merge_parts(&a, head);
    cost_scratch(cost_counted.scratch + (int64_t)arena_peak(scratch));
    arena_close(scratch);
}

// Rows of float32.
typedef struct {
    Mat k, v;
    int G;
} Floats;

// Are the values of each group a view of columns of its keys?
static bool values_inside(Mat k, Mat v, int groups)
{
    int d = k.cols / groups, dv = v.cols / groups;
    bool inside = k.rows > 0 && v.stride == k.stride;
    for (int n = 0; n < groups && inside; n++)
        inside = (uintptr_t)(v.at + n * dv) - (uintptr_t)(k.at + n * d) < sizeof(float) * (uintptr_t)d;
    return inside;
}

static void decode_floats(Arena *scratch, const void *of, const Partial *to, MaskRange groups, Mat q, const Mask *masks,
                          MaskRange sinks, MaskRange keys)
{
    static FastDecode *const decode[] = { FAST_VERSIONS(fast_decode) }, *const mla[] = { FAST_VERSIONS(fast_mla) };
    const Floats *rows = of;
    int d = rows->k.cols / rows->G, dv = rows->v.cols / rows->G;
    Mat k = mat_cols(rows->k, groups.first * d, groups.count * d);
    Mat v = mat_cols(rows->v, groups.first * dv, groups.count * dv);
    FastDecode *run = (values_inside(k, v, groups.count) ? mla : decode)[fast_kind_index()];
    run(scratch, to, groups.count, q, k, v, masks, sinks, keys);
}

void attention_fast_decode(Attended to, Mat q, Mat k, Mat v, int H, const Mask *masks)
{
    grouped_require(to, q, k, v, H);
    Floats rows = { k, v, k.cols / (q.cols / H) };
    fast_decode_parts(to, q, (DecodeRows){ &rows, k.rows, rows.G, decode_floats }, H, masks);
}
