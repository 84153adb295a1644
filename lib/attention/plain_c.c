// Chapter 15. The fast kernel once more in plain C: loops over small arrays of a fixed length, without vector types and
// intrinsics. The compiler makes the vectors (see Makefile for its flags).
//
// As in fast_body.h a block of queries is turned on its side; what stands side by side belongs to different queries.
#include "attention/ladder.h"

#include "attention/tiled.h"
#include "attention/versions.h"

enum { ROWS = 4, WIDEST = 64 };                      // keys or channels at a time; the most queries in a block

// A block of queries on its way past the keys. All arrays have `width` columns, one for each query.
typedef struct {
    Mat   k, v;
    Mask  mask;
    int   i0, T;                                     // the block's first query; all queries
    float scale, slope;                              // log₂e / √d; ALiBi's slope in units of q · k
    float *q, *p, *o;                                // (d, width) queries  (KEYS, width) weights  (dv, width) outputs
    float position[WIDEST], max[WIDEST], sum[WIDEST];
} Walk;

// sums[r] += Σ over step of left[r][step · apart] · right[step], for ROWS rows at once.
ALWAYS_INLINE void multiply(float sums[ROWS][WIDEST], int steps, const float *const left[ROWS], ptrdiff_t apart,
                            const float *restrict right, const int width)
{
    for (int step = 0; step < steps; step++)
        for (int r = 0; r < ROWS; r++) {
            float number = left[r][step * apart];
            for (int i = 0; i < width; i++) sums[r][i] += number * right[step * width + i];
        }
}

// 2ˣ as exp2_plain has it, for one number.
ALWAYS_INLINE float exp2_one(float x)
{
    float shifted = x + 12582912.0f, r = x - (shifted - 12582912.0f), p = POLYNOMIAL(r);
    uint32_t bits, n;
    memcpy(&bits, &p, sizeof bits);
    memcpy(&n, &shifted, sizeof n);
    bits += n << 23;
    bits = x < -126.0f ? 0 : bits;
    memcpy(&p, &bits, sizeof p);
    return p;
}

// The score of query i and a key at place j: −INFINITY where the distance is below `least` or not below `most`.
ALWAYS_INLINE float masked(const Walk *w, float score, int j, int i, float least, float most)
{
    float distance = w->position[i] - (float)j, away = distance < 0.0f ? -distance : distance;
    score -= w->slope * away;
    score = distance < least ? -INFINITY : score;
    return away >= most ? -INFINITY : score;
}

// Weights of `rows` ≤ ROWS keys from row `row` of the tile on.
ALWAYS_INLINE void weigh_rows(Walk *w, float *restrict largest, float *restrict total, int j, int row, int rows,
                              const int width, const bool cut)
{
    const float *key[ROWS];
    for (int r = 0; r < ROWS; r++) key[r] = mat_row(w->k, j + row + (r < rows ? r : 0));
    float sums[ROWS][WIDEST] = { { 0 } };
    multiply(sums, w->k.cols, key, 1, w->q, width);
    for (int r = 0; r < rows; r++) {
        float *restrict p = w->p + (row + r) * width, *restrict max = w->max, scale = w->scale;
        bool windowed = w->mask.window > 0 && j + row + r >= w->mask.sinks;
        float least = w->mask.causal ? 0.0f : -FLT_MAX, most = windowed ? (float)w->mask.window : FLT_MAX;
        for (int i = 0; i < width; i++) {
            float score = cut ? masked(w, sums[r][i], j + row + r, i, least, most) : sums[r][i];
            largest[i] = score > largest[i] ? score : largest[i];
            p[i] = exp2_one((score - max[i]) * scale);
            total[i] += p[i];
        }
    }
}

// Where a score is far above `max`, max becomes the largest one, and what was summed up is scaled to it.
ALWAYS_INLINE bool raise(Walk *w, const float *largest, const int width)
{
    int any = 0;
    float factor[WIDEST];
    for (int i = 0; i < width; i++) {
        int far = (largest[i] - w->max[i]) * w->scale > FURTHEST;
        any |= far;
        factor[i] = far ? exp2_one((w->max[i] - largest[i]) * w->scale) : 1.0f;
        w->max[i] = far ? largest[i] : w->max[i];
    }
    for (int i = 0; i < width && any; i++) w->sum[i] *= factor[i];
    for (int c = 0; c < w->v.cols && any; c++)
        for (int i = 0; i < width; i++) w->o[c * width + i] *= factor[i];
    return any;
}

// o += weights · values, ROWS channels at a time. A tile is added up by itself.
ALWAYS_INLINE void mix(Walk *w, int j, int keys, const int width)
{
    for (int c = 0; c < w->v.cols; c += ROWS) {
        const float *value[ROWS];
        for (int r = 0; r < ROWS; r++) value[r] = mat_row(w->v, j) + (c + r < w->v.cols ? c + r : c);
        float sums[ROWS][WIDEST] = { { 0 } }, *o = w->o + c * width;
        multiply(sums, keys, value, w->v.stride, w->p, width);
        for (int r = 0; r < ROWS; r++)
            for (int i = 0; i < width; i++) o[r * width + i] += sums[r][i];
    }
}

// The same where a hidden value may be NaN or infinite: hidden keys are left out one by one.
static void mix_seen(Walk *w, int j, int keys, int width)
{
    for (int i = 0; i < width && w->i0 + i < w->T; i++)
        for (int c = 0; c < w->v.cols; c++) {
            float sum = 0.0f;
            for (int row = 0; row < keys; row++)
                if (mask_sees(w->mask, w->i0 + i, j + row, w->T, w->k.rows))
                    sum += mat_row(w->v, j + row)[c] * w->p[row * width + i];
            w->o[c * width + i] += sum;
        }
}

ALWAYS_INLINE bool all_finite(Mat m)
{
    int strange = 0;
    for (int i = 0; i < m.rows; i++) {
        const float *row = mat_row(m, i);
        for (int c = 0; c < m.cols; c++) strange |= row[c] - row[c] != 0.0f;
    }
    return !strange;
}

// One tile: see fast_body.h.
ALWAYS_INLINE void tile(Walk *w, int j, int keys, const int width, const bool cut)
{
    float largest[WIDEST], total[WIDEST];
    bool fresh = w->max[0] == -FLT_MAX;
    for (bool again = true; again; fresh = false) {
        int tried = fresh && keys > ROWS ? ROWS : keys;
        for (int i = 0; i < width; i++) largest[i] = -FLT_MAX, total[i] = 0.0f;
        for (int row = 0; row < tried; row += ROWS)
            weigh_rows(w, largest, total, j, row, smaller(ROWS, tried - row), width, cut);
        again = raise(w, largest, width) || tried < keys;
    }
    for (int i = 0; i < width; i++) w->sum[i] += total[i];
    if (cut && !all_finite(mat_rows(w->v, j, keys))) mix_seen(w, j, keys, width);
    else mix(w, j, keys, width);
}

// Queries i0 … i0 + width − 1 past all keys.
ALWAYS_INLINE void block(Attended to, Mat q, Walk *w, const int width)
{
    // 1. The queries as columns; what is missing of a block is 0.
    int rows = smaller(w->T - w->i0, width), end = w->k.rows - w->mask.padding;
    memset(w->q, 0, sizeof(float) * (size_t)(width * q.cols));
    memset(w->o, 0, sizeof(float) * (size_t)(width * (w->v.cols + ROWS)));
    for (int i = 0; i < width; i++) {
        w->max[i] = -FLT_MAX, w->sum[i] = 0.0f;
        w->position[i] = (float)mask_position(w->mask, w->i0 + i, w->T, w->k.rows);
        for (int c = 0; c < q.cols && i < rows; c++) w->q[c * width + i] = *mat_ref(q, w->i0 + i, c);
    }

    // 2. Past the keys, tile by tile.
    for (int j = 0; j < end; j += KEYS) {
        Span keys = { j, smaller(end - j, KEYS) };
        TileKind kind = tile_kind(w->mask, (Span){ w->i0, rows }, keys, w->T, w->k.rows);
        if (kind == TILE_FULL && w->slope == 0.0f) tile(w, j, keys.count, width, false);
        else if (kind != TILE_EMPTY) tile(w, j, keys.count, width, true);
    }

    // 3. The outputs, divided by their sums, as rows.
    float share[WIDEST];
    for (int i = 0; i < width; i++) share[i] = w->max[i] == -FLT_MAX && w->sum[i] == 0.0f ? 0.0f : 1.0f / w->sum[i];
    for (int c = 0; c < w->v.cols; c++)
        for (int i = 0; i < width; i++) w->o[c * width + i] *= share[i];
    for (int i = 0; i < rows; i++) {
        float *out = mat_row(to.out, w->i0 + i);
        for (int c = 0; c < w->v.cols; c++) out[c] = w->o[c * width + i];
        if (!mat_empty(to.lse)) *mat_ref(to.lse, w->i0 + i, 0) = row_lse(w->max[i], w->sum[i], w->scale);
    }
}

ALWAYS_INLINE void plain_c(Attended to, Mat q, Mat k, Mat v, Mask mask, const int lanes)
{
    const int width = lanes == 16 ? 64 : 3 * lanes;
    Arena *scratch = arena_open();
    Walk *w = arena_alloc(scratch, sizeof *w);
    float root = mask_root(mask, q.cols);
    *w = (Walk){ .k = k, .v = v, .mask = mask, .T = q.rows, .scale = LOG2E / root, .slope = mask.alibi * root };
    w->q = arena_alloc(scratch, sizeof(float) * (size_t)(width * q.cols));
    w->o = arena_alloc(scratch, sizeof(float) * (size_t)(width * (v.cols + ROWS)));
    w->p = arena_alloc(scratch, sizeof(float) * (size_t)(width * KEYS));
    for (w->i0 = 0; w->i0 < q.rows; w->i0 += width) block(to, q, w, width);
    cost_scratch((int64_t)arena_peak(scratch));
    arena_close(scratch);
}

VERSIONS(attention_plain_c, plain_c)
