// Chapter 15. The fast kernel, and the rungs of the ladder that lead to it. Compiled once for each kind of processor.
//
// The lanes of a vector are queries. A block of LANES · VECTORS of them is turned on its side once. From then on a
// score is one number of K times a vector of queries, and an output is one number of V times a vector of weights. So K
// and V are read where they lie, a query's maximum and sum never leave their lane, and both products are the same loop.
//
// A rung is this kernel with other constants. What is INLINE becomes part of its caller, anew for each call; so the
// compiler knows all that is declared const there, a Rung among them, and nothing of it is left when the program runs.
#include "kernels/fast_kernel.h"

#include "base/cost.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

// ROWS numbers meet VECTORS vectors: their products' sums, ROWS · VECTORS of them, stay in registers.
#if KIND == 16 || defined NEON
enum { ROWS = 4, VECTORS = 4, BLOCK = LANES * VECTORS };
#else
enum { ROWS = 4, VECTORS = 3, BLOCK = LANES * VECTORS };
#endif

typedef struct {
    int rows;       // numbers that meet the vectors of a block at a time, at most ROWS
    float far;      // how far above what is subtracted a score may lie: 2 to this
    bool in_passes; // scores, their maximum, weights one after the other: chapter 14
    bool by_lane;   // 2ˣ number by number
    int strip;      // how many keys of a tile that the mask cuts are taken at a time
} Rung;

// The ladder: each rung changes what stands in its line; why, the chapter's sections say.
INLINE Rung rung_of(const RungName name)
{
    Rung rung = { .rows = 1, .far = 0.0f, .in_passes = true, .by_lane = true, .strip = KEYS }; // lanes
    if (name >= RUNG_1X4) rung.by_lane = false;                                                // section 5
    if (name >= RUNG_2X4) rung.rows = 2;                                                       // section 6
    if (name >= RUNG_4X4) rung.rows = ROWS;                                                    // section 6
    if (name >= RUNG_LAZY) {
        rung.in_passes = false;
        rung.far = FURTHEST;
    }                                          // section 7
    if (name >= RUNG_FAST) rung.strip = LANES; // section 8
    return rung;
}

typedef struct Version Version;

// A block of queries on its way past the keys. Channel c of lane i of vector v is element [c * VECTORS + v][i].
typedef struct {
    Mat k, v;
    Mask mask;
    const Version *rung;                 // with which tiles
    int strip;                           // and how many keys of one that is cut at a time
    int i0, T, kept;                     // the block's first query; all queries; mask_pinned of the mask
    float scale, slope;                  // log₂e / √d; ALiBi's slope in units of q · k
    Vec *q, *p, *o;                      // (d, BLOCK) queries  (KEYS, BLOCK) weights  (dv, BLOCK) outputs
    Vec base[VECTORS];                   // to_nearest_key of each query
    Vec behind[VECTORS], ahead[VECTORS]; // position − base, −position − base
    Vec reach[VECTORS];                  // the mask's window, less base; of a global INFINITY
    Vec max[VECTORS], sum[VECTORS];      // of the scores seen: about the largest; Σ 2^((s − max) · scale)
    bool leapt;                          // the last keys had a score far above what was subtracted
    int64_t multiplies;                  // done so far
} Walk;

// One step of the inner loop: `rows` numbers meet n vectors. No sum waits for another: rows · n are under way at once.
INLINE void one_step(Vec sums[ROWS][VECTORS], const float *const number[ROWS], ptrdiff_t at, const Vec *vector,
                     const int rows, const int n)
{
    for (int r = 0; r < rows; r++) {
        Vec spread = vec_splat(number[r][at]);
        for (int v = 0; v < n; v++) sums[r][v] += spread * vector[v];
    }
}

// sums[r][v] += Σ over step of left[r][step · apart] · right[step][v]. A number of `left` serves n vectors, a vector of
// `right` serves `rows` numbers.
INLINE void multiply(Vec sums[ROWS][VECTORS], int steps, const float *const left[ROWS], ptrdiff_t apart,
                     const Vec *right, const int rows, const int n)
{
    const Vec *end = right + steps * VECTORS;
    for (ptrdiff_t at = 0; right != end; at += apart, right += VECTORS) {
        Vec vector[VECTORS];
        for (int v = 0; v < n; v++) vector[v] = rows > 1 ? vec_held(right[v]) : right[v];
        one_step(sums, left, at, vector, rows, n);
    }
}

INLINE Vec exp2_of(const Rung rung, Vec x)
{
    if (!rung.by_lane) return vec_exp2(x);
    for (int lane = 0; lane < LANES; lane++) x[lane] = x[lane] < LEAST ? 0.0f : exp2f(x[lane]);
    return x;
}

// The score is −INFINITY where the mask hides key j, else lowered by ALiBi for |position − j| − base. That `behind` is
// no position where base is not 0 makes no difference to a causal mask: such a query sees no key, or all of them.
INLINE Vec masked(const Walk *w, Vec score, int j, int v)
{
    Vec distance = w->behind[v] - (float)j, away = vec_max(distance, w->ahead[v] + (float)j);
    Bits hidden = { 0 };
    if (w->mask.causal) hidden |= distance < 0.0f;
    if (w->mask.window > 0 && j >= w->kept) hidden |= away >= w->reach[v];
    return vec_select(hidden, vec_splat(-INFINITY), score - w->slope * away);
}

// p = 2^((q · k − max) scale) for `rows` keys from row `row` of the tile on, and n vectors from `first` on. In passes:
// p = q · k only.
INLINE void weigh_rows(const Rung rung, Walk *w, Vec *largest, Vec *total, int j, int row, const int rows, int first,
                       const int n, const bool cut)
{
    const float *key[ROWS];
    for (int r = 0; r < rows; r++) key[r] = mat_row(w->k, j + row + r);
    Vec sums[ROWS][VECTORS] = { { { 0 } } };
    multiply(sums, w->k.cols, key, 1, w->q + first, rows, n);
    UNROLLED for (int v = 0; v < n; v++) UNROLLED for (int r = 0; r < rows; r++)
    {
        Vec score = cut ? masked(w, sums[r][v], j + row + r, first + v) : sums[r][v];
        largest[v] = vec_max(score, largest[v]);
        if (!rung.in_passes) {
            score = exp2_of(rung, (score - w->max[first + v]) * w->scale);
            total[v] += score;
        }
        w->p[(row + r) * VECTORS + first + v] = score;
    }
}

// The same for `keys` keys. largest and total are what these add up to.
INLINE void weigh(const Rung rung, Walk *w, Vec *largest, Vec *total, int j, int keys, int first, const int n,
                  const bool cut)
{
    int row = 0;
    for (int v = 0; v < n; v++) {
        largest[v] = vec_splat(-FLT_MAX);
        total[v] = vec_splat(0.0f);
    }
    for (; row + rung.rows <= keys; row += rung.rows)
        weigh_rows(rung, w, largest, total, j, row, rung.rows, first, n, cut);
    for (; row < keys; row++) weigh_rows(rung, w, largest, total, j, row, 1, first, n, cut);
    w->multiplies += (int64_t)keys * n * LANES * w->k.cols;
}

// Where a score is far above `max`, max becomes the largest one, and what was summed up is scaled to it. Lane by lane.
INLINE bool raise(const Rung rung, Walk *w, const Vec *largest, int first, const int n)
{
    bool any = false;
    for (int v = 0; v < n; v++) {
        Vec max = w->max[first + v];
        Bits far = (largest[v] - max) * w->scale > rung.far;
        int lanes = 0;
        for (int lane = 0; lane < LANES; lane++) lanes |= far[lane];
        if (!lanes) continue;
        any = true;
        w->max[first + v] = vec_select(far, largest[v], max);
        Vec factor = exp2_of(rung, (max - w->max[first + v]) * w->scale);
        w->sum[first + v] *= factor;
        for (int c = 0; c < w->v.cols; c++) w->o[c * VECTORS + first + v] *= factor;
    }
    return any;
}

// o += weights · values, some channels at a time. A tile is added up by itself: so the error of a long sum stays small.
INLINE void mix(const Rung rung, Walk *w, int j, int keys, int first, const int n)
{
    for (int c = 0; c < w->v.cols; c += rung.rows) {
        const float *value[ROWS];
        for (int r = 0; r < rung.rows; r++) value[r] = mat_row(w->v, j) + (c + r < w->v.cols ? c + r : c);
        Vec sums[ROWS][VECTORS] = { { { 0 } } }, *o = w->o + c * VECTORS + first;
        multiply(sums, keys, value, w->v.stride, w->p + first, rung.rows, n);
        for (int r = 0; r < rung.rows; r++)
            for (int v = 0; v < n; v++) o[r * VECTORS + v] += sums[r][v];
    }
    w->multiplies += (int64_t)keys * n * LANES * w->v.cols;
}

// Is every number of these rows finite?
TARGET static bool all_finite(Mat m)
{
    int strange = 0;
    for (int i = 0; i < m.rows; i++)
        for (int c = 0; c < m.cols; c++) strange |= mat_row(m, i)[c] - mat_row(m, i)[c] != 0.0f;
    return !strange;
}

// The same where a hidden value is NaN or infinite: 0 · NaN would be NaN, so hidden keys are left out one by one.
TARGET static void mix_seen(Walk *w, int j, int keys, int first, int n)
{
    for (int lane = first * LANES; lane < (first + n) * LANES && w->i0 + lane < w->T; lane++)
        for (int c = 0; c < w->v.cols; c++) {
            float sum = 0.0f;
            for (int row = 0; row < keys; row++)
                if (mask_sees(w->mask, w->i0 + lane, j + row, w->T, w->k.rows))
                    sum += mat_row(w->v, j + row)[c] * ((float *)w->p)[row * BLOCK + lane];
            ((float *)w->o)[c * BLOCK + lane] += sum;
        }
}

// The weights of one tile, with `max` as it is. It is seldom too low; only then the scores are computed once more.
INLINE void weigh_tile(const Rung rung, Walk *w, int j, int keys, int first, const int n, const bool cut)
{
    Vec largest[VECTORS], total[VECTORS];
    for (;;) {
        weigh(rung, w, largest, total, j, keys, first, n, cut);
        if (!raise(rung, w, largest, first, n)) break;
        w->leapt = true;
    }
    for (int v = 0; v < n; v++) w->sum[first + v] += total[v];
}

// The same where `max` is not to be trusted, and for the lower rungs: scores, their maximum, weights, in three passes
// as in chapter 14.
INLINE void weigh_in_passes(const Rung rung, Walk *w, int j, int keys, int first, const int n, const bool cut)
{
    Vec largest[VECTORS], none[VECTORS];
    weigh(rung, w, largest, none, j, keys, first, n, cut);
    w->leapt = raise(rung, w, largest, first, n);
    for (int row = 0; row < keys; row++)
        for (int v = first; v < first + n; v++) {
            Vec *p = &w->p[row * VECTORS + v];
            *p = exp2_of(rung, (*p - w->max[v]) * w->scale);
            w->sum[v] += *p;
        }
}

// Has a query of these vectors seen nothing yet? The first of the first vector, or of the last one, has not, either.
INLINE bool fresh(const Walk *w, int first, int n)
{
    return w->max[first][0] == -FLT_MAX || w->max[first + n - 1][0] == -FLT_MAX;
}

INLINE void tile(const Rung rung, Walk *w, MaskRange keys, int first, const int n, const bool cut)
{
    Rung wary = rung;
    wary.in_passes = true;
    if (rung.in_passes || w->leapt || fresh(w, first, n))
        weigh_in_passes(wary, w, keys.first, keys.count, first, n, cut);
    else weigh_tile(rung, w, keys.first, keys.count, first, n, cut);
    if (cut && !all_finite(mat_rows(w->v, keys.first, keys.count))) mix_seen(w, keys.first, keys.count, first, n);
    else mix(rung, w, keys.first, keys.count, first, n);
}

// A tile that the mask cuts, for `n` vectors from `first` on; the compiler makes one version for each n.
INLINE void cut_tile(const Rung rung, Walk *w, MaskRange keys, int first, int n)
{
    if (n == 1) tile(rung, w, keys, first, 1, true);
    else if (n == 2) tile(rung, w, keys, first, 2, true);
    else if (n == VECTORS) tile(rung, w, keys, first, VECTORS, true);
    else if (n > 2 && VECTORS > 3) tile(rung, w, keys, first, VECTORS - 1, true);
}

// What the compiler makes of a rung: the tile in full sight, and the tile that is cut.
struct Version {
    void (*whole)(Walk *w, MaskRange keys);
    void (*cut)(Walk *w, MaskRange keys, int first, int n);
};
#define VERSION(name, rung) \
    TARGET static void name##_whole(Walk *w, MaskRange keys) { tile(rung_of(rung), w, keys, 0, VECTORS, false); } \
    TARGET static void name##_cut(Walk *w, MaskRange keys, int first, int n) \
    { \
        cut_tile(rung_of(rung), w, keys, first, n); \
    }
VERSION(lanes, RUNG_LANES)
VERSION(one, RUNG_1X4)
VERSION(two, RUNG_2X4)
VERSION(four, RUNG_4X4)
VERSION(lazy, RUNG_LAZY)

// The fast kernel's tiles are those of `lazy`: only its strips are others.
static const Version versions[] = {
    [RUNG_LANES] = { lanes_whole, lanes_cut }, [RUNG_1X4] = { one_whole, one_cut },
    [RUNG_2X4] = { two_whole, two_cut },       [RUNG_4X4] = { four_whole, four_cut },
    [RUNG_LAZY] = { lazy_whole, lazy_cut },    [RUNG_FAST] = { lazy_whole, lazy_cut },
};

// ---- a block of queries

// Is there nothing to see in this strip of keys for any query of vector v?
static bool blind(const Walk *w, int v, MaskRange strip)
{
    int i = w->i0 + v * LANES, rows = smaller(w->T - i, LANES);
    return tile_kind(w->mask, (MaskRange){ i, rows }, strip, w->T, w->k.rows) == TILE_EMPTY;
}

// A span of keys. Where the mask cuts it, it is taken in strips, each by the vectors that see some of it.
static void span(Walk *w, MaskRange keys, int rows)
{
    int vectors = (rows + LANES - 1) / LANES;
    TileKind kind = tile_kind(w->mask, (MaskRange){ w->i0, rows }, keys, w->T, w->k.rows);
    if (kind == TILE_EMPTY) return;
    if (kind == TILE_FULL && (vectors < VECTORS || w->slope != 0.0f)) w->rung->cut(w, keys, 0, vectors);
    else if (kind == TILE_FULL) w->rung->whole(w, keys);
    else
        for (int part = 0; part < keys.count; part += w->strip) {
            MaskRange strip = { keys.first + part, smaller(keys.count - part, w->strip) };
            int first = 0, end = vectors;
            while (first < end && blind(w, first, strip)) first++;
            while (first < end && blind(w, end - 1, strip)) end--;
            w->rung->cut(w, strip, first, end - first);
        }
}

// Queries i0 … as columns of w->q; what is missing of a block is 0.
INLINE void turn_queries(Walk *w, Mat q)
{
    for (int v = 0; v < VECTORS; v++)
        for (int c = 0, i = w->i0 + v * LANES; c < q.cols; c += LANES) {
            Vec rows[LANES];
            if (i + LANES <= q.rows && c + LANES <= q.cols)
                for (int r = 0; r < LANES; r++) rows[r] = *(const Loose *)(mat_row(q, i + r) + c);
            else
                for (int r = 0; r < LANES; r++)
                    rows[r] = vec_part(i + r < q.rows ? mat_row(q, i + r) + c : NULL, q.cols - c);
            vec_turn(rows);
            for (int r = 0; r < LANES; r++) w->q[(c + r) * VECTORS + v] = rows[r];
        }
}

// The columns of w->o, divided by their sums, as rows of `out`; the sums' logarithms as lse.
INLINE void turn_outputs(Attended to, Walk *w)
{
    for (int v = 0; v < VECTORS; v++) {
        Bits blind = (w->max[v] == -FLT_MAX) & (w->sum[v] == 0.0f); // nothing was seen
        Vec share = vec_select(blind, vec_splat(0.0f), 1.0f / w->sum[v]);
        for (int c = 0, i = w->i0 + v * LANES; c < to.out.cols; c += LANES) {
            Vec rows[LANES];
            for (int r = 0; r < LANES; r++) rows[r] = w->o[(c + r) * VECTORS + v] * share;
            vec_turn(rows);
            if (i + LANES <= w->T && c + LANES <= to.out.cols)
                for (int r = 0; r < LANES; r++) *(Loose *)(mat_row(to.out, i + r) + c) = rows[r];
            else
                for (int r = 0; r < LANES && i + r < w->T; r++)
                    memcpy(mat_row(to.out, i + r) + c, &rows[r],
                           sizeof(float) * (size_t)smaller(to.out.cols - c, LANES));
        }
        for (int r = 0, i = w->i0 + v * LANES; r < LANES && i + r < to.lse.rows; r++)
            *mat_ref(to.lse, i + r, 0) =
                row_lse(w->max[v][r], w->sum[v][r], w->scale, (double)w->mask.alibi * (double)w->base[v][r]);
    }
}

// Where the queries of vector v stand; the last key in use is end − 1.
INLINE void place(Walk *w, int v, int end)
{
    int first = mask_position(w->mask, w->i0 + v * LANES, w->T, w->k.rows);
    Vec position, zero = vec_splat(0.0f);
    for (int lane = 0; lane < LANES; lane++) position[lane] = (float)(first + lane);
    w->base[v] = vec_max(vec_max(-position, position - (float)(end - 1)), zero);
    w->behind[v] = position - w->base[v];
    w->ahead[v] = -position - w->base[v];
    w->reach[v] = (float)w->mask.window - w->base[v];
    for (int lane = 0, i = w->i0 + v * LANES; lane < LANES && mask_open(w->mask, i + lane, w->T, w->k.rows); lane++)
        w->reach[v][lane] = INFINITY;
}

// Queries i0 … i0 + BLOCK − 1 past all keys.
TARGET static void block(Attended to, Mat q, Walk *w)
{
    int rows = smaller(w->T - w->i0, BLOCK), end = w->k.rows - w->mask.padding;
    memset(w->o, 0, sizeof(Vec) * (size_t)(VECTORS * (w->v.cols + LANES)));
    for (int v = 0; v < VECTORS; v++) {
        w->max[v] = vec_splat(-FLT_MAX);
        w->sum[v] = vec_splat(0.0f);
        place(w, v, end);
    }
    w->leapt = false;
    turn_queries(w, q);
    int last = mask_position(w->mask, w->i0 + rows - 1, w->T, w->k.rows);
    for (int turn = 0; turn * KEYS < end; turn++) {
        int j = tile_in_turn(turn, w->mask, last, end) * KEYS;
        span(w, (MaskRange){ j, smaller(end - j, KEYS) }, rows);
    }
    turn_outputs(to, w);
}

// Blocks of queries, as `next` hands them out. Scratch does not depend on T and S; it is given back.
TARGET static void blocks(RungName rung, Arena *scratch, Attended to, Mat q, Mat k, Mat v, Mask mask, NextBlock *next,
                          void *context)
{
    uint64_t mode = speed_steady();
    ArenaMark mark = arena_mark(scratch);
    Walk *w = arena_alloc(scratch, sizeof *w);
    float root = mask_root(mask, q.cols);
    *w = (Walk){ .k = k,
                 .v = v,
                 .mask = mask,
                 .rung = &versions[rung],
                 .T = q.rows,
                 .strip = rung_of(rung).strip,
                 .kept = mask_pinned(mask),
                 .scale = LOG2E / root,
                 .slope = mask.alibi * root };
    w->q = arena_room(scratch, sizeof(Vec) * (size_t)(VECTORS * (q.cols + LANES)));
    w->o = arena_room(scratch, sizeof(Vec) * (size_t)(VECTORS * (v.cols + LANES)));
    w->p = arena_room(scratch, sizeof(Vec) * (size_t)(VECTORS * KEYS));
    for (int b; (b = next(context)) * BLOCK < q.rows;) {
        w->i0 = b * BLOCK;
        block(to, q, w);
    }
    cost_add((Cost){ .multiplies = w->multiplies, .scratch = (int64_t)arena_peak(scratch) });
    arena_release(scratch, mark);
    speed_restored(mode);
}

// ---- one query a head: a step of generation
//
// Here memory is the limit, not arithmetic: every key and value is used by the H / G heads of its group, never again.
// So the lanes are channels, rows are read from end to end, and STREAMS of them at once, from distant parts of the
// cache: a processor fetches several streams faster than one, and softmax does not ask in which order the keys come.

// STREAMS that are read, how many floats AHEAD memory is asked, how many heads of a group share each number that comes.
enum { STREAMS = 4, AHEAD = 512, QUERIES = LANES == 16 ? 4 : 2 };

// Where values are a view of the keys' own columns (chapter 17), what has come from memory serves twice: RUNS keys are
// scored and then mixed, while their rows are in the first cache. Each comes from a run of its own, as above, and both
// loops ask for a part of the rows that are AHEAD_INSIDE floats further on in their runs. So memory is asked all the
// time, and an output is fetched and stored once for RUNS keys. Few: QUERIES heads or fewer. Each of their RUNS scores
// has LANES / (RUNS · heads) lanes. Where there are more Fews than one, all pass a BATCH of keys, in the second cache,
// before the next comes.
enum { RUNS = LANES >= 8 ? 4 : 2, BATCH = 64, AHEAD_INSIDE = 576 };
typedef struct {
    Vec p, max, sum;
    int heads;
} Few;

// The heads of one group on their way past the cache.
typedef struct {
    Mat k, v;
    const Mask *masks;   // (R)
    int R, room;         // heads, and as a multiple of QUERIES
    bool inside, sloped; // are values a view of the keys? Has a head a slope?
    float scale;         // log₂e / √d
    Vec *q, *o;          // (room, width_of(d)) (room, width_of(dv)) in vectors, with zeros
    float *p;            // (room, SPAN) scores, then weights; not where there are Fews
    float *zeros;        // (d or dv) a row for the stream that has no key left
    float *max, *sum;    // (room)
    Few *few;            // (room / QUERIES) where values are a view of the keys; in q
                         // and o heads of a Few are then side by side in each column
} Group;

// Rows of which all groups take their part, one after the other, are asked for one row ahead, contiguous ones several.
static ptrdiff_t ahead_of(Mat m) { return (ptrdiff_t)larger(AHEAD / larger(m.stride, 1), 1) * m.stride; }
static int width_of(int columns) { return (columns + LANES - 1) / LANES; }

// Vector number c of a row; it has `left` floats from there on.
INLINE Vec load(const float *row, int c, const int left)
{
    if (left >= LANES) return *(const Loose *)(row + c * LANES);
    return vec_part(row + c * LANES, left);
}

// Vector c of STREAMS keys times that of `heads` queries, at most QUERIES; `ahead` floats on, memory is told what is
// wanted soon.
INLINE void score_column(Vec sums[QUERIES][STREAMS], const float *const *row, const Vec *q, int width, int c,
                         const int left, ptrdiff_t ahead, const int heads)
{
    Vec numbers[STREAMS];
    UNROLLED for (int s = 0; s < STREAMS; s++)
    {
        numbers[s] = load(row[s], c, left);
        PREFETCH(row[s] + c * LANES, ahead);
    }
    UNROLLED for (int h = 0; h < heads; h++) UNROLLED for (int s = 0; s < STREAMS; s++) sums[h][s] +=
        numbers[s] * q[h * width + c];
}

// STREAMS keys against `heads` queries: the scores of head r + h are at g->p + (r + h) * SPAN + at.
INLINE void score_rows(const Group *g, const int *key, int at, int r, const int heads)
{
    Vec sums[QUERIES][STREAMS] = { { { 0 } } };
    const float *row[STREAMS];
    int d = g->k.cols, width = width_of(d), c = 0;
    ptrdiff_t ahead = ahead_of(g->k);
    const Vec *q = g->q + r * width;
    UNROLLED for (int s = 0; s < STREAMS; s++) row[s] = key[s] < 0 ? g->zeros : mat_row(g->k, key[s]);
    for (; (c + 1) * LANES <= d; c++) score_column(sums, row, q, width, c, LANES, ahead, heads);
    if (c < width) score_column(sums, row, q, width, c, d - c * LANES, ahead, heads);
    vec_add_lanes(&sums[0][0], STREAMS * QUERIES);
    UNROLLED for (int h = 0; h < heads; h++)
    {
        const float *sum = (float *)&sums[0][h * STREAMS / LANES * LANES] + h * STREAMS % LANES;
        for (int s = 0; s < STREAMS; s++) g->p[(r + h) * SPAN + at + s] = sum[s];
    }
}

// Vector c of the outputs of `heads` heads += weights · that of STREAMS values.
INLINE void mix_column(Vec *o, Vec weight[QUERIES][STREAMS], const float *const *row, int width, int c, const int left,
                       ptrdiff_t ahead, const int heads)
{
    Vec numbers[STREAMS];
    UNROLLED for (int s = 0; s < STREAMS; s++)
    {
        numbers[s] = load(row[s], c, left);
        PREFETCH(row[s] + c * LANES, ahead);
    }
    UNROLLED for (int h = 0; h < heads; h++)
    {
        Vec sum = o[h * width + c];
        UNROLLED for (int s = 0; s < STREAMS; s++) sum += weight[h][s] * numbers[s];
        o[h * width + c] = sum;
    }
}

// o += weights · values for STREAMS rows of values and `heads` heads, whose weights of the first of them are at `at`.
INLINE void mix_rows(const Group *g, const int *key, int at, int r, const int heads)
{
    Vec weight[QUERIES][STREAMS];
    const float *row[STREAMS];
    int dv = g->v.cols, width = width_of(dv), c = 0;
    ptrdiff_t ahead = ahead_of(g->v);
    Vec *o = g->o + r * width;
    UNROLLED for (int s = 0; s < STREAMS; s++)
    {
        row[s] = key[s] < 0 ? g->zeros : mat_row(g->v, key[s]);
        UNROLLED for (int h = 0; h < heads; h++) weight[h][s] = vec_splat(g->p[(r + h) * SPAN + at + s]);
    }
    for (; (c + 1) * LANES <= dv; c++) mix_column(o, weight, row, width, c, LANES, ahead, heads);
    if (c < width) mix_column(o, weight, row, width, c, dv - c * LANES, ahead, heads);
}

// Scores of head r become weights; a larger maximum than before scales what was summed up. `count` of them are real.
INLINE void weigh_span(const Group *g, const int *key, int count, int r)
{
    Vec *p = (Vec *)(g->p + r * SPAN), largest = vec_splat(g->max[r]), total = { 0 };
    float slope = g->masks[r].alibi * mask_root(g->masks[r], g->k.cols), *score = g->p + r * SPAN, max = g->max[r];
    int vectors = width_of(count), width = width_of(g->v.cols);
    if (slope != 0.0f) {
        int position = mask_position(g->masks[r], 0, 1, g->k.rows), end = g->k.rows - g->masks[r].padding;
        int base = to_nearest_key(position, end);
        for (int i = 0; i < count; i++) score[i] -= slope * (float)(abs(position - key[i]) - base);
    }
    for (int i = count; i < vectors * LANES; i++) score[i] = -INFINITY;
    for (int i = 0; i < vectors; i++) largest = vec_max(p[i], largest);
    for (int lane = 0; lane < LANES; lane++) max = largest[lane] > max ? largest[lane] : max;

    if (max > g->max[r]) {
        Vec factor = vec_exp2(vec_splat((g->max[r] - max) * g->scale));
        for (int c = 0; c < width; c++) g->o[r * width + c] *= factor;
        g->sum[r] *= factor[0];
        g->max[r] = max;
    }
    for (int i = 0; i < vectors; i++) {
        p[i] = vec_exp2((p[i] - max) * g->scale);
        total += p[i];
    }
    for (int lane = 0; lane < LANES; lane++) g->sum[r] += total[lane];
}

// QUERIES heads from r on; where only one or two are left, no more work than that.
INLINE void score_keys(const Group *g, const int *key, int at, int r)
{
    int left = g->R - r;
    if (left >= 3) score_rows(g, key, at, r, QUERIES);
    else if (left == 2) score_rows(g, key, at, r, 2);
    else score_rows(g, key, at, r, 1);
}

INLINE void mix_keys(const Group *g, const int *key, int at, int r)
{
    int left = g->R - r;
    if (left >= 3) mix_rows(g, key, at, r, QUERIES);
    else if (left == 2) mix_rows(g, key, at, r, 2);
    else mix_rows(g, key, at, r, 1);
}

// SPAN keys or fewer, STREAMS at a time. Of none, nothing changes. A row is read from end to end, each group taking its
// part, before the next one is.
INLINE void span_of_keys(const Group *groups, int count_of_groups, int *key, int count)
{
    const Group *end = groups + count_of_groups;
    for (int i = count; i % STREAMS; i++) key[i] = -1;
    for (int i = 0; i < count; i += STREAMS)
        for (const Group *g = groups; g < end; g++)
            for (int r = 0; r < g->room; r += QUERIES) score_keys(g, key + i, i, r);
    for (const Group *g = groups; g < end; g++)
        for (int r = 0; r < g->R; r++) weigh_span(g, key, count, r);
    for (int i = 0; i < count; i += STREAMS)
        for (const Group *g = groups; g < end; g++)
            for (int r = 0; r < g->room; r += QUERIES) mix_keys(g, key + i, i, r);
}

// ---- the same where values are a view of the keys

// Where score s of head h is in the vectors of a Few: the first of its lanes.
static int few_lane(const Few *few, int h, int s) { return (h * RUNS + s) * LANES / (few->heads * RUNS); }

// Slopes are taken from the scores of these keys, and keys that are not there have none.
TARGET static __attribute__((noinline)) void few_sloped(const Group *g, const int *key, int r)
{
    Few *few = &g->few[r / QUERIES];
    for (int lane = 0; lane < LANES; lane++) {
        int pair = lane * few->heads * RUNS / LANES, h = pair / RUNS, j = key[pair % RUNS];
        Mask mask = g->masks[smaller(r + h, g->R - 1)];
        float slope = mask.alibi * mask_root(mask, g->k.cols);
        int position = mask_position(mask, 0, 1, g->k.rows), base = to_nearest_key(position, g->k.rows - mask.padding);
        few->p[lane] = j < 0 ? -INFINITY : few->p[lane] - slope * (float)(abs(position - j) - base);
    }
}

// A larger maximum than before, of some head from r on, scales what was summed up. That is seldom.
TARGET static __attribute__((noinline)) void few_raised(const Group *g, int r)
{
    Few *few = &g->few[r / QUERIES];
    int width = width_of(g->v.cols), room = LANES / few->heads;
    for (int h = 0; h < few->heads; h++) {
        float max = few->max[h * room], new = max;
        for (int lane = h * room; lane < (h + 1) * room; lane++) new = few->p[lane] > new ? few->p[lane] : new;
        Vec factor = vec_exp2(vec_splat((max - new) * g->scale));
        for (int c = 0; c < width; c++) g->o[r * width + c * few->heads + h] *= factor;
        for (int lane = h * room; lane < (h + 1) * room; lane++) {
            few->sum[lane] *= factor[0];
            few->max[lane] = new;
        }
    }
}

// Scores of these keys become weights.
INLINE void few_weighed(const Group *g, const int *key, int r)
{
    Few *few = &g->few[r / QUERIES];
    if (g->sloped || key[RUNS - 1] < 0) few_sloped(g, key, r);
    if (vec_any(few->p > few->max)) few_raised(g, r);
    few->p = vec_exp2((few->p - few->max) * g->scale);
    few->sum += few->p;
}

// Rows of RUNS keys, or of their values.
typedef struct {
    const float *row[RUNS];
} Rows;

INLINE Rows rows_of(Mat m, const int *key, const float *zeros)
{
    Rows rows;
    for (int s = 0; s < RUNS; s++) rows.row[s] = key[s] < 0 ? zeros : mat_row(m, key[s]);
    return rows;
}

// Memory is asked for what lies further on: of the first half of the runs while keys are scored, of the second while
// values are mixed, or where a key has a column and its value none.
INLINE void few_ask(const Rows *of, int c, const int half)
{
    UNROLLED for (int s = 0; s < RUNS / 2; s++) PREFETCH(of->row[half * RUNS / 2 + s], AHEAD_INSIDE + c * LANES);
}

INLINE void few_score_column(Vec *sums, const Rows *of, const Vec *q, int c, const int left, const int heads)
{
    Vec numbers[RUNS];
    few_ask(of, c, 0);
    UNROLLED for (int s = 0; s < RUNS; s++) numbers[s] = vec_held(load(of->row[s], c, left));
    UNROLLED for (int h = 0; h < heads; h++)
    {
        Vec query = vec_held(q[c * heads + h]);
        UNROLLED for (int s = 0; s < RUNS; s++) sums[h * RUNS + s] += numbers[s] * query;
    }
}

INLINE void few_mix_column(Vec *o, const Vec *weights, const Rows *of, int c, const int left, const int heads)
{
    Vec numbers[RUNS];
    few_ask(of, c, 1);
    UNROLLED for (int s = 0; s < RUNS; s++) numbers[s] = vec_held(load(of->row[s], c, left));
    UNROLLED for (int h = 0; h < heads; h++)
    {
        Vec sum = o[c * heads + h];
        UNROLLED for (int s = 0; s < RUNS; s++) sum += weights[h * RUNS + s] * numbers[s];
        o[c * heads + h] = sum;
    }
}

// The scores of RUNS keys and `heads` heads from r on.
INLINE void few_scored(const Group *g, Rows keys, int r, const int heads)
{
    int d = g->k.cols, both = smaller(d, g->v.cols), c = 0;
    const Vec *q = g->q + r * width_of(d);
    Vec sums[QUERIES * RUNS];
    UNROLLED for (int h = 0; h < heads; h++) UNROLLED for (int s = 0; s < RUNS; s++) sums[h * RUNS + s] = (Vec){ 0 };
    for (; (c + 1) * LANES <= both; c++) few_score_column(sums, &keys, q, c, LANES, heads);
    for (; (c + 1) * LANES <= d; c++) {
        few_ask(&keys, c, 1);
        few_score_column(sums, &keys, q, c, LANES, heads);
    }
    if (c * LANES < d) few_score_column(sums, &keys, q, c, d - c * LANES, heads);
    g->few[r / QUERIES].p = vec_lane_sums(sums, heads * RUNS);
}

// Outputs += weights · values.
INLINE void few_mixed(const Group *g, Rows values, int r, const int heads)
{
    const Few *few = &g->few[r / QUERIES];
    int dv = g->v.cols, c = 0;
    Vec *o = g->o + r * width_of(dv), weights[QUERIES * RUNS];
    UNROLLED for (int h = 0; h < heads; h++) UNROLLED for (int s = 0; s < RUNS; s++)
    {
        int n = h * RUNS + s;
        weights[n] = vec_splat(((const float *)&few->p)[n * LANES / (heads * RUNS)]);
    }
    for (; (c + 1) * LANES <= dv; c++) few_mix_column(o, weights, &values, c, LANES, heads);
    if (c * LANES < dv) few_mix_column(o, weights, &values, c, dv - c * LANES, heads);
}

// Heads of the Few that begins with head r. Where three are left, there is a fourth of zeros.
static int few_heads(const Group *g, int r)
{
    int left = g->R - r;
    return left >= QUERIES || left == 3 ? QUERIES : left;
}

// Keys first … first + count − 1 as RUNS runs. Where one has no key left, none behind it has.
typedef struct {
    int first, count, length;
} Runs;

// Of a Few, the heads from r on: keys number `from` to `end` − 1 of each run.
INLINE void few_batch(const Group *g, Runs runs, int r, int from, int end, const int heads)
{
    for (int i = from; i < end; i++) {
        int key[RUNS];
        for (int s = 0; s < RUNS; s++) {
            int n = s * runs.length + i;
            key[s] = n < runs.count ? runs.first + n : -1;
        }
        few_scored(g, rows_of(g->k, key, g->zeros), r, heads);
        few_weighed(g, key, r);
        few_mixed(g, rows_of(g->v, key, g->zeros), r, heads);
    }
}

// … of all Fews.
TARGET static __attribute__((noinline)) void few_batches(const Group *g, Runs runs, int from, int end)
{
    for (int r = 0; r < g->R; r += QUERIES) {
        int heads = g->few[r / QUERIES].heads;
        if (heads == QUERIES) few_batch(g, runs, r, from, end, QUERIES);
        else if (heads == 2) few_batch(g, runs, r, from, end, 2);
        else few_batch(g, runs, r, from, end, 1);
    }
}

// Keys first … first + count − 1.
INLINE void span_inside(const Group *g, int first, int count)
{
    Runs runs = { first, count, (count + RUNS - 1) / RUNS };
    int batch = g->room > QUERIES ? BATCH / RUNS : larger(runs.length, 1);
    for (int i = 0; i < runs.length; i += batch) few_batches(g, runs, i, smaller(i + batch, runs.length));
}

// What span_inside has summed up, head by head: one lane of each score, and outputs as rows.
static void few_gathered(const Group *g, Partial to)
{
    int width = width_of(g->v.cols);
    for (int r = 0; r < g->R; r++) {
        int first = r / QUERIES * QUERIES, h = r - first;
        const Few *few = &g->few[r / QUERIES];
        g->max[r] = few->max[few_lane(few, h, 0)];
        g->sum[r] = 0.0f;
        for (int s = 0; s < RUNS; s++) g->sum[r] += few->sum[few_lane(few, h, s)];
        for (int c = 0; c < to.out.cols; c++)
            mat_row(to.out, r)[c] = ((const float *)&g->o[first * width + c / LANES * few->heads + h])[c % LANES];
    }
}

// Keys first … end − 1, SPAN of them or fewer and all in sight, as STREAMS runs that are walked side by side.
INLINE void keys_between(const Group *groups, int count_of_groups, int first, int end)
{
    int key[SPAN + STREAMS], count = 0, run = (end - first + STREAMS - 1) / STREAMS;
    for (int n = 0; n < count_of_groups && groups->inside; n++) span_inside(&groups[n], first, end - first);
    if (groups->inside) return;
    for (int i = 0; i < run; i++)
        for (int s = 0; s < STREAMS; s++)
            if (first + s * run + i < end) key[count++] = first + s * run + i;
    span_of_keys(groups, count_of_groups, key, count);
}

// Do the values of each group look at columns of its keys?
static bool values_inside(Mat k, Mat v, int groups)
{
    int d = k.cols / groups, dv = v.cols / groups;
    bool inside = k.rows > 0 && v.stride == k.stride;
    for (int n = 0; n < groups && inside; n++)
        inside = (uintptr_t)(v.at + n * dv) - (uintptr_t)(k.at + n * d) < sizeof(float) * (uintptr_t)d;
    return inside;
}

static void few_new(Arena *scratch, Group *g, Mat q)
{
    g->few = arena_alloc(scratch, (size_t)(g->room / QUERIES) * sizeof *g->few);
    for (int r = 0; r < g->R; r++) {
        int first = r / QUERIES * QUERIES, heads = few_heads(g, first);
        Few *few = &g->few[r / QUERIES];
        few->heads = heads;
        for (int lane = 0; lane < LANES; lane++) few->max[lane] = -FLT_MAX;
        for (int c = 0; c < q.cols; c++)
            ((float *)&g->q[first * width_of(q.cols) + c / LANES * heads + r - first])[c % LANES] = mat_row(q, r)[c];
    }
}

static Group group_new(Arena *scratch, Mat q, Mat k, Mat v, const Mask *masks, bool inside)
{
    int R = q.rows, room = (R + QUERIES - 1) / QUERIES * QUERIES, width = width_of(q.cols), width_v = width_of(v.cols);
    Group g = { .k = k,
                .v = v,
                .masks = masks,
                .R = R,
                .room = room,
                .scale = LOG2E / mask_root(masks[0], q.cols),
                .inside = inside };
    g.q = arena_alloc(scratch, sizeof(Vec) * (size_t)(room * width));
    g.o = arena_alloc(scratch, sizeof(Vec) * (size_t)(room * width_v + 1));
    if (!inside) g.p = arena_room(scratch, sizeof(float) * (size_t)(room * SPAN));
    g.zeros = arena_alloc(scratch, sizeof(float) * (size_t)larger(q.cols, v.cols));
    g.max = arena_alloc(scratch, sizeof(float) * (size_t)room);
    g.sum = arena_alloc(scratch, sizeof(float) * (size_t)room);
    for (int r = 0; r < R; r++) {
        if (!inside) memcpy(g.q + r * width, mat_row(q, r), sizeof(float) * (size_t)q.cols);
        g.max[r] = -FLT_MAX;
        g.sloped |= masks[r].alibi != 0.0f;
    }
    if (inside) few_new(scratch, &g, q);
    return g;
}

// ---- one query of many heads over the same rows (chapter 17)
//
// There a row serves so many heads that arithmetic is the limit again, and heads are what queries are above: the lanes.
// ACROSS vectors of them are taken at a time, few, since the queries of all are too much for the first cache, and they
// meet DOWN numbers of K or V. A vector that is alone meets DOWN_ALONE: a sum waits for the one before it, so that
// eight have to be under way.

enum { ACROSS = 2, DOWN = KIND == 16 ? 8 : 4, DOWN_ALONE = 8 };

typedef struct {
    Mat k, v;
    float scale;    // log₂e / √d
    Vec *q, *p, *o; // (d, n) queries  (KEYS, n) scores, then weights  (dv, n) outputs
    Vec max[ACROSS], sum[ACROSS];
} Crowd;

// As `multiply`, with `down` numbers and fewer vectors, from step `at` on.
INLINE void meet(Vec (*sums)[ACROSS], int steps, const float *const *left, ptrdiff_t at, ptrdiff_t apart,
                 const Vec *right, const int n, const int down)
{
    const Vec *end = right + steps * n;
    for (; right != end; at += apart, right += n) {
        Vec vector[ACROSS];
        for (int v = 0; v < n; v++) vector[v] = vec_held(right[v]);
        UNROLLED for (int r = 0; r < down; r++)
        {
            Vec number = vec_splat(left[r][at]);
            for (int v = 0; v < n; v++) sums[r][v] += number * vector[v];
        }
    }
}

// The scores of `keys` keys from j on. While some of them are scored, memory is asked for those behind them.
INLINE void crowd_score(Crowd *w, int j, int keys, Vec *largest, const int n)
{
    const int down = n == 1 ? DOWN_ALONE : DOWN;
    int d = w->k.cols;
    for (int row = 0; row < keys; row += down) {
        const float *key[DOWN_ALONE];
        Vec sums[DOWN_ALONE][ACROSS] = { { { 0 } } };
        for (int r = 0; r < down; r++) key[r] = mat_row(w->k, j + smaller(row + r, keys - 1));
        for (int c = 0; c < d; c += LANES) {
            for (int r = 0; r < down; r++) PREFETCH(key[r] + c, down * w->k.stride);
            meet(sums, smaller(d - c, LANES), key, c, 1, w->q + c * n, n, down);
        }
        for (int r = 0; r < down && row + r < keys; r++)
            for (int v = 0; v < n; v++) {
                w->p[(row + r) * n + v] = sums[r][v];
                largest[v] = vec_max(sums[r][v], largest[v]);
            }
    }
}

// Functions of their own, or what the rest keeps in registers would leave too few for the sums.
TARGET static __attribute__((noinline)) void crowd_score_one(Crowd *w, int j, int keys, Vec *largest)
{
    crowd_score(w, j, keys, largest, 1);
}

TARGET static __attribute__((noinline)) void crowd_score_two(Crowd *w, int j, int keys, Vec *largest)
{
    crowd_score(w, j, keys, largest, 2);
}

// Scores become weights. A larger maximum than before scales what was summed up.
INLINE void crowd_weigh(Crowd *w, int keys, const Vec *largest, const int n)
{
    for (int v = 0; v < n; v++) {
        Vec max = vec_max(largest[v], w->max[v]), factor = vec_exp2((w->max[v] - max) * w->scale);
        int raised = 0;
        for (int lane = 0; lane < LANES; lane++) raised |= max[lane] > w->max[v][lane];
        w->max[v] = max;
        if (raised) {
            w->sum[v] *= factor;
            for (int c = 0; c < w->v.cols; c++) w->o[c * n + v] *= factor;
        }
        for (int row = 0; row < keys; row++) {
            Vec weight = vec_exp2((w->p[row * n + v] - max) * w->scale);
            w->p[row * n + v] = weight;
            w->sum[v] += weight;
        }
    }
}

// o += weights · values, some channels at a time.
INLINE void crowd_mix(Crowd *w, int j, int keys, const int n)
{
    const int down = n == 1 ? DOWN_ALONE : DOWN;
    int dv = w->v.cols;
    for (int c = 0; c < dv; c += down) {
        const float *value[DOWN_ALONE];
        Vec sums[DOWN_ALONE][ACROSS] = { { { 0 } } };
        for (int r = 0; r < down; r++) value[r] = mat_row(w->v, j) + smaller(c + r, dv - 1);
        meet(sums, keys, value, 0, w->v.stride, w->p, n, down);
        for (int r = 0; r < down && c + r < dv; r++)
            for (int v = 0; v < n; v++) w->o[(c + r) * n + v] += sums[r][v];
    }
}

// Heads first … of a group, n vectors of them or a few less, past the sinks and the keys.
INLINE void crowd_heads(const Partial *to, Mat q, Crowd *w, const MaskRange *spans, int first, const int n)
{
    int heads = smaller(q.rows - first, n * LANES), dv = w->v.cols, room = n * LANES;
    memset(w->q, 0, sizeof(Vec) * (size_t)(n * q.cols));
    memset(w->o, 0, sizeof(Vec) * (size_t)(n * dv));
    for (int v = 0; v < n; v++) {
        w->max[v] = vec_splat(-FLT_MAX);
        w->sum[v] = vec_splat(0.0f);
    }
    for (int h = 0; h < heads; h++)
        for (int c = 0; c < q.cols; c++) ((float *)w->q)[c * room + h] = mat_row(q, first + h)[c];
    for (int part = 0; part < 2; part++)
        for (int at = 0; at < spans[part].count; at += KEYS) {
            int j = spans[part].first + at, keys = smaller(spans[part].count - at, KEYS);
            Vec largest[ACROSS];
            for (int v = 0; v < n; v++) largest[v] = vec_splat(-FLT_MAX);
            if (n == 1) crowd_score_one(w, j, keys, largest);
            else crowd_score_two(w, j, keys, largest);
            crowd_weigh(w, keys, largest, n);
            crowd_mix(w, j, keys, n);
        }
    for (int h = 0; h < heads; h++) {
        for (int c = 0; c < dv; c++) mat_row(to->out, first + h)[c] = ((float *)w->o)[c * room + h];
        *mat_ref(to->max, first + h, 0) = w->max[h / LANES][h % LANES];
        *mat_ref(to->sum, first + h, 0) = w->sum[h / LANES][h % LANES];
    }
}

// Are there heads enough, and may they be lanes? Each other one would need a slope of its own.
static bool crowded(const Group *g)
{
    if (!g->inside || 4 * g->R < 3 * LANES) return false;
    for (int r = 0; r < g->R; r++)
        if (g->masks[r].alibi != 0.0f) return false;
    return true;
}

TARGET static __attribute__((noinline)) void crowd(Arena *scratch, const Partial *to, Mat q, const Group *g,
                                                   MaskRange sinks, MaskRange keys)
{
    const MaskRange spans[2] = { sinks, keys };
    Crowd *w = arena_alloc(scratch, sizeof *w);
    *w = (Crowd){ .k = g->k, .v = g->v, .scale = g->scale };
    w->q = arena_room(scratch, sizeof(Vec) * (size_t)(ACROSS * q.cols));
    w->o = arena_room(scratch, sizeof(Vec) * (size_t)(ACROSS * g->v.cols));
    w->p = arena_room(scratch, sizeof(Vec) * (size_t)(ACROSS * KEYS));
    for (int first = 0; first < q.rows; first += ACROSS * LANES) {
        if (q.rows - first > LANES) crowd_heads(to, q, w, spans, first, 2);
        else crowd_heads(to, q, w, spans, first, 1);
    }
}

// The queries q (groups · R, d) of some groups against these keys of k (S, groups · d) and v, and against others, the
// sinks. to and masks: [groups], [groups · R].
TARGET static void decode(Arena *scratch, const Partial *to, int groups, Mat q, Mat k, Mat v, const Mask *masks,
                          MaskRange sinks, MaskRange keys)
{
    uint64_t mode = speed_steady();
    Group *all = arena_alloc(scratch, 2 * (size_t)groups * sizeof *all), *others = all + groups;
    int R = q.rows / groups, d = q.cols, dv = v.cols / groups, rest = 0;
    bool inside = values_inside(k, v, groups);
    for (int n = 0; n < groups; n++)
        all[n] = group_new(scratch, mat_rows(q, n * R, R), mat_cols(k, n * d, d), mat_cols(v, n * dv, dv),
                           masks + n * R, inside);
    for (int n = 0; n < groups; n++) {
        if (crowded(&all[n])) crowd(scratch, &to[n], mat_rows(q, n * R, R), &all[n], sinks, keys);
        else others[rest++] = all[n]; // what it gathers lies where all[n] says
    }
    for (int part = 0; part < 2 && rest > 0; part++) {
        MaskRange of = part ? keys : sinks;
        keys_between(others, rest, of.first, of.first + of.count);
    }
    for (int n = 0; n < groups; n++) {
        if (crowded(&all[n])) continue;
        if (inside) few_gathered(&all[n], to[n]);
        for (int r = 0; r < R; r++) {
            if (!inside) memcpy(mat_row(to[n].out, r), all[n].o + r * width_of(dv), sizeof(float) * (size_t)dv);
            *mat_ref(to[n].max, r, 0) = all[n].max[r];
            *mat_ref(to[n].sum, r, 0) = all[n].sum[r];
        }
    }
    cost_scratch((int64_t)arena_peak(scratch));
    speed_restored(mode);
}

// ---- the yardstick

// The loop of both products and nothing else. KEYS rows against a block, KEYS steps; the first cache holds it all.
INLINE void probe_block(Vec *to, Mat left, const Vec *right, const int rows)
{
    for (int row = 0; row < KEYS; row += rows) {
        const float *number[ROWS];
        Vec sums[ROWS][VECTORS];
        for (int r = 0; r < rows; r++) number[r] = mat_row(left, row + r);
        for (int r = 0; r < rows; r++)
            for (int v = 0; v < VECTORS; v++) sums[r][v] = to[(row + r) * VECTORS + v];
        multiply(sums, KEYS, number, 1, right, rows, VECTORS);
        for (int r = 0; r < rows; r++)
            for (int v = 0; v < VECTORS; v++) to[(row + r) * VECTORS + v] = sums[r][v];
    }
}

TARGET static int64_t probe(int rounds, int rows)
{
    Arena *scratch = arena_open();
    Vec *right = arena_alloc(scratch, sizeof(Vec) * KEYS * VECTORS);
    Vec *to = arena_alloc(scratch, sizeof(Vec) * KEYS * VECTORS);
    Mat left = mat_new(scratch, KEYS, KEYS);
    for (int round = 0; round < rounds; round++) {
        if (rows == 1) probe_block(to, left, right, 1);
        else if (rows == 2) probe_block(to, left, right, 2);
        else probe_block(to, left, right, ROWS);
    }
    arena_close(scratch);
    return (int64_t)rounds * KEYS * KEYS * BLOCK;
}

const FastKernel FOR_KIND(fast_kernel) = { blocks, decode, probe };
