// Chapter 15. Attention in bf16, compiled once for each instruction set.
//
// A block of 32 queries iterates over all keys in runs of up to RUN keys. Scores S = Q Kᵀ and outputs O += P V are tile
// products with float32 sums. Between them scores become weights, in vectors whose lanes are keys. The loop is software
// pipelined over three runs: while the scores of one run become weights, the tile unit computes the scores of the next
// run and accumulates the outputs of the previous one.
//
// The right operand of a tile product holds pairs: two channels of a key, or two keys of a channel. K and V are packed
// into that layout once for all queries.
#include "kernels/bf16_kernel.h"

#include "kernels/fast_kernel.h"
#include "base/cost.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

// A tile has 16 rows; a row holds 32 bf16 numbers or 16 float32 sums. PARTS vectors hold 16 floats.
enum {
    TILE = 16,
    STEP = 32,
    QUERIES = 32,
    RUN = 128,
    RUN_STEPS = RUN / STEP,
    RUN_TILES = RUN / TILE,
    PARTS = TILE / LANES
};

// Keys first … first + STEP · steps − 1; cut: the mask hides some of them from some query of the block.
typedef struct {
    int first, steps;
    bool cut;
} Run;

typedef struct {
    const Bf16TileEngine *engine;
    Mask mask;
    int i0, rows, T, S, end, pinned; // the block's first query and number of queries; mask_pinned of the mask
    int k_tiles, v_tiles;            // tiles: 32 channels of q and k each, 16 of v; v_tiles is even
    float scale, slope;              // log₂e / √d; ALiBi's slope in units of q · k
    Bf16Tile *k, *v;                 // (⌈S / 16⌉, k_tiles) channels in pairs  (⌈S / 32⌉, v_tiles) keys
    bool *non_finite;                // does any value of these 32 keys contain a NaN or an infinity?
    Bf16Tile *q, *p[2];              // (2, k_tiles)  (2, RUN_STEPS) weights of this run and the next
    Bf16Sums *s[2], *o;              // (2, RUN_TILES) scores, likewise  (2, v_tiles) outputs
    float max[QUERIES];              // running maximum, in powers of two; −FLT_MAX: no key seen
    Vec sum[QUERIES][PARTS];         // of the rounded weights, lane by lane
    Run *runs;
    Bf16Products overlapped[2]; // tile products that overlap the computation of weights
    int64_t steps;              // tile-product steps so far
} BlockState;

ISA_INLINE Vec *row_of(Bf16Sums *tiles, int row) { return (Vec *)tiles->at[row]; }

// ---- packing into bf16

// 32 floats to 32 contiguous bf16 numbers.
ISA_INLINE void convert(uint16_t *to, const Vec *from, const bool converts)
{
#if ISA == ISA_AVX512
    if (converts) {
        __asm__("vcvtne2ps2bf16 %1, %2, %0" : "=v"(*(Vec *)to) : "v"(from[0]), "v"(from[1]));
        return;
    }
#endif
    (void)converts;
    for (int v = 0; v < STEP / LANES; v++) {
        Words halves = vec_bf16(from[v]) >> 16;
        for (int lane = 0; lane < LANES; lane++) to[v * LANES + lane] = (uint16_t)halves[lane];
    }
}

// Vector of the channels from c on; 0 beyond the last channel, and for a NULL row.
ISA_INLINE Vec load_channels(const float *row, int c, int cols)
{
    if (row && c + LANES <= cols) return *(const Loose *)(row + c);
    return vec_part(row && c < cols ? row + c : NULL, cols - c);
}

// Rows i … i + 15 of m, channels c … c + 31, row by row: a left operand.
ISA_INLINE void pack_rows(Bf16Tile *to, Mat m, int i, int rows, int c, const bool converts)
{
    for (int r = 0; r < TILE; r++) {
        Vec from[STEP / LANES];
        for (int n = 0; n < STEP / LANES; n++)
            from[n] = load_channels(i + r < rows ? mat_row(m, i + r) : NULL, c + n * LANES, m.cols);
        convert(to->at[r], from, converts);
    }
}

// Transposes the tile in units of pairs: pair p of row r becomes pair r of row p.
ISA_INLINE void transpose_pairs(Bf16Tile *tile)
{
    Vec all[TILE][PARTS], block[LANES];
    memcpy(all, tile, sizeof all);
    for (int row_part = 0; row_part < PARTS; row_part++)
        for (int col_part = 0; col_part < PARTS; col_part++) {
            for (int r = 0; r < LANES; r++) block[r] = all[row_part * LANES + r][col_part];
            vec_transpose(block);
            for (int r = 0; r < LANES; r++) row_of((Bf16Sums *)tile, col_part * LANES + r)[row_part] = block[r];
        }
}

// Keys j … j + 31, channels c … c + 15 of v; a pair is two keys of a channel. Returns true if any number is not finite.
ISA_INLINE bool pack_values(Bf16Tile *to, Mat v, int j, int rows, int c)
{
    Bits non_finite = { 0 };
    for (int p = 0; p < TILE; p++)
        for (int part = 0; part < PARTS; part++) {
            Words pair[2];
            for (int n = 0; n < 2; n++) {
                int row = j + 2 * p + n;
                pair[n] = vec_bf16(load_channels(row < rows ? mat_row(v, row) : NULL, c + part * LANES, v.cols));
                non_finite |= (pair[n] & 0x7f800000) == 0x7f800000;
            }
            ((Words *)to->at[p])[part] = pair[0] >> 16 | pair[1];
        }
    int any = 0;
    for (int lane = 0; lane < LANES; lane++) any |= non_finite[lane];
    return any;
}

// Packs all keys and values that are not padding.
ISA_INLINE void pack_all(BlockState *w, Mat k, Mat v, const bool converts)
{
    for (int j = 0; j < w->end; j += STEP) {
        for (int half = 0; half < 2; half++)
            for (int c = 0; c < w->k_tiles; c++) {
                Bf16Tile *to = &w->k[(j / TILE + half) * w->k_tiles + c];
                pack_rows(to, k, j + half * TILE, w->end, c * STEP, converts);
                transpose_pairs(to);
            }
        for (int c = 0; c < w->v_tiles; c++)
            w->non_finite[j / STEP] |= pack_values(&w->v[j / STEP * w->v_tiles + c], v, j, w->end, c * TILE);
    }
}

// ---- tile products

static Bf16Products score_products(const BlockState *w, Run run, int turn)
{
    return (Bf16Products){ .a = w->q,
                           .a_down = w->k_tiles,
                           .b = w->k + run.first / TILE * w->k_tiles,
                           .b_right = w->k_tiles,
                           .b_step = 1,
                           .b_next = 2 * w->k_tiles,
                           .c = w->s[turn & 1],
                           .c_down = RUN_TILES,
                           .steps = w->k_tiles,
                           .blocks = run.steps };
}

static Bf16Products output_products(const BlockState *w, Run run, int turn)
{
    return (Bf16Products){ .a = w->p[turn & 1],
                           .a_down = RUN_STEPS,
                           .b = w->v + run.first / STEP * w->v_tiles,
                           .b_right = 1,
                           .b_step = w->v_tiles,
                           .b_next = 2,
                           .c = w->o,
                           .c_down = w->v_tiles,
                           .steps = run.steps,
                           .blocks = w->v_tiles / 2,
                           .add = true };
}

static int step_count(Bf16Products p) { return p.steps * p.blocks; }

// Executes the next `count` steps of the overlapped products.
static void multiply_overlapped(BlockState *w, int count)
{
    w->steps += count;
    for (; count > 0; count--) w->engine->step(&w->overlapped[w->overlapped[0].block == w->overlapped[0].blocks]);
}

static void multiply_all(BlockState *w, Bf16Products p)
{
    w->overlapped[0] = p;
    multiply_overlapped(w, step_count(p));
}

// ---- scores to weights

// Hidden keys get −INFINITY; other scores are lowered by ALiBi for their distance beyond that of the nearest key.
ISA_INLINE void mask_run(BlockState *w, Run run, Bf16Sums *s)
{
    for (int r = 0; r < w->rows; r++) {
        int position = mask_position(w->mask, w->i0 + r, w->T, w->S), nearest = to_nearest_key(position, w->end);
        bool open = mask_open(w->mask, w->i0 + r, w->T, w->S);
        float to_past = (float)(position - nearest), to_next = (float)-position - (float)nearest;
        float window = open ? INFINITY : (float)w->mask.window - (float)nearest;
        for (int part = 0; part < run.steps * STEP / LANES; part++) {
            Vec *score = &row_of(s + r / TILE * RUN_TILES + part / PARTS, r % TILE)[part % PARTS], j;
            for (int lane = 0; lane < LANES; lane++) j[lane] = (float)(run.first + part * LANES + lane);
            Vec distance = to_past - j, away = vec_max(distance, to_next + j);
            Bits hidden = j >= (float)w->end;
            if (w->mask.causal) hidden |= distance < 0.0f;
            if (w->mask.window > 0) hidden |= (away >= window) & (j >= (float)w->pinned);
            *score = vec_select(hidden, vec_splat(-INFINITY), *score - w->slope * away);
        }
    }
}

// If a score exceeds the running maximum by more than THRESHOLD, raises the maximum and rescales sum and output.
ISA_INLINE void rescale(BlockState *w, Run run, Bf16Sums *s)
{
    for (int r = 0; r < w->rows; r++) {
        Vec largest = vec_splat(-FLT_MAX);
        for (int part = 0; part < run.steps * STEP / LANES; part++)
            largest = vec_max(row_of(s + r / TILE * RUN_TILES + part / PARTS, r % TILE)[part % PARTS], largest);
        float max = -FLT_MAX, before = w->max[r];
        for (int lane = 0; lane < LANES; lane++) max = largest[lane] > max ? largest[lane] : max;
        if (max == -FLT_MAX || max * w->scale - before <= THRESHOLD) continue;
        w->max[r] = max * w->scale;
        Vec factor = vec_exp2(vec_splat(before - w->max[r]));
        for (int part = 0; part < PARTS; part++) w->sum[r][part] *= factor;
        for (int part = 0; part < w->v_tiles * PARTS; part++)
            row_of(w->o + r / TILE * w->v_tiles + part / PARTS, r % TILE)[part % PARTS] *= factor;
    }
}

// 2ˣ with a relative error of 1.1 · 10⁻⁴, enough for weights that are rounded to bf16: x is split into ⌊x⌋ and a
// fraction from 0 to 1, and 2 to the fraction is a polynomial of degree 3.
#define CUBIC(r) ((((r)*0.0790190f + 0.2244130f) * (r) + 0.6964330f) * (r) + 0.9999247f)
#if ISA == ISA_AVX512
ISA_INLINE Vec weight_of(Vec x)
{
    __mmask16 counts = _mm512_cmp_ps_mask(x, vec_splat(LEAST), _CMP_NLT_UQ);
    Vec r = _mm512_reduce_ps(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    return _mm512_maskz_scalef_ps(counts, CUBIC(r), x);
}
#else
ISA_INLINE Vec weight_of(Vec x) { return vec_exp2(x); }
#endif

// total += each of 32 rounded weights, the second of each pair first, as VDPBF16PS does.
ISA_INLINE void add_weights(Vec total[PARTS], const uint16_t *p, const bool converts)
{
#if ISA == ISA_AVX512
    if (converts) {
        __asm__("vdpbf16ps %2, %1, %0" : "+v"(*total) : "v"(*(const Vec *)p), "v"(_mm512_set1_epi32(0x3f803f80)));
        return;
    }
#endif
    (void)converts;
    for (int part = 0; part < PARTS; part++) {
        Words pairs = ((const Words *)p)[part];
        total[part] += (Vec)(pairs & 0xffff0000);
        total[part] += (Vec)(pairs << 16);
    }
}

// Row r: p = 2^(s · scale − max), rounded. Returns the largest exponent, for the check against THRESHOLD.
ISA_INLINE Vec weigh_row(BlockState *w, int steps, const Bf16Sums *s, Bf16Tile *p, int r, Vec largest,
                         const bool converts)
{
    Vec total[PARTS], max = vec_splat(w->max[r]), scale = vec_splat(w->scale);
    s += r / TILE * RUN_TILES;
    p += r / TILE * RUN_STEPS;
    for (int part = 0; part < PARTS; part++) total[part] = w->sum[r][part];
    for (int step = 0; step < steps; step++) {
        Vec weight[STEP / LANES];
        for (int v = 0; v < STEP / LANES; v++) {
            Vec x = ((const Vec *)s[2 * step + v / PARTS].at[r % TILE])[v % PARTS] * scale - max;
            largest = vec_max(x, largest);
            weight[v] = weight_of(x);
        }
        convert(p[step].at[r % TILE], weight, converts);
        add_weights(total, p[step].at[r % TILE], converts);
    }
    for (int part = 0; part < PARTS; part++) w->sum[r][part] = total[part];
    return largest;
}

// Computes all rows of weights and overlaps them with `overlap` steps of tile products. Returns false, with the sums
// unchanged, if a score exceeded THRESHOLD.
ISA_INLINE bool weigh(BlockState *w, Run run, int turn, int overlap, const bool converts)
{
    Vec largest = vec_splat(-INFINITY), before[QUERIES][PARTS];
    memcpy(before, w->sum, sizeof before);
    for (int r = 0, done = 0; r < QUERIES; r++) {
        largest = weigh_row(w, run.steps, w->s[turn & 1], w->p[turn & 1], r, largest, converts);
        int now = overlap * (r + 1) / QUERIES;
        if (now > done) multiply_overlapped(w, now - done);
        done = now;
    }
    bool within = true;
    for (int lane = 0; lane < LANES; lane++) within &= !(largest[lane] > THRESHOLD);
    if (!within) memcpy(w->sum, before, sizeof before);
    return within;
}

// ---- outputs

// For runs where a hidden value is not finite: 0 · NaN would be NaN, so each query gets its own copy of the values,
// with 0 for hidden keys.
static void mix_visible(BlockState *w, Run run, int turn)
{
    Arena *scratch = arena_open();
    Bf16Tile *v = arena_alloc(scratch, sizeof *v * (size_t)(run.steps * w->v_tiles));
    Bf16Sums *o = arena_alloc(scratch, sizeof *o * (size_t)(2 * w->v_tiles));
    Bf16Products own = output_products(w, run, turn);
    for (int r = 0; r < w->rows; r++) {
        memcpy(v, own.b, sizeof *v * (size_t)(run.steps * w->v_tiles));
        memcpy(o, w->o, sizeof *o * (size_t)(2 * w->v_tiles));
        for (int j = 0; j < run.steps * STEP; j++)
            for (int c = 0; c < w->v_tiles && !mask_sees(w->mask, w->i0 + r, run.first + j, w->T, w->S); c++)
                for (int n = 0; n < TILE; n++) v[j / STEP * w->v_tiles + c].at[j % STEP / 2][2 * n + j % 2] = 0;
        Bf16Products seen = own;
        seen.b = v;
        seen.c = o;
        multiply_all(w, seen);
        for (int c = 0; c < w->v_tiles; c++) {
            Bf16Sums *to = w->o + r / TILE * w->v_tiles + c;
            memcpy(to->at[r % TILE], o[r / TILE * w->v_tiles + c].at[r % TILE], sizeof to->at[r % TILE]);
        }
    }
    arena_close(scratch);
}

// Normalises the outputs and writes them, and lse.
ISA_INLINE void store_outputs(Attended to, BlockState *w)
{
    for (int r = 0; r < w->rows; r++) {
        float sum = 0.0f, max = w->max[r];
        for (int lane = 0; lane < TILE; lane++) sum += ((const float *)w->sum[r])[lane];
        float share = max == -FLT_MAX && sum == 0.0f ? 0.0f : 1.0f / sum; // no key seen
        for (int c = 0; c < to.out.cols; c += LANES) {
            Vec out = row_of(w->o + r / TILE * w->v_tiles + c / TILE, r % TILE)[c % TILE / LANES] * share;
            float *to_out = mat_row(to.out, w->i0 + r) + c;
            if (c + LANES <= to.out.cols) *(Loose *)to_out = out;
            else memcpy(to_out, &out, sizeof(float) * (size_t)(to.out.cols - c));
        }
        if (mat_empty(to.lse)) continue;
        int nearest = to_nearest_key(mask_position(w->mask, w->i0 + r, w->T, w->S), w->end);
        *mat_ref(to.lse, w->i0 + r, 0) = row_lse(max, sum, 1.0f, (double)w->mask.alibi * nearest);
    }
}

// ---- a block of queries

static TileKind kind_of(const BlockState *w, MaskRange keys)
{
    return tile_kind(w->mask, (MaskRange){ w->i0, w->rows }, keys, w->T, w->S);
}

// Lists the runs that these queries see. Skips invisible runs and trims invisible steps from both ends of the others.
static int find_runs(BlockState *w)
{
    int count = 0;
    MaskVisible sight = mask_visible(w->mask, (MaskRange){ w->i0, w->rows }, w->T, w->S);
    for (int j = 0; j < sight.keys.first + sight.keys.count; j += RUN) {
        if (j >= sight.sinks && j + RUN <= sight.keys.first) continue;
        int end = smaller(j + RUN, w->end), first = j;
        TileKind kind = kind_of(w, (MaskRange){ j, end - j });
        if (kind == TILE_EMPTY) continue;
        if (kind == TILE_CUT) {
            while (kind_of(w, (MaskRange){ first, smaller(end - first, STEP) }) == TILE_EMPTY) first += STEP;
            while (kind_of(w, (MaskRange){ (end - 1) / STEP * STEP, end - (end - 1) / STEP * STEP }) == TILE_EMPTY)
                end = (end - 1) / STEP * STEP;
        }
        int steps = (end - first + STEP - 1) / STEP;
        bool cut = kind == TILE_CUT || w->slope != 0.0f || first + steps * STEP > w->end;
        w->runs[count++] = (Run){ first, steps, cut };
    }
    return count;
}

static bool any_non_finite(const BlockState *w, Run run)
{
    bool any = false;
    for (int step = 0; step < run.steps; step++) any |= w->non_finite[run.first / STEP + step];
    return any;
}

// Run number `turn` of `count`, whose scores are already computed. Overlaps the scores of the next run and the outputs
// of the previous one.
ISA_INLINE void one_run(BlockState *w, int turn, int count, const bool converts)
{
    Run run = w->runs[turn];
    Bf16Sums *s = w->s[turn & 1];
    bool has_next = turn + 1 < count,
         before = turn > 0 && !(w->runs[turn - 1].cut && any_non_finite(w, w->runs[turn - 1]));
    w->overlapped[0] = w->overlapped[1] = (Bf16Products){ 0 };
    if (before) w->overlapped[0] = output_products(w, w->runs[turn - 1], turn - 1);
    if (has_next) w->overlapped[1] = score_products(w, w->runs[turn + 1], turn + 1);
    int overlap = step_count(w->overlapped[0]) + step_count(w->overlapped[1]);
    if (run.cut) mask_run(w, run, s);
    if (turn == 0) rescale(w, run, s);
    if (!weigh(w, run, turn, overlap, converts)) {
        rescale(w, run, s);
        weigh(w, run, turn, 0, converts);
    }
    if (run.cut && any_non_finite(w, run)) mix_visible(w, run, turn);
    else if (!has_next) multiply_all(w, output_products(w, run, turn));
}

ISA_INLINE void block(Attended to, BlockState *w, Mat q, const bool converts)
{
    memset(w->o, 0, sizeof *w->o * (size_t)(2 * w->v_tiles));
    memset(w->sum, 0, sizeof w->sum);
    for (int r = 0; r < QUERIES; r++) w->max[r] = r < w->rows ? -FLT_MAX : 0.0f;
    for (int half = 0; half < 2; half++)
        for (int c = 0; c < w->k_tiles; c++)
            pack_rows(&w->q[half * w->k_tiles + c], q, w->i0 + half * TILE, w->T, c * STEP, converts);
    int count = find_runs(w);
    if (count > 0) multiply_all(w, score_products(w, w->runs[0], 0));
    for (int turn = 0; turn < count; turn++) one_run(w, turn, count, converts);
    store_outputs(to, w);
}

ISA_INLINE void blocks(BlockState *w, Attended to, Mat q, Mat k, Mat v, const bool converts)
{
    pack_all(w, k, v, converts);
    for (w->i0 = 0; w->i0 < w->T; w->i0 += QUERIES) {
        w->rows = smaller(w->T - w->i0, QUERIES);
        block(to, w, q, converts);
    }
}

#if ISA == ISA_AVX512
ISA_TARGET static void blocks_converting(BlockState *w, Attended to, Mat q, Mat k, Mat v)
{
    blocks(w, to, q, k, v, true);
}
#else
    #define blocks_converting blocks_rounding
#endif
ISA_TARGET static void blocks_rounding(BlockState *w, Attended to, Mat q, Mat k, Mat v)
{
    blocks(w, to, q, k, v, false);
}

void ISA_NAME(bf16_kernel)(const Bf16TileEngine *engine, Attended to, Mat q, Mat k, Mat v, Mask mask)
{
    Arena *scratch = arena_open();
    BlockState *w = arena_alloc(scratch, sizeof *w);
    float root = mask_root(mask, q.cols);
    int end = larger(k.rows - mask.padding, 0), steps = (end + STEP - 1) / STEP;
    *w = (BlockState){ .engine = engine,
                       .mask = mask,
                       .T = q.rows,
                       .S = k.rows,
                       .end = end,
                       .pinned = mask_pinned(mask),
                       .k_tiles = (q.cols + STEP - 1) / STEP,
                       .v_tiles = 2 * ((v.cols + STEP - 1) / STEP),
                       .scale = LOG2E / root,
                       .slope = mask.alibi * root };
    w->k = arena_alloc(scratch, sizeof *w->k * (size_t)(2 * steps) * (size_t)w->k_tiles);
    w->v = arena_alloc(scratch, sizeof *w->v * (size_t)steps * (size_t)w->v_tiles);
    w->non_finite = arena_alloc(scratch, sizeof *w->non_finite * (size_t)steps);
    w->runs = arena_alloc(scratch, sizeof *w->runs * (size_t)(steps / RUN_STEPS + 1));
    w->q = arena_alloc(scratch, sizeof *w->q * (size_t)(2 * w->k_tiles));
    w->o = arena_alloc(scratch, sizeof *w->o * (size_t)(2 * w->v_tiles));
    for (int turn = 0; turn < 2; turn++) {
        w->p[turn] = arena_alloc(scratch, sizeof *w->p[turn] * 2 * RUN_STEPS);
        w->s[turn] = arena_alloc(scratch, sizeof *w->s[turn] * 2 * RUN_TILES);
    }
    engine->open();
    if (engine->converts) blocks_converting(w, to, q, k, v);
    else blocks_rounding(w, to, q, k, v);
    engine->close();
    cost_add((Cost){ .multiplies = 4 * TILE * TILE * STEP * w->steps, .scratch = (int64_t)arena_peak(scratch) });
    arena_close(scratch);
}
