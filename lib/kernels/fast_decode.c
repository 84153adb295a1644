// Chapter 15. Decoding: one query per head over float32 rows.
//
// This is memory-bound: every key and value is used by the H / G heads of its KV group and never again. So the lanes
// are channels, and rows are read from end to end, STREAMS of them at once from distant parts of the cache: a processor
// prefetches several streams faster than one, and softmax does not depend on the order of the keys.
#include "kernels/fast_kernel.h"

#include "base/cost.h"

#include <float.h>
#include <stdlib.h>

// Streams that are read; prefetch distance in floats; heads of a group that share each number read.
enum { STREAMS = 4, DISTANCE = 512, QUERIES = LANES == 16 ? 4 : 2 };

// The heads of one KV group.
typedef struct {
    Mat k, v;
    const Mask *masks;   // (R)
    int R, padded_heads; // heads; the same rounded up to a multiple of QUERIES
    float scale;         // log₂e / √d
    Vec *q, *o;          // (padded_heads, vec_count(d)) (padded_heads, vec_count(dv)) in vectors, padded with zeros
    float *p;            // (padded_heads, SPAN) scores, then weights
    float *zeros;        // (d or dv) read by a stream that has no key left
    float *max, *sum;    // (padded_heads)
} Group;

// All groups read their part of a row in turn: long rows are prefetched one ahead, short ones several.
static ptrdiff_t ahead_of(Mat m) { return (ptrdiff_t)larger(DISTANCE / larger(m.stride, 1), 1) * m.stride; }

// Vector c of a row that has `left` floats from there on.
ISA_INLINE Vec load(const float *row, int c, const int left)
{
    if (left >= LANES) return *(const Loose *)(row + c * LANES);
    return vec_part(row + c * LANES, left);
}

// Vector c of STREAMS keys times vector c of `heads` queries, at most QUERIES, with a prefetch `ahead` floats further
// on.
ISA_INLINE void score_column(Vec sums[QUERIES][STREAMS], const float *const *row, const Vec *q, int width, int c,
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
ISA_INLINE void score_rows(const Group *g, const int *key, int at, int r, const int heads)
{
    Vec sums[QUERIES][STREAMS] = { { { 0 } } };
    const float *row[STREAMS];
    int d = g->k.cols, width = vec_count(d), c = 0;
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
ISA_INLINE void mix_column(Vec *o, Vec weight[QUERIES][STREAMS], const float *const *row, int width, int c,
                           const int left, ptrdiff_t ahead, const int heads)
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
ISA_INLINE void mix_rows(const Group *g, const int *key, int at, int r, const int heads)
{
    Vec weight[QUERIES][STREAMS];
    const float *row[STREAMS];
    int dv = g->v.cols, width = vec_count(dv), c = 0;
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

// `count` scores of head r become weights; a new maximum rescales the sum and the outputs.
ISA_NOINLINE void weigh_span(const Group *g, const int *key, int count, int r)
{
    Vec *p = (Vec *)(g->p + r * SPAN), largest = vec_splat(g->max[r]), total = { 0 };
    float slope = g->masks[r].alibi * mask_root(g->masks[r], g->k.cols), *score = g->p + r * SPAN, max = g->max[r];
    int vectors = vec_count(count), width = vec_count(g->v.cols);
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

// QUERIES heads from r on, or the remaining one or two.
ISA_INLINE void score_keys(const Group *g, const int *key, int at, int r)
{
    int left = g->R - r;
    if (left >= 3) score_rows(g, key, at, r, QUERIES);
    else if (left == 2) score_rows(g, key, at, r, 2);
    else score_rows(g, key, at, r, 1);
}

ISA_INLINE void mix_keys(const Group *g, const int *key, int at, int r)
{
    int left = g->R - r;
    if (left >= 3) mix_rows(g, key, at, r, QUERIES);
    else if (left == 2) mix_rows(g, key, at, r, 2);
    else mix_rows(g, key, at, r, 1);
}

// At most SPAN keys, STREAMS at a time. All groups read their part of a row before the next row.
ISA_TARGET static void span_of_keys(const Group *groups, int groups_count, int *key, int count)
{
    const Group *end = groups + groups_count;
    for (int i = count; i % STREAMS; i++) key[i] = -1;
    for (int i = 0; i < count; i += STREAMS)
        for (const Group *g = groups; g < end; g++)
            for (int r = 0; r < g->padded_heads; r += QUERIES) score_keys(g, key + i, i, r);
    for (const Group *g = groups; g < end; g++)
        for (int r = 0; r < g->R; r++) weigh_span(g, key, count, r);
    for (int i = 0; i < count; i += STREAMS)
        for (const Group *g = groups; g < end; g++)
            for (int r = 0; r < g->padded_heads; r += QUERIES) mix_keys(g, key + i, i, r);
}

// Keys first … end − 1, at most SPAN and all visible, as STREAMS contiguous runs that are read in parallel.
static void keys_between(const Group *groups, int groups_count, int first, int end)
{
    int key[SPAN + STREAMS], count = 0, run = (end - first + STREAMS - 1) / STREAMS;
    for (int i = 0; i < run; i++)
        for (int s = 0; s < STREAMS; s++)
            if (first + s * run + i < end) key[count++] = first + s * run + i;
    span_of_keys(groups, groups_count, key, count);
}

static Group group_new(Arena *scratch, Mat q, Mat k, Mat v, const Mask *masks)
{
    int R = q.rows, padded_heads = (R + QUERIES - 1) / QUERIES * QUERIES, width = vec_count(q.cols),
        width_v = vec_count(v.cols);
    Group g = { .k = k,
                .v = v,
                .masks = masks,
                .R = R,
                .padded_heads = padded_heads,
                .scale = LOG2E / mask_root(masks[0], q.cols) };
    g.q = arena_alloc(scratch, sizeof(Vec) * (size_t)(padded_heads * width));
    g.o = arena_alloc(scratch, sizeof(Vec) * (size_t)(padded_heads * width_v + 1));
    g.p = arena_room(scratch, sizeof(float) * (size_t)(padded_heads * SPAN));
    g.zeros = arena_alloc(scratch, sizeof(float) * (size_t)larger(q.cols, v.cols));
    g.max = arena_alloc(scratch, sizeof(float) * (size_t)padded_heads);
    g.sum = arena_alloc(scratch, sizeof(float) * (size_t)padded_heads);
    for (int r = 0; r < R; r++) {
        memcpy(g.q + r * width, mat_row(q, r), sizeof(float) * (size_t)q.cols);
        g.max[r] = -FLT_MAX;
    }
    return g;
}

ISA_TARGET void ISA_NAME(fast_decode)(Arena *scratch, const Partial *to, int groups, Mat q, Mat k, Mat v,
                                      const Mask *masks, MaskRange sinks, MaskRange keys)
{
    uint64_t mode = subnormals_flush();
    Group *all = arena_alloc(scratch, (size_t)groups * sizeof *all);
    int R = q.rows / groups, d = q.cols, dv = v.cols / groups;
    for (int n = 0; n < groups; n++)
        all[n] =
            group_new(scratch, mat_rows(q, n * R, R), mat_cols(k, n * d, d), mat_cols(v, n * dv, dv), masks + n * R);
    keys_between(all, groups, sinks.first, sinks.first + sinks.count);
    keys_between(all, groups, keys.first, keys.first + keys.count);
    for (int n = 0; n < groups; n++)
        for (int r = 0; r < R; r++) {
            memcpy(mat_row(to[n].out, r), all[n].o + r * vec_count(dv), sizeof(float) * (size_t)dv);
            *mat_ref(to[n].max, r, 0) = all[n].max[r];
            *mat_ref(to[n].sum, r, 0) = all[n].sum[r];
        }
    cost_scratch((int64_t)arena_peak(scratch));
    subnormals_restore(mode);
}
