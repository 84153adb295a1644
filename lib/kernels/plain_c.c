// Chapter 15. The fast kernel in plain C: loops over small arrays of constant length, without vector types and
// intrinsics. The compiler vectorises them (see the Makefile for its flags).
//
// As in fast_block.c a block of queries is transposed: neighbours in memory belong to different queries.
#include "kernels/fast_kernel.h"

#include "base/cost.h"

#include <float.h>
#include <string.h>

// Keys or channels at a time; queries in a block.
#if VECTOR_REGISTERS == 32
enum { ROWS = 4, WIDTH = 4 * LANES };
#else
enum { ROWS = 4, WIDTH = 3 * LANES };
#endif

// State of a block of queries. All arrays have WIDTH columns, one for each query.
typedef struct {
    Mat k, v;
    Mask mask;
    int i0, T;          // the block's first query; number of queries
    float scale, slope; // log₂e / √d; ALiBi's slope in units of q · k
    float *q, *p, *o;   // (d, WIDTH) queries  (KEYS, WIDTH) weights  (dv, WIDTH) outputs
    float nearest[WIDTH], to_past[WIDTH], to_next[WIDTH]; // to_nearest_key, position − nearest, −position − nearest
    float window_of[2][WIDTH]; // [0]: FLT_MAX; [1]: the mask's window − nearest, FLT_MAX for a global query
    float max[WIDTH], sum[WIDTH];
    bool rescaled; // did the last keys rescale a maximum?
} BlockState;

// sums[r] += Σ over step of left[r][step · apart] · right[step], for ROWS rows at once; steps ≥ 1. The do-while tells
// the compiler so: otherwise it does not keep the sums in registers.
ISA_INLINE void multiply(float sums[ROWS][WIDTH], int steps, const float *const left[ROWS], ptrdiff_t apart,
                         const float *restrict right)
{
    const float *end = right + steps * WIDTH;
    ptrdiff_t offset = 0;
    do {
        for (int r = 0; r < ROWS; r++) {
            float scalar = left[r][offset];
            for (int i = 0; i < WIDTH; i++) sums[r][i] += scalar * right[i];
        }
        offset += apart;
        right += WIDTH;
    } while (right != end);
}

// 2ˣ of one number, as vec_exp2.
ISA_INLINE float exp2_one(float x)
{
    float shifted = x + ROUNDER, r = x - (shifted - ROUNDER), power;
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits <<= 23;
    memcpy(&power, &bits, sizeof power);
    float scaled = POLYNOMIAL(r) * power;
    return x < LEAST ? 0.0f : scaled;
}

// The score of query i and key j: −INFINITY if the signed distance is below `least` or the distance is `most` or more.
ISA_INLINE float masked(const BlockState *w, float score, int j, int i, float least, float most)
{
    float distance = w->to_past[i] - (float)j, other = w->to_next[i] + (float)j;
    float away = distance > other ? distance : other;
    score -= w->slope * away;
    score = distance < least ? -INFINITY : score;
    return away >= most ? -INFINITY : score;
}

// Weights of `rows` ≤ ROWS keys from row `row` of the tile on; if in_passes, their scores.
ISA_INLINE void weigh_rows(BlockState *w, float *restrict largest, float *restrict total, int j, int row, int rows,
                           const bool cut, const bool in_passes)
{
    const float *key[ROWS];
    for (int r = 0; r < ROWS; r++) key[r] = mat_row(w->k, j + row + (r < rows ? r : 0));
    float sums[ROWS][WIDTH] = { { 0 } };
    multiply(sums, w->k.cols, key, 1, w->q);
    for (int r = 0; r < rows; r++) {
        float *restrict p = w->p + (row + r) * WIDTH, *restrict max = w->max, scale = w->scale;
        bool windowed = w->mask.window > 0 && j + row + r >= mask_pinned(w->mask);
        const float least = w->mask.causal ? 0.0f : -FLT_MAX, *restrict most = w->window_of[windowed];
        for (int i = 0; i < WIDTH; i++) {
            float score = cut ? masked(w, sums[r][i], j + row + r, i, least, most[i]) : sums[r][i];
            largest[i] = score > largest[i] ? score : largest[i];
            p[i] = in_passes ? score : exp2_one((score - max[i]) * scale);
            if (!in_passes) total[i] += p[i];
        }
    }
}

// If a score exceeds the running maximum by more than THRESHOLD, raises the maximum and rescales sum and output.
ISA_INLINE bool rescale(BlockState *w, const float *largest)
{
    int any = 0;
    float factor[WIDTH];
    for (int i = 0; i < WIDTH; i++) {
        int above = (largest[i] - w->max[i]) * w->scale > THRESHOLD;
        any |= above;
        factor[i] = above ? exp2_one((w->max[i] - largest[i]) * w->scale) : 1.0f;
        w->max[i] = above ? largest[i] : w->max[i];
    }
    if (!any) return false;
    for (int i = 0; i < WIDTH; i++) w->sum[i] *= factor[i];
    for (int c = 0; c < w->v.cols; c++)
        for (int i = 0; i < WIDTH; i++) w->o[c * WIDTH + i] *= factor[i];
    return true;
}

// o += weights · values, ROWS channels at a time. A tile has sums of its own.
ISA_INLINE void mix(BlockState *w, int j, int keys)
{
    for (int c = 0; c < w->v.cols; c += ROWS) {
        const float *value[ROWS];
        for (int r = 0; r < ROWS; r++) value[r] = mat_row(w->v, j) + (c + r < w->v.cols ? c + r : c);
        float sums[ROWS][WIDTH] = { { 0 } }, *o = w->o + c * WIDTH;
        multiply(sums, keys, value, w->v.stride, w->p);
        for (int r = 0; r < ROWS; r++)
            for (int i = 0; i < WIDTH; i++) o[r * WIDTH + i] += sums[r][i];
    }
}

// The same if a hidden value may be NaN or infinite: hidden keys are skipped one by one.
ISA_TARGET static void mix_visible(BlockState *w, int j, int keys)
{
    for (int i = 0; i < WIDTH && w->i0 + i < w->T; i++)
        for (int c = 0; c < w->v.cols; c++) {
            float sum = 0.0f;
            for (int row = 0; row < keys; row++)
                if (mask_sees(w->mask, w->i0 + i, j + row, w->T, w->k.rows))
                    sum += mat_row(w->v, j + row)[c] * w->p[row * WIDTH + i];
            w->o[c * WIDTH + i] += sum;
        }
}

ISA_INLINE bool all_finite(Mat m)
{
    int non_finite = 0;
    for (int i = 0; i < m.rows; i++) {
        const float *row = mat_row(m, i);
        for (int c = 0; c < m.cols; c++) non_finite |= row[c] - row[c] != 0.0f;
    }
    return !non_finite;
}

// All weights of a tile, or all scores.
ISA_INLINE void weigh(BlockState *w, float *restrict largest, float *restrict total, MaskRange keys, const bool cut,
                      const bool in_passes)
{
    for (int i = 0; i < WIDTH; i++) {
        largest[i] = -FLT_MAX;
        total[i] = 0.0f;
    }
    for (int row = 0; row < keys.count; row += ROWS)
        weigh_rows(w, largest, total, keys.first, row, smaller(ROWS, keys.count - row), cut, in_passes);
}

ISA_INLINE void weights_of_scores(BlockState *w, float *restrict total, int keys)
{
    for (int row = 0; row < keys; row++) {
        float *restrict p = w->p + row * WIDTH, *restrict max = w->max, scale = w->scale;
        for (int i = 0; i < WIDTH; i++) {
            p[i] = exp2_one((p[i] - max[i]) * scale);
            total[i] += p[i];
        }
    }
}

ISA_INLINE void tile(BlockState *w, MaskRange keys, const bool cut)
{
    float largest[WIDTH], total[WIDTH];
    if (w->rescaled || w->max[0] == -FLT_MAX || w->max[WIDTH - 1] == -FLT_MAX) {
        weigh(w, largest, total, keys, cut, true);
        w->rescaled = rescale(w, largest);
        weights_of_scores(w, total, keys.count);
    } else
        for (;;) {
            weigh(w, largest, total, keys, cut, false);
            if (!rescale(w, largest)) break;
            w->rescaled = true;
        }
    for (int i = 0; i < WIDTH; i++) w->sum[i] += total[i];
    if (cut && !all_finite(mat_rows(w->v, keys.first, keys.count))) mix_visible(w, keys.first, keys.count);
    else mix(w, keys.first, keys.count);
}

ISA_TARGET static void whole_tile(BlockState *w, MaskRange keys) { tile(w, keys, false); }
ISA_TARGET static void cut_tile(BlockState *w, MaskRange keys) { tile(w, keys, true); }

// Queries i0 … i0 + WIDTH − 1 over all keys.
ISA_INLINE void block(Attended to, Mat q, BlockState *w)
{
    // 1. The queries as columns, padded with 0.
    int rows = smaller(w->T - w->i0, WIDTH), end = w->k.rows - w->mask.padding;
    memset(w->q, 0, sizeof(float) * (size_t)(WIDTH * q.cols));
    memset(w->o, 0, sizeof(float) * (size_t)(WIDTH * (w->v.cols + ROWS)));
    for (int i = 0; i < WIDTH; i++) {
        w->max[i] = -FLT_MAX;
        w->sum[i] = 0.0f;
        int position = mask_position(w->mask, w->i0 + i, w->T, w->k.rows), nearest = to_nearest_key(position, end);
        w->nearest[i] = (float)nearest;
        w->to_past[i] = (float)position - (float)nearest;
        w->to_next[i] = -(float)position - (float)nearest;
        w->window_of[false][i] = FLT_MAX;
        bool open = mask_open(w->mask, w->i0 + i, w->T, w->k.rows);
        w->window_of[true][i] = open ? FLT_MAX : (float)w->mask.window - (float)nearest;
    }
    w->rescaled = false;
    for (int i = 0; i < rows; i++)
        for (int c = 0; c < q.cols; c++) w->q[c * WIDTH + i] = *mat_ref(q, w->i0 + i, c);

    // 2. All keys, tile by tile.
    int last = mask_position(w->mask, w->i0 + rows - 1, w->T, w->k.rows);
    for (int turn = 0; turn * KEYS < end; turn++) {
        int j = tile_in_turn(turn, w->mask, last, end) * KEYS;
        MaskRange keys = { j, smaller(end - j, KEYS) };
        TileKind kind = tile_kind(w->mask, (MaskRange){ w->i0, rows }, keys, w->T, w->k.rows);
        if (kind == TILE_EMPTY) continue;
        void (*tile_of)(BlockState *, MaskRange) = kind == TILE_FULL && w->slope == 0.0f ? whole_tile : cut_tile;
        tile_of(w, keys);
    }

    // 3. The outputs, divided by their sums, as rows.
    float share[WIDTH];
    for (int i = 0; i < WIDTH; i++) share[i] = w->max[i] == -FLT_MAX && w->sum[i] == 0.0f ? 0.0f : 1.0f / w->sum[i];
    for (int c = 0; c < w->v.cols; c++)
        for (int i = 0; i < WIDTH; i++) w->o[c * WIDTH + i] *= share[i];
    for (int i = 0; i < rows; i++) {
        float *out = mat_row(to.out, w->i0 + i);
        for (int c = 0; c < w->v.cols; c++) out[c] = w->o[c * WIDTH + i];
        if (mat_empty(to.lse)) continue;
        *mat_ref(to.lse, w->i0 + i, 0) =
            row_lse(w->max[i], w->sum[i], w->scale, (double)w->mask.alibi * (double)w->nearest[i]);
    }
}

ISA_TARGET void ISA_NAME(plain_c)(Attended to, Mat q, Mat k, Mat v, Mask mask)
{
    uint64_t mode = subnormals_flush();
    Arena *scratch = arena_open();
    BlockState *w = arena_alloc(scratch, sizeof *w);
    float root = mask_root(mask, q.cols);
    *w = (BlockState){ .k = k, .v = v, .mask = mask, .T = q.rows, .scale = LOG2E / root, .slope = mask.alibi * root };
    w->q = arena_alloc(scratch, sizeof(float) * (size_t)(WIDTH * q.cols));
    w->o = arena_alloc(scratch, sizeof(float) * (size_t)(WIDTH * (v.cols + ROWS)));
    w->p = arena_alloc(scratch, sizeof(float) * WIDTH * KEYS);
    for (w->i0 = 0; w->i0 < q.rows; w->i0 += WIDTH) block(to, q, w);
    cost_scratch((int64_t)arena_peak(scratch));
    arena_close(scratch);
    subnormals_restore(mode);
}
