// Chapter 19. Decoding over codes, in vectors. Compiled once for each kind of processor.
//
// Tokens are taken a tile at a time: scored, weighed and mixed while their codes are in the first cache. A vector of
// codes becomes one of floats in registers. Scales and zeros are kept out of that loop. With a key of scale · code +
// zero, channel by channel, q · k = (q ∘ scale) · code + q · zero, and what stands before the codes is made once a
// tile. With a value of one scale for a group of channels, the weight meets the scale first, and zeros are added up for
// the whole group. The newest tokens, which are float32, go the same way.
#include "attention/code_kernel.h"

#include "base/cost.h"
#include "base/half.h"

#include <float.h>
#include <stdlib.h>

// How rows are kept, beside CodeKind: as float32; as FLOAT8 with a NaN among them, whose codes are looked up.
enum { KEPT_FLOATS = CODE_KINDS, KEPT_STRANGE };

// TILE tokens at most. SUMS scores are under way at a time, HEADS heads share each number that comes, ACROSS vectors of
// outputs stay in registers.
#if KIND == 16 || defined NEON
enum { TILE = 64, SUMS = 16, HEADS = 4, ACROSS = 4 };
#else
enum { TILE = 64, SUMS = 8, HEADS = 2, ACROSS = 2 };
#endif

// One matrix of a tile.
typedef struct {
    const uint8_t  *codes;                           // of the first row
    const uint16_t *grids;                           // of the block, or of the first row; NULL: there are none
    ptrdiff_t step;                                  // bytes from row to row
    bool per_token;
    int  run, each;                                  // PER_TOKEN: channels that share a grid, grids of a row
    int  bits;
} Rows;

// Tokens first … first + rows − 1 of one block, or of the newest.
typedef struct { int first, rows, kept; Rows k, v; } Tile;

// All heads at work, on their way past the tiles.
typedef struct {
    const QuantisedCache *cache;
    Span        groups;
    Mat         q;                                   // (groups.count · R, d)
    const Mask *masks;
    int    R, d, dv, wide, zeros;                    // vectors of outputs, and of sums of zeros behind them
    float  scale;                                    // log₂e / √d
    Vec   *queries, *o;                              // (heads, vectors of d) (heads, wide + zeros)
    Vec   *max, *sum;                                // (heads): what is subtracted, in all lanes; sums, lane by lane
    float *base;                                     // (HEADS) q · zero
    Vec   *folded;                                   // (HEADS, vectors of d) q, or q ∘ scale
    float *p, *weights;                              // (HEADS, TILE) (HEADS, TILE, zeros · LANES) weight · scale
    float *k_scales, *k_zeros, *v_scales, *v_zeros;  // of a tile
} Walk;

static int width_of(int columns) { return (columns + LANES - 1) / LANES; }

// ---- codes to floats

// Where channel `lane` of LANES neighbours comes to lie.
INLINE int channel_of(int lane, const int kept)
{
    return LANES == 16 && kept == CODE_INT4 ? lane / 2 + lane % 2 * 8 : lane;
}

// What a widened number is to be multiplied by: FLOAT8 is read as float16, whose exponents begin 8 lower.
INLINE float unit_of(const int kept)
{
#if defined __x86_64__ && KIND >= 8
    if (kept == CODE_FLOAT8) return 256.0f;
#endif
    (void)kept;
    return 1.0f;
}

// LANES codes, in the order of channel_of.
INLINE Vec widened(const uint8_t *at, const float *numbers, const int kept)
{
    if (kept == KEPT_FLOATS) return *(const Loose *)(const void *)at;
#if defined __x86_64__ && KIND == 16
    if (kept == CODE_INT8) return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128((const void *)at)));
    if (kept == CODE_INT4) {                         // a number of four bits chooses one of sixteen lanes
        int64_t codes;
        memcpy(&codes, at, sizeof codes);
        __m512i each = _mm512_srlv_epi64(_mm512_set1_epi64(codes), _mm512_setr_epi64(0, 4, 8, 12, 16, 20, 24, 28));
        return _mm512_permutexvar_ps(each, _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    }
    if (kept == CODE_INT2) {
        int codes;
        memcpy(&codes, at, sizeof codes);
        __m512i shifts = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
        __m512i each = _mm512_srlv_epi32(_mm512_set1_epi32(codes), shifts);
        return _mm512_permutexvar_ps(each, _mm512_setr_ps(0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3));
    }
    if (kept == CODE_FLOAT8) {
        __m256i signs = _mm256_cvtepi8_epi16(_mm_loadu_si128((const void *)at));
        return _mm512_cvtph_ps(_mm256_and_si256(_mm256_slli_epi16(signs, 7), _mm256_set1_epi16((short)0xBF80)));
    }
#elif defined __x86_64__ && KIND == 8
    if (kept == CODE_INT8) return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)at)));
    if (kept == CODE_INT4) {
        int codes;
        memcpy(&codes, at, sizeof codes);
        __m256i each = _mm256_srlv_epi32(_mm256_set1_epi32(codes), _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28));
        return _mm256_cvtepi32_ps(_mm256_and_si256(each, _mm256_set1_epi32(15)));
    }
    if (kept == CODE_INT2) {                         // three bits choose one of eight lanes
        uint16_t codes;
        memcpy(&codes, at, sizeof codes);
        __m256i each = _mm256_srlv_epi32(_mm256_set1_epi32(codes), _mm256_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14));
        return _mm256_permutevar8x32_ps(_mm256_setr_ps(0, 1, 2, 3, 0, 1, 2, 3), each);
    }
    if (kept == CODE_FLOAT8) {
        __m128i signs = _mm_cvtepi8_epi16(_mm_loadl_epi64((const void *)at));
        return _mm256_cvtph_ps(_mm_and_si128(_mm_slli_epi16(signs, 7), _mm_set1_epi16((short)0xBF80)));
    }
#endif
    float to[LANES];
    const int each = kept == CODE_INT4 ? 2 : kept == CODE_INT2 ? 4 : 1;
    for (int c = 0; c < LANES; c += each) memcpy(to + c, numbers + each * at[c / each], (size_t)each * sizeof *to);
    return *(const Loose *)to;
}

// The same near the end of a head: channels from `left` on are 0.
INLINE Vec widened_part(const uint8_t *at, int left, int bits, const float *numbers, const int kept)
{
    if (left >= LANES) return widened(at, numbers, kept);
    uint8_t part[4 * LANES] = { 0 };
    memcpy(part, at, (size_t)(left * bits / 8));
    return widened(part, numbers, kept);
}

// From the order of channels to that of codes, and back.
INLINE Vec to_order(Vec x, const int kept)
{
    if (channel_of(1, kept) == 1) return x;
    Vec to;
    for (int lane = 0; lane < LANES; lane++) to[lane] = x[channel_of(lane, kept)];
    return to;
}

INLINE Vec from_order(Vec x, const int kept)
{
    if (channel_of(1, kept) == 1) return x;
    Vec to;
    for (int lane = 0; lane < LANES; lane++) to[channel_of(lane, kept)] = x[lane];
    return to;
}

// ---- scales and zeros

// `count` grids as floats; both have room for whole vectors.
INLINE void read_grids(float *scales, float *zeros, const uint16_t *grids, int count)
{
    int g = 0;
#if defined __x86_64__ && KIND == 16
    for (; g + LANES <= count; g += LANES) {
        __m512i pairs = _mm512_loadu_si512(grids + 2 * g);
        *(Loose *)(scales + g) = _mm512_cvtph_ps(_mm512_cvtepi32_epi16(pairs));
        *(Loose *)(zeros + g) = _mm512_cvtph_ps(_mm512_cvtepi32_epi16(_mm512_srli_epi32(pairs, 16)));
    }
#endif
    for (; g < count; g++) {
        scales[g] = half_float16(grids[2 * g]);
        zeros[g] = half_float16(grids[2 * g + 1]);
    }
}

INLINE Vec floats_at(const float *from, int left)
{
    if (left >= LANES) return *(const Loose *)from;
    return vec_part(from, left);
}

// What each of LANES channels from `first` of a row on has of `values`, one for `run` channels, `each` in all.
INLINE Vec shared(const float *values, int first, int run, int each, const int kept)
{
    if (run % LANES == 0 && first % LANES == 0) return vec_splat(values[first / run]);
    Vec of;
    for (int lane = 0; lane < LANES; lane++)
        of[lane] = values[smaller((first + channel_of(lane, kept)) / run, each - 1)];
    return of;
}

// ---- scores

// What stands before the codes, for `heads` heads from number r of a group on: q ∘ scale and q · zero.
INLINE void fold(const Walk *w, const Tile *t, int group, int r, const int heads, const int kept)
{
    int width = width_of(w->d), first = (w->groups.first + group) * w->d;
    for (int h = 0; h < heads; h++) {
        const Vec *q = w->queries + (group * w->R + r + h) * width;
        Vec *to = w->folded + h * width, base = { 0 };
        for (int c = 0; c < width; c++) {
            Vec x = q[c] * unit_of(kept);
            if (t->k.grids && !t->k.per_token) {
                int at = first + c * LANES, left = w->d - c * LANES;
                base += q[c] * floats_at(w->k_zeros + at, left);
                x *= floats_at(w->k_scales + at, left);
            }
            to[c] = to_order(x, kept);
        }
        w->base[h] = 0.0f;
        for (int lane = 0; lane < LANES; lane++) w->base[h] += base[lane];
    }
}

// Σ q · zero of one row, where each row has zeros of its own.
INLINE float zeros_of_row(const Walk *w, const Tile *t, int group, int head, int i)
{
    float sum = 0.0f;
    const float *q = (const float *)(w->queries + head * width_of(w->d)), *zeros = w->k_zeros + i * t->k.each;
    int first = (w->groups.first + group) * w->d;
    for (int c = 0; c < w->d; c++) sum += q[c] * zeros[(first + c) / t->k.run];
    return sum;
}

// SUMS / heads rows from i on against `heads` heads. Where a row is missing, the last one stands in for it.
INLINE void score_rows(const Walk *w, const Tile *t, int group, int r, int i, const int heads, const int kept)
{
    const int rows = SUMS / heads;
    const uint8_t *row[SUMS];
    Vec sums[SUMS] = { { 0 } };
    int width = width_of(w->d), first = (w->groups.first + group) * w->d;
    bool scaled = t->k.grids && t->k.per_token;
    UNROLLED for (int s = 0; s < rows; s++)
        row[s] = t->k.codes + smaller(i + s, t->rows - 1) * t->k.step + first * t->k.bits / 8;
    for (int c = 0; c < width; c++) {
        Vec q[HEADS];
        UNROLLED for (int h = 0; h < heads; h++) q[h] = w->folded[h * width + c];
        UNROLLED for (int s = 0; s < rows; s++) {
            Vec numbers = widened_part(row[s] + c * LANES * t->k.bits / 8, w->d - c * LANES, t->k.bits,
                                       w->cache->numbers, kept);
            if (scaled)
                numbers *= shared(w->k_scales + smaller(i + s, t->rows - 1) * t->k.each, first + c * LANES, t->k.run,
                                  t->k.each, kept);
            UNROLLED for (int h = 0; h < heads; h++) sums[h * rows + s] += numbers * q[h];
        }
    }
    vec_add_lanes(sums, SUMS);
    for (int h = 0; h < heads; h++)
        for (int s = 0; s < rows && i + s < t->rows; s++) {
            float rest = scaled ? zeros_of_row(w, t, group, group * w->R + r + h, i + s) : w->base[h];
            w->p[h * TILE + i + s] = sums[(h * rows + s) / LANES * LANES][(h * rows + s) % LANES] + rest;
        }
}

// ---- weights

// A larger maximum than before scales what was summed up. That is seldom.
TARGET static __attribute__((noinline)) void raise(const Walk *w, int head, const Vec *p, int vectors)
{
    Vec largest = w->max[head], *o = w->o + head * (w->wide + w->zeros);
    for (int n = 0; n < vectors; n++) largest = vec_max(p[n], largest);
    float max = largest[0];
    for (int lane = 1; lane < LANES; lane++) max = largest[lane] > max ? largest[lane] : max;
    Vec factor = vec_exp2((w->max[head] - max) * w->scale);
    for (int c = 0; c < w->wide + w->zeros; c++) o[c] *= factor;
    w->sum[head] *= factor;
    w->max[head] = vec_splat(max);
}

// Scores of a head, number h of those at work, become weights.
INLINE void weigh(const Walk *w, const Tile *t, int head, int h)
{
    Vec *p = (Vec *)(w->p + h * TILE);
    int vectors = width_of(t->rows);
    bool higher = false;
    for (int i = t->rows; i < vectors * LANES; i++) w->p[h * TILE + i] = -INFINITY;
    if (w->masks[head].alibi != 0.0f) {
        Mask mask = w->masks[head];
        float slope = mask.alibi * mask_root(mask, w->d);
        int S = w->cache->length, position = mask_position(mask, 0, 1, S), base = to_nearest_key(position,
                                                                                                 S - mask.padding);
        for (int i = 0; i < t->rows; i++)
            w->p[h * TILE + i] -= slope * (float)(abs(position - t->first - i) - base);
    }
    for (int n = 0; n < vectors; n++) higher |= vec_any(p[n] > w->max[head]);
    if (higher) raise(w, head, p, vectors);
    for (int n = 0; n < vectors; n++) {
        p[n] = vec_exp2((p[n] - w->max[head]) * w->scale);
        w->sum[head] += p[n];
    }
}

// The weight of each row meets the scales of its groups; what their zeros add is summed up for whole groups.
INLINE void weigh_groups(const Walk *w, const Tile *t, int group, int head, int h)
{
    int first = (w->groups.first + group) * w->dv / t->v.run, apart = w->zeros * LANES;
    Vec *zeros = w->o + head * (w->wide + w->zeros) + w->wide;
    for (int n = 0; n < w->zeros; n++) {
        Vec sum = zeros[n];
        for (int i = 0; i < t->rows; i++) {
            int at = i * t->v.each + first + n * LANES;
            Vec weight = vec_splat(w->p[h * TILE + i]);
            sum += weight * *(const Loose *)(w->v_zeros + at);
            *(Loose *)(w->weights + (h * TILE + i) * apart + n * LANES) = weight * *(const Loose *)(w->v_scales + at);
        }
        zeros[n] = sum;
    }
}

// ---- outputs

// `count` vectors of outputs from number `at` on, of `heads` heads.
INLINE void mix_vectors(const Walk *w, const Tile *t, int group, int r, int at, const int count, const int heads,
                        const int kept)
{
    Vec sums[HEADS][ACROSS];
    int first = (w->groups.first + group) * w->dv, apart = w->zeros * LANES, within = first % t->v.run;
    bool scaled = t->v.grids && t->v.per_token, channels = t->v.grids && !t->v.per_token;
    const uint8_t *row = t->v.codes + (first + at * LANES) * t->v.bits / 8;
    for (int h = 0; h < heads; h++)
        for (int c = 0; c < count; c++) sums[h][c] = (Vec){ 0 };
    for (int i = 0; i < t->rows; i++, row += t->v.step) {
        Vec numbers[ACROSS];
        UNROLLED for (int c = 0; c < count; c++)
            numbers[c] = widened_part(row + c * LANES * t->v.bits / 8, w->dv - (at + c) * LANES, t->v.bits,
                                      w->cache->numbers, kept);
        UNROLLED for (int h = 0; h < heads; h++)
            UNROLLED for (int c = 0; c < count; c++) {
                Vec weight = scaled ? shared(w->weights + (h * TILE + i) * apart, within + (at + c) * LANES,
                                             t->v.run, t->v.each, kept)
                                    : vec_splat(w->p[h * TILE + i]);
                sums[h][c] += weight * numbers[c];
            }
    }
    for (int h = 0; h < heads; h++)
        for (int c = 0; c < count; c++) {
            Vec sum = from_order(sums[h][c], kept) * unit_of(kept);
            Vec *o = w->o + (group * w->R + r + h) * (w->wide + w->zeros) + at + c;
            if (channels) {
                float all = 0.0f;
                for (int i = 0; i < t->rows; i++) all += w->p[h * TILE + i];
                int from = first + (at + c) * LANES, left = w->dv - (at + c) * LANES;
                sum = sum * floats_at(w->v_scales + from, left) + all * floats_at(w->v_zeros + from, left);
            }
            *o += sum;
        }
}

INLINE void mix(const Walk *w, const Tile *t, int group, int r, const int heads, const int kept)
{
    int at = 0;
    for (; at + ACROSS <= w->wide; at += ACROSS) mix_vectors(w, t, group, r, at, ACROSS, heads, kept);
    for (; at < w->wide; at++) mix_vectors(w, t, group, r, at, 1, heads, kept);
}

// ---- a tile

INLINE void heads_of_tile(const Walk *w, const Tile *t, int group, int r, const int heads, const int kept)
{
    fold(w, t, group, r, heads, kept);
    for (int i = 0; i < t->rows; i += SUMS / heads) score_rows(w, t, group, r, i, heads, kept);
    for (int h = 0; h < heads; h++) {
        int head = group * w->R + r + h;
        weigh(w, t, head, h);
        if (t->v.grids && t->v.per_token) weigh_groups(w, t, group, head, h);
    }
    mix(w, t, group, r, heads, kept);
}

INLINE void tile_of(const Walk *w, const Tile *t, const int kept)
{
    int k_grids = t->k.per_token ? t->rows * t->k.each : w->cache->key_width;
    int v_grids = t->v.per_token ? t->rows * t->v.each : w->cache->value_width;
    if (t->k.grids) read_grids(w->k_scales, w->k_zeros, t->k.grids, k_grids);
    if (t->v.grids) read_grids(w->v_scales, w->v_zeros, t->v.grids, v_grids);
    for (int group = 0; group < w->groups.count; group++)
        for (int r = 0; r < w->R;) {
            if (HEADS == 4 && w->R - r >= 4) {
                heads_of_tile(w, t, group, r, HEADS, kept);
                r += HEADS;
            } else if (w->R - r >= 2) {
                heads_of_tile(w, t, group, r, 2, kept);
                r += 2;
            } else heads_of_tile(w, t, group, r++, 1, kept);
        }
}

#define VERSION(name, kept) \
    TARGET static __attribute__((noinline)) void name(const Walk *w, const Tile *t) { tile_of(w, t, kept); }
VERSION(of_int8, CODE_INT8)
VERSION(of_int4, CODE_INT4)
VERSION(of_int2, CODE_INT2)
VERSION(of_float8, CODE_FLOAT8)
VERSION(of_floats, KEPT_FLOATS)
VERSION(of_strange, KEPT_STRANGE)
static void (*const versions[])(const Walk *w, const Tile *t) = {
    [CODE_INT8] = of_int8, [CODE_INT4] = of_int4, [CODE_INT2] = of_int2, [CODE_FLOAT8] = of_float8,
    [KEPT_FLOATS] = of_floats, [KEPT_STRANGE] = of_strange
};

// ---- the way past all tiles

// Rows from `row` on of a block.
static Rows rows_of(const QuantisedCache *cache, CodedBlock block, int width, Grouping grouping, int row)
{
    QuantisedFormat format = cache->format;
    int bits = quantised_bits(format.kind), each = grouping == PER_TOKEN ? width / format.group : 0;
    ptrdiff_t step = (ptrdiff_t)width * bits / 8;
    return (Rows){
        .codes = block.codes + row * step, .step = step, .per_token = grouping == PER_TOKEN, .bits = bits, .each = each,
        .run = grouping == PER_TOKEN ? format.group : 1,
        .grids = format.kind == CODE_FLOAT8 ? NULL : block.grids + (ptrdiff_t)2 * row * each };
}

static Rows floats_of(Mat rows)
{
    return (Rows){ .codes = (const uint8_t *)rows.at, .step = (ptrdiff_t)sizeof(float) * rows.stride, .run = 1,
                   .bits = 32 };
}

// Which tile begins with token `first`, of those before `end`.
static Tile tile_at(const QuantisedCache *cache, int first, int end)
{
    int block = cache->format.block, b = first / block, row = first % block;
    Tile t = { .first = first, .rows = smaller(smaller(end - first, block - row), TILE) };
    if (b == cache->length / block) {
        t.kept = KEPT_FLOATS;
        t.k = floats_of(mat_rows(cache->newest_k, row, t.rows));
        t.v = floats_of(mat_rows(cache->newest_v, row, t.rows));
        return t;
    }
    t.kept = cache->k[b].strange || cache->v[b].strange ? (int)KEPT_STRANGE : (int)cache->format.kind;
    t.k = rows_of(cache, cache->k[b], cache->key_width, cache->format.keys, row);
    t.v = rows_of(cache, cache->v[b], cache->value_width, cache->format.values, row);
    return t;
}

// Grids of a tile, at most, and a vector more.
static size_t most_grids(const QuantisedCache *cache, Grouping grouping, int width)
{
    int rows = smaller(cache->format.block, TILE), group = larger(cache->format.group, 1);
    int grids = grouping == PER_TOKEN ? rows * (width / group) : width;
    return sizeof(float) * (size_t)(grids + 2 * LANES + width);
}

static Walk walk_new(Arena *scratch, const CodedRows *rows, Span groups, Mat q, const Mask *masks)
{
    const QuantisedCache *cache = rows->cache;
    QuantisedFormat f = cache->format;
    int heads = q.rows, d = q.cols, dv = cache->value_width / rows->G, width = width_of(d);
    Walk w = { .cache = cache, .groups = groups, .q = q, .masks = masks, .R = heads / groups.count, .d = d, .dv = dv,
               .wide = width_of(dv), .scale = LOG2E / mask_root(masks[0], d) };
    if (f.values == PER_TOKEN && f.kind != CODE_FLOAT8 && dv > 0) w.zeros = width_of((dv - 1) / f.group + 2);
    w.queries = arena_alloc(scratch, sizeof(Vec) * (size_t)(heads * width));
    w.o = arena_alloc(scratch, sizeof(Vec) * (size_t)(heads * (w.wide + w.zeros) + 1));
    w.max = arena_alloc(scratch, sizeof(Vec) * (size_t)heads);
    w.sum = arena_alloc(scratch, sizeof(Vec) * (size_t)heads);
    w.base = arena_alloc(scratch, sizeof(float) * HEADS);
    w.folded = arena_alloc(scratch, sizeof(Vec) * (size_t)(HEADS * width));
    w.p = arena_alloc(scratch, sizeof(float) * HEADS * TILE);
    w.weights = arena_room(scratch, sizeof(float) * (size_t)(HEADS * TILE * LANES * w.zeros + 2 * LANES));
    w.k_scales = arena_alloc(scratch, most_grids(cache, f.keys, cache->key_width));
    w.k_zeros = arena_alloc(scratch, most_grids(cache, f.keys, cache->key_width));
    w.v_scales = arena_alloc(scratch, most_grids(cache, f.values, cache->value_width));
    w.v_zeros = arena_alloc(scratch, most_grids(cache, f.values, cache->value_width));
    for (int h = 0; h < heads; h++) {
        memcpy(w.queries + h * width, mat_row(q, h), sizeof(float) * (size_t)d);
        for (int lane = 0; lane < LANES; lane++) w.max[h][lane] = -FLT_MAX;
    }
    return w;
}

// What has been gathered: zeros join their channels.
static void put_out(const Walk *w, const Partial *to)
{
    for (int head = 0; head < w->q.rows; head++) {
        int group = head / w->R, r = head % w->R, first = (w->groups.first + group) * w->dv;
        const float *o = (const float *)(w->o + head * (w->wide + w->zeros)), *zeros = o + w->wide * LANES;
        int run = w->cache->format.group;
        for (int c = 0; c < w->dv; c++)
            *mat_ref(to[group].out, r, c) = o[c] + (w->zeros ? zeros[(first + c) / run - first / run] : 0.0f);
        *mat_ref(to[group].max, r, 0) = w->max[head][0];
        float sum = 0.0f;
        for (int lane = 0; lane < LANES; lane++) sum += w->sum[head][lane];
        *mat_ref(to[group].sum, r, 0) = sum;
    }
}

void FOR_KIND(code_kernel)(const void *of, const Partial *to, Span groups, Mat q, const Mask *masks, Span sinks,
                           Span keys)
{
    uint64_t mode = speed_steady();
    Arena *scratch = arena_open();
    Walk w = walk_new(scratch, of, groups, q, masks);
    for (int part = 0; part < 2; part++) {
        Span span = part ? keys : sinks;
        for (int first = span.first, end = first + span.count; first < end;) {
            Tile t = tile_at(w.cache, first, end);
            versions[t.kept](&w, &t);
            first += t.rows;
        }
    }
    put_out(&w, to);
    cost_scratch((int64_t)arena_peak(scratch));
    arena_close(scratch);
    speed_restored(mode);
}
