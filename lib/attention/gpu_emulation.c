// Chapter 16. Blocks and warps in loops. The passes are those of chapters/16_cuda/mma.cu and decode.cu, one for one.
#include "attention/gpu_emulation.h"

#include <math.h>
#include <string.h>

enum { KEY_FRAGMENTS = MMA_KEYS / 8, TILES_OF_ROWS = WARP_QUERIES / 16, WIDEST = 128, POISON = 0xFFFF };

static const float LOG2E = 1.44269504f, LN2 = 0.693147181f;

// ---- the hardware: banks, ldmatrix, mma, shuffles

typedef uint32_t Words[GPU_LANES][4];                // four registers of every lane
typedef float    Floats[GPU_LANES][4];

int gpu_turns(const int *at)
{
    int turns = 0;
    for (int i = 0; i < 8; i++) {
        int same = 0;
        for (int j = 0; j < 8; j++) same += at[i] / GPU_CHUNK % 8 == at[j] / GPU_CHUNK % 8;
        turns = same > turns ? same : turns;
    }
    return turns;
}

// at[lane]: where the row begins of which this lane tells. A matrix takes the rows of eight lanes.
static void load_matrices(GpuEmulation *run, Words to, const uint16_t *shared, const int *at, bool transposed)
{
    for (int m = 0; m < 4; m++) {
        run->counts.matrices++;
        run->counts.turns += gpu_turns(at + 8 * m);
        for (int lane = 0; lane < GPU_LANES; lane++) {
            GpuPlace low = ldmatrix_place(lane, 0), high = ldmatrix_place(lane, 1);
            uint32_t a = transposed ? shared[at[8 * m + low.col] + low.row] : shared[at[8 * m + low.row] + low.col];
            uint32_t b = transposed ? shared[at[8 * m + high.col] + high.row] : shared[at[8 * m + high.row] + high.col];
            to[lane][m] = a | b << 16;
        }
    }
}

static float half_of_word(HalfKind kind, uint32_t word, int half)
{
    return half_value(kind, (uint16_t)(word >> 16 * half));
}

// c += a b. Of b the registers first and first + 1 are taken.
static void multiply(GpuEmulation *run, Floats c, Words a, Words b, int first)
{
    float left[16][16], right[16][8];
    HalfKind kind = run->problem.kind;
    for (int lane = 0; lane < GPU_LANES; lane++)
        for (int half = 0; half < 2; half++) {
            for (int reg = 0; reg < 4; reg++) {
                GpuPlace at = mma_a(lane, reg, half);
                left[at.row][at.col] = half_of_word(kind, a[lane][reg], half);
            }
            for (int reg = 0; reg < 2; reg++) {
                GpuPlace at = mma_b(lane, reg, half);
                right[at.row][at.col] = half_of_word(kind, b[lane][first + reg], half);
            }
        }
    for (int lane = 0; lane < GPU_LANES; lane++)
        for (int reg = 0; reg < 4; reg++) {
            GpuPlace at = mma_c(lane, reg);
            for (int k = 0; k < 16; k++) c[lane][reg] += left[at.row][k] * right[k][at.col];
        }
    run->counts.products++;
}

// Every lane's number and that of the lane whose index differs in these bits.
static float larger_of(float a, float b) { return fmaxf(a, b); }
static float sum_of(float a, float b) { return a + b; }

static void shuffle(float *x, int bits, float combine(float, float))
{
    float before[GPU_LANES];
    memcpy(before, x, sizeof before);
    for (int lane = 0; lane < GPU_LANES; lane++) x[lane] = combine(before[lane], before[lane ^ bits]);
}

// Over the four lanes that share a row of C.
static void over_row(float *x, float combine(float, float))
{
    shuffle(x, 1, combine);
    shuffle(x, 2, combine);
}

static uint32_t packed(HalfKind kind, float low, float high)
{
    return half_of(kind, low) | (uint32_t)half_of(kind, high) << 16;
}

// ---- what both kernels do

// Copies rows first … of one head into a tile. Rows from `end` on are 0, and nothing is read for them.
typedef struct { const uint16_t *from; GpuStrides step; int b, h, heads, length, first, end; int *copied; } Rows;

static void copy_chunk(GpuEmulation *run, uint16_t *tile, Rows rows, GpuPlace place, int at)
{
    int row = rows.first + place.row;
    if (row >= rows.end) {
        memset(tile + at, 0, 2 * GPU_CHUNK);
        return;
    }
    memcpy(tile + at, rows.from + gpu_offset(rows.step, rows.b, rows.h, row) + place.col * GPU_CHUNK, 2 * GPU_CHUNK);
    run->counts.read += 2 * GPU_CHUNK;
    if (rows.copied) rows.copied[((int64_t)rows.b * rows.length + row) * rows.heads + rows.h]++;
}

static void copy_rows(GpuEmulation *run, uint16_t *tile, Rows rows, int count, int threads)
{
    int d = run->problem.d, at[8], swizzle = run->no_swizzle ? 0 : GPU_SWIZZLE;
    for (int step = 0; step < gpu_copies(count, d, threads); step++)
        for (int thread = 0; thread < threads; thread++) {
            GpuPlace place = gpu_copy(thread, step, threads, d);
            at[thread % 8] = gpu_at(place.row, place.col, d, swizzle);
            copy_chunk(run, tile, rows, place, at[thread % 8]);
            if (thread % 8 < 7) continue;
            run->counts.copies++;
            run->counts.copy_turns += gpu_turns(at);
        }
}

static void addresses(const GpuEmulation *run, int *at, GpuPlace of(int lane), int row, int chunk)
{
    for (int lane = 0; lane < GPU_LANES; lane++) {
        GpuPlace place = of(lane);
        int start = gpu_at(row + place.row, place.col, run->problem.d, run->no_swizzle ? 0 : GPU_SWIZZLE);
        at[lane] = (int)gpu_further((uint32_t)start, chunk, GPU_CHUNK);
    }
}

// scores[n] += q kᵀ for 16 queries, from row `query` of their tile on, and `keys` keys.
static void multiply_scores(GpuEmulation *run, Floats *scores, const uint16_t *q, const uint16_t *k, int query,
                            int keys)
{
    int at[GPU_LANES];
    Words a, b;
    memset(scores, 0, sizeof(Floats) * (size_t)(keys / 8));
    for (int chunk = 0; chunk < run->problem.d / GPU_CHUNK; chunk += 2) {
        addresses(run, at, gpu_rows_of_a, query, chunk);
        load_matrices(run, a, q, at, false);
        for (int key = 0; key < keys; key += 16) {
            addresses(run, at, gpu_rows_of_keys, key, chunk);
            load_matrices(run, b, k, at, false);
            multiply(run, scores[key / 8], a, b, 0);
            multiply(run, scores[key / 8 + 1], a, b, 2);
        }
    }
}

// out[n] += weights v. The weights are scores whose registers have become operands.
static void multiply_values(GpuEmulation *run, Floats *out, Floats *weights, const uint16_t *v, int keys)
{
    int at[GPU_LANES];
    Words a, b;
    for (int key = 0; key < keys; key += 16) {
        for (int lane = 0; lane < GPU_LANES; lane++)
            for (int reg = 0; reg < 4; reg++) {
                GpuPlace low = gpu_weight_from(reg, 0), high = gpu_weight_from(reg, 1);
                a[lane][reg] = packed(run->problem.kind, weights[key / 8 + low.row][lane][low.col],
                                      weights[key / 8 + high.row][lane][high.col]);
            }
        for (int chunk = 0; chunk < run->problem.d / GPU_CHUNK; chunk += 2) {
            addresses(run, at, gpu_rows_of_values, key, chunk);
            load_matrices(run, b, v, at, true);
            multiply(run, out[chunk], a, b, 0);
            multiply(run, out[chunk + 1], a, b, 2);
        }
    }
}

// What a warp knows of 16 queries: row lane / 4 is [0], the one eight below it is [1].
typedef struct {
    float  max[2][GPU_LANES];                        // of scores as they come from the product
    float  sum[2][GPU_LANES];                        // over a lane's own columns, until the end
    Floats out[WIDEST / 8];
} Rows16;

static void begin_rows(Rows16 *rows)
{
    memset(rows, 0, sizeof *rows);
    for (int half = 0; half < 2; half++)
        for (int lane = 0; lane < GPU_LANES; lane++) rows->max[half][lane] = GPU_HIDDEN;
}

// Scores become weights, 2^((score − max) scale); what was summed up is brought to the new maximum.
static void soften(Rows16 *rows, Floats *scores, int fragments, int channels, float scale)
{
    for (int half = 0; half < 2; half++) {
        // 1. The new maximum, of the whole row.
        float max[GPU_LANES];
        memcpy(max, rows->max[half], sizeof max);
        for (int lane = 0; lane < GPU_LANES; lane++)
            for (int n = 0; n < fragments; n++)
                max[lane] = fmaxf(max[lane], fmaxf(scores[n][lane][2 * half], scores[n][lane][2 * half + 1]));
        over_row(max, larger_of);

        // 2. What was there is rescaled, and the weights are added up.
        for (int lane = 0; lane < GPU_LANES; lane++) {
            float rescale = exp2f((rows->max[half][lane] - max[lane]) * scale), base = gpu_base(max[lane], scale);
            rows->max[half][lane] = max[lane];
            rows->sum[half][lane] *= rescale;
            for (int n = 0; n < channels / 8; n++)
                for (int e = 0; e < 2; e++) rows->out[n][lane][2 * half + e] *= rescale;
            for (int n = 0; n < fragments; n++)
                for (int e = 0; e < 2; e++) {
                    float *score = &scores[n][lane][2 * half + e];
                    *score = exp2f(fmaf(*score, scale, -base));
                    rows->sum[half][lane] += *score;
                }
        }
    }
}

// ---- the kernel of mma.cu

typedef struct {
    GpuWork   work;
    uint16_t *q, *k[MMA_STAGES], *v[MMA_STAGES];     // in shared memory
    Rows16    rows[GPU_WARPS][TILES_OF_ROWS];
} Block;

static void hide_scores(const GpuProblem *p, Floats *scores, int query, int key)
{
    for (int n = 0; n < KEY_FRAGMENTS; n++)
        for (int lane = 0; lane < GPU_LANES; lane++)
            for (int reg = 0; reg < 4; reg++) {
                GpuPlace at = mma_c(lane, reg);
                if (key + n * 8 + at.col >= gpu_keys_seen(query + at.row, p->T, p->S, p->causal))
                    scores[n][lane][reg] = GPU_HIDDEN;
            }
}

static void copy_keys(GpuEmulation *run, Block *block, int tile)
{
    const GpuProblem *p = &run->problem;
    int stage = gpu_stage(tile, MMA_STAGES), g = gpu_key_head(block->work.head, p->H, p->G);
    Rows k = { p->k, p->kv_step, block->work.batch, g, p->G, p->S, tile * MMA_KEYS, p->S, run->k_copied }, v = k;
    v.from = p->v;
    v.copied = run->v_copied;
    copy_rows(run, block->k[stage], k, MMA_KEYS, GPU_THREADS);
    copy_rows(run, block->v[stage], v, MMA_KEYS, GPU_THREADS);
    run->counts.loaded++;
}

// A tile of keys and the queries of one warp.
static void warp_tile(GpuEmulation *run, Block *block, int warp, int tile)
{
    const GpuProblem *p = &run->problem;
    int first = block->work.tile * MMA_QUERIES + warp * WARP_QUERIES, stage = gpu_stage(tile, MMA_STAGES);
    if (tile >= gpu_tiles_seen(first, WARP_QUERIES, MMA_KEYS, p->T, p->S, p->causal)) return;
    bool cut = gpu_tile_is_cut(tile, first, MMA_KEYS, p->T, p->S, p->causal);
    run->counts.tiles++;
    run->counts.cut += cut;
    for (int m = 0; m < TILES_OF_ROWS; m++) {
        Floats scores[KEY_FRAGMENTS];
        multiply_scores(run, scores, block->q, block->k[stage], warp * WARP_QUERIES + 16 * m, MMA_KEYS);
        if (cut) hide_scores(p, scores, first + 16 * m, tile * MMA_KEYS);
        soften(&block->rows[warp][m], scores, KEY_FRAGMENTS, p->d, p->scale * LOG2E);
        multiply_values(run, block->rows[warp][m].out, scores, block->v[stage], MMA_KEYS);
    }
}

// A lane puts down pairs of neighbours.
static void write_rows(GpuEmulation *run, const GpuWork *work, Rows16 *rows, int first)
{
    const GpuProblem *p = &run->problem;
    for (int half = 0; half < 2; half++) {
        over_row(rows->sum[half], sum_of);
        for (int lane = 0; lane < GPU_LANES; lane++) {
            int i = first + mma_c(lane, 2 * half).row;
            if (i >= p->T) continue;
            float max = rows->max[half][lane], sum = rows->sum[half][lane];
            bool blind = gpu_keys_seen(i, p->T, p->S, p->causal) == 0;
            float share = blind ? 0.0f : 1.0f / sum;
            for (int n = 0; n < p->d / 8; n++)
                for (int e = 0; e < 2; e++) {
                    int c = n * 8 + mma_c(lane, 2 * half + e).col;
                    float value = rows->out[n][lane][2 * half + e] * share;
                    p->out[gpu_offset(p->out_step, work->batch, work->head, i) + c] = half_of(p->kind, value);
                    run->counts.written += 2;
                    if (run->out_written)
                        run->out_written[(((int64_t)work->batch * p->T + i) * p->H + work->head) * p->d + c]++;
                }
            if (lane % 4 || !p->lse) continue;
            p->lse[((int64_t)work->batch * p->H + work->head) * p->T + i] =
                blind ? -INFINITY : max * p->scale + logf(sum);
            run->counts.written += 4;
        }
    }
}

static void run_block(GpuEmulation *run, Block *block)
{
    const GpuProblem *p = &run->problem;
    int first = block->work.tile * MMA_QUERIES;
    int tiles = gpu_tiles_seen(first, MMA_QUERIES, MMA_KEYS, p->T, p->S, p->causal);
    Rows q = { p->q, p->q_step, block->work.batch, block->work.head, p->H, p->T, first, p->T, run->q_copied };

    // 1. The queries, and the first keys and values.
    memset(block->q, POISON & 0xFF, (size_t)mma_shared(p->d));
    for (int warp = 0; warp < GPU_WARPS; warp++)
        for (int m = 0; m < TILES_OF_ROWS; m++) begin_rows(&block->rows[warp][m]);
    copy_rows(run, block->q, q, MMA_QUERIES, GPU_THREADS);
    if (tiles > 0) copy_keys(run, block, 0);

    // 2. One tile after the other. While it is worked on the next one is on its way, into the other buffer.
    for (int tile = 0; tile < tiles; tile++) {
        if (tile + 1 < tiles) copy_keys(run, block, tile + 1);
        for (int warp = 0; warp < GPU_WARPS; warp++) warp_tile(run, block, warp, tile);
    }

    // 3. Out.
    for (int warp = 0; warp < GPU_WARPS; warp++)
        for (int m = 0; m < TILES_OF_ROWS; m++)
            write_rows(run, &block->work, &block->rows[warp][m], first + warp * WARP_QUERIES + 16 * m);
    run->counts.blocks++;
}

static void problem_require(const GpuProblem *p)
{
    REQUIRE(p->d == 64 || p->d == 128, "d is %d; these kernels take 64 or 128", p->d);
    REQUIRE(p->G > 0 && p->H % p->G == 0, "%d key heads for %d query heads", p->G, p->H);
}

void gpu_emulate_mma(GpuEmulation *run)
{
    const GpuProblem *p = &run->problem;
    problem_require(p);
    Arena *arena = arena_open();
    Block *block = arena_alloc(arena, sizeof *block);
    uint16_t *shared = arena_alloc(arena, (size_t)mma_shared(p->d));
    int tiles = gpu_parts(p->T, MMA_QUERIES);
    block->q = shared;
    for (int s = 0; s < MMA_STAGES; s++) {
        block->k[s] = shared + mma_keys_at(s, p->d);
        block->v[s] = shared + mma_values_at(s, p->d);
    }
    for (int n = 0; n < tiles * p->H * p->B; n++) {
        block->work = gpu_work(n, tiles, p->H, p->B, p->causal);
        run_block(run, block);
    }
    arena_close(arena);
}

// ---- the kernels of decode.cu: a warp takes a split, a second kernel merges

typedef struct {
    int       b, g, part, split, splits;
    uint16_t *q, *k[DECODE_STAGES], *v[DECODE_STAGES];
    float    *partial;                               // of all warps
    Rows16    rows;
} Warp;

static void decode_copy_queries(GpuEmulation *run, Warp *warp)
{
    const GpuProblem *p = &run->problem;
    int swizzle = run->no_swizzle ? 0 : GPU_SWIZZLE;
    for (int step = 0; step < gpu_copies(DECODE_ROWS, p->d, GPU_LANES); step++)
        for (int lane = 0; lane < GPU_LANES; lane++) {
            GpuPlace place = gpu_copy(lane, step, GPU_LANES, p->d);
            int h = decode_head(warp->g, warp->part, place.row, p->H, p->G);
            int at = gpu_at(place.row, place.col, p->d, swizzle);
            Rows head = { p->q, p->q_step, warp->b, h, p->H, 1, 0, h >= 0, run->q_copied };
            copy_chunk(run, warp->q, head, gpu_place(0, place.col), at);
        }
}

static void decode_copy_keys(GpuEmulation *run, Warp *warp, int tile)
{
    const GpuProblem *p = &run->problem;
    int stage = gpu_stage(tile, DECODE_STAGES);
    Rows k = { p->k, p->kv_step, warp->b, warp->g, p->G, p->S, tile * DECODE_KEYS, p->S, run->k_copied }, v = k;
    v.from = p->v;
    v.copied = run->v_copied;
    copy_rows(run, warp->k[stage], k, DECODE_KEYS, GPU_LANES);
    copy_rows(run, warp->v[stage], v, DECODE_KEYS, GPU_LANES);
    run->counts.loaded++;
}

// There are no keys from S on.
static void hide_missing(Floats *scores, int key, int S)
{
    for (int n = 0; n < DECODE_KEYS / 8; n++)
        for (int lane = 0; lane < GPU_LANES; lane++)
            for (int reg = 0; reg < 4; reg++)
                if (key + n * 8 + mma_c(lane, reg).col >= S) scores[n][lane][reg] = GPU_HIDDEN;
}

static void decode_tile(GpuEmulation *run, Warp *warp, int tile)
{
    const GpuProblem *p = &run->problem;
    int stage = gpu_stage(tile, DECODE_STAGES), key = tile * DECODE_KEYS;
    bool cut = gpu_tile_is_cut(tile, 0, DECODE_KEYS, 1, p->S, false);
    Floats scores[DECODE_KEYS / 8];
    multiply_scores(run, scores, warp->q, warp->k[stage], 0, DECODE_KEYS);
    if (cut) hide_missing(scores, key, p->S);
    soften(&warp->rows, scores, DECODE_KEYS / 8, p->d, p->scale * LOG2E);
    multiply_values(run, warp->rows.out, scores, warp->v[stage], DECODE_KEYS);
    run->counts.tiles++;
    run->counts.cut += cut;
}

// The partial result of each head: its output, divided by its sum, and its logsumexp in powers of two.
static void decode_put_down(GpuEmulation *run, Warp *warp, bool blind)
{
    const GpuProblem *p = &run->problem;
    int64_t all = decode_partial(p->B, 0, 0, p->H, warp->splits);
    for (int half = 0; half < 2; half++) {
        over_row(warp->rows.sum[half], sum_of);
        for (int lane = 0; lane < GPU_LANES; lane++) {
            int h = decode_head(warp->g, warp->part, mma_c(lane, 2 * half).row, p->H, p->G);
            if (h < 0) continue;
            float max = warp->rows.max[half][lane], sum = warp->rows.sum[half][lane];
            int64_t at = decode_partial(warp->b, h, warp->split, p->H, warp->splits);
            for (int n = 0; n < p->d / 8; n++)
                for (int e = 0; e < 2; e++)
                    warp->partial[at * p->d + n * 8 + mma_c(lane, 2 * half + e).col] =
                        blind ? 0.0f : warp->rows.out[n][lane][2 * half + e] / sum;
            run->counts.written += 4 * 2 * p->d / 8;
            if (lane % 4) continue;
            warp->partial[all * p->d + at] = blind ? GPU_HIDDEN : max * p->scale * LOG2E + log2f(sum);
            run->counts.written += 4;
        }
    }
}

static void decode_warp(GpuEmulation *run, Warp *warp)
{
    int S = run->problem.S, first = decode_first_tile(warp->split, warp->splits, S);
    int end = decode_first_tile(warp->split + 1, warp->splits, S);
    int on_the_way = end - first < DECODE_STAGES - 1 ? end - first : DECODE_STAGES - 1;
    memset(warp->q, POISON & 0xFF, (size_t)decode_shared_of_warp(run->problem.d));
    begin_rows(&warp->rows);
    decode_copy_queries(run, warp);
    for (int n = 0; n < on_the_way; n++) decode_copy_keys(run, warp, first + n);
    for (int tile = first; tile < end; tile++) {
        if (tile + DECODE_STAGES - 1 < end) decode_copy_keys(run, warp, tile + DECODE_STAGES - 1);
        decode_tile(run, warp, tile);
    }
    decode_put_down(run, warp, first == end);
}

// Partial results of one head, in the shares that their logsumexp give (chapter 13).
static void decode_merge(GpuEmulation *run, const float *partial, int splits, int b, int h)
{
    const GpuProblem *p = &run->problem;
    int64_t all = decode_partial(p->B, 0, 0, p->H, splits);
    const float *lse = partial + all * p->d + decode_partial(b, h, 0, p->H, splits);
    float max = GPU_HIDDEN, sum = 0.0f;
    for (int s = 0; s < splits; s++) max = fmaxf(max, lse[s]);
    for (int s = 0; s < splits; s++) sum += exp2f(lse[s] - max);
    bool blind = p->S == 0;
    for (int c = 0; c < p->d; c++) {
        float out = 0.0f;
        for (int s = 0; s < splits; s++)
            out += exp2f(lse[s] - max) * partial[decode_partial(b, h, s, p->H, splits) * p->d + c];
        p->out[gpu_offset(p->out_step, b, h, 0) + c] = half_of(p->kind, blind ? 0.0f : out / sum);
        if (run->out_written) run->out_written[((int64_t)b * p->H + h) * p->d + c]++;
    }
    if (p->lse) p->lse[(int64_t)b * p->H + h] = blind ? -INFINITY : (max + log2f(sum)) * LN2;
    run->counts.read += 4 * splits * (p->d + 1);
    run->counts.written += 2 * p->d + (p->lse ? 4 : 0);
}

void gpu_emulate_decode(GpuEmulation *run, int splits)
{
    const GpuProblem *p = &run->problem;
    problem_require(p);
    REQUIRE(p->T == 1 && splits >= 1, "T is %d, in %d splits", p->T, splits);
    Arena *arena = arena_open();
    Warp *warp = arena_alloc(arena, sizeof *warp);
    size_t partial = (size_t)decode_scratch(p->B, p->H, p->d, splits);
    *warp = (Warp){ .splits = splits, .partial = arena_alloc(arena, sizeof(float) * partial) };
    for (size_t e = 0; e < partial; e++) warp->partial[e] = NAN;
    warp->q = arena_alloc(arena, (size_t)decode_shared_of_warp(p->d));
    for (int s = 0; s < DECODE_STAGES; s++) {
        warp->k[s] = warp->q + decode_keys_at(s, p->d);
        warp->v[s] = warp->q + decode_values_at(s, p->d);
    }
    for (warp->b = 0; warp->b < p->B; warp->b++)
        for (warp->g = 0; warp->g < p->G; warp->g++)
            for (warp->part = 0; warp->part < decode_parts(p->H, p->G); warp->part++)
                for (warp->split = 0; warp->split < splits; warp->split++) decode_warp(run, warp);
    for (int b = 0; b < p->B; b++)
        for (int h = 0; h < p->H; h++) decode_merge(run, warp->partial, splits, b, h);
    run->counts.blocks += p->B * p->G * decode_parts(p->H, p->G) * gpu_parts(splits, GPU_WARPS);
    arena_close(arena);
}

// ---- from matrices and back

static uint16_t *halves_of(Arena *arena, Mat m, HalfKind kind)
{
    uint16_t *halves = arena_alloc(arena, sizeof *halves * ((size_t)m.rows * (size_t)m.cols + GPU_CHUNK));
    for (int i = 0; i < m.rows; i++)
        for (int c = 0; c < m.cols; c++) halves[(int64_t)i * m.cols + c] = half_of(kind, *mat_ref(m, i, c));
    return halves;
}

GpuProblem gpu_problem_of(Arena *arena, Mat q, Mat k, Mat v, int H, int d, bool causal, HalfKind kind)
{
    REQUIRE(q.cols == H * d && k.cols % d == 0 && k.rows == v.rows && k.cols == v.cols,
            "%d heads of %d, q " SHAPE ", k " SHAPE ", v " SHAPE, H, d, SHAPED(q), SHAPED(k), SHAPED(v));
    GpuProblem p = { .q = halves_of(arena, q, kind), .k = halves_of(arena, k, kind), .v = halves_of(arena, v, kind),
                     .B = 1, .H = H, .G = k.cols / d, .T = q.rows, .S = k.rows, .d = d, .causal = causal, .kind = kind,
                     .scale = 1.0f / sqrtf((float)d) };
    size_t outputs = (size_t)q.rows * (size_t)q.cols;
    p.out = arena_alloc(arena, sizeof *p.out * outputs);
    p.lse = arena_alloc(arena, sizeof *p.lse * (size_t)(H * q.rows));
    memset(p.out, POISON & 0xFF, sizeof *p.out * outputs);               // NaN: what is not written shows
    for (int e = 0; e < H * q.rows; e++) p.lse[e] = NAN;
    p.q_step = p.out_step = (GpuStrides){ (int64_t)q.rows * q.cols, d, q.cols };
    p.kv_step = (GpuStrides){ (int64_t)k.rows * k.cols, d, k.cols };
    return p;
}

Mat gpu_out(Arena *arena, const GpuProblem *p)
{
    Mat out = mat_new(arena, p->T, p->H * p->d);
    for (int i = 0; i < p->T; i++)
        for (int h = 0; h < p->H; h++)
            for (int c = 0; c < p->d; c++)
                *mat_ref(out, i, h * p->d + c) = half_value(p->kind, p->out[gpu_offset(p->out_step, 0, h, i) + c]);
    return out;
}

Mat gpu_rounded(Arena *arena, Mat m, HalfKind kind)
{
    Mat rounded = mat_new(arena, m.rows, m.cols);
    for (int i = 0; i < m.rows; i++)
        for (int c = 0; c < m.cols; c++) *mat_ref(rounded, i, c) = half_value(kind, half_of(kind, *mat_ref(m, i, c)));
    return rounded;
}
