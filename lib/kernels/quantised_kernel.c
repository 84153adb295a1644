// Chapter 19. The quantised decode kernel: one query per head over a quantised cache.
//
// Tokens are processed in tiles: scored, weighed and mixed while their codes are in the L1 cache. A vector of codes is
// dequantised in registers, and scales and zero points are factored out of that loop. A key is scale · code + zero,
// channel by channel, so q · k = (q ∘ scale) · code + q · zero, and q ∘ scale is computed once a tile. A value has one
// scale per group of channels, so the weight is multiplied by the scale first, and weight · zero is summed up for the
// whole group. The newest tokens, which are float32, take the same path.
//
// The micro-kernels are instantiated for each format and number of heads; everything else is compiled once.
#include "kernels/quantised_kernel.h"

#include "attention/float4.h"
#include "base/cost.h"
#include "base/half.h"

#include <float.h>
#include <stdlib.h>

// Storage formats in addition to QuantisedKind: float32, and FLOAT8 with NaNs, whose codes are decoded by table.
enum { FORMAT_FLOATS = QUANTISED_KINDS, FORMAT_FLOAT8_NAN };

// TILE tokens at most. SUMS scores are computed together, HEADS heads share each number read, ACROSS vectors of outputs
// stay in registers. GROUPS groups are scored before the first of them is weighed, to hide latency.
#if VECTOR_REGISTERS == 32
enum { TILE = 64, SUMS = 16, HEADS = 4, ACROSS = 4, GROUPS = 4 };
#else
enum { TILE = 64, SUMS = 8, HEADS = 2, ACROSS = 2, GROUPS = 4 };
#endif

#ifdef __clang__
    #define UNROLLED_16  UNROLLED
    #define NOT_UNROLLED _Pragma("clang loop unroll(disable)")
#elif defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    #define UNROLLED_16
    #define NOT_UNROLLED
#else
    #define UNROLLED_16  _Pragma("GCC unroll 16")
    #define NOT_UNROLLED _Pragma("GCC unroll 1")
#endif

// One matrix of a tile.
typedef struct {
    const uint8_t *codes;  // of the first row
    const uint16_t *grids; // scales and zeros of the block, or of the first row; NULL: none
    ptrdiff_t step;        // bytes from row to row
    bool per_token;
    int run, each; // QUANTISED_PER_TOKEN: channels per grid, grids per row
    int bits;
} Rows;

// Tokens first … first + rows − 1 of one block, or of the newest; and the distance in bytes to the codes and grids of
// the next tile, which are prefetched during this one.
typedef struct {
    ptrdiff_t codes, grids;
} Ahead;
typedef struct {
    int first, rows, format;
    Rows k, v;
    Ahead k_ahead, v_ahead;
    float k_lines, v_lines; // cache lines of grids to prefetch for each row of a group
} Tile;

// The heads and their partial results. SLOTS of them are scored and mixed together.
enum { SLOTS = GROUPS * HEADS };
typedef struct {
    const QuantisedCache *cache;
    MaskRange groups;
    Mat q; // (groups.count · R, d)
    const Mask *masks;
    int R, d, dv, out_vectors, zeros;               // vectors of outputs, followed by vectors of sums of zeros
    int each;                                       // weights per row, one for each vector or one for each group
    float scale;                                    // log₂e / √d
    Vec *queries, *o;                               // (heads, vectors of d) (heads, out_vectors + zeros)
    Vec *max, *sum;                                 // (heads): running maximum, in all lanes; sums, lane by lane
    Vec *base;                                      // (SLOTS) q · zero, lane by lane
    Vec *folded;                                    // (SLOTS, vectors of d) q, or q ∘ scale
    float *p, *weights;                             // (SLOTS, TILE) (SLOTS, TILE, each) weight · scale
    float *k_scales, *k_zeros, *v_scales, *v_zeros; // of a tile
} DecodeState;

// ---- codes to floats

// The lane of channel `lane` of LANES neighbours.
ISA_INLINE int channel_of(int lane, const int format)
{
    return LANES == 16 && format == QUANTISED_INT4 ? lane / 2 + lane % 2 * 8 : lane;
}

// The factor of a dequantised number: FLOAT8 is read as float16, whose exponent bias is 8 larger.
ISA_INLINE float unit_of(const int format)
{
#if ISA == ISA_AVX512 || ISA == ISA_AVX2
    if (format == QUANTISED_FLOAT8) return 256.0f;
#endif
    (void)format;
    return 1.0f;
}

// Bytes of LANES codes.
ISA_INLINE int vector_bytes(const int format)
{
    return format == FORMAT_FLOATS    ? 4 * LANES
           : format == QUANTISED_INT4 ? LANES / 2
           : format == QUANTISED_INT2 ? LANES / 4
                                      : LANES;
}

// LANES codes, in the order of channel_of.
ISA_INLINE Vec decode_vector(const uint8_t *data, const float *numbers, const int format)
{
    if (format == FORMAT_FLOATS) return *(const Loose *)(const void *)data;
#if ISA == ISA_AVX512
    if (format == QUANTISED_INT8) return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128((const void *)data)));
    if (format == QUANTISED_INT4) { // a 4-bit code selects one of sixteen lanes
        int64_t codes;
        memcpy(&codes, data, sizeof codes);
        __m512i each = _mm512_srlv_epi64(_mm512_set1_epi64(codes), _mm512_setr_epi64(0, 4, 8, 12, 16, 20, 24, 28));
        return _mm512_permutexvar_ps(each, _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    }
    if (format == QUANTISED_INT2) {
        int codes;
        memcpy(&codes, data, sizeof codes);
        __m512i shifts = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
        __m512i each = _mm512_srlv_epi32(_mm512_set1_epi32(codes), shifts);
        return _mm512_permutexvar_ps(each, _mm512_setr_ps(0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3));
    }
    if (format == QUANTISED_FLOAT8) {
        __m256i signs = _mm256_cvtepi8_epi16(_mm_loadu_si128((const void *)data));
        return _mm512_cvtph_ps(_mm256_and_si256(_mm256_slli_epi16(signs, 7), _mm256_set1_epi16((short)0xBF80)));
    }
#elif ISA == ISA_AVX2
    if (format == QUANTISED_INT8) return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)data)));
    if (format == QUANTISED_INT4) {
        int codes;
        memcpy(&codes, data, sizeof codes);
        __m256i each = _mm256_srlv_epi32(_mm256_set1_epi32(codes), _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28));
        return _mm256_cvtepi32_ps(_mm256_and_si256(each, _mm256_set1_epi32(15)));
    }
    if (format == QUANTISED_INT2) { // three bits select one of eight lanes
        uint16_t codes;
        memcpy(&codes, data, sizeof codes);
        __m256i each = _mm256_srlv_epi32(_mm256_set1_epi32(codes), _mm256_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14));
        return _mm256_permutevar8x32_ps(_mm256_setr_ps(0, 1, 2, 3, 0, 1, 2, 3), each);
    }
    if (format == QUANTISED_FLOAT8) {
        __m128i signs = _mm_cvtepi8_epi16(_mm_loadl_epi64((const void *)data));
        return _mm256_cvtph_ps(_mm_and_si128(_mm_slli_epi16(signs, 7), _mm_set1_epi16((short)0xBF80)));
    }
#endif
    float to[LANES];
    const int each = format == QUANTISED_INT4 ? 2 : format == QUANTISED_INT2 ? 4 : 1;
    for (int c = 0; c < LANES; c += each) memcpy(to + c, numbers + each * data[c / each], (size_t)each * sizeof *to);
    return *(const Loose *)to;
}

// The same at the end of a head: 0 for channels from `left` on.
ISA_INLINE Vec decode_part(const uint8_t *data, int left, int bits, const float *numbers, const int format)
{
    if (left >= LANES) return decode_vector(data, numbers, format);
    uint8_t part[4 * LANES] = { 0 };
    memcpy(part, data, (size_t)(left * bits / 8));
    return decode_vector(part, numbers, format);
}

// From the order of channels to the order of lanes, and back.
ISA_INLINE Vec to_order(Vec x, const int format)
{
    if (LANES != 16 || format != QUANTISED_INT4) return x;
    Vec to;
    for (int lane = 0; lane < LANES; lane++) to[lane] = x[channel_of(lane, QUANTISED_INT4)];
    return to;
}

ISA_INLINE Vec from_order(Vec x, const int format)
{
    if (LANES != 16 || format != QUANTISED_INT4) return x;
    Vec to;
    for (int lane = 0; lane < LANES; lane++) to[channel_of(lane, QUANTISED_INT4)] = x[lane];
    return to;
}

// ---- scales and zeros

// Prefetch; the address may be out of bounds, since a prefetch does not fault.
ISA_INLINE void prefetch(const void *at, ptrdiff_t ahead)
{
    __builtin_prefetch((const void *)((uintptr_t)at + (uintptr_t)ahead));
}

// `count` grids as floats; the buffers must hold whole vectors.
ISA_NOINLINE void read_grids(float *scales, float *zeros, const uint16_t *grids, int count)
{
    int g = 0;
#if ISA == ISA_AVX512
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

ISA_INLINE Vec floats_at(const float *from, int left)
{
    if (left >= LANES) return *(const Loose *)from;
    return vec_part(from, left);
}

// For LANES channels from `first` on, the element of `values` that each one shares: `values` has `each` elements, one
// per `run` channels.
ISA_INLINE Vec shared(const float *values, int first, int run, int each, const int format)
{
    if (run % LANES == 0 && first % LANES == 0) return vec_splat(values[first / run]);
    Vec of;
    for (int lane = 0; lane < LANES; lane++)
        of[lane] = values[smaller((first + channel_of(lane, format)) / run, each - 1)];
    return of;
}

// ---- scores

// q ∘ scale and q · zero, for `heads` heads from number r on of `count` groups.
ISA_NOINLINE void fold(const DecodeState *w, const Tile *t, int first_group, int count, int r, int heads)
{
    const int width = vec_count(w->d), format = t->format;
    const bool grids = t->k.grids && !t->k.per_token;
    const float unit = unit_of(format);
    for (int n = 0; n < count; n++)
        for (int h = 0; h < heads; h++) {
            int first = (w->groups.first + first_group + n) * w->d, slot = n * HEADS + h;
            const Vec *q = w->queries + ((first_group + n) * w->R + r + h) * width;
            Vec *to = w->folded + slot * width, base = { 0 };
            for (int c = 0; c < width; c++) {
                Vec x = q[c] * unit;
                if (grids) {
                    int at = first + c * LANES, left = w->d - c * LANES;
                    base += q[c] * floats_at(w->k_zeros + at, left);
                    x *= floats_at(w->k_scales + at, left);
                }
                to[c] = to_order(x, format);
            }
            w->base[slot] = base;
        }
}

// Σ q · zero of one row, where each row has zero points of its own.
ISA_TARGET static float dot_zeros(const DecodeState *w, const Tile *t, int group, int head, int i)
{
    float sum = 0.0f;
    const float *q = (const float *)(w->queries + head * vec_count(w->d)), *zeros = w->k_zeros + i * t->k.each;
    int first = (w->groups.first + group) * w->d;
    for (int c = 0; c < w->d; c++) sum += q[c] * zeros[(first + c) / t->k.run];
    return sum;
}

// Prefetch at row 0 of a group, and the step from row to row. All groups together prefetch consecutive lines, which the
// hardware prefetcher then continues; a subset of groups prefetches its own columns.
typedef struct {
    const uint8_t *at;
    ptrdiff_t step;
} Prefetch;
ISA_INLINE Prefetch prefetch_from(const DecodeState *w, const Tile *t, Rows of, Ahead ahead, int group, int width)
{
    ptrdiff_t own = (ptrdiff_t)width * of.bits / 8;
    const uint8_t *next = (const uint8_t *)((uintptr_t)of.codes + (uintptr_t)ahead.codes);
    if (of.step == own * w->groups.count) return (Prefetch){ next + group * t->rows * own, own };
    return (Prefetch){ next + (w->groups.first + group) * own, of.step };
}

// One row and `heads` heads: to[0], to[apart] …. Four vectors at a time, then the rest.
ISA_INLINE void score_row(Vec *to, const int apart, const Vec *q, int width, const Vec *base, const float *numbers,
                          const uint8_t *row, const uint8_t *next, const int heads, const int format)
{
    const int bytes = vector_bytes(format);
    int c = 0;
    Vec sums[HEADS]; // in registers
    UNROLLED for (int h = 0; h < heads; h++) sums[h] = base[h];
    for (; c + 4 <= width; c += 4) {
        prefetch(next + c * bytes, 0);
        UNROLLED for (int n = c; n < c + 4; n++)
        {
            Vec codes = decode_vector(row + n * bytes, numbers, format);
            UNROLLED for (int h = 0; h < heads; h++) sums[h] += codes * q[h * width + n];
        }
    }
    for (; c < width; c++) {
        Vec codes = decode_vector(row + c * bytes, numbers, format);
        UNROLLED for (int h = 0; h < heads; h++) sums[h] += codes * q[h * width + c];
    }
    UNROLLED for (int h = 0; h < heads; h++) to[h * apart] = sums[h];
}

// The same for any width and any grids, and a single head.
ISA_TARGET static void score_any_row(Vec *sums, const DecodeState *w, const Tile *t, const uint8_t *row, int i,
                                     int first, int slot, int format)
{
    bool scaled = t->k.grids && t->k.per_token;
    *sums = w->base[slot];
    for (int c = 0; c < w->d; c += LANES) {
        Vec codes = decode_part(row + c * t->k.bits / 8, w->d - c, t->k.bits, w->cache->numbers, format);
        if (scaled) codes *= shared(w->k_scales + i * t->k.each, first + c, t->k.run, t->k.each, format);
        *sums += codes * w->folded[slot * vec_count(w->d) + c / LANES];
    }
}

// Prefetches grids of the next tile, some for each row that a group has scored. Rounding may skip a line.
ISA_INLINE void prefetch_grids(const Tile *t, int row, int rows)
{
    float first = (float)row, end = (float)(row + rows);
    for (int n = (int)(first * t->k_lines); n < (int)(end * t->k_lines); n++)
        prefetch(t->k.grids + 32 * n, t->k_ahead.grids);
    for (int n = (int)(first * t->v_lines); n < (int)(end * t->v_lines); n++)
        prefetch(t->v.grids + 32 * n, t->v_ahead.grids);
}

// SUMS / heads rows from i on and `heads` heads. The last row replaces rows beyond it. The vectors of a row are whole,
// `width` of them; rows are unrolled where `width` is a constant.
ISA_INLINE void score_rows(const DecodeState *w, const uint8_t *row, ptrdiff_t step, int left,
                           const uint8_t *prefetched, ptrdiff_t soon_step, int slot, int i, const int heads,
                           const int format, const int width, const bool unrolled)
{
    const int rows = SUMS / heads;
    Vec sums[SUMS], base[HEADS];
    const float *numbers = w->cache->numbers;
    const Vec *q = w->folded + slot * width;
    for (int h = 0; h < heads; h++) base[h] = w->base[slot + h];
    if (unrolled) UNROLLED_16 for (int s = 0; s < rows; s++)
        {
            score_row(sums + s, rows, q, width, base, numbers, row, prefetched, heads, format);
            row += s < left ? step : 0;
            prefetched += soon_step;
        }
    else NOT_UNROLLED for (int s = 0; s < rows; s++)
        {
            score_row(sums + s, rows, q, width, base, numbers, row, prefetched, heads, format);
            row += s < left ? step : 0;
            prefetched += soon_step;
        }
    vec_add_lanes(sums, SUMS);
    const int run = smaller(rows, LANES); // adjacent scores of a head
    for (int n = 0; n < SUMS; n += run)
        memcpy(w->p + (slot + n / rows) * TILE + i + n % rows, (float *)&sums[n / LANES * LANES] + n % LANES,
               sizeof(float) * (size_t)run);
}

ISA_INLINE void score(const DecodeState *w, const Tile *t, int group, int r, int slot, const int heads,
                      const int format, const int width, const bool unrolled)
{
    const int rows = SUMS / heads;
    int first = (w->groups.first + group) * w->d, last = t->rows - 1;
    ptrdiff_t step = t->k.step;
    Prefetch next = prefetch_from(w, t, t->k, t->k_ahead, group, w->d);
    const uint8_t *row = t->k.codes + first * t->k.bits / 8, *prefetched = next.at;
    for (int i = 0; i <= last; i += rows, row += rows * step, prefetched += rows * next.step) {
        score_rows(w, row, step, last - i, prefetched, next.step, slot, i, heads, format, width, unrolled);
        if (r == 0) prefetch_grids(t, group * t->rows + i, rows);
    }
}

// Any width and any grids, one head.
ISA_NOINLINE void score_any(const DecodeState *w, const Tile *t, int group, int r, int slot)
{
    int first = (w->groups.first + group) * w->d;
    bool zeros = t->k.grids && t->k.per_token;
    for (int i = 0; i < t->rows; i += LANES) {
        Vec sums[LANES];
        for (int s = 0; s < LANES; s++) {
            int row = smaller(i + s, t->rows - 1);
            score_any_row(&sums[s], w, t, t->k.codes + row * t->k.step + first * t->k.bits / 8, row, first, slot,
                          t->format);
        }
        vec_add_lanes(sums, LANES);
        *(Vec *)(w->p + slot * TILE + i) = sums[0];
        for (int s = 0; zeros && s < LANES && i + s < t->rows; s++)
            w->p[slot * TILE + i + s] += dot_zeros(w, t, group, group * w->R + r, i + s);
    }
}

// ---- weights

// A new maximum rescales the sum and the outputs. Rare.
ISA_NOINLINE void rescale(const DecodeState *w, int head, const Vec *p, int vectors)
{
    Vec largest = w->max[head], *o = w->o + head * (w->out_vectors + w->zeros);
    for (int n = 0; n < vectors; n++) largest = vec_max(p[n], largest);
    float max = largest[0];
    for (int lane = 1; lane < LANES; lane++) max = largest[lane] > max ? largest[lane] : max;
    Vec factor = vec_exp2((w->max[head] - max) * w->scale);
    for (int c = 0; c < w->out_vectors + w->zeros; c++) o[c] *= factor;
    w->sum[head] *= factor;
    w->max[head] = vec_splat(max);
}

// Turns the scores of a head into weights.
ISA_INLINE void weigh_head(const DecodeState *w, const Tile *t, int head, int slot)
{
    Vec *p = (Vec *)(w->p + slot * TILE);
    int vectors = vec_count(t->rows);
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
    if (higher) rescale(w, head, p, vectors);
    for (int n = 0; n < vectors; n++) {
        p[n] = vec_exp2((p[n] - w->max[head]) * w->scale);
        w->sum[head] += p[n];
    }
}

ISA_NOINLINE void weigh(const DecodeState *w, const Tile *t, int first, int count, int r, int heads)
{
    for (int n = 0; n < count; n++)
        for (int h = 0; h < heads; h++) weigh_head(w, t, (first + n) * w->R + r + h, n * HEADS + h);
}

// The weight of each row times the scales of its groups of channels, four at a time, and the sums of weight · zero. A
// regular tile has a weight for each vector of outputs, other tiles one for each group.
ISA_NOINLINE void weigh_groups(const DecodeState *w, const Tile *t, int group, int head, int slot, bool regular)
{
    int first = (w->groups.first + group) * w->dv / t->v.run, groups = w->dv / t->v.run, rows = t->rows;
    int apart = t->v.each, each = w->each;
    float *zeros = (float *)(w->o + head * (w->out_vectors + w->zeros) + w->out_vectors),
          *to = w->weights + slot * TILE * each;
    const float *p = w->p + slot * TILE;
    bool spread = regular && t->v.run != LANES;
    for (int n = 0; n < (regular ? groups : each); n += 4) {
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
        for (int c = 0; c < w->out_vectors; c++)
            to[i * each + c] = p[i] * w->v_scales[i * apart + first + c * LANES / t->v.run];
}

// ---- outputs

// One row of values times the weights of `heads` heads: one weight for each of `count` vectors, or one for all.
ISA_INLINE void mix_row(Vec (*sums)[ACROSS], const uint8_t *row, const float *numbers, const float *weights,
                        ptrdiff_t apart, const int count, const int heads, const bool grids, const int format)
{
    Vec codes[ACROSS];
    UNROLLED for (int c = 0; c < count; c++) codes[c] = decode_vector(row + c * vector_bytes(format), numbers, format);
    UNROLLED for (int h = 0; h < heads; h++) UNROLLED for (int c = 0; c < count; c++) sums[h][c] +=
        vec_splat(weights[h * apart + (grids ? c : 0)]) * codes[c];
}

// `count` vectors of outputs from number `at` on, of `heads` heads, in a regular tile. A single head has two
// independent sums for each vector.
ISA_INLINE void mix_vectors(const DecodeState *w, const Tile *t, int group, int r, int slot, int at, const int count,
                            const int heads, const bool grids, const int format)
{
    const int sets = heads == 1 ? 2 : heads;
    Vec sums[HEADS][ACROSS];
    int i = 0, rows = t->rows, next = grids ? w->each : 1;
    ptrdiff_t apart = TILE * next, step = t->v.step;
    Prefetch from = prefetch_from(w, t, t->v, t->v_ahead, group, w->dv);
    const uint8_t *prefetched = from.at + at * vector_bytes(format);
    const uint8_t *row = t->v.codes + ((w->groups.first + group) * w->dv + at * LANES) * t->v.bits / 8;
    const float *weights = grids ? w->weights + slot * apart + at : w->p + slot * apart, *numbers = w->cache->numbers;
    for (int n = 0; n < sets; n++)
        for (int c = 0; c < count; c++) sums[n][c] = (Vec){ 0 };
    for (; i + 2 <= rows; i += 2, row += 2 * step, weights += 2 * next) {
        prefetch(prefetched + i * from.step, 0);
        prefetch(prefetched + (i + 1) * from.step, 0);
        mix_row(sums, row, numbers, weights, apart, count, heads, grids, format);
        mix_row(sums + (heads == 1), row + step, numbers, weights + next, apart, count, heads, grids, format);
    }
    if (i < rows) mix_row(sums, row, numbers, weights, apart, count, heads, grids, format);
    for (int h = 0; h < heads; h++)
        for (int c = 0; c < count; c++) {
            Vec sum = sums[h][c];
            if (heads == 1) sum += sums[1][c];
            w->o[(group * w->R + r + h) * (w->out_vectors + w->zeros) + at + c] +=
                from_order(sum, format) * unit_of(format);
        }
}

ISA_INLINE void mix_regular(const DecodeState *w, const Tile *t, int group, int r, int slot, const int heads,
                            const bool grids, const int format)
{
    int at = 0;
    for (; at + ACROSS <= w->out_vectors; at += ACROSS)
        mix_vectors(w, t, group, r, slot, at, ACROSS, heads, grids, format);
    for (; at < w->out_vectors; at++) mix_vectors(w, t, group, r, slot, at, 1, heads, grids, format);
}

// Any width and any grids, one head: vector c of its outputs.
ISA_NOINLINE void mix_any(const DecodeState *w, const Tile *t, int group, int head, int slot, int c)
{
    int format = t->format;
    int start = (w->groups.first + group) * w->dv, within = t->v.run ? start % t->v.run : 0, left = w->dv - c * LANES;
    const uint8_t *row = t->v.codes + (start + c * LANES) * t->v.bits / 8;
    Vec sum = { 0 };
    float all = 0.0f;
    for (int i = 0; i < t->rows; i++, row += t->v.step) {
        Vec weight = vec_splat(w->p[slot * TILE + i]);
        if (t->v.grids && t->v.per_token)
            weight = shared(w->weights + (slot * TILE + i) * w->each, within + c * LANES, t->v.run, t->v.each, format);
        sum += weight * decode_part(row, left, t->v.bits, w->cache->numbers, format);
        all += w->p[slot * TILE + i];
    }
    sum = from_order(sum, format) * unit_of(format);
    if (t->v.grids && !t->v.per_token) {
        int from = start + c * LANES;
        sum = sum * floats_at(w->v_scales + from, left) + all * floats_at(w->v_zeros + from, left);
    }
    w->o[head * (w->out_vectors + w->zeros) + c] += sum;
}

// ---- instances

// `count` groups from number `first` on.
typedef void MicroKernel(const DecodeState *w, const Tile *t, int first, int count, int r);

#define MICRO_KERNEL(name, call) \
    ISA_NOINLINE void name(const DecodeState *w, const Tile *t, int first, int count, int r) \
    { \
        for (int n = 0; n < count; n++) call; \
    }
#define MICRO_KERNELS(name, format, heads) \
    MICRO_KERNEL(score4_##name##_##heads, score(w, t, first + n, r, n * HEADS, heads, format, 4, true)) \
    MICRO_KERNEL(score_##name##_##heads, score(w, t, first + n, r, n * HEADS, heads, format, vec_count(w->d), false)) \
    MICRO_KERNEL(mix_##name##_##heads, \
                 mix_regular(w, t, first + n, r, n * HEADS, heads, (int)format <= (int)QUANTISED_INT2, format))
#if VECTOR_REGISTERS == 32
    #define EACH_HEADS(name, format) \
        MICRO_KERNELS(name, format, 1) MICRO_KERNELS(name, format, 2) MICRO_KERNELS(name, format, 4)
    #define TABLE(name) \
        { \
            name##_1, name##_2, name##_4 \
        }
#else
    #define EACH_HEADS(name, format) MICRO_KERNELS(name, format, 1) MICRO_KERNELS(name, format, 2)
    #define TABLE(name) \
        { \
            name##_1, name##_2 \
        }
#endif
EACH_HEADS(int8, QUANTISED_INT8)
EACH_HEADS(int4, QUANTISED_INT4)
EACH_HEADS(int2, QUANTISED_INT2)
EACH_HEADS(float8, QUANTISED_FLOAT8)
EACH_HEADS(floats, FORMAT_FLOATS)

// Instances for 1, 2 and 4 heads. score4: rows of four vectors.
static const struct {
    MicroKernel *score4[3], *score[3], *mix[3];
} micro_kernels[] = {
    [QUANTISED_INT8] = { TABLE(score4_int8), TABLE(score_int8), TABLE(mix_int8) },
    [QUANTISED_INT4] = { TABLE(score4_int4), TABLE(score_int4), TABLE(mix_int4) },
    [QUANTISED_INT2] = { TABLE(score4_int2), TABLE(score_int2), TABLE(mix_int2) },
    [QUANTISED_FLOAT8] = { TABLE(score4_float8), TABLE(score_float8), TABLE(mix_float8) },
    [FORMAT_FLOATS] = { TABLE(score4_floats), TABLE(score_floats), TABLE(mix_floats) },
};

// ---- a tile

// `heads` heads from number r on of `count` groups: 1. scores, 2. weights, 3. outputs.
static void groups_of_tile(const DecodeState *w, const Tile *t, int first, int count, int r, int heads, bool regular)
{
    fold(w, t, first, count, r, heads);
    if (regular && vec_count(w->d) == 4) micro_kernels[t->format].score4[heads / 2](w, t, first, count, r);
    else if (regular) micro_kernels[t->format].score[heads / 2](w, t, first, count, r);
    else
        for (int n = 0; n < count; n++) score_any(w, t, first + n, r, n * HEADS);
    weigh(w, t, first, count, r, heads);
    for (int n = 0; n < count && t->v.grids && t->v.per_token; n++)
        for (int h = 0; h < heads; h++)
            weigh_groups(w, t, first + n, (first + n) * w->R + r + h, n * HEADS + h, regular);
    if (regular) micro_kernels[t->format].mix[heads / 2](w, t, first, count, r);
    else
        for (int n = 0; n < count; n++)
            for (int c = 0; c < w->out_vectors; c++) mix_any(w, t, first + n, (first + n) * w->R + r, n * HEADS, c);
}

// A regular tile: whole vectors, keys without grids per token, and one grid for all channels of a vector of values.
static bool is_regular(const DecodeState *w, const Tile *t)
{
    if (t->format == FORMAT_FLOAT8_NAN || w->d % LANES || w->dv % LANES) return false;
    if (t->k.grids && t->k.per_token) return false;
    return !t->v.grids || (t->v.per_token && t->v.run % LANES == 0 && w->dv % t->v.run == 0);
}

// Cache lines that `grids` grids fill, divided by `rows` rows.
static float lines_per_row(int grids, int rows) { return (float)((grids + 15) / 16) / (float)rows; }

static void tile_of(const DecodeState *w, Tile *t)
{
    bool regular = is_regular(w, t);
    int k_grids = t->k.per_token ? t->rows * t->k.each : w->cache->key_width;
    int v_grids = t->v.per_token ? t->rows * t->v.each : w->cache->value_width;
    t->k_lines = t->k.grids ? lines_per_row(w->cache->key_width, w->groups.count * t->rows) : 0.0f;
    t->v_lines = t->v.grids ? lines_per_row(t->rows * t->v.each, w->groups.count * t->rows) : 0.0f;
    if (t->k.grids) read_grids(w->k_scales, w->k_zeros, t->k.grids, k_grids);
    if (t->v.grids) read_grids(w->v_scales, w->v_zeros, t->v.grids, v_grids);
    for (int first = 0; first < w->groups.count; first += GROUPS)
        for (int r = 0, heads, count = smaller(w->groups.count - first, GROUPS); r < w->R; r += heads) {
            int left = w->R - r;
            heads = !regular || left == 1 ? 1 : left >= HEADS ? HEADS : 2;
            groups_of_tile(w, t, first, count, r, heads, regular);
        }
}

// ---- all tiles

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

// The tile that begins with token `first` and ends before `end`; no rows: there is no such tile.
static Tile tile_at(const QuantisedCache *cache, int first, int end)
{
    if (first >= end) return (Tile){ .rows = 0 };
    int block = cache->format.block, b = first / block, row = first % block;
    Tile t = { .first = first, .rows = smaller(smaller(end - first, block - row), TILE) };
    if (b == cache->length / block) {
        t.format = FORMAT_FLOATS;
        t.k = floats_of(mat_rows(cache->newest_k, row, t.rows));
        t.v = floats_of(mat_rows(cache->newest_v, row, t.rows));
        return t;
    }
    t.format = cache->k[b].strange || cache->v[b].strange ? (int)FORMAT_FLOAT8_NAN : (int)cache->format.kind;
    t.k = rows_of(cache, cache->k[b], cache->key_width, cache->format.keys, row);
    t.v = rows_of(cache, cache->v[b], cache->value_width, cache->format.values, row);
    return t;
}

static Ahead ahead_of(Rows at, Rows next)
{
    return (Ahead){ (ptrdiff_t)((uintptr_t)next.codes - (uintptr_t)at.codes),
                    (ptrdiff_t)((uintptr_t)next.grids - (uintptr_t)at.grids) };
}

// Bytes for the grids of a tile, plus one vector.
static size_t most_grids(const QuantisedCache *cache, QuantisedGrouping grouping, int width)
{
    int rows = smaller(cache->format.block, TILE), group = larger(cache->format.group, 1);
    int grids = grouping == QUANTISED_PER_TOKEN ? rows * (width / group) : width;
    return sizeof(float) * (size_t)(grids + 2 * LANES + width);
}

static DecodeState walk_new(Arena *scratch, const CodedRows *rows, MaskRange groups, Mat q, const Mask *masks)
{
    const QuantisedCache *cache = rows->cache;
    QuantisedFormat f = cache->format;
    int heads = q.rows, d = q.cols, dv = cache->value_width / rows->G, width = vec_count(d);
    DecodeState w = { .cache = cache,
                      .groups = groups,
                      .q = q,
                      .masks = masks,
                      .R = heads / groups.count,
                      .d = d,
                      .dv = dv,
                      .out_vectors = vec_count(dv),
                      .scale = LOG2E / mask_root(masks[0], d) };
    if (f.values == QUANTISED_PER_TOKEN && f.kind != QUANTISED_FLOAT8 && dv > 0) {
        w.each = (larger((dv - 1) / f.group + 2, w.out_vectors) + 3) / 4 * 4;
        w.zeros = vec_count(w.each);
    }
    w.queries = arena_alloc(scratch, sizeof(Vec) * (size_t)(heads * width));
    w.o = arena_alloc(scratch, sizeof(Vec) * (size_t)(heads * (w.out_vectors + w.zeros) + 1));
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

// Writes the outputs, with the sums of weight · zero added to their channels.
static void store_outputs(const DecodeState *w, const Partial *to)
{
    for (int head = 0; head < w->q.rows; head++) {
        int group = head / w->R, r = head % w->R, first = (w->groups.first + group) * w->dv;
        const float *o = (const float *)(w->o + head * (w->out_vectors + w->zeros)),
                    *zeros = o + w->out_vectors * LANES;
        int run = w->cache->format.group;
        for (int c = 0; c < w->dv; c++)
            *mat_ref(to[group].out, r, c) = o[c] + (w->zeros ? zeros[(first + c) / run - first / run] : 0.0f);
        *mat_ref(to[group].max, r, 0) = w->max[head][0];
        float sum = 0.0f;
        for (int lane = 0; lane < LANES; lane++) sum += w->sum[head][lane];
        *mat_ref(to[group].sum, r, 0) = sum;
    }
}

void ISA_NAME(quantised_kernel)(Arena *scratch, const void *of, const Partial *to, MaskRange groups, Mat q,
                                const Mask *masks, MaskRange sinks, MaskRange keys)
{
    uint64_t mode = subnormals_flush();
    DecodeState w = walk_new(scratch, of, groups, q, masks);
    for (int part = 0; part < 2; part++) {
        MaskRange span = part ? keys : sinks;
        int end = span.first + span.count;
        for (Tile t = tile_at(w.cache, span.first, end), next; t.rows > 0; t = next) {
            next = tile_at(w.cache, t.first + t.rows, end);
            t.k_ahead = ahead_of(t.k, next.rows > 0 ? next.k : t.k);
            t.v_ahead = ahead_of(t.v, next.rows > 0 ? next.v : t.v);
            tile_of(&w, &t);
        }
    }
    store_outputs(&w, to);
    cost_scratch((int64_t)arena_peak(scratch));
    subnormals_restore(mode);
}
