// Chapter 15. Decoding over latent rows (multi-head latent attention, MLA): values are a view of the keys' own columns,
// and all heads of a group share one row. A row that was read from memory serves twice, for scores and for outputs.
//
// Few heads: lanes are channels. RUNS keys are scored and then mixed while their rows are in the L1 cache. Each comes
// from a run of its own, as in fast_decode.c, and both loops prefetch parts of rows DISTANCE floats further on in their
// runs. So memory is always busy, and an output is loaded and stored once for RUNS keys.
//
// Many heads: so many heads share a row that this is compute-bound, as blocks of queries are, and lanes are heads.
#include "kernels/fast_kernel.h"

#include "base/cost.h"

#include <float.h>
#include <stdlib.h>

enum { QUERIES = LANES == 16 ? 4 : 2, RUNS = LANES >= 8 ? 4 : 2, BATCH = 64, DISTANCE = 576 };

// At most QUERIES heads. Each of their RUNS scores has LANES / (RUNS · heads) lanes. If a group has several such
// blocks, all of them process a BATCH of keys, which stays in the L2 cache, before the next batch.
typedef struct {
    Vec p, max, sum;
    int heads;
} HeadBlock;

// The heads of one KV group.
typedef struct {
    Mat k, v;
    const Mask *masks;   // (R)
    int R, padded_heads; // heads; the same rounded up to a multiple of QUERIES
    bool sloped;         // does any head have an ALiBi slope?
    float scale;         // log₂e / √d
    Vec *q,
        *o; // (padded_heads, vec_count(d)) (padded_heads, vec_count(dv)) in vectors, padded with zeros; the heads of a
            // block are side by side in each column
    float *zeros;      // (d or dv) read by a run that has no key left
    HeadBlock *blocks; // (padded_heads / QUERIES)
} Group;

// Vector c of a row that has `left` floats from there on.
ISA_INLINE Vec load(const float *row, int c, const int left)
{
    if (left >= LANES) return *(const Loose *)(row + c * LANES);
    return vec_part(row + c * LANES, left);
}

// ---- few heads: lanes are channels

// The first lane of score s of head h in the vectors of a block.
static int block_lane(const HeadBlock *block, int h, int s) { return (h * RUNS + s) * LANES / (block->heads * RUNS); }

// Subtracts ALiBi from the scores of these keys; absent keys get −INFINITY.
ISA_NOINLINE void block_slope(const Group *g, const int *key, int r)
{
    HeadBlock *block = &g->blocks[r / QUERIES];
    for (int lane = 0; lane < LANES; lane++) {
        int pair = lane * block->heads * RUNS / LANES, h = pair / RUNS, j = key[pair % RUNS];
        Mask mask = g->masks[smaller(r + h, g->R - 1)];
        float slope = mask.alibi * mask_root(mask, g->k.cols);
        int position = mask_position(mask, 0, 1, g->k.rows), base = to_nearest_key(position, g->k.rows - mask.padding);
        block->p[lane] = j < 0 ? -INFINITY : block->p[lane] - slope * (float)(abs(position - j) - base);
    }
}

// Rescales sum and outputs of the heads from r on whose maximum was raised. Rare.
ISA_NOINLINE void block_rescale(const Group *g, int r)
{
    HeadBlock *block = &g->blocks[r / QUERIES];
    int width = vec_count(g->v.cols), padded_heads = LANES / block->heads;
    for (int h = 0; h < block->heads; h++) {
        float max = block->max[h * padded_heads], new = max;
        for (int lane = h * padded_heads; lane < (h + 1) * padded_heads; lane++)
            new = block->p[lane] > new ? block->p[lane] : new;
        Vec factor = vec_exp2(vec_splat((max - new) * g->scale));
        for (int c = 0; c < width; c++) g->o[r * width + c * block->heads + h] *= factor;
        for (int lane = h * padded_heads; lane < (h + 1) * padded_heads; lane++) {
            block->sum[lane] *= factor[0];
            block->max[lane] = new;
        }
    }
}

// Turns the scores of these keys into weights.
ISA_INLINE void block_weigh(const Group *g, const int *key, int r)
{
    HeadBlock *block = &g->blocks[r / QUERIES];
    if (g->sloped || key[RUNS - 1] < 0) block_slope(g, key, r);
    if (vec_any(block->p > block->max)) block_rescale(g, r);
    block->p = vec_exp2((block->p - block->max) * g->scale);
    block->sum += block->p;
}

// Rows of RUNS keys, or of their values.
typedef struct {
    const float *row[RUNS];
} Rows;

ISA_INLINE Rows rows_of(Mat m, const int *key, const float *zeros)
{
    Rows rows;
    for (int s = 0; s < RUNS; s++) rows.row[s] = key[s] < 0 ? zeros : mat_row(m, key[s]);
    return rows;
}

// Prefetches the first half of the runs while keys are scored, and the second half while values are mixed, or while keys
// are scored in columns that the values do not have.
ISA_INLINE void block_prefetch(const Rows *of, int c, const int half)
{
    UNROLLED for (int s = 0; s < RUNS / 2; s++) PREFETCH(of->row[half * RUNS / 2 + s], DISTANCE + c * LANES);
}

ISA_INLINE void score_column(Vec *sums, const Rows *of, const Vec *q, int c, const int left, const int heads)
{
    Vec numbers[RUNS];
    block_prefetch(of, c, 0);
    UNROLLED for (int s = 0; s < RUNS; s++) numbers[s] = vec_held(load(of->row[s], c, left));
    UNROLLED for (int h = 0; h < heads; h++)
    {
        Vec query = vec_held(q[c * heads + h]);
        UNROLLED for (int s = 0; s < RUNS; s++) sums[h * RUNS + s] += numbers[s] * query;
    }
}

ISA_INLINE void mix_column(Vec *o, const Vec *weights, const Rows *of, int c, const int left, const int heads)
{
    Vec numbers[RUNS];
    block_prefetch(of, c, 1);
    UNROLLED for (int s = 0; s < RUNS; s++) numbers[s] = vec_held(load(of->row[s], c, left));
    UNROLLED for (int h = 0; h < heads; h++)
    {
        Vec sum = o[c * heads + h];
        UNROLLED for (int s = 0; s < RUNS; s++) sum += weights[h * RUNS + s] * numbers[s];
        o[c * heads + h] = sum;
    }
}

// The scores of RUNS keys and `heads` heads from r on.
ISA_INLINE void block_scores(const Group *g, Rows keys, int r, const int heads)
{
    int d = g->k.cols, both = smaller(d, g->v.cols), c = 0;
    const Vec *q = g->q + r * vec_count(d);
    Vec sums[QUERIES * RUNS];
    UNROLLED for (int h = 0; h < heads; h++) UNROLLED for (int s = 0; s < RUNS; s++) sums[h * RUNS + s] = (Vec){ 0 };
    for (; (c + 1) * LANES <= both; c++) score_column(sums, &keys, q, c, LANES, heads);
    for (; (c + 1) * LANES <= d; c++) {
        block_prefetch(&keys, c, 1);
        score_column(sums, &keys, q, c, LANES, heads);
    }
    if (c * LANES < d) score_column(sums, &keys, q, c, d - c * LANES, heads);
    g->blocks[r / QUERIES].p = vec_lane_sums(sums, heads * RUNS);
}

// Outputs += weights · values.
ISA_INLINE void block_mix(const Group *g, Rows values, int r, const int heads)
{
    const HeadBlock *block = &g->blocks[r / QUERIES];
    int dv = g->v.cols, c = 0;
    Vec *o = g->o + r * vec_count(dv), weights[QUERIES * RUNS];
    UNROLLED for (int h = 0; h < heads; h++) UNROLLED for (int s = 0; s < RUNS; s++)
    {
        int n = h * RUNS + s;
        weights[n] = vec_splat(((const float *)&block->p)[n * LANES / (heads * RUNS)]);
    }
    for (; (c + 1) * LANES <= dv; c++) mix_column(o, weights, &values, c, LANES, heads);
    if (c * LANES < dv) mix_column(o, weights, &values, c, dv - c * LANES, heads);
}

// Heads of the block that begins with head r. If three remain, a fourth has zeros.
static int block_heads(const Group *g, int r)
{
    int left = g->R - r;
    return left >= QUERIES || left == 3 ? QUERIES : left;
}

// Keys first … first + count − 1 as RUNS runs. If a run has no key left, neither have the runs after it.
typedef struct {
    int first, count, length;
} Runs;

// The block of heads from r on, keys `from` … `end` − 1 of each run.
ISA_INLINE void one_block(const Group *g, Runs runs, int r, int from, int end, const int heads)
{
    for (int i = from; i < end; i++) {
        int key[RUNS];
        for (int s = 0; s < RUNS; s++) {
            int n = s * runs.length + i;
            key[s] = n < runs.count ? runs.first + n : -1;
        }
        block_scores(g, rows_of(g->k, key, g->zeros), r, heads);
        block_weigh(g, key, r);
        block_mix(g, rows_of(g->v, key, g->zeros), r, heads);
    }
}

// All blocks.
ISA_NOINLINE void all_blocks(const Group *g, Runs runs, int from, int end)
{
    for (int r = 0; r < g->R; r += QUERIES) {
        int heads = g->blocks[r / QUERIES].heads;
        if (heads == QUERIES) one_block(g, runs, r, from, end, QUERIES);
        else if (heads == 2) one_block(g, runs, r, from, end, 2);
        else one_block(g, runs, r, from, end, 1);
    }
}

static void keys_between(const Group *g, int first, int count)
{
    Runs runs = { first, count, (count + RUNS - 1) / RUNS };
    int batch = g->padded_heads > QUERIES ? BATCH / RUNS : larger(runs.length, 1);
    for (int i = 0; i < runs.length; i += batch) all_blocks(g, runs, i, smaller(i + batch, runs.length));
}

// Copies outputs into rows, and one lane of each maximum.
static void gather_blocks(const Group *g, Partial to)
{
    int width = vec_count(g->v.cols);
    for (int r = 0; r < g->R; r++) {
        int first = r / QUERIES * QUERIES, h = r - first;
        const HeadBlock *block = &g->blocks[r / QUERIES];
        float sum = 0.0f;
        for (int s = 0; s < RUNS; s++) sum += block->sum[block_lane(block, h, s)];
        *mat_ref(to.max, r, 0) = block->max[block_lane(block, h, 0)];
        *mat_ref(to.sum, r, 0) = sum;
        for (int c = 0; c < to.out.cols; c++)
            mat_row(to.out, r)[c] = ((const float *)&g->o[first * width + c / LANES * block->heads + h])[c % LANES];
    }
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
    g.zeros = arena_alloc(scratch, sizeof(float) * (size_t)larger(q.cols, v.cols));
    g.blocks = arena_alloc(scratch, (size_t)(padded_heads / QUERIES) * sizeof *g.blocks);
    for (int r = 0; r < R; r++) {
        int first = r / QUERIES * QUERIES, heads = block_heads(&g, first);
        HeadBlock *block = &g.blocks[r / QUERIES];
        block->heads = heads;
        for (int lane = 0; lane < LANES; lane++) block->max[lane] = -FLT_MAX;
        for (int c = 0; c < q.cols; c++)
            ((float *)&g.q[first * width + c / LANES * heads + r - first])[c % LANES] = mat_row(q, r)[c];
        g.sloped |= masks[r].alibi != 0.0f;
    }
    return g;
}

// ---- many heads: lanes are heads
//
// ACROSS vectors of heads are processed at a time: few, since the queries of all heads do not fit into the L1 cache.
// They are multiplied by DOWN scalars of K or V; a single vector by DOWN_ALONE, so that eight independent FMAs hide
// their latency.

enum { ACROSS = 2, DOWN = LANES == 16 ? 8 : 4, DOWN_ALONE = 8 };

typedef struct {
    Mat k, v;
    float scale;    // log₂e / √d
    Vec *q, *p, *o; // (d, n) queries  (KEYS, n) scores, then weights  (dv, n) outputs
    Vec max[ACROSS], sum[ACROSS];
} ManyHeads;

// The micro-kernel: sums[r][v] += Σ over step of left[r][at + step · apart] · right[step][v].
ISA_INLINE void multiply(Vec (*sums)[ACROSS], int steps, const float *const *left, ptrdiff_t at, ptrdiff_t apart,
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

// The scores of `keys` keys from j on; prefetches the next ones.
ISA_INLINE void heads_score(ManyHeads *w, int j, int keys, Vec *largest, const int n)
{
    const int down = n == 1 ? DOWN_ALONE : DOWN;
    int d = w->k.cols;
    for (int row = 0; row < keys; row += down) {
        const float *key[DOWN_ALONE];
        Vec sums[DOWN_ALONE][ACROSS] = { { { 0 } } };
        for (int r = 0; r < down; r++) key[r] = mat_row(w->k, j + smaller(row + r, keys - 1));
        for (int c = 0; c < d; c += LANES) {
            for (int r = 0; r < down; r++) PREFETCH(key[r] + c, down * w->k.stride);
            multiply(sums, smaller(d - c, LANES), key, c, 1, w->q + c * n, n, down);
        }
        for (int r = 0; r < down && row + r < keys; r++)
            for (int v = 0; v < n; v++) {
                w->p[(row + r) * n + v] = sums[r][v];
                largest[v] = vec_max(sums[r][v], largest[v]);
            }
    }
}

ISA_NOINLINE void heads_score_one(ManyHeads *w, int j, int keys, Vec *largest) { heads_score(w, j, keys, largest, 1); }

ISA_NOINLINE void heads_score_two(ManyHeads *w, int j, int keys, Vec *largest) { heads_score(w, j, keys, largest, 2); }

// Turns scores into weights. A new maximum rescales the sum and the outputs.
ISA_INLINE void heads_weigh(ManyHeads *w, int keys, const Vec *largest, const int n)
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
ISA_INLINE void heads_mix(ManyHeads *w, int j, int keys, const int n)
{
    const int down = n == 1 ? DOWN_ALONE : DOWN;
    int dv = w->v.cols;
    for (int c = 0; c < dv; c += down) {
        const float *value[DOWN_ALONE];
        Vec sums[DOWN_ALONE][ACROSS] = { { { 0 } } };
        for (int r = 0; r < down; r++) value[r] = mat_row(w->v, j) + smaller(c + r, dv - 1);
        multiply(sums, keys, value, 0, w->v.stride, w->p, n, down);
        for (int r = 0; r < down && c + r < dv; r++)
            for (int v = 0; v < n; v++) w->o[(c + r) * n + v] += sums[r][v];
    }
}

// Heads first … of a group, at most n vectors, over the sinks and the keys.
ISA_INLINE void some_heads(const Partial *to, Mat q, ManyHeads *w, const MaskRange *spans, int first, const int n)
{
    int heads = smaller(q.rows - first, n * LANES), dv = w->v.cols, padded_heads = n * LANES;
    memset(w->q, 0, sizeof(Vec) * (size_t)(n * q.cols));
    memset(w->o, 0, sizeof(Vec) * (size_t)(n * dv));
    for (int v = 0; v < n; v++) {
        w->max[v] = vec_splat(-FLT_MAX);
        w->sum[v] = vec_splat(0.0f);
    }
    for (int h = 0; h < heads; h++)
        for (int c = 0; c < q.cols; c++) ((float *)w->q)[c * padded_heads + h] = mat_row(q, first + h)[c];
    for (int part = 0; part < 2; part++)
        for (int at = 0; at < spans[part].count; at += KEYS) {
            int j = spans[part].first + at, keys = smaller(spans[part].count - at, KEYS);
            Vec largest[ACROSS];
            for (int v = 0; v < n; v++) largest[v] = vec_splat(-FLT_MAX);
            if (n == 1) heads_score_one(w, j, keys, largest);
            else heads_score_two(w, j, keys, largest);
            heads_weigh(w, keys, largest, n);
            heads_mix(w, j, keys, n);
        }
    for (int h = 0; h < heads; h++) {
        for (int c = 0; c < dv; c++) mat_row(to->out, first + h)[c] = ((float *)w->o)[c * padded_heads + h];
        *mat_ref(to->max, first + h, 0) = w->max[h / LANES][h % LANES];
        *mat_ref(to->sum, first + h, 0) = w->sum[h / LANES][h % LANES];
    }
}

// Are there enough heads to fill the lanes? With ALiBi each lane would need its own slope.
static bool heads_fill_lanes(const Mask *masks, int R)
{
    for (int r = 0; r < R; r++)
        if (masks[r].alibi != 0.0f) return false;
    return 4 * R >= 3 * LANES;
}

ISA_NOINLINE void many_heads(Arena *scratch, const Partial *to, Mat q, Mat k, Mat v, float scale, MaskRange sinks,
                             MaskRange keys)
{
    const MaskRange spans[2] = { sinks, keys };
    ManyHeads *w = arena_alloc(scratch, sizeof *w);
    *w = (ManyHeads){ .k = k, .v = v, .scale = scale };
    w->q = arena_room(scratch, sizeof(Vec) * (size_t)(ACROSS * q.cols));
    w->o = arena_room(scratch, sizeof(Vec) * (size_t)(ACROSS * v.cols));
    w->p = arena_room(scratch, sizeof(Vec) * (size_t)(ACROSS * KEYS));
    for (int first = 0; first < q.rows; first += ACROSS * LANES) {
        if (q.rows - first > LANES) some_heads(to, q, w, spans, first, 2);
        else some_heads(to, q, w, spans, first, 1);
    }
}

ISA_TARGET void ISA_NAME(fast_mla)(Arena *scratch, const Partial *to, int groups, Mat q, Mat k, Mat v,
                                   const Mask *masks, MaskRange sinks, MaskRange keys)
{
    uint64_t mode = subnormals_flush();
    int R = q.rows / groups, d = q.cols, dv = v.cols / groups;
    for (int n = 0; n < groups; n++) {
        Mat own_q = mat_rows(q, n * R, R), own_k = mat_cols(k, n * d, d), own_v = mat_cols(v, n * dv, dv);
        if (heads_fill_lanes(masks + n * R, R)) {
            many_heads(scratch, &to[n], own_q, own_k, own_v, LOG2E / mask_root(masks[n * R], d), sinks, keys);
            continue;
        }
        Group g = group_new(scratch, own_q, own_k, own_v, masks + n * R);
        keys_between(&g, sinks.first, sinks.count);
        keys_between(&g, keys.first, keys.count);
        gather_blocks(&g, to[n]);
    }
    cost_scratch((int64_t)arena_peak(scratch));
    subnormals_restore(mode);
}
