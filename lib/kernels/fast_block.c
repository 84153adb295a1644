// Chapter 15. The fast kernel, and the rungs of the ladder that lead to it.
//
// The vector lanes are queries. A block of LANES · VECTORS queries is transposed once. From then on a score is a scalar
// of K times a vector of queries, and an output is a scalar of V times a vector of weights. So K and V are read in
// place, a query's running maximum and sum never leave their lane, and both products share one micro-kernel.
//
// A rung is this kernel with other constants. A micro-kernel (weigh, mix) is instantiated for each height of its
// register block, each number of vectors, and with and without a mask; a table selects it. The per-tile work between
// the products is compiled once.
#include "kernels/fast_kernel.h"
#include "kernels/fast_micro_kernel.h"

#include "base/cost.h"

#include <float.h>

typedef struct {
    int rows;        // rows of the register block, at most ROWS
    float threshold; // the rescale threshold, in powers of two
    bool in_passes;  // scores, their maximum, weights one after the other, as in attention_tiled
    bool by_lane;    // 2ˣ one number at a time
    int strip;       // keys of a masked tile that are processed at a time
} Rung;

// The ladder: what each rung adds.
static Rung rung_of(RungName name)
{
    Rung rung = { .rows = 1, .threshold = 0.0f, .in_passes = true, .by_lane = true, .strip = KEYS }; // lanes
    if (name >= RUNG_1X4) rung.by_lane = false;                                                      // vectorised 2ˣ
    if (name >= RUNG_2X4) rung.rows = 2;                                                             // register
    if (name >= RUNG_4X4) rung.rows = ROWS;                                                          // blocking
    if (name >= RUNG_LAZY) {
        rung.in_passes = false;
        rung.threshold = THRESHOLD;
    }                                          // fused softmax, seldom rescaled
    if (name >= RUNG_FAST) rung.strip = LANES; // masked tiles in strips
    return rung;
}

typedef struct BlockState BlockState;

// Scores, or weights, of keys first … first + keys − 1 of a tile, for n vectors of queries from `from` on. And outputs.
typedef void Weigh(BlockState *w, Vec *largest, Vec *total, int first, int keys, int from);
typedef void Mix(BlockState *w, int first, int keys, int from);

// The micro-kernels of a rung, by [is the tile masked][number of vectors]; unmasked tiles always have all vectors.
typedef struct {
    Weigh *scores[2][VECTORS + 1]; // p = q · k
    Weigh *weigh[2][VECTORS + 1];  // p = 2^((q · k − max) scale); NULL if in_passes
    Mix *mix[VECTORS + 1];
} MicroKernels;

// State of a block of queries. Channel c of lane i of vector v is element [c * VECTORS + v][i].
struct BlockState {
    Mat k, v;
    Mask mask;
    Rung rung;
    const MicroKernels *run;
    int i0, T, pinned;                      // the block's first query; number of queries; mask_pinned of the mask
    float scale, slope;                     // log₂e / √d; ALiBi's slope in units of q · k
    Vec *q, *p, *o;                         // (d, BLOCK) queries  (KEYS, BLOCK) weights  (dv, BLOCK) outputs
    Vec nearest[VECTORS];                   // to_nearest_key of each query
    Vec to_past[VECTORS], to_next[VECTORS]; // position − nearest, −position − nearest
    Vec window[VECTORS];                    // the mask's window − nearest; INFINITY for a global query
    Vec max[VECTORS], sum[VECTORS];         // running maximum, within the threshold; Σ 2^((s − max) · scale)
    bool rescaled;                          // did the last keys raise a maximum?
    int64_t multiplies;
};

// 2ˣ of each lane; vectors that are far below the maximum become 0.
ISA_NOINLINE void exp2_by_lane(Vec *x)
{
    float lanes[LANES];
    memcpy(lanes, x, sizeof lanes);
    for (int lane = 0; lane < LANES; lane++) lanes[lane] = lanes[lane] < LEAST ? 0.0f : exp2f(lanes[lane]);
    memcpy(x, lanes, sizeof lanes);
}

ISA_INLINE Vec exp2_of(const Rung rung, Vec x)
{
    if (!rung.by_lane) return vec_exp2(x);
    exp2_by_lane(&x);
    return x;
}

// ---- the micro-kernels

// The score of key j, −INFINITY if hidden, else lowered by ALiBi for |position − j| − nearest. If `nearest` is not 0,
// `past` is not the distance, but a causal mask is still right: such a query sees no key, or all of them.
ISA_INLINE Vec masked(const BlockState *w, Vec score, int j, int v)
{
    Vec past = w->to_past[v] - (float)j, distance = vec_max(past, w->to_next[v] + (float)j);
    Bits hidden = { 0 };
    if (w->mask.causal) hidden |= past < 0.0f;
    if (w->mask.window > 0 && j >= w->pinned) hidden |= distance >= w->window[v];
    return vec_select(hidden, vec_splat(-INFINITY), score - w->slope * distance);
}

// Keys first + row … of the tile, `rows` of them, for n vectors of queries from `from` on.
ISA_INLINE void weigh_rows(BlockState *w, Vec *largest, Vec *total, int first, int row, int from, const int rows,
                           const int n, const bool cut, const bool in_passes)
{
    const float *key[ROWS];
    for (int r = 0; r < rows; r++) key[r] = mat_row(w->k, first + row + r);
    Vec sums[ROWS][VECTORS] = { { { 0 } } };
    multiply(sums, w->k.cols, key, 1, w->q + from, rows, n);
    UNROLLED for (int v = 0; v < n; v++) UNROLLED for (int r = 0; r < rows; r++)
    {
        Vec score = cut ? masked(w, sums[r][v], first + row + r, from + v) : sums[r][v];
        largest[v] = vec_max(score, largest[v]);
        if (!in_passes) {
            score = vec_exp2((score - w->max[from + v]) * w->scale);
            total[v] += score;
        }
        w->p[(row + r) * VECTORS + from + v] = score;
    }
}

// All keys of a tile. Returns the maximum of the scores and the sum of the weights in `to_largest` and `to_total`.
ISA_INLINE void weigh(BlockState *w, Vec *to_largest, Vec *to_total, int first, int keys, int from, const int rows,
                      const int n, const bool cut, const bool in_passes)
{
    int row = 0;
    Vec largest[VECTORS], total[VECTORS]; // in registers
    for (int v = 0; v < n; v++) {
        largest[v] = vec_splat(-FLT_MAX);
        total[v] = vec_splat(0.0f);
    }
    for (; row + rows <= keys; row += rows) weigh_rows(w, largest, total, first, row, from, rows, n, cut, in_passes);
    for (; row < keys && rows > 1; row++) weigh_rows(w, largest, total, first, row, from, 1, n, cut, in_passes);
    for (int v = 0; v < n; v++) {
        to_largest[v] = largest[v];
        to_total[v] = total[v];
    }
    w->multiplies += (int64_t)keys * n * LANES * w->k.cols;
}

// o += weights · values, `rows` channels at a time. A tile has sums of its own, which keeps the error of long sums
// small.
ISA_INLINE void mix(BlockState *w, int first, int keys, int from, const int rows, const int n)
{
    for (int c = 0; c < w->v.cols; c += rows) {
        const float *value[ROWS];
        for (int r = 0; r < rows; r++) value[r] = mat_row(w->v, first) + (c + r < w->v.cols ? c + r : c);
        Vec sums[ROWS][VECTORS] = { { { 0 } } }, *o = w->o + c * VECTORS + from;
        multiply(sums, keys, value, w->v.stride, w->p + from, rows, n);
        for (int r = 0; r < rows; r++)
            for (int v = 0; v < n; v++) o[r * VECTORS + v] += sums[r][v];
    }
    w->multiplies += (int64_t)keys * n * LANES * w->v.cols;
}

#define WEIGH(name, rows, n, cut, in_passes) \
    ISA_NOINLINE void name(BlockState *w, Vec *largest, Vec *total, int first, int keys, int from) \
    { \
        weigh(w, largest, total, first, keys, from, rows, n, cut, in_passes); \
    }
#define MIX(name, rows, n) \
    ISA_NOINLINE void name(BlockState *w, int first, int keys, int from) { mix(w, first, keys, from, rows, n); }

// Instances for 1, 2, … VECTORS vectors.
#if VECTOR_REGISTERS == 32
    #define EACH_WIDTH(macro, ...) \
        macro(1, __VA_ARGS__) macro(2, __VA_ARGS__) macro(3, __VA_ARGS__) macro(4, __VA_ARGS__)
#else
    #define EACH_WIDTH(macro, ...) macro(1, __VA_ARGS__) macro(2, __VA_ARGS__) macro(3, __VA_ARGS__)
#endif
#define WEIGH_CUT(n, name, rows, in_passes) WEIGH(name##_cut_##n, rows, n, true, in_passes)
#define MIX_WIDE(n, name, rows)             MIX(name##_##n, rows, n)
#define SCORES_AND_MIX(name, rows) \
    WEIGH(score_##name, rows, VECTORS, false, true) \
    EACH_WIDTH(WEIGH_CUT, score_##name, rows, true) \
    EACH_WIDTH(MIX_WIDE, mix_##name, rows)
SCORES_AND_MIX(one, 1)
SCORES_AND_MIX(two, 2)
SCORES_AND_MIX(four, ROWS)
WEIGH(weigh_four, ROWS, VECTORS, false, false)
EACH_WIDTH(WEIGH_CUT, weigh_four, ROWS, false)

#define CUT_ENTRY(n, name) [n] = name##_cut_##n,
#define MIX_ENTRY(n, name) [n] = name##_##n,
#define WEIGH_TABLE(name) \
    { \
        [false] = { [VECTORS] = name }, [true] = { EACH_WIDTH(CUT_ENTRY, name) } \
    }
#define MIX_TABLE(name) \
    { \
        EACH_WIDTH(MIX_ENTRY, name) \
    }
static const MicroKernels one = { .scores = WEIGH_TABLE(score_one), .mix = MIX_TABLE(mix_one) };
static const MicroKernels two = { .scores = WEIGH_TABLE(score_two), .mix = MIX_TABLE(mix_two) };
static const MicroKernels four = { .scores = WEIGH_TABLE(score_four), .mix = MIX_TABLE(mix_four) };
static const MicroKernels lazy = { WEIGH_TABLE(score_four), WEIGH_TABLE(weigh_four), MIX_TABLE(mix_four) };
static const MicroKernels *const micro_kernels[] = {
    [RUNG_LANES] = &one, [RUNG_1X4] = &one,   [RUNG_2X4] = &two,
    [RUNG_4X4] = &four,  [RUNG_LAZY] = &lazy, [RUNG_FAST] = &lazy,
};

// ---- a tile

// Where a score exceeds the running maximum by more than the threshold, it becomes the maximum, and the sum and the
// outputs are rescaled. Lane by lane.
ISA_NOINLINE bool rescale(BlockState *w, const Vec *largest, int from, int n)
{
    bool any = false;
    for (int v = 0; v < n; v++) {
        Vec max = w->max[from + v];
        Bits above = (largest[v] - max) * w->scale > w->rung.threshold;
        if (!vec_any(above)) continue;
        any = true;
        w->max[from + v] = vec_select(above, largest[v], max);
        Vec factor = exp2_of(w->rung, (max - w->max[from + v]) * w->scale);
        w->sum[from + v] *= factor;
        for (int c = 0; c < w->v.cols; c++) w->o[c * VECTORS + from + v] *= factor;
    }
    return any;
}

// Scores become weights, and their sum.
ISA_NOINLINE void weights_of_scores(BlockState *w, int keys, int from, int n)
{
    const Rung rung = w->rung;
    const float scale = w->scale;
    for (int v = from; v < from + n; v++) {
        Vec max = w->max[v], sum = w->sum[v];
        for (int row = 0; row < keys; row++) {
            Vec *p = &w->p[row * VECTORS + v];
            *p = exp2_of(rung, (*p - max) * scale);
            sum += *p;
        }
        w->sum[v] = sum;
    }
}

// Three passes, as in attention_tiled: scores, their maximum, weights. For the lower rungs, and where the running
// maximum is likely to be too low.
ISA_TARGET static void weigh_in_passes(BlockState *w, MaskRange keys, int from, int n, bool cut)
{
    Vec largest[VECTORS], none[VECTORS];
    w->run->scores[cut][n](w, largest, none, keys.first, keys.count, from);
    w->rescaled = rescale(w, largest, from, n);
    weights_of_scores(w, keys.count, from, n);
}

// One pass with the present running maximum. If that was too low, which is rare, the scores are computed again.
ISA_TARGET static void weigh_tile(BlockState *w, MaskRange keys, int from, int n, bool cut)
{
    Vec largest[VECTORS], total[VECTORS];
    for (;;) {
        w->run->weigh[cut][n](w, largest, total, keys.first, keys.count, from);
        if (!rescale(w, largest, from, n)) break;
        w->rescaled = true;
    }
    for (int v = 0; v < n; v++) w->sum[from + v] += total[v];
}

// Has a query of these vectors seen no key yet? The first lane of the first or of the last vector tells.
static bool any_unseen(const BlockState *w, int from, int n)
{
    return w->max[from][0] == -FLT_MAX || w->max[from + n - 1][0] == -FLT_MAX;
}

ISA_TARGET static bool all_finite(Mat m)
{
    int strange = 0;
    for (int i = 0; i < m.rows; i++)
        for (int c = 0; c < m.cols; c++) strange |= mat_row(m, i)[c] - mat_row(m, i)[c] != 0.0f;
    return !strange;
}

// The outputs if a hidden value is NaN or infinite: 0 · NaN is NaN, so hidden keys are skipped one by one.
ISA_TARGET static void mix_visible(BlockState *w, MaskRange keys, int from, int n)
{
    for (int lane = from * LANES; lane < (from + n) * LANES && w->i0 + lane < w->T; lane++)
        for (int c = 0; c < w->v.cols; c++) {
            float sum = 0.0f;
            for (int row = 0; row < keys.count; row++)
                if (mask_sees(w->mask, w->i0 + lane, keys.first + row, w->T, w->k.rows))
                    sum += mat_row(w->v, keys.first + row)[c] * ((float *)w->p)[row * BLOCK + lane];
            ((float *)w->o)[c * BLOCK + lane] += sum;
        }
}

// n vectors of queries from `from` on. `cut`: the mask hides some of these keys.
static void tile(BlockState *w, MaskRange keys, int from, int n, bool cut)
{
    if (n == 0) return;
    if (w->rung.in_passes || w->rescaled || any_unseen(w, from, n)) weigh_in_passes(w, keys, from, n, cut);
    else weigh_tile(w, keys, from, n, cut);
    if (cut && !all_finite(mat_rows(w->v, keys.first, keys.count))) mix_visible(w, keys, from, n);
    else w->run->mix[n](w, keys.first, keys.count, from);
}

// ---- a block of queries

// Are these keys hidden from all queries of vector v?
static bool all_hidden(const BlockState *w, int v, MaskRange strip)
{
    int i = w->i0 + v * LANES, rows = smaller(w->T - i, LANES);
    return tile_kind(w->mask, (MaskRange){ i, rows }, strip, w->T, w->k.rows) == TILE_EMPTY;
}

// A tile of keys. A masked tile is processed in strips, each by the vectors that see some of it.
static void tile_or_strips(BlockState *w, MaskRange keys, int rows)
{
    int vectors = (rows + LANES - 1) / LANES;
    TileKind kind = tile_kind(w->mask, (MaskRange){ w->i0, rows }, keys, w->T, w->k.rows);
    if (kind == TILE_EMPTY) return;
    if (kind == TILE_FULL && (vectors < VECTORS || w->slope != 0.0f)) tile(w, keys, 0, vectors, true);
    else if (kind == TILE_FULL) tile(w, keys, 0, VECTORS, false);
    else
        for (int part = 0; part < keys.count; part += w->rung.strip) {
            MaskRange strip = { keys.first + part, smaller(keys.count - part, w->rung.strip) };
            int first = 0, end = vectors;
            while (first < end && all_hidden(w, first, strip)) first++;
            while (first < end && all_hidden(w, end - 1, strip)) end--;
            tile(w, strip, first, end - first, true);
        }
}

// Queries i0 … as columns of w->q; 0 beyond the last query.
ISA_TARGET static void transpose_queries(BlockState *w, Mat q)
{
    for (int v = 0; v < VECTORS; v++)
        for (int c = 0, i = w->i0 + v * LANES; c < q.cols; c += LANES) {
            Vec rows[LANES];
            if (i + LANES <= q.rows && c + LANES <= q.cols)
                for (int r = 0; r < LANES; r++) rows[r] = *(const Loose *)(mat_row(q, i + r) + c);
            else
                for (int r = 0; r < LANES; r++)
                    rows[r] = vec_part(i + r < q.rows ? mat_row(q, i + r) + c : NULL, q.cols - c);
            vec_transpose(rows);
            for (int r = 0; r < LANES; r++) w->q[(c + r) * VECTORS + v] = rows[r];
        }
}

// The columns of w->o, divided by their sums, as rows of `out`; and lse.
ISA_TARGET static void transpose_outputs(Attended to, BlockState *w)
{
    for (int v = 0; v < VECTORS; v++) {
        Bits all_hidden = (w->max[v] == -FLT_MAX) & (w->sum[v] == 0.0f); // no key seen
        Vec share = vec_select(all_hidden, vec_splat(0.0f), 1.0f / w->sum[v]);
        for (int c = 0, i = w->i0 + v * LANES; c < to.out.cols; c += LANES) {
            Vec rows[LANES];
            for (int r = 0; r < LANES; r++) rows[r] = w->o[(c + r) * VECTORS + v] * share;
            vec_transpose(rows);
            if (i + LANES <= w->T && c + LANES <= to.out.cols)
                for (int r = 0; r < LANES; r++) *(Loose *)(mat_row(to.out, i + r) + c) = rows[r];
            else
                for (int r = 0; r < LANES && i + r < w->T; r++)
                    memcpy(mat_row(to.out, i + r) + c, &rows[r],
                           sizeof(float) * (size_t)smaller(to.out.cols - c, LANES));
        }
        for (int r = 0, i = w->i0 + v * LANES; r < LANES && i + r < to.lse.rows; r++)
            *mat_ref(to.lse, i + r, 0) =
                row_lse(w->max[v][r], w->sum[v][r], w->scale, (double)w->mask.alibi * (double)w->nearest[v][r]);
    }
}

// Sets the positions of the queries of vector v; `end` is the number of keys without padding.
ISA_TARGET static void set_positions(BlockState *w, int v, int end)
{
    int first = mask_position(w->mask, w->i0 + v * LANES, w->T, w->k.rows);
    Vec position, zero = vec_splat(0.0f);
    for (int lane = 0; lane < LANES; lane++) position[lane] = (float)(first + lane);
    w->nearest[v] = vec_max(vec_max(-position, position - (float)(end - 1)), zero);
    w->to_past[v] = position - w->nearest[v];
    w->to_next[v] = -position - w->nearest[v];
    w->window[v] = (float)w->mask.window - w->nearest[v];
    for (int lane = 0, i = w->i0 + v * LANES; lane < LANES && mask_open(w->mask, i + lane, w->T, w->k.rows); lane++)
        w->window[v][lane] = INFINITY;
}

// Queries i0 … i0 + BLOCK − 1 over all keys.
ISA_TARGET static void block(Attended to, Mat q, BlockState *w)
{
    int rows = smaller(w->T - w->i0, BLOCK), end = w->k.rows - w->mask.padding;
    memset(w->o, 0, sizeof(Vec) * (size_t)(VECTORS * (w->v.cols + LANES)));
    for (int v = 0; v < VECTORS; v++) {
        w->max[v] = vec_splat(-FLT_MAX);
        w->sum[v] = vec_splat(0.0f);
        set_positions(w, v, end);
    }
    w->rescaled = false;
    transpose_queries(w, q);
    int last = mask_position(w->mask, w->i0 + rows - 1, w->T, w->k.rows);
    for (int turn = 0; turn * KEYS < end; turn++) {
        int j = tile_in_turn(turn, w->mask, last, end) * KEYS;
        tile_or_strips(w, (MaskRange){ j, smaller(end - j, KEYS) }, rows);
    }
    transpose_outputs(to, w);
}

// Scratch does not depend on T and S; it is released.
ISA_TARGET void ISA_NAME(fast_blocks)(RungName rung, Arena *scratch, Attended to, Mat q, Mat k, Mat v, Mask mask,
                                      NextBlock *next, void *context)
{
    uint64_t mode = subnormals_flush();
    ArenaMark mark = arena_mark(scratch);
    BlockState *w = arena_alloc(scratch, sizeof *w);
    float root = mask_root(mask, q.cols);
    *w = (BlockState){ .k = k,
                       .v = v,
                       .mask = mask,
                       .rung = rung_of(rung),
                       .run = micro_kernels[rung],
                       .T = q.rows,
                       .pinned = mask_pinned(mask),
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
    subnormals_restore(mode);
}
