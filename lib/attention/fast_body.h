// Chapter 15. The fast kernel. fast.c includes this file once for each kind of processor; fast_kind.h says what differs:
//
//     NAME(f)        the name of f for this kind          TARGET         its attribute: the instructions it may use
//     LANES          floats in a vector register          ROWS, VECTORS  ROWS · VECTORS sums that stay in registers
//     MAX(a, b)      the larger; b when either is NaN     EXP2(x)        2ˣ, lane by lane
//     LOWER, UPPER   a₀ b₀ a₁ b₁ … of two vectors' lower and upper halves, as the places to take them from
//     STRIP, FAR     keys in a strip of a tile that the mask cuts; how far a score may lie above what is subtracted
//
// The lanes of a vector are queries. A block of LANES · VECTORS of them is turned on its side once. From then on a score
// is one number of K times a vector of queries, and an output is one number of V times a vector of weights. So K and V are
// read where they lie, maximum and sum of a query never leave their lane, and both products are the same loop.

typedef float NAME(Vector) __attribute__((vector_size(4 * LANES), may_alias));
typedef float NAME(Loose) __attribute__((vector_size(4 * LANES), aligned(4), may_alias));    // anywhere in memory
typedef int NAME(Bits) __attribute__((vector_size(4 * LANES), may_alias));
#define V     NAME(Vector)
#define Loose NAME(Loose)
#define Bits  NAME(Bits)
#define BLOCK (LANES * VECTORS)
#define INLINE static inline __attribute__((always_inline)) TARGET
#define SPLAT(x) ((x) - (V){ 0 })
#define SELECT(bits, a, b) ((V)(((bits) & (Bits)(a)) | (~(bits) & (Bits)(b))))

// A block of queries on its way past the keys. Channel c of lane i of vector v is element [c * VECTORS + v][i].
typedef struct {
    Mat   k, v;
    Mask  mask;
    int   i0, T;                                     // the block's first query; all queries
    float scale, slope;                              // log₂e / √d; ALiBi's slope in units of q · k
    V    *q, *p, *o;                                 // (d, BLOCK) queries  (KEYS, BLOCK) weights  (dv, BLOCK) outputs
    V     position[VECTORS];                         // of each query among the keys
    V     max[VECTORS], sum[VECTORS];                // of the scores seen: about the largest; Σ 2^((s − max) · scale)
    int64_t multiplies;                              // done so far
} NAME(Walk);
#define Walk NAME(Walk)

// sums[r][v] += Σ over step of left(r, step) · right[step][v]. A number of `left` serves n vectors, a vector of `right`
// serves ROWS numbers; ROWS · n sums are under way at once, so none waits for its last addition.
#define MULTIPLY(sums, steps, left, right)                                                  \
    for (int step = 0; step < (steps); step++)                                              \
        for (int r = 0; r < ROWS; r++) {                                                    \
            V number = SPLAT(left);                                                         \
            for (int v = 0; v < n; v++) sums[r][v] += number * (right)[step * VECTORS + v]; \
        }

// The score is −INFINITY where the mask hides key j, else lowered by ALiBi.
INLINE V NAME(masked)(const Walk *w, V score, int j, int v)
{
    V distance = w->position[v] - (float)j, away = MAX(distance, -distance);
    Bits hidden = { 0 };
    if (w->mask.causal) hidden |= distance < 0.0f;
    if (w->mask.window > 0 && j >= w->mask.sinks) hidden |= away >= (float)w->mask.window;
    return SELECT(hidden, SPLAT(-INFINITY), score - w->slope * away);
}

// p = 2^((q · k − max) scale) for `rows` ≤ ROWS keys from row `row` of the tile on, and n vectors from `first` on.
INLINE void NAME(weigh_rows)(Walk *w, V *largest, V *total, int j, int row, const int rows, int first, const int n,
                             const bool cut)
{
    const float *key[ROWS];
    for (int r = 0; r < ROWS; r++) key[r] = mat_row(w->k, j + row + (r < rows ? r : 0));
    V sums[ROWS][VECTORS] = { { { 0 } } };
    MULTIPLY(sums, w->k.cols, key[r][step], w->q + first)
    UNROLLED for (int v = 0; v < n; v++)
        UNROLLED for (int r = 0; r < rows; r++) {
            V score = cut ? NAME(masked)(w, sums[r][v], j + row + r, first + v) : sums[r][v];
            largest[v] = MAX(score, largest[v]);
            score = EXP2((score - w->max[first + v]) * w->scale);
            total[v] += score;
            w->p[(row + r) * VECTORS + first + v] = score;
        }
}

// The same for `keys` keys. largest and total are what these add up to.
INLINE void NAME(weigh)(Walk *w, V *largest, V *total, int j, int keys, int first, const int n, const bool cut)
{
    int row = 0;
    for (int v = 0; v < n; v++) largest[v] = SPLAT(-FLT_MAX), total[v] = SPLAT(0.0f);
    for (; row + ROWS <= keys; row += ROWS) NAME(weigh_rows)(w, largest, total, j, row, ROWS, first, n, cut);
    for (; row < keys; row++) NAME(weigh_rows)(w, largest, total, j, row, 1, first, n, cut);
    w->multiplies += (int64_t)keys * n * LANES * w->k.cols;
}

// Where a score is far above `max`, max becomes the largest one, and what was summed up is scaled to it. Lane by lane.
INLINE bool NAME(raise)(Walk *w, const V *largest, int first, const int n)
{
    bool any = false;
    for (int v = 0; v < n; v++) {
        V max = w->max[first + v];
        Bits far = (largest[v] - max) * w->scale > FAR;
        int lanes = 0;
        for (int lane = 0; lane < LANES; lane++) lanes |= far[lane];
        if (!lanes) continue;
        any = true;
        w->max[first + v] = SELECT(far, largest[v], max);
        V factor = EXP2((max - w->max[first + v]) * w->scale);
        w->sum[first + v] *= factor;
        for (int c = 0; c < w->v.cols; c++) w->o[c * VECTORS + first + v] *= factor;
    }
    return any;
}

// o += weights · values, ROWS channels at a time. A tile is added up by itself: so the error of a long sum stays small.
INLINE void NAME(mix)(Walk *w, int j, int keys, int first, const int n)
{
    for (int c = 0; c < w->v.cols; c += ROWS) {
        const float *value[ROWS];
        for (int r = 0; r < ROWS; r++) value[r] = mat_row(w->v, j) + (c + r < w->v.cols ? c + r : c);
        V sums[ROWS][VECTORS] = { { { 0 } } }, *o = w->o + c * VECTORS + first;
        MULTIPLY(sums, keys, value[r][step * (ptrdiff_t)w->v.stride], w->p + first)
        for (int r = 0; r < ROWS; r++)
            for (int v = 0; v < n; v++) o[r * VECTORS + v] += sums[r][v];
    }
    w->multiplies += (int64_t)keys * n * LANES * w->v.cols;
}

// Is every number of these rows finite?
INLINE bool NAME(all_finite)(Mat m)
{
    int strange = 0;
    for (int i = 0; i < m.rows; i++)
        for (int c = 0; c < m.cols; c++) strange |= mat_row(m, i)[c] - mat_row(m, i)[c] != 0.0f;
    return !strange;
}

// The same where a hidden value is NaN or infinite: 0 · NaN would be NaN, so hidden keys are left out one by one.
INLINE void NAME(mix_seen)(Walk *w, int j, int keys, int first, const int n)
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

#ifndef TILE_IN_PASSES                               // the lower rungs of the ladder have another tile
// One tile. `max` is seldom too low; only then the scores are computed once more. The first one comes from a few keys.
INLINE void NAME(tile)(Walk *w, int j, int keys, int first, const int n, const bool cut)
{
    V largest[VECTORS], total[VECTORS];
    bool fresh = w->max[first][0] == -FLT_MAX;
    for (bool again = true; again; fresh = false) {
        int tried = fresh && keys > ROWS ? ROWS : keys;
        NAME(weigh)(w, largest, total, j, tried, first, n, cut);
        again = NAME(raise)(w, largest, first, n) || tried < keys;
    }
    for (int v = 0; v < n; v++) w->sum[first + v] += total[v];
    if (cut && !NAME(all_finite)(mat_rows(w->v, j, keys))) NAME(mix_seen)(w, j, keys, first, n);
    else NAME(mix)(w, j, keys, first, n);
}
#else
#include "attention/ladder_tile_body.h"
#endif

// A tile that the mask cuts, for `n` vectors from `first` on; the compiler makes one version for each n.
TARGET static void NAME(cut_tile)(Walk *w, int j, int keys, int first, int n)
{
    if (n == 1) NAME(tile)(w, j, keys, first, 1, true);
    else if (n == 2) NAME(tile)(w, j, keys, first, 2, true);
    else if (n == VECTORS) NAME(tile)(w, j, keys, first, VECTORS, true);
    else if (n > 0) NAME(tile)(w, j, keys, first, VECTORS - 1, true);
}

// LANES × LANES floats on their side: log₂ LANES times row i is zipped with row i + LANES / 2.
INLINE void NAME(zip)(V *to, const V *from)
{
    for (int i = 0; i < LANES / 2; i++) {
        to[2 * i] = SHUFFLE(from[i], from[i + LANES / 2], LOWER);
        to[2 * i + 1] = SHUFFLE(from[i], from[i + LANES / 2], UPPER);
    }
}
INLINE void NAME(turn)(V *rows)
{
    V other[LANES];
    NAME(zip)(other, rows);
    NAME(zip)(rows, other);
    if (LANES > 4) NAME(zip)(other, rows);
    if (LANES > 8) NAME(zip)(rows, other);
    for (int i = 0; i < LANES && LANES == 8; i++) rows[i] = other[i];
}

// Up to LANES floats; the lanes that are missing, and all of NULL, are 0.
INLINE V NAME(part)(const float *from, int count)
{
    V part = { 0 };
    if (from) memcpy(&part, from, sizeof(float) * (size_t)smaller(count, LANES));
    return part;
}

// Queries i0 … as columns of w->q; what is missing of a block is 0.
INLINE void NAME(turn_queries)(Walk *w, Mat q)
{
    for (int v = 0; v < VECTORS; v++)
        for (int c = 0, i = w->i0 + v * LANES; c < q.cols; c += LANES) {
            V rows[LANES];
            if (i + LANES <= q.rows && c + LANES <= q.cols)
                for (int r = 0; r < LANES; r++) rows[r] = *(const Loose *)(mat_row(q, i + r) + c);
            else
                for (int r = 0; r < LANES; r++)
                    rows[r] = NAME(part)(i + r < q.rows ? mat_row(q, i + r) + c : NULL, q.cols - c);
            NAME(turn)(rows);
            for (int r = 0; r < LANES; r++) w->q[(c + r) * VECTORS + v] = rows[r];
        }
}

// The columns of w->o, divided by their sums, as rows of `out`; the sums' logarithms as lse.
INLINE void NAME(turn_outputs)(Attended to, Walk *w)
{
    for (int v = 0; v < VECTORS; v++) {
        Bits blind = (w->max[v] == -FLT_MAX) & (w->sum[v] == 0.0f);                    // nothing was seen
        V share = SELECT(blind, SPLAT(0.0f), 1.0f / w->sum[v]);
        for (int c = 0, i = w->i0 + v * LANES; c < to.out.cols; c += LANES) {
            V rows[LANES];
            for (int r = 0; r < LANES; r++) rows[r] = w->o[(c + r) * VECTORS + v] * share;
            NAME(turn)(rows);
            if (i + LANES <= w->T && c + LANES <= to.out.cols)
                for (int r = 0; r < LANES; r++) *(Loose *)(mat_row(to.out, i + r) + c) = rows[r];
            else
                for (int r = 0; r < LANES && i + r < w->T; r++)
                    memcpy(mat_row(to.out, i + r) + c, &rows[r],
                           sizeof(float) * (size_t)smaller(to.out.cols - c, LANES));
        }
        for (int r = 0, i = w->i0 + v * LANES; r < LANES && i + r < to.lse.rows; r++)
            *mat_ref(to.lse, i + r, 0) = row_lse(w->max[v][r], w->sum[v][r], w->scale);
    }
}

// Is there nothing to see in this strip of keys for any query of vector v?
static bool NAME(blind)(const Walk *w, int v, Span strip)
{
    int i = w->i0 + v * LANES, rows = w->T - i < LANES ? w->T - i : LANES;
    return tile_kind(w->mask, (Span){ i, rows }, strip, w->T, w->k.rows) == TILE_EMPTY;
}

// A span of keys. Where the mask cuts it, it is taken in strips, each by the vectors that see some of it.
INLINE void NAME(span)(Walk *w, Span keys, int rows)
{
    int vectors = (rows + LANES - 1) / LANES;
    TileKind kind = tile_kind(w->mask, (Span){ w->i0, rows }, keys, w->T, w->k.rows);
    if (kind == TILE_EMPTY) return;
    if (kind == TILE_FULL && (vectors < VECTORS || w->slope != 0.0f))
        NAME(cut_tile)(w, keys.first, keys.count, 0, vectors);
    else if (kind == TILE_FULL) NAME(tile)(w, keys.first, keys.count, 0, VECTORS, false);
    else for (int part = 0; part < keys.count; part += STRIP) {
        Span strip = { keys.first + part, smaller(keys.count - part, STRIP) };
        int first = 0, end = vectors;
        while (first < end && NAME(blind)(w, first, strip)) first++;
        while (first < end && NAME(blind)(w, end - 1, strip)) end--;
        NAME(cut_tile)(w, strip.first, strip.count, first, end - first);
    }
}

// Queries i0 … i0 + BLOCK − 1 past all keys.
TARGET static void NAME(block)(Attended to, Mat q, Walk *w)
{
    int rows = w->T - w->i0 < BLOCK ? w->T - w->i0 : BLOCK, end = w->k.rows - w->mask.padding;
    memset(w->o, 0, sizeof(V) * (size_t)(VECTORS * (w->v.cols + LANES)));
    for (int v = 0; v < VECTORS; v++) {
        w->max[v] = SPLAT(-FLT_MAX);
        w->sum[v] = SPLAT(0.0f);
        for (int i = 0; i < LANES; i++)
            w->position[v][i] = (float)mask_position(w->mask, w->i0 + v * LANES + i, w->T, w->k.rows);
    }
    NAME(turn_queries)(w, q);
    for (int j = 0; j < end; j += KEYS) NAME(span)(w, (Span){ j, end - j < KEYS ? end - j : KEYS }, rows);
    NAME(turn_outputs)(to, w);
}

// Blocks of queries, as `next` hands them out. Scratch does not depend on T and S; it is given back.
TARGET static void NAME(blocks)(Arena *scratch, Attended to, Mat q, Mat k, Mat v, Mask mask, NextBlock *next, void *context)
{
    ArenaMark mark = arena_mark(scratch);
    Walk *w = arena_alloc(scratch, sizeof *w);
    float root = mask_root(mask, q.cols);
    *w = (Walk){ .k = k, .v = v, .mask = mask, .T = q.rows, .scale = LOG2E / root, .slope = mask.alibi * root };
    w->q = arena_alloc(scratch, sizeof(V) * (size_t)(VECTORS * (q.cols + LANES)));
    w->o = arena_alloc(scratch, sizeof(V) * (size_t)(VECTORS * (v.cols + LANES)));
    w->p = arena_alloc(scratch, sizeof(V) * (size_t)(VECTORS * KEYS));
    for (int b; (b = next(context)) * BLOCK < q.rows;) {
        w->i0 = b * BLOCK;
        NAME(block)(to, q, w);
    }
    cost_add((Cost){ .multiplies = w->multiplies, .scratch = (int64_t)arena_peak(scratch) });
    arena_release(scratch, mark);
}
