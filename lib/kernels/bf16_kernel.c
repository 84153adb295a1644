// Chapter 15. The kernel in bf16, compiled once for each instruction set.
//
// A block of 32 queries walks past all keys, in runs of up to RUN of them. Scores S = Q Kᵀ are products of tiles, so
// is what is added to the outputs, P V; sums are float32. Between them scores become weights, in vectors whose lanes
// are keys. Three runs are under way at once: while the scores of one become weights, the tiles' unit multiplies the
// scores of the next and adds up the outputs of the one before.
//
// A tile on the right of a product holds pairs: two channels of a key, two keys of a channel. K and V are brought into
// that form once for all queries.
#include "kernels/bf16_kernel.h"

#include "kernels/fast_kernel.h"
#include "base/cost.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

// A tile is 16 rows; a row holds 32 numbers of bf16, or 16 sums. PARTS vectors are 16 floats.
enum {
    TILE = 16,
    STEP = 32,
    QUERIES = 32,
    RUN = 128,
    RUN_STEPS = RUN / STEP,
    RUN_TILES = RUN / TILE,
    PARTS = TILE / LANES
};

// Keys first … first + STEP · steps − 1; in full sight of all queries of the block or not.
typedef struct {
    int first, steps;
    bool cut;
} Run;

typedef struct {
    const Bf16TileEngine *engine;
    Mask mask;
    int i0, rows, T, S, end, kept; // the block's first query, how many; mask_pinned of the mask
    int deep, wide;                // tiles: 32 channels of q and k each, 16 of v; wide is even
    float scale, slope;            // log₂e / √d; ALiBi's slope in units of q · k
    Bf16Tile *k, *v;               // (⌈S / 16⌉, deep) channels in pairs  (⌈S / 32⌉, wide) keys
    bool *strange;                 // is any number of these 32 keys' values not finite?
    Bf16Tile *q, *p[2];            // (2, deep)  (2, RUN_STEPS) weights of one run and of the next
    Bf16Sums *s[2], *o;            // (2, RUN_TILES) scores, likewise  (2, wide) outputs
    float max[QUERIES];            // what is subtracted, in powers of two; −FLT_MAX: nothing was seen
    Vec sum[QUERIES][PARTS];       // of the rounded weights, to be added up
    Run *runs;
    Bf16Products beside[2]; // what the tiles' unit does while weights are made
    int64_t steps;          // of products, done so far
} Walk;

ISA_INLINE Vec *row_of(Bf16Sums *tiles, int row) { return (Vec *)tiles->at[row]; }

// ---- into bf16

// 32 floats to 32 numbers of bf16, side by side.
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

// Channels c … of a row of floats, as one vector; 0 behind the last one, and all of NULL.
ISA_INLINE Vec floats_of(const float *row, int c, int cols)
{
    if (row && c + LANES <= cols) return *(const Loose *)(row + c);
    return vec_part(row && c < cols ? row + c : NULL, cols - c);
}

// Rows i … i + 15 of m, channels c … c + 31, as they are: the left side of a product.
ISA_INLINE void pack_rows(Bf16Tile *to, Mat m, int i, int rows, int c, const bool converts)
{
    for (int r = 0; r < TILE; r++) {
        Vec from[STEP / LANES];
        for (int n = 0; n < STEP / LANES; n++)
            from[n] = floats_of(i + r < rows ? mat_row(m, i + r) : NULL, c + n * LANES, m.cols);
        convert(to->at[r], from, converts);
    }
}

// Pair p of row r becomes pair r of row p: a pair is one word, and words are turned as floats are.
ISA_INLINE void turn_pairs(Bf16Tile *tile)
{
    Vec all[TILE][PARTS], block[LANES];
    memcpy(all, tile, sizeof all);
    for (int down = 0; down < PARTS; down++)
        for (int right = 0; right < PARTS; right++) {
            for (int r = 0; r < LANES; r++) block[r] = all[down * LANES + r][right];
            vec_transpose(block);
            for (int r = 0; r < LANES; r++) row_of((Bf16Sums *)tile, right * LANES + r)[down] = block[r];
        }
}

// Keys j … j + 31, channels c … c + 15 of v: its pairs are neighbours among the keys. Is any number not finite?
ISA_INLINE bool pack_values(Bf16Tile *to, Mat v, int j, int rows, int c)
{
    Bits strange = { 0 };
    for (int p = 0; p < TILE; p++)
        for (int part = 0; part < PARTS; part++) {
            Words pair[2];
            for (int n = 0; n < 2; n++) {
                int row = j + 2 * p + n;
                pair[n] = vec_bf16(floats_of(row < rows ? mat_row(v, row) : NULL, c + part * LANES, v.cols));
                strange |= (pair[n] & 0x7f800000) == 0x7f800000;
            }
            ((Words *)to->at[p])[part] = pair[0] >> 16 | pair[1];
        }
    int any = 0;
    for (int lane = 0; lane < LANES; lane++) any |= strange[lane];
    return any;
}

// All keys and values in use, once for all queries.
ISA_INLINE void pack_all(Walk *w, Mat k, Mat v, const bool converts)
{
    for (int j = 0; j < w->end; j += STEP) {
        for (int half = 0; half < 2; half++)
            for (int c = 0; c < w->deep; c++) {
                Bf16Tile *to = &w->k[(j / TILE + half) * w->deep + c];
                pack_rows(to, k, j + half * TILE, w->end, c * STEP, converts);
                turn_pairs(to);
            }
        for (int c = 0; c < w->wide; c++)
            w->strange[j / STEP] |= pack_values(&w->v[j / STEP * w->wide + c], v, j, w->end, c * TILE);
    }
}

// ---- products of tiles

static Bf16Products scores_of(const Walk *w, Run run, int turn)
{
    return (Bf16Products){ .a = w->q,
                           .a_down = w->deep,
                           .b = w->k + run.first / TILE * w->deep,
                           .b_right = w->deep,
                           .b_step = 1,
                           .b_next = 2 * w->deep,
                           .c = w->s[turn & 1],
                           .c_down = RUN_TILES,
                           .steps = w->deep,
                           .blocks = run.steps };
}

static Bf16Products mixture_of(const Walk *w, Run run, int turn)
{
    return (Bf16Products){ .a = w->p[turn & 1],
                           .a_down = RUN_STEPS,
                           .b = w->v + run.first / STEP * w->wide,
                           .b_right = 1,
                           .b_step = w->wide,
                           .b_next = 2,
                           .c = w->o,
                           .c_down = w->wide,
                           .steps = run.steps,
                           .blocks = w->wide / 2,
                           .add = true };
}

static int steps_of(Bf16Products p) { return p.steps * p.blocks; }

// The next `count` steps of what is to be done beside.
static void multiply_beside(Walk *w, int count)
{
    w->steps += count;
    for (; count > 0; count--) w->engine->step(&w->beside[w->beside[0].block == w->beside[0].blocks]);
}

static void multiply_all(Walk *w, Bf16Products p)
{
    w->beside[0] = p;
    multiply_beside(w, steps_of(p));
}

// ---- scores to weights

// −INFINITY where the mask hides a key; elsewhere lowered by ALiBi, for the distance beyond that of the nearest key.
ISA_INLINE void mask_run(Walk *w, Run run, Bf16Sums *s)
{
    for (int r = 0; r < w->rows; r++) {
        int position = mask_position(w->mask, w->i0 + r, w->T, w->S), base = to_nearest_key(position, w->end);
        bool open = mask_open(w->mask, w->i0 + r, w->T, w->S);
        float behind = (float)(position - base), ahead = (float)-position - (float)base;
        float reach = open ? INFINITY : (float)w->mask.window - (float)base;
        for (int part = 0; part < run.steps * STEP / LANES; part++) {
            Vec *score = &row_of(s + r / TILE * RUN_TILES + part / PARTS, r % TILE)[part % PARTS], j;
            for (int lane = 0; lane < LANES; lane++) j[lane] = (float)(run.first + part * LANES + lane);
            Vec distance = behind - j, away = vec_max(distance, ahead + j);
            Bits hidden = j >= (float)w->end;
            if (w->mask.causal) hidden |= distance < 0.0f;
            if (w->mask.window > 0) hidden |= (away >= reach) & (j >= (float)w->kept);
            *score = vec_select(hidden, vec_splat(-INFINITY), *score - w->slope * away);
        }
    }
}

// Where a row's largest score is far above what is subtracted from it, that becomes the largest one, and what was
// summed up is scaled to it.
ISA_INLINE void raise(Walk *w, Run run, Bf16Sums *s)
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
        for (int part = 0; part < w->wide * PARTS; part++)
            row_of(w->o + r / TILE * w->wide + part / PARTS, r % TILE)[part % PARTS] *= factor;
    }
}

// 2ˣ to four digits: weights are rounded to three. With the whole number below x the fraction is 0 … 1, and 2 to it by
// a polynomial of degree 3: 1.1 · 10⁻⁴.
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

// total += each of 32 rounded weights, of each pair the second first.
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

// Row r: p = 2^(s · scale − max), rounded. Is any of it farther above than may be?
ISA_INLINE Vec weigh_row(Walk *w, int steps, const Bf16Sums *s, Bf16Tile *p, int r, Vec largest, const bool converts)
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

// All rows, and beside them what is to be multiplied. Did all scores lie within reach?
ISA_INLINE bool weigh(Walk *w, Run run, int turn, int beside, const bool converts)
{
    Vec largest = vec_splat(-INFINITY), before[QUERIES][PARTS];
    memcpy(before, w->sum, sizeof before);
    for (int r = 0, done = 0; r < QUERIES; r++) {
        largest = weigh_row(w, run.steps, w->s[turn & 1], w->p[turn & 1], r, largest, converts);
        int now = beside * (r + 1) / QUERIES;
        if (now > done) multiply_beside(w, now - done);
        done = now;
    }
    bool within = true;
    for (int lane = 0; lane < LANES; lane++) within &= !(largest[lane] > THRESHOLD);
    if (!within) memcpy(w->sum, before, sizeof before);
    return within;
}

// ---- outputs

// A hidden value is not finite, and 0 · NaN would be NaN: each query is given values of its own, with 0 for what it
// does not see.
static void mix_seen(Walk *w, Run run, int turn)
{
    Arena *scratch = arena_open();
    Bf16Tile *v = arena_alloc(scratch, sizeof *v * (size_t)(run.steps * w->wide));
    Bf16Sums *o = arena_alloc(scratch, sizeof *o * (size_t)(2 * w->wide));
    Bf16Products own = mixture_of(w, run, turn);
    for (int r = 0; r < w->rows; r++) {
        memcpy(v, own.b, sizeof *v * (size_t)(run.steps * w->wide));
        memcpy(o, w->o, sizeof *o * (size_t)(2 * w->wide));
        for (int j = 0; j < run.steps * STEP; j++)
            for (int c = 0; c < w->wide && !mask_sees(w->mask, w->i0 + r, run.first + j, w->T, w->S); c++)
                for (int n = 0; n < TILE; n++) v[j / STEP * w->wide + c].at[j % STEP / 2][2 * n + j % 2] = 0;
        Bf16Products seen = own;
        seen.b = v;
        seen.c = o;
        multiply_all(w, seen);
        for (int c = 0; c < w->wide; c++) {
            Bf16Sums *to = w->o + r / TILE * w->wide + c;
            memcpy(to->at[r % TILE], o[r / TILE * w->wide + c].at[r % TILE], sizeof to->at[r % TILE]);
        }
    }
    arena_close(scratch);
}

// Rows of the outputs, divided by their sums, and the sums' logarithms.
ISA_INLINE void put_out(Attended to, Walk *w)
{
    for (int r = 0; r < w->rows; r++) {
        float sum = 0.0f, max = w->max[r];
        for (int lane = 0; lane < TILE; lane++) sum += ((const float *)w->sum[r])[lane];
        float share = max == -FLT_MAX && sum == 0.0f ? 0.0f : 1.0f / sum; // nothing was seen
        for (int c = 0; c < to.out.cols; c += LANES) {
            Vec out = row_of(w->o + r / TILE * w->wide + c / TILE, r % TILE)[c % TILE / LANES] * share;
            float *at = mat_row(to.out, w->i0 + r) + c;
            if (c + LANES <= to.out.cols) *(Loose *)at = out;
            else memcpy(at, &out, sizeof(float) * (size_t)(to.out.cols - c));
        }
        if (mat_empty(to.lse)) continue;
        int base = to_nearest_key(mask_position(w->mask, w->i0 + r, w->T, w->S), w->end);
        *mat_ref(to.lse, w->i0 + r, 0) = row_lse(max, sum, 1.0f, (double)w->mask.alibi * base);
    }
}

// ---- a block of queries

static TileKind kind_of(const Walk *w, MaskRange keys)
{
    return tile_kind(w->mask, (MaskRange){ w->i0, w->rows }, keys, w->T, w->S);
}

// Which keys these queries are to walk past. What nobody sees is left out: whole runs, and both ends of others.
static int runs_of(Walk *w)
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

static bool any_strange(const Walk *w, Run run)
{
    bool any = false;
    for (int step = 0; step < run.steps; step++) any |= w->strange[run.first / STEP + step];
    return any;
}

// Run `turn` of `count`: its scores are there. Beside it the scores of the next one and the outputs of the one before.
ISA_INLINE void one_run(Walk *w, int turn, int count, const bool converts)
{
    Run run = w->runs[turn];
    Bf16Sums *s = w->s[turn & 1];
    bool later = turn + 1 < count, before = turn > 0 && !(w->runs[turn - 1].cut && any_strange(w, w->runs[turn - 1]));
    w->beside[0] = w->beside[1] = (Bf16Products){ 0 };
    if (before) w->beside[0] = mixture_of(w, w->runs[turn - 1], turn - 1);
    if (later) w->beside[1] = scores_of(w, w->runs[turn + 1], turn + 1);
    int beside = steps_of(w->beside[0]) + steps_of(w->beside[1]);
    if (run.cut) mask_run(w, run, s);
    if (turn == 0) raise(w, run, s);
    if (!weigh(w, run, turn, beside, converts)) {
        raise(w, run, s);
        weigh(w, run, turn, 0, converts);
    }
    if (run.cut && any_strange(w, run)) mix_seen(w, run, turn);
    else if (!later) multiply_all(w, mixture_of(w, run, turn));
}

ISA_INLINE void block(Attended to, Walk *w, Mat q, const bool converts)
{
    memset(w->o, 0, sizeof *w->o * (size_t)(2 * w->wide));
    memset(w->sum, 0, sizeof w->sum);
    for (int r = 0; r < QUERIES; r++) w->max[r] = r < w->rows ? -FLT_MAX : 0.0f;
    for (int half = 0; half < 2; half++)
        for (int c = 0; c < w->deep; c++)
            pack_rows(&w->q[half * w->deep + c], q, w->i0 + half * TILE, w->T, c * STEP, converts);
    int count = runs_of(w);
    if (count > 0) multiply_all(w, scores_of(w, w->runs[0], 0));
    for (int turn = 0; turn < count; turn++) one_run(w, turn, count, converts);
    put_out(to, w);
}

ISA_INLINE void blocks(Walk *w, Attended to, Mat q, Mat k, Mat v, const bool converts)
{
    pack_all(w, k, v, converts);
    for (w->i0 = 0; w->i0 < w->T; w->i0 += QUERIES) {
        w->rows = smaller(w->T - w->i0, QUERIES);
        block(to, w, q, converts);
    }
}

#if ISA == ISA_AVX512
ISA_TARGET static void blocks_converting(Walk *w, Attended to, Mat q, Mat k, Mat v) { blocks(w, to, q, k, v, true); }
#else
    #define blocks_converting blocks_rounding
#endif
ISA_TARGET static void blocks_rounding(Walk *w, Attended to, Mat q, Mat k, Mat v) { blocks(w, to, q, k, v, false); }

void ISA_NAME(bf16_kernel)(const Bf16TileEngine *engine, Attended to, Mat q, Mat k, Mat v, Mask mask)
{
    Arena *scratch = arena_open();
    Walk *w = arena_alloc(scratch, sizeof *w);
    float root = mask_root(mask, q.cols);
    int end = larger(k.rows - mask.padding, 0), steps = (end + STEP - 1) / STEP;
    *w = (Walk){ .engine = engine,
                 .mask = mask,
                 .T = q.rows,
                 .S = k.rows,
                 .end = end,
                 .kept = mask_pinned(mask),
                 .deep = (q.cols + STEP - 1) / STEP,
                 .wide = 2 * ((v.cols + STEP - 1) / STEP),
                 .scale = LOG2E / root,
                 .slope = mask.alibi * root };
    w->k = arena_alloc(scratch, sizeof *w->k * (size_t)(2 * steps) * (size_t)w->deep);
    w->v = arena_alloc(scratch, sizeof *w->v * (size_t)steps * (size_t)w->wide);
    w->strange = arena_alloc(scratch, sizeof *w->strange * (size_t)steps);
    w->runs = arena_alloc(scratch, sizeof *w->runs * (size_t)(steps / RUN_STEPS + 1));
    w->q = arena_alloc(scratch, sizeof *w->q * (size_t)(2 * w->deep));
    w->o = arena_alloc(scratch, sizeof *w->o * (size_t)(2 * w->wide));
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
