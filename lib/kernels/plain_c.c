// Chapter 15. The fast kernel once more in plain C: loops over small arrays of a fixed length, without vector types and
// intrinsics. The compiler makes the vectors (see Makefile for its flags).
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

// A block of queries on its way past the keys. All arrays have WIDTH columns, one for each query.
typedef struct {
    Mat k, v;
    Mask mask;
    int i0, T;                                      // the block's first query; all queries
    float scale, slope;                             // log₂e / √d; ALiBi's slope in units of q · k
    float *q, *p, *o;                               // (d, WIDTH) queries  (KEYS, WIDTH) weights  (dv, WIDTH) outputs
    float base[WIDTH], behind[WIDTH], ahead[WIDTH]; // to_nearest_key, position − base, −position − base
    float reach[2][WIDTH];                          // FLT_MAX; the mask's window, less base, of a global FLT_MAX
    float max[WIDTH], sum[WIDTH];
    bool leapt; // the last keys had a score far above what was subtracted
} Walk;

// sums[r] += Σ over step of left[r][step · apart] · right[step], for ROWS rows at once. There is one step at least:
// only if it knows that does the compiler keep sums in registers from their start at 0 to their use.
ISA_INLINE void multiply(float sums[ROWS][WIDTH], int steps, const float *const left[ROWS], ptrdiff_t apart,
                         const float *restrict right)
{
    const float *end = right + steps * WIDTH;
    ptrdiff_t at = 0;
    do {
        for (int r = 0; r < ROWS; r++) {
            float number = left[r][at];
            for (int i = 0; i < WIDTH; i++) sums[r][i] += number * right[i];
        }
        at += apart;
        right += WIDTH;
    } while (right != end);
}

// 2ˣ as vec_exp2 has it, for one number.
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

// The score of query i and a key at place j: −INFINITY where the distance is below `least` or not below `most`.
ISA_INLINE float masked(const Walk *w, float score, int j, int i, float least, float most)
{
    float distance = w->behind[i] - (float)j, other = w->ahead[i] + (float)j;
    float away = distance > other ? distance : other;
    score -= w->slope * away;
    score = distance < least ? -INFINITY : score;
    return away >= most ? -INFINITY : score;
}

// Weights of `rows` ≤ ROWS keys from row `row` of the tile on; in passes, their scores.
ISA_INLINE void weigh_rows(Walk *w, float *restrict largest, float *restrict total, int j, int row, int rows,
                           const bool cut, const bool in_passes)
{
    const float *key[ROWS];
    for (int r = 0; r < ROWS; r++) key[r] = mat_row(w->k, j + row + (r < rows ? r : 0));
    float sums[ROWS][WIDTH] = { { 0 } };
    multiply(sums, w->k.cols, key, 1, w->q);
    for (int r = 0; r < rows; r++) {
        float *restrict p = w->p + (row + r) * WIDTH, *restrict max = w->max, scale = w->scale;
        bool windowed = w->mask.window > 0 && j + row + r >= mask_pinned(w->mask);
        const float least = w->mask.causal ? 0.0f : -FLT_MAX, *restrict most = w->reach[windowed];
        for (int i = 0; i < WIDTH; i++) {
            float score = cut ? masked(w, sums[r][i], j + row + r, i, least, most[i]) : sums[r][i];
            largest[i] = score > largest[i] ? score : largest[i];
            p[i] = in_passes ? score : exp2_one((score - max[i]) * scale);
            if (!in_passes) total[i] += p[i];
        }
    }
}

// Where a score is far above `max`, max becomes the largest one, and what was summed up is scaled to it.
ISA_INLINE bool raise(Walk *w, const float *largest)
{
    int any = 0;
    float factor[WIDTH];
    for (int i = 0; i < WIDTH; i++) {
        int far = (largest[i] - w->max[i]) * w->scale > THRESHOLD;
        any |= far;
        factor[i] = far ? exp2_one((w->max[i] - largest[i]) * w->scale) : 1.0f;
        w->max[i] = far ? largest[i] : w->max[i];
    }
    if (!any) return false;
    for (int i = 0; i < WIDTH; i++) w->sum[i] *= factor[i];
    for (int c = 0; c < w->v.cols; c++)
        for (int i = 0; i < WIDTH; i++) w->o[c * WIDTH + i] *= factor[i];
    return true;
}

// o += weights · values, ROWS channels at a time. A tile is added up by itself.
ISA_INLINE void mix(Walk *w, int j, int keys)
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

// The same where a hidden value may be NaN or infinite: hidden keys are left out one by one.
ISA_TARGET static void mix_seen(Walk *w, int j, int keys)
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
    int strange = 0;
    for (int i = 0; i < m.rows; i++) {
        const float *row = mat_row(m, i);
        for (int c = 0; c < m.cols; c++) strange |= row[c] - row[c] != 0.0f;
    }
    return !strange;
}

// All weights of a tile, or all scores.
ISA_INLINE void weigh(Walk *w, float *restrict largest, float *restrict total, MaskRange keys, const bool cut,
                      const bool in_passes)
{
    for (int i = 0; i < WIDTH; i++) {
        largest[i] = -FLT_MAX;
        total[i] = 0.0f;
    }
    for (int row = 0; row < keys.count; row += ROWS)
        weigh_rows(w, largest, total, keys.first, row, smaller(ROWS, keys.count - row), cut, in_passes);
}

// Scores become weights, as in fast_block.c after a rescaling.
ISA_INLINE void weigh_again(Walk *w, float *restrict total, int keys)
{
    for (int row = 0; row < keys; row++) {
        float *restrict p = w->p + row * WIDTH, *restrict max = w->max, scale = w->scale;
        for (int i = 0; i < WIDTH; i++) {
            p[i] = exp2_one((p[i] - max[i]) * scale);
            total[i] += p[i];
        }
    }
}

// One tile: see fast_block.c.
ISA_INLINE void tile(Walk *w, MaskRange keys, const bool cut)
{
    float largest[WIDTH], total[WIDTH];
    if (w->leapt || w->max[0] == -FLT_MAX || w->max[WIDTH - 1] == -FLT_MAX) {
        weigh(w, largest, total, keys, cut, true);
        w->leapt = raise(w, largest);
        weigh_again(w, total, keys.count);
    } else
        for (;;) {
            weigh(w, largest, total, keys, cut, false);
            if (!raise(w, largest)) break;
            w->leapt = true;
        }
    for (int i = 0; i < WIDTH; i++) w->sum[i] += total[i];
    if (cut && !all_finite(mat_rows(w->v, keys.first, keys.count))) mix_seen(w, keys.first, keys.count);
    else mix(w, keys.first, keys.count);
}

ISA_TARGET static void whole_tile(Walk *w, MaskRange keys) { tile(w, keys, false); }
ISA_TARGET static void cut_tile(Walk *w, MaskRange keys) { tile(w, keys, true); }

// Queries i0 … i0 + WIDTH − 1 past all keys.
ISA_INLINE void block(Attended to, Mat q, Walk *w)
{
    // 1. The queries as columns; what is missing of a block is 0.
    int rows = smaller(w->T - w->i0, WIDTH), end = w->k.rows - w->mask.padding;
    memset(w->q, 0, sizeof(float) * (size_t)(WIDTH * q.cols));
    memset(w->o, 0, sizeof(float) * (size_t)(WIDTH * (w->v.cols + ROWS)));
    for (int i = 0; i < WIDTH; i++) {
        w->max[i] = -FLT_MAX;
        w->sum[i] = 0.0f;
        int position = mask_position(w->mask, w->i0 + i, w->T, w->k.rows), base = to_nearest_key(position, end);
        w->base[i] = (float)base;
        w->behind[i] = (float)position - (float)base;
        w->ahead[i] = -(float)position - (float)base;
        w->reach[false][i] = FLT_MAX;
        bool open = mask_open(w->mask, w->i0 + i, w->T, w->k.rows);
        w->reach[true][i] = open ? FLT_MAX : (float)w->mask.window - (float)base;
    }
    w->leapt = false;
    for (int i = 0; i < rows; i++)
        for (int c = 0; c < q.cols; c++) w->q[c * WIDTH + i] = *mat_ref(q, w->i0 + i, c);

    // 2. Past the keys, tile by tile.
    int last = mask_position(w->mask, w->i0 + rows - 1, w->T, w->k.rows);
    for (int turn = 0; turn * KEYS < end; turn++) {
        int j = tile_in_turn(turn, w->mask, last, end) * KEYS;
        MaskRange keys = { j, smaller(end - j, KEYS) };
        TileKind kind = tile_kind(w->mask, (MaskRange){ w->i0, rows }, keys, w->T, w->k.rows);
        if (kind == TILE_EMPTY) continue;
        void (*tile_of)(Walk *, MaskRange) = kind == TILE_FULL && w->slope == 0.0f ? whole_tile : cut_tile;
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
            row_lse(w->max[i], w->sum[i], w->scale, (double)w->mask.alibi * (double)w->base[i]);
    }
}

ISA_TARGET void ISA_NAME(plain_c)(Attended to, Mat q, Mat k, Mat v, Mask mask)
{
    uint64_t mode = subnormals_flush();
    Arena *scratch = arena_open();
    Walk *w = arena_alloc(scratch, sizeof *w);
    float root = mask_root(mask, q.cols);
    *w = (Walk){ .k = k, .v = v, .mask = mask, .T = q.rows, .scale = LOG2E / root, .slope = mask.alibi * root };
    w->q = arena_alloc(scratch, sizeof(float) * (size_t)(WIDTH * q.cols));
    w->o = arena_alloc(scratch, sizeof(float) * (size_t)(WIDTH * (v.cols + ROWS)));
    w->p = arena_alloc(scratch, sizeof(float) * WIDTH * KEYS);
    for (w->i0 = 0; w->i0 < q.rows; w->i0 += WIDTH) block(to, q, w);
    cost_scratch((int64_t)arena_peak(scratch));
    arena_close(scratch);
    subnormals_restore(mode);
}
