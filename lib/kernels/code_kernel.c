// Chapter 19. Decoding over codes, in vectors. Compiled once for each kind of processor.
//
// Tokens are taken a tile at a time: scored, weighed and mixed while their codes are in the first cache. A vector of
// codes becomes one of floats in registers. Scales and zeros are kept out of that loop. With a key of scale · code +
// zero, channel by channel, q · k = (q ∘ scale) · code + q · zero, and what stands before the codes is made once a
// tile. With a value of one scale for a group of channels, the weight meets the scale first, and zeros are added up for
// the whole group. The newest tokens, which are float32, go the same way.
#include "kernels/code_kernel.h"

#include "attention/float4.h"
#include "base/cost.h"
#include "base/half.h"

#include <float.h>
#include <stdlib.h>

// How rows are kept, beside QuantisedKind: as float32; as FLOAT8 with a NaN among them, whose codes are looked up.
enum { KEPT_FLOATS = QUANTISED_KINDS, KEPT_STRANGE };

// TILE tokens at most. SUMS scores are under way at a time, HEADS heads share each number that comes, ACROSS vectors of
// outputs stay in registers. GROUPS groups are scored before the first of them is weighed: what waits for one, another
// one does.
#if KIND == 16 || defined NEON
enum { TILE = 64, SUMS = 16, HEADS = 4, ACROSS = 4, GROUPS = 4 };
#else
enum { TILE = 64, SUMS = 8, HEADS = 2, ACROSS = 2, GROUPS = 4 };
#endif

#ifdef __clang__
    #define UNROLLED_16 UNROLLED
#elif defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    #define UNROLLED_16
#else
    #define UNROLLED_16 _Pragma("GCC unroll 16")
#endif

// One matrix of a tile.
typedef struct {
    const uint8_t *codes;  // of the first row
    const uint16_t *grids; // of the block, or of the first row; NULL: there are none
    ptrdiff_t step;        // bytes from row to row
    bool per_token;
    int run, each; // QUANTISED_PER_TOKEN: channels that share a grid, grids of a row
    int bits;
} Rows;

// Tokens first … first + rows − 1 of one block, or of the newest; and how far on, in bytes, the codes and grids of the
// tile that comes after lie: they are asked for while this one is at work.
typedef struct {
    ptrdiff_t codes, grids;
} Ahead;
typedef struct {
    int first, rows, kept;
    Rows k, v;
    Ahead k_ahead, v_ahead;
} Tile;

// All heads on their way past the tiles; SLOTS of them are at work at a time.
enum { SLOTS = GROUPS * HEADS };
typedef struct {
    const QuantisedCache *cache;
    MaskRange groups;
    Mat q; // (groups.count · R, d)
    const Mask *masks;
    int R, d, dv, wide, zeros;                      // vectors of outputs, and of sums of zeros behind them
    int each;                                       // weights of a row, one for each vector or one for each group
    float scale;                                    // log₂e / √d
    Vec *queries, *o;                               // (heads, vectors of d) (heads, wide + zeros)
    Vec *max, *sum;                                 // (heads): what is subtracted, in all lanes; sums, lane by lane
    Vec *base;                                      // (SLOTS) q · zero, lane by lane
    Vec *folded;                                    // (SLOTS, vectors of d) q, or q ∘ scale
    float *p, *weights;                             // (SLOTS, TILE) (SLOTS, TILE, each) weight · scale
    float *k_scales, *k_zeros, *v_scales, *v_zeros; // of a tile
} Walk;

static int width_of(int columns) { return (columns + LANES - 1) / LANES; }

// ---- codes to floats

// Where channel `lane` of LANES neighbours comes to lie.
INLINE int channel_of(int lane, const int kept)
{
    return LANES == 16 && kept == QUANTISED_INT4 ? lane / 2 + lane % 2 * 8 : lane;
}

// What a widened number is to be multiplied by: FLOAT8 is read as float16, whose exponents begin 8 lower.
INLINE float unit_of(const int kept)
{
#if defined __x86_64__ && KIND >= 8
    if (kept == QUANTISED_FLOAT8) return 256.0f;
#endif
    (void)kept;
    return 1.0f;
}

// Bytes of LANES codes.
INLINE int vector_bytes(const int kept)
{
    return kept == KEPT_FLOATS      ? 4 * LANES
           : kept == QUANTISED_INT4 ? LANES / 2
           : kept == QUANTISED_INT2 ? LANES / 4
                                    : LANES;
}

// LANES codes, in the order of channel_of.
INLINE Vec widened(const uint8_t *at, const float *numbers, const int kept)
{
    if (kept == KEPT_FLOATS) return *(const Loose *)(const void *)at;
#if defined __x86_64__ && KIND == 16
    if (kept == QUANTISED_INT8) return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128((const void *)at)));
    if (kept == QUANTISED_INT4) { // a number of four bits chooses one of sixteen lanes
        int64_t codes;
        memcpy(&codes, at, sizeof codes);
        __m512i each = _mm512_srlv_epi64(_mm512_set1_epi64(codes), _mm512_setr_epi64(0, 4, 8, 12, 16, 20, 24, 28));
        return _mm512_permutexvar_ps(each, _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    }
    if (kept == QUANTISED_INT2) {
        int codes;
        memcpy(&codes, at, sizeof codes);
        __m512i shifts = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
        __m512i each = _mm512_srlv_epi32(_mm512_set1_epi32(codes), shifts);
        return _mm512_permutexvar_ps(each, _mm512_setr_ps(0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3));
    }
    if (kept == QUANTISED_FLOAT8) {
        __m256i signs = _mm256_cvtepi8_epi16(_mm_loadu_si128((const void *)at));
        return _mm512_cvtph_ps(_mm256_and_si256(_mm256_slli_epi16(signs, 7), _mm256_set1_epi16((short)0xBF80)));
    }
#elif defined __x86_64__ && KIND == 8
    if (kept == QUANTISED_INT8) return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)at)));
    if (kept == QUANTISED_INT4) {
        int codes;
        memcpy(&codes, at, sizeof codes);
        __m256i each = _mm256_srlv_epi32(_mm256_set1_epi32(codes), _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28));
        return _mm256_cvtepi32_ps(_mm256_and_si256(each, _mm256_set1_epi32(15)));
    }
    if (kept == QUANTISED_INT2) { // three bits choose one of eight lanes
        uint16_t codes;
        memcpy(&codes, at, sizeof codes);
        __m256i each = _mm256_srlv_epi32(_mm256_set1_epi32(codes), _mm256_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14));
        return _mm256_permutevar8x32_ps(_mm256_setr_ps(0, 1, 2, 3, 0, 1, 2, 3), each);
    }
    if (kept == QUANTISED_FLOAT8) {
        __m128i signs = _mm_cvtepi8_epi16(_mm_loadl_epi64((const void *)at));
        return _mm256_cvtph_ps(_mm_and_si128(_mm_slli_epi16(signs, 7), _mm_set1_epi16((short)0xBF80)));
    }
#endif
    float to[LANES];
    const int each = kept == QUANTISED_INT4 ? 2 : kept == QUANTISED_INT2 ? 4 : 1;
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

// Memory is told what is wanted soon. That it may lie elsewhere does no harm.
enum { LINE = 64 };
INLINE void ask(const void *at, ptrdiff_t ahead)
{
    __builtin_prefetch((const void *)((uintptr_t)at + (uintptr_t)ahead));
}

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
INLINE void fold(const Walk *w, const Tile *t, int group, int r, int slot, const int heads, const int kept)
{
    int width = width_of(w->d), first = (w->groups.first + group) * w->d;
    for (int h = 0; h < heads; h++) {
        const Vec *q = w->queries + (group * w->R + r + h) * width;
        Vec *to = w->folded + (slot + h) * width, base = { 0 };
        for (int c = 0; c < width; c++) {
            Vec x = q[c] * unit_of(kept);
            if (t->k.grids && !t->k.per_token) {
                int at = first + c * LANES, left = w->d - c * LANES;
                base += q[c] * floats_at(w->k_zeros + at, left);
                x *= floats_at(w->k_scales + at, left);
            }
            to[c] = to_order(x, kept);
        }
        w->base[slot + h] = base;
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

// What is asked for while row 0 of a group is at work, and how much further on it is with each row. All groups together
// ask for one line after the other, as the processor's own prefetching then goes on; a few for their own columns.
typedef struct {
    const uint8_t *at;
    ptrdiff_t step;
} Ask;
INLINE Ask ask_from(const Walk *w, const Tile *t, Rows of, Ahead ahead, int group, int width)
{
    ptrdiff_t own = (ptrdiff_t)width * of.bits / 8;
    const uint8_t *next = (const uint8_t *)((uintptr_t)of.codes + (uintptr_t)ahead.codes);
    if (of.step == own * w->groups.count) return (Ask){ next + group * t->rows * own, own };
    return (Ask){ next + (w->groups.first + group) * own, of.step };
}

// One row against `heads` heads: sums[0], sums[apart] …. Four vectors at a time, as long as there are so many.
INLINE void score_row(Vec *sums, const int apart, const Vec *q, int width, const Vec *base, const float *numbers,
                      const uint8_t *row, const uint8_t *next, const int heads, const int kept)
{
    const int bytes = vector_bytes(kept);
    int c = 0;
    UNROLLED for (int h = 0; h < heads; h++) sums[h * apart] = base[h];
    for (; c + 4 <= width; c += 4) {
        ask(next + c * bytes, 0);
        UNROLLED for (int n = c; n < c + 4; n++)
        {
            Vec codes = widened(row + n * bytes, numbers, kept);
            UNROLLED for (int h = 0; h < heads; h++) sums[h * apart] += codes * q[h * width + n];
        }
    }
    for (; c < width; c++) {
        Vec codes = widened(row + c * bytes, numbers, kept);
        UNROLLED for (int h = 0; h < heads; h++) sums[h * apart] += codes * q[h * width + c];
    }
}

// The same for any width and any grids, and a single head.
INLINE void score_any_row(Vec *sums, const Walk *w, const Tile *t, const uint8_t *row, int i, int first, int slot,
                          const int kept)
{
    bool scaled = t->k.grids && t->k.per_token;
    *sums = w->base[slot];
    for (int c = 0; c < w->d; c += LANES) {
        Vec codes = widened_part(row + c * t->k.bits / 8, w->d - c, t->k.bits, w->cache->numbers, kept);
        if (scaled) codes *= shared(w->k_scales + i * t->k.each, first + c, t->k.run, t->k.each, kept);
        *sums += codes * w->folded[slot * width_of(w->d) + c / LANES];
    }
}

// Grids of the next tile, a few for each row that a group has scored.
INLINE void ask_for_grids(const Walk *w, const Tile *t, int row, int rows)
{
    int of = w->groups.count * t->rows, k_lines = t->k.grids ? w->cache->key_width : 0;
    int v_lines = t->v.grids ? t->rows * t->v.each : 0;
    k_lines = (k_lines + 15) / 16;
    v_lines = (v_lines + 15) / 16;
    for (int n = k_lines * row / of; n < k_lines * (row + rows) / of; n++) ask(t->k.grids + 32 * n, t->k_ahead.grids);
    for (int n = v_lines * row / of; n < v_lines * (row + rows) / of; n++) ask(t->v.grids + 32 * n, t->v_ahead.grids);
}

// SUMS / heads rows from i on against `heads` heads. Where a row is missing, the last one stands in for it. `even`: the
// vectors of a row are whole, `width` of them.
INLINE void score_rows(const Walk *w, const Tile *t, int group, int r, int slot, int i, const int heads, const int kept,
                       const bool even, const int width)
{
    const int rows = SUMS / heads;
    Vec sums[SUMS], base[HEADS];
    int first = (w->groups.first + group) * w->d, last = t->rows - 1;
    ptrdiff_t step = t->k.step;
    Ask next = ask_from(w, t, t->k, t->k_ahead, group, w->d);
    const uint8_t *row = t->k.codes + i * step + first * t->k.bits / 8, *soon = next.at + i * next.step;
    const float *numbers = w->cache->numbers;
    const Vec *q = w->folded + slot * width;
    for (int h = 0; h < heads; h++) base[h] = w->base[slot + h];
    UNROLLED_16 for (int s = 0; s < rows; s++)
    {
        if (even) score_row(sums + s, rows, q, width, base, numbers, row, soon, heads, kept);
        else score_any_row(sums + s, w, t, row, smaller(i + s, last), first, slot, kept);
        row += i + s < last ? step : 0;
        soon += next.step;
    }
    if (even && r == 0) ask_for_grids(w, t, group * t->rows + i, rows);
    vec_add_lanes(sums, SUMS);
    const int run = smaller(rows, LANES); // scores of a head that lie side by side
    for (int n = 0; n < SUMS; n += run)
        memcpy(w->p + (slot + n / rows) * TILE + i + n % rows, (float *)&sums[n / LANES * LANES] + n % LANES,
               sizeof(float) * (size_t)run);
    for (int s = 0; !even && t->k.grids && t->k.per_token && s < rows && i + s <= last; s++)
        w->p[slot * TILE + i + s] += zeros_of_row(w, t, group, group * w->R + r, i + s);
}

// All rows. The loops of the usual width are written out.
INLINE void score(const Walk *w, const Tile *t, int group, int r, int slot, const int heads, const int kept,
                  const bool even)
{
    int width = width_of(w->d);
    if (even && width == 4)
        for (int i = 0; i < t->rows; i += SUMS / heads) score_rows(w, t, group, r, slot, i, heads, kept, even, 4);
    else
        for (int i = 0; i < t->rows; i += SUMS / heads) score_rows(w, t, group, r, slot, i, heads, kept, even, width);
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

// Scores of a head become weights.
INLINE void weigh(const Walk *w, const Tile *t, int head, int slot)
{
    Vec *p = (Vec *)(w->p + slot * TILE);
    int vectors = width_of(t->rows);
    bool higher = false;
    for (int i = t->rows; i < vectors * LANES; i++) w->p[slot * TILE + i] = -INFINITY;
    if (w->masks[head].alibi != 0.0f) {
        Mask mask = w->masks[head];
        float slope = mask.alibi * mask_root(mask, w->d);
        int S = w->cache->length, position = mask_position(mask, 0, 1, S),
            base = to_nearest_key(position, S - mask.padding);
        for (int i = 0; i < t->rows; i++) w->p[slot * TILE + i] -= slope * (float)(abs(position - t->first - i) - base);
    }
    for (int n = 0; n < vectors; n++) higher |= vec_any(p[n] > w->max[head]);
    if (higher) raise(w, head, p, vectors);
    for (int n = 0; n < vectors; n++) {
        p[n] = vec_exp2((p[n] - w->max[head]) * w->scale);
        w->sum[head] += p[n];
    }
}

// The weight of each row meets the scales of its groups, four at a time; what their zeros add is summed up for whole
// groups. A vector takes its weight from where its number stands.
INLINE void weigh_groups(const Walk *w, const Tile *t, int group, int head, int slot, const bool even)
{
    int first = (w->groups.first + group) * w->dv / t->v.run, groups = w->dv / t->v.run, rows = t->rows;
    int apart = t->v.each, each = w->each;
    float *zeros = (float *)(w->o + head * (w->wide + w->zeros) + w->wide), *to = w->weights + slot * TILE * each;
    const float *p = w->p + slot * TILE;
    bool spread = even && t->v.run != LANES;
    for (int n = 0; n < (even ? groups : each); n += 4) {
        const float *scale = w->v_scales + first + n, *zero = w->v_zeros + first + n;
        Float4 sum = *(const Float4 *)(zeros + n), other = { 0 }, weight;
        int i = 0;
        for (; i + 2 <= rows; i += 2, scale += 2 * apart, zero += 2 * apart) {
            Float4 next = p[i + 1] - (Float4){ 0 };
            weight = p[i] - (Float4){ 0 };
            sum += weight * *(const Float4 *)zero;
            other += next * *(const Float4 *)(zero + apart);
            *(Float4 *)(to + i * each + n) = weight * *(const Float4 *)scale;
            *(Float4 *)(to + (i + 1) * each + n) = next * *(const Float4 *)(scale + apart);
        }
        if (i < rows) {
            weight = p[i] - (Float4){ 0 };
            sum += weight * *(const Float4 *)zero;
            *(Float4 *)(to + i * each + n) = weight * *(const Float4 *)scale;
        }
        *(Float4 *)(zeros + n) = sum + other;
    }
    for (int i = 0; i < rows && spread; i++)
        for (int c = 0; c < w->wide; c++)
            to[i * each + c] = p[i] * w->v_scales[i * apart + first + c * LANES / t->v.run];
}

// ---- outputs

// One row of values times the weights of `heads` heads, one for each of `count` vectors or one for all.
INLINE void mix_row(Vec (*sums)[ACROSS], const uint8_t *row, const float *numbers, const float *weights,
                    ptrdiff_t apart, const int count, const int heads, const bool grids, const int kept)
{
    Vec codes[ACROSS];
    UNROLLED for (int c = 0; c < count; c++) codes[c] = widened(row + c * vector_bytes(kept), numbers, kept);
    UNROLLED for (int h = 0; h < heads; h++) UNROLLED for (int c = 0; c < count; c++) sums[h][c] +=
        vec_splat(weights[h * apart + (grids ? c : 0)]) * codes[c];
}

// Where the vectors of a row are whole, and the channels of each share a grid: `count` vectors of outputs from number
// `at` on, of `heads` heads. A single head has two sums for each, as a sum waits for the one before it.
INLINE void mix_vectors(const Walk *w, const Tile *t, int group, int r, int slot, int at, const int count,
                        const int heads, const bool grids, const int kept)
{
    const int sets = heads == 1 ? 2 : heads;
    Vec sums[HEADS][ACROSS];
    int i = 0, rows = t->rows, next = grids ? w->each : 1;
    ptrdiff_t apart = TILE * next, step = t->v.step;
    Ask from = ask_from(w, t, t->v, t->v_ahead, group, w->dv);
    const uint8_t *soon = from.at + at * vector_bytes(kept);
    const uint8_t *row = t->v.codes + ((w->groups.first + group) * w->dv + at * LANES) * t->v.bits / 8;
    const float *weights = grids ? w->weights + slot * apart + at : w->p + slot * apart, *numbers = w->cache->numbers;
    for (int n = 0; n < sets; n++)
        for (int c = 0; c < count; c++) sums[n][c] = (Vec){ 0 };
    for (; i + 2 <= rows; i += 2, row += 2 * step, weights += 2 * next) {
        ask(soon + i * from.step, 0);
        ask(soon + (i + 1) * from.step, 0);
        mix_row(sums, row, numbers, weights, apart, count, heads, grids, kept);
        mix_row(sums + (heads == 1), row + step, numbers, weights + next, apart, count, heads, grids, kept);
    }
    if (i < rows) mix_row(sums, row, numbers, weights, apart, count, heads, grids, kept);
    for (int h = 0; h < heads; h++)
        for (int c = 0; c < count; c++) {
            Vec sum = sums[h][c];
            if (heads == 1) sum += sums[1][c];
            w->o[(group * w->R + r + h) * (w->wide + w->zeros) + at + c] += from_order(sum, kept) * unit_of(kept);
        }
}

INLINE void mix_even(const Walk *w, const Tile *t, int group, int r, int slot, const int heads, const bool grids,
                     const int kept)
{
    int at = 0;
    for (; at + ACROSS <= w->wide; at += ACROSS) mix_vectors(w, t, group, r, slot, at, ACROSS, heads, grids, kept);
    for (; at < w->wide; at++) mix_vectors(w, t, group, r, slot, at, 1, heads, grids, kept);
}

// Any width and any grids, one head: vector number c of its outputs.
INLINE void mix_any(const Walk *w, const Tile *t, int group, int head, int slot, int c, const int kept)
{
    int start = (w->groups.first + group) * w->dv, within = t->v.run ? start % t->v.run : 0, left = w->dv - c * LANES;
    const uint8_t *row = t->v.codes + (start + c * LANES) * t->v.bits / 8;
    Vec sum = { 0 };
    float all = 0.0f;
    for (int i = 0; i < t->rows; i++, row += t->v.step) {
        Vec weight = vec_splat(w->p[slot * TILE + i]);
        if (t->v.grids && t->v.per_token)
            weight = shared(w->weights + (slot * TILE + i) * w->each, within + c * LANES, t->v.run, t->v.each, kept);
        sum += weight * widened_part(row, left, t->v.bits, w->cache->numbers, kept);
        all += w->p[slot * TILE + i];
    }
    sum = from_order(sum, kept) * unit_of(kept);
    if (t->v.grids && !t->v.per_token) {
        int from = start + c * LANES;
        sum = sum * floats_at(w->v_scales + from, left) + all * floats_at(w->v_zeros + from, left);
    }
    w->o[head * (w->wide + w->zeros) + c] += sum;
}

// ---- a tile

// `heads` heads from number r on of `count` groups: 1. scores, 2. weights, 3. outputs.
INLINE void groups_of_tile(const Walk *w, const Tile *t, int first, int count, int r, const int heads, const int kept,
                           const bool even)
{
    const bool grids = even ? kept <= QUANTISED_INT2 : t->v.grids && t->v.per_token;
    for (int n = 0; n < count; n++) {
        fold(w, t, first + n, r, n * HEADS, heads, kept);
        score(w, t, first + n, r, n * HEADS, heads, kept, even);
    }
    for (int n = 0; n < count; n++)
        for (int h = 0; h < heads; h++) weigh(w, t, (first + n) * w->R + r + h, n * HEADS + h);
    for (int n = 0; n < count && grids; n++)
        for (int h = 0; h < heads; h++) weigh_groups(w, t, first + n, (first + n) * w->R + r + h, n * HEADS + h, even);
    for (int n = 0; n < count; n++) {
        if (even) mix_even(w, t, first + n, r, n * HEADS, heads, grids, kept);
        else
            for (int c = 0; c < w->wide; c++) mix_any(w, t, first + n, (first + n) * w->R + r, n * HEADS, c, kept);
    }
}

INLINE void tile_of(const Walk *w, const Tile *t, const int kept, const bool even)
{
    int k_grids = t->k.per_token ? t->rows * t->k.each : w->cache->key_width;
    int v_grids = t->v.per_token ? t->rows * t->v.each : w->cache->value_width;
    if (t->k.grids) read_grids(w->k_scales, w->k_zeros, t->k.grids, k_grids);
    if (t->v.grids) read_grids(w->v_scales, w->v_zeros, t->v.grids, v_grids);
    for (int first = 0; first < w->groups.count; first += GROUPS)
        for (int r = 0, count = smaller(w->groups.count - first, GROUPS); r < w->R;) {
            if (even && HEADS == 4 && w->R - r >= 4) {
                groups_of_tile(w, t, first, count, r, HEADS, kept, even);
                r += HEADS;
            } else if (even && w->R - r >= 2) {
                groups_of_tile(w, t, first, count, r, 2, kept, even);
                r += 2;
            } else groups_of_tile(w, t, first, count, r++, 1, kept, even);
        }
}

// Are vectors whole, keys without grids of their own, and do all channels of a vector of values share one?
static bool is_even(const Walk *w, const Tile *t)
{
    if (w->d % LANES || w->dv % LANES) return false;
    if (t->k.grids && t->k.per_token) return false;
    return !t->v.grids || (t->v.per_token && t->v.run % LANES == 0 && w->dv % t->v.run == 0);
}

#define VERSION(name, kept) \
    TARGET static __attribute__((noinline)) void name(const Walk *w, const Tile *t) { tile_of(w, t, kept, true); }
VERSION(of_int8, QUANTISED_INT8)
VERSION(of_int4, QUANTISED_INT4)
VERSION(of_int2, QUANTISED_INT2)
VERSION(of_float8, QUANTISED_FLOAT8)
VERSION(of_floats, KEPT_FLOATS)
TARGET static __attribute__((noinline)) void of_any(const Walk *w, const Tile *t) { tile_of(w, t, t->kept, false); }

static void past(const Walk *w, const Tile *t)
{
    static void (*const versions[])(const Walk *w, const Tile *t) = {
        [QUANTISED_INT8] = of_int8,     [QUANTISED_INT4] = of_int4, [QUANTISED_INT2] = of_int2,
        [QUANTISED_FLOAT8] = of_float8, [KEPT_FLOATS] = of_floats,  [KEPT_STRANGE] = of_any
    };
    if (is_even(w, t)) versions[t->kept](w, t);
    else of_any(w, t);
}

// ---- the way past all tiles

// Rows from `row` on of a block.
static Rows rows_of(const QuantisedCache *cache, QuantisedBlock block, int width, QuantisedGrouping grouping, int row)
{
    QuantisedFormat format = cache->format;
    int bits = quantised_bits(format.kind), each = grouping == QUANTISED_PER_TOKEN ? width / format.group : 0;
    ptrdiff_t step = (ptrdiff_t)width * bits / 8;
    return (Rows){ .codes = block.codes + row * step,
                   .step = step,
                   .per_token = grouping == QUANTISED_PER_TOKEN,
                   .bits = bits,
                   .each = each,
                   .run = grouping == QUANTISED_PER_TOKEN ? format.group : 1,
                   .grids = format.kind == QUANTISED_FLOAT8 ? NULL : block.grids + (ptrdiff_t)2 * row * each };
}

static Rows floats_of(Mat rows)
{
    return (Rows){
        .codes = (const uint8_t *)rows.at, .step = (ptrdiff_t)sizeof(float) * rows.stride, .run = 1, .bits = 32
    };
}

// Which tile begins with token `first`, of those before `end`. There are none: it has no rows.
static Tile tile_at(const QuantisedCache *cache, int first, int end)
{
    if (first >= end) return (Tile){ .rows = 0 };
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

static Ahead ahead_of(Rows at, Rows next)
{
    return (Ahead){ (ptrdiff_t)((uintptr_t)next.codes - (uintptr_t)at.codes),
                    (ptrdiff_t)((uintptr_t)next.grids - (uintptr_t)at.grids) };
}

// Grids of a tile, at most, and a vector more.
static size_t most_grids(const QuantisedCache *cache, QuantisedGrouping grouping, int width)
{
    int rows = smaller(cache->format.block, TILE), group = larger(cache->format.group, 1);
    int grids = grouping == QUANTISED_PER_TOKEN ? rows * (width / group) : width;
    return sizeof(float) * (size_t)(grids + 2 * LANES + width);
}

static Walk walk_new(Arena *scratch, const CodeKernelRows *rows, MaskRange groups, Mat q, const Mask *masks)
{
    const QuantisedCache *cache = rows->cache;
    QuantisedFormat f = cache->format;
    int heads = q.rows, d = q.cols, dv = cache->value_width / rows->G, width = width_of(d);
    Walk w = { .cache = cache,
               .groups = groups,
               .q = q,
               .masks = masks,
               .R = heads / groups.count,
               .d = d,
               .dv = dv,
               .wide = width_of(dv),
               .scale = LOG2E / mask_root(masks[0], d) };
    if (f.values == QUANTISED_PER_TOKEN && f.kind != QUANTISED_FLOAT8 && dv > 0) {
        w.each = (larger((dv - 1) / f.group + 2, w.wide) + 3) / 4 * 4;
        w.zeros = width_of(w.each);
    }
    w.queries = arena_alloc(scratch, sizeof(Vec) * (size_t)(heads * width));
    w.o = arena_alloc(scratch, sizeof(Vec) * (size_t)(heads * (w.wide + w.zeros) + 1));
    w.max = arena_alloc(scratch, sizeof(Vec) * (size_t)heads);
    w.sum = arena_alloc(scratch, sizeof(Vec) * (size_t)heads);
    w.base = arena_alloc(scratch, sizeof(Vec) * SLOTS);
    w.folded = arena_alloc(scratch, sizeof(Vec) * (size_t)(SLOTS * width));
    w.p = arena_alloc(scratch, sizeof(float) * SLOTS * TILE);
    w.weights = arena_room(scratch, sizeof(float) * (size_t)(SLOTS * TILE * w.each + 2 * LANES));
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

void FOR_KIND(code_kernel)(Arena *scratch, const void *of, const Partial *to, MaskRange groups, Mat q,
                           const Mask *masks, MaskRange sinks, MaskRange keys)
{
    uint64_t mode = speed_steady();
    Walk w = walk_new(scratch, of, groups, q, masks);
    for (int part = 0; part < 2; part++) {
        MaskRange span = part ? keys : sinks;
        int end = span.first + span.count;
        for (Tile t = tile_at(w.cache, span.first, end), next; t.rows > 0; t = next) {
            next = tile_at(w.cache, t.first + t.rows, end);
            t.k_ahead = ahead_of(t.k, next.rows > 0 ? next.k : t.k);
            t.v_ahead = ahead_of(t.v, next.rows > 0 ? next.v : t.v);
            past(&w, &t);
        }
    }
    put_out(&w, to);
    cost_scratch((int64_t)arena_peak(scratch));
    speed_restored(mode);
}
