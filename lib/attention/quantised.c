// Chapter 19. A quantised KV cache. [Liu et al. 2024, KIVI, arXiv:2402.02750, §3]
#include "attention/quantised.h"

#include "attention/float4.h"
#include "attention/grouped.h"
#include "attention/softmax.h"
#include "base/cost.h"
#include "base/float8.h"
#include "base/portable_math.h"

const char *const quantised_names[QUANTISED_KINDS] = { "INT8", "INT4", "INT2", "FP8-E4M3" };

int quantised_bits(QuantisedKind kind) { return kind == QUANTISED_INT4 ? 4 : kind == QUANTISED_INT2 ? 2 : 8; }

static int max_code(int bits) { return (1 << bits) - 1; }

// ---- a group

// The zero point is rounded to float16 first; the scale then spans from the rounded zero to the maximum.
QuantisedScale quantised_scale(const float *x, int n, int step, int bits)
{
    float low = x[0], high = x[0];
    bool finite = true;
    for (int i = 0; i < n; i++) {
        float value = x[(ptrdiff_t)i * step];
        finite = finite && isfinite(value);
        low = fminf(low, value);
        high = fmaxf(high, value);
    }
    float zero = half_float16(half_of(HALF_FLOAT16, low));
    float scale = half_float16(half_of(HALF_FLOAT16, fmaxf(high - zero, 0.0f) / (float)max_code(bits)));
    if (!finite || !isfinite(zero) || !isfinite(scale)) return (QuantisedScale){ NAN, 0.0f };
    return (QuantisedScale){ scale, zero };
}

uint8_t quantised_code(QuantisedScale grid, float x, int bits)
{
    if (!(grid.scale > 0.0f)) return 0;
    float steps = roundf((x - grid.zero) / grid.scale);
    return (uint8_t)fminf(fmaxf(steps, 0.0f), (float)max_code(bits));
}

// ---- a block: (block, width) numbers of one matrix

typedef struct {
    int width, bits, grids, group_size;
} BlockLayout; // grids: number of grids in a block; group_size: numbers per grid

static BlockLayout layout_of(QuantisedFormat format, QuantisedGrouping grouping, int width)
{
    BlockLayout layout = { width, quantised_bits(format.kind), 0, format.block };
    if (grouping == QUANTISED_PER_TOKEN) layout.group_size = format.group;
    if (format.kind != QUANTISED_FLOAT8) layout.grids = format.block * width / layout.group_size;
    return layout;
}

static int64_t block_bytes(QuantisedFormat format, BlockLayout layout)
{
    return (int64_t)format.block * layout.width * layout.bits / 8 + layout.grids * (int64_t)(2 * sizeof(uint16_t));
}

// Index of the grid of row i, channel c.
static int grid_of(BlockLayout layout, QuantisedGrouping grouping, int i, int c)
{
    return grouping == QUANTISED_PER_CHANNEL ? c : (i * layout.width + c) / layout.group_size;
}

static QuantisedScale grid_at(QuantisedBlock block, int g)
{
    return (QuantisedScale){ half_float16(block.grids[2 * g]), half_float16(block.grids[2 * g + 1]) };
}

static void compute_grids(QuantisedBlock block, BlockLayout layout, QuantisedGrouping grouping, Mat rows)
{
    for (int g = 0; g < layout.grids; g++) {
        int first = g * layout.group_size; // QUANTISED_PER_TOKEN: groups are numbered along the rows
        QuantisedScale grid = grouping == QUANTISED_PER_CHANNEL
                                  ? quantised_scale(mat_ref(rows, 0, g), rows.rows, rows.stride, layout.bits)
                                  : quantised_scale(mat_ref(rows, first / layout.width, first % layout.width),
                                                    layout.group_size, 1, layout.bits);
        block.grids[2 * g] = half_of(HALF_FLOAT16, grid.scale);
        block.grids[2 * g + 1] = half_of(HALF_FLOAT16, grid.zero);
    }
}

// 1. A grid for each group. 2. The code of the nearest grid point for each number, packed into bytes.
static void encode(QuantisedBlock *to, QuantisedFormat format, QuantisedGrouping grouping, Mat rows)
{
    BlockLayout layout = layout_of(format, grouping, rows.cols);
    QuantisedBlock block = *to;
    compute_grids(block, layout, grouping, rows);
    to->strange = false;
    for (int64_t b = 0; b < (int64_t)rows.rows * layout.width * layout.bits / 8; b++) block.codes[b] = 0;
    for (int i = 0; i < rows.rows; i++)
        for (int c = 0; c < layout.width; c++) {
            float x = *mat_ref(rows, i, c);
            uint8_t code = layout.grids == 0
                               ? float8_of(x)
                               : quantised_code(grid_at(block, grid_of(layout, grouping, i, c)), x, layout.bits);
            to->strange |= layout.grids == 0 && isnan(x);
            int bit = (i * layout.width + c) * layout.bits;
            block.codes[bit / 8] = (uint8_t)(block.codes[bit / 8] | code << bit % 8);
        }
}

// Unpacks `count` codes from `first`, which must start a byte, with a lookup table from a byte to its 8 / bits values.
static void unpack(float *to, const float *numbers, const uint8_t *codes, int first, int count, int bits)
{
    const uint8_t *from = codes + first / (8 / bits);
    if (bits == 4) {
        for (int c = 0; c < count; c += 2) memcpy(to + c, numbers + 2 * from[c / 2], 2 * sizeof *to);
    } else if (bits == 2) {
        for (int c = 0; c < count; c += 4) memcpy(to + c, numbers + 4 * from[c / 4], 4 * sizeof *to);
    } else {
        for (int c = 0; c < count; c++) to[c] = numbers[from[c]];
    }
}

// All grids of a block as floats: scales in row 0, zero points in row 1.
static Mat grids_of(Arena *arena, QuantisedBlock block, BlockLayout layout)
{
    Mat grids = mat_new(arena, 2, layout.grids);
    for (int g = 0; g < layout.grids; g++) {
        QuantisedScale grid = grid_at(block, g);
        *mat_ref(grids, 0, g) = grid.scale;
        *mat_ref(grids, 1, g) = grid.zero;
    }
    return grids;
}

// Dequantises a block: x ≈ scale · code + zero.
static void decode(Mat to, QuantisedBlock block, QuantisedFormat format, QuantisedGrouping grouping,
                   const float *numbers, Arena *scratch)
{
    BlockLayout layout = layout_of(format, grouping, to.cols);
    Mat grids = grids_of(scratch, block, layout);
    const float *scale = grids.at, *zero = grids.at + layout.grids;
    for (int i = 0; i < to.rows; i++) {
        float *row = mat_row(to, i);
        unpack(row, numbers, block.codes, i * layout.width, layout.width, layout.bits);
        for (int c = 0; c < layout.width && layout.grids; c++) {
            int g = grid_of(layout, grouping, i, c);
            row[c] = scale[g] * row[c] + zero[g];
        }
    }
    cost_counted.multiplies += layout.grids ? mat_numbers(to) : 0;
}

static QuantisedBlock block_new(Arena *arena, QuantisedFormat format, BlockLayout layout)
{
    return (QuantisedBlock){ arena_alloc(arena, (size_t)(format.block * layout.width * layout.bits / 8)),
                             arena_alloc(arena, (size_t)layout.grids * 2 * sizeof(uint16_t)), false };
}

// Lookup table from a byte to its codes as floats: one of 8 bits, two of 4, four of 2.
const float *quantised_numbers(Arena *arena, QuantisedKind kind)
{
    int bits = quantised_bits(kind), per_byte = 8 / bits;
    float *table = arena_alloc(arena, (size_t)(256 * per_byte) * sizeof *table);
    for (int byte = 0; byte < 256; byte++)
        for (int n = 0; n < per_byte; n++)
            table[byte * per_byte + n] =
                kind == QUANTISED_FLOAT8 ? float8_value((uint8_t)byte) : (float)(byte >> n * bits & max_code(bits));
    return table;
}

// ---- a cache

static void require_format(QuantisedFormat format, QuantisedGrouping grouping, int width)
{
    int bits = quantised_bits(format.kind);
    REQUIRE(format.block >= 1 && width >= 0 && width * bits % 8 == 0,
            "blocks of %d tokens, rows of %d numbers of %d bits: whole bytes are needed", format.block, width, bits);
    REQUIRE(grouping == QUANTISED_PER_CHANNEL || (format.group >= 1 && width % format.group == 0),
            "rows of %d channels cannot be cut into groups of %d", width, format.group);
}

QuantisedCache quantised_new(Arena *arena, QuantisedFormat format, int capacity, int key_width, int value_width)
{
    require_format(format, format.keys, key_width);
    require_format(format, format.values, value_width);
    REQUIRE(capacity >= 0, "a cache of %d tokens", capacity);
    int blocks = capacity / format.block;
    QuantisedCache cache = {
        .format = format,
        .key_width = key_width,
        .value_width = value_width,
        .capacity = capacity,
        .k = arena_alloc(arena, (size_t)blocks * sizeof *cache.k),
        .v = arena_alloc(arena, (size_t)blocks * sizeof *cache.v),
        .newest_k = mat_new(arena, format.block, key_width),
        .newest_v = mat_new(arena, format.block, value_width),
        .numbers = quantised_numbers(arena, format.kind),
    };
    for (int b = 0; b < blocks; b++) {
        cache.k[b] = block_new(arena, format, layout_of(format, format.keys, key_width));
        cache.v[b] = block_new(arena, format, layout_of(format, format.values, value_width));
    }
    return cache;
}

// Appends a float32 row. When a block is complete, it is quantised and its float32 rows are free again.
static void append_row(QuantisedCache *cache, Mat k, Mat v)
{
    QuantisedFormat format = cache->format;
    int row = cache->length % format.block;
    mat_set(mat_rows(cache->newest_k, row, 1), k);
    mat_set(mat_rows(cache->newest_v, row, 1), v);
    cache->length++;
    if (cache->length % format.block) return;
    int b = cache->length / format.block - 1;
    encode(&cache->k[b], format, format.keys, cache->newest_k);
    encode(&cache->v[b], format, format.values, cache->newest_v);
}

void quantised_append(QuantisedCache *cache, Mat k, Mat v)
{
    REQUIRE(k.rows == v.rows && k.cols == cache->key_width && v.cols == cache->value_width,
            "k is " MAT_SHAPE ", v is " MAT_SHAPE "; the cache holds rows of %d and %d", MAT_SHAPED(k), MAT_SHAPED(v),
            cache->key_width, cache->value_width);
    REQUIRE(k.rows <= cache->capacity - cache->length, "%d rows more in a cache of %d that holds %d", k.rows,
            cache->capacity, cache->length);
    for (int i = 0; i < k.rows; i++) append_row(cache, mat_rows(k, i, 1), mat_rows(v, i, 1));
}

static int64_t bytes_of_block(const QuantisedCache *cache)
{
    return block_bytes(cache->format, layout_of(cache->format, cache->format.keys, cache->key_width)) +
           block_bytes(cache->format, layout_of(cache->format, cache->format.values, cache->value_width));
}

int64_t quantised_bytes(const QuantisedCache *cache)
{
    int block = cache->format.block, newest = cache->length % block;
    return cache->length / block * bytes_of_block(cache) +
           newest * (int64_t)(cache->key_width + cache->value_width) * (int64_t)sizeof(float);
}

double quantised_bits_each(QuantisedFormat format, QuantisedGrouping grouping)
{
    int group_size = grouping == QUANTISED_PER_CHANNEL ? format.block : format.group,
        bits = quantised_bits(format.kind);
    return format.kind == QUANTISED_FLOAT8 ? bits : bits + 32.0 / group_size;
}

// ---- a single row

static QuantisedBlock block_at(void *data, BlockLayout layout)
{
    uint16_t *grids = data;
    return (QuantisedBlock){ (uint8_t *)(grids + 2 * layout.grids), grids, false };
}

static BlockLayout row_layout(QuantisedFormat format, int width)
{
    require_format(format, QUANTISED_PER_TOKEN, width);
    REQUIRE(format.block == 1 && format.keys == QUANTISED_PER_TOKEN && format.values == QUANTISED_PER_TOKEN,
            "a row by itself in blocks of %d: its groups reach into other rows", format.block);
    return layout_of(format, QUANTISED_PER_TOKEN, width);
}

int quantised_row_bytes(QuantisedFormat format, int width)
{
    return (int)block_bytes(format, row_layout(format, width));
}

void quantised_row_put(void *to, QuantisedFormat format, Mat row)
{
    QuantisedBlock block = block_at(to, row_layout(format, row.cols));
    encode(&block, format, QUANTISED_PER_TOKEN, row);
}

void quantised_row_get(Mat row, QuantisedFormat format, const void *from, const float *numbers)
{
    Arena *scratch = arena_open();
    decode(row, block_at((void *)from, row_layout(format, row.cols)), format, QUANTISED_PER_TOKEN, numbers, scratch);
    arena_close(scratch);
}

// ---- as segments

static KvSegment block_segment(const void *context, int n, Arena *scratch)
{
    const QuantisedCache *cache = context;
    QuantisedFormat format = cache->format;
    int blocks = cache->length / format.block, newest = cache->length % format.block;
    if (n == blocks)
        return (KvSegment){ mat_rows(cache->newest_k, 0, newest), mat_rows(cache->newest_v, 0, newest), 0 };
    KvSegment segment = { mat_new(scratch, format.block, cache->key_width),
                          mat_new(scratch, format.block, cache->value_width), cache->length - (n + 1) * format.block };
    decode(segment.k, cache->k[n], format, format.keys, cache->numbers, scratch);
    decode(segment.v, cache->v[n], format, format.values, cache->numbers, scratch);
    return segment;
}

KvSegments quantised_segments(const QuantisedCache *cache)
{
    int block = cache->format.block;
    return (KvSegments){ cache->length, cache->length / block + (cache->length % block > 0), block_segment, cache };
}

void quantised_attend(Attended to, QuantisedCache *cache, Mat q, Mat k, Mat v, int H, const Mask *masks,
                      AttentionKernel *kernel)
{
    REQUIRE(q.rows == k.rows || (k.rows == 0 && q.rows <= cache->length),
            "q is " MAT_SHAPE ", k is " MAT_SHAPE ": a chunk has as many queries as keys", MAT_SHAPED(q),
            MAT_SHAPED(k));
    quantised_append(cache, k, v);
    Cost before = cost_counted;
    kv_segments_attend(to, q, quantised_segments(cache), H, masks, kernel);
    cost_counted.reads = before.reads + mat_numbers(q) + (quantised_bytes(cache) + 3) / 4;
    cost_counted.writes = before.writes + mat_numbers(to.out) + mat_numbers(to.lse) + mat_numbers(to.weights);
}

static void attend_store(Attended to, void *cache, Mat q, Mat k, Mat v, int H, const Mask *masks,
                         AttentionKernel *kernel)
{
    quantised_attend(to, cache, q, k, v, H, masks, kernel);
}

static int length_of_store(const void *cache) { return ((const QuantisedCache *)cache)->length; }

static int64_t bytes_of_store(const void *cache) { return quantised_bytes(cache); }

KvStore quantised_store(QuantisedCache *cache)
{
    return (KvStore){ cache, attend_store, length_of_store, bytes_of_store, NULL };
}

Mat quantised_copy(Arena *arena, Mat m, QuantisedFormat format, QuantisedGrouping grouping)
{
    require_format(format, grouping, m.cols);
    Mat copy = mat_copy(arena, m);
    const float *numbers = quantised_numbers(arena, format.kind);
    QuantisedBlock block = block_new(arena, format, layout_of(format, grouping, m.cols));
    for (int first = 0; first + format.block <= m.rows; first += format.block) {
        encode(&block, format, grouping, mat_rows(m, first, format.block));
        decode(mat_rows(copy, first, format.block), block, format, grouping, numbers, arena);
    }
    return copy;
}

// ---- decoding: one query per head, directly on the codes

// Arguments and scratch of one call.
typedef struct {
    const QuantisedCache *cache;
    Mat q, scores, out; // (1, H d)  (H, S)  (1, H dv)
    int H, G, d, dv;
    float *row;    // one unpacked row of a KV head
    Mat scaled;    // (H, d) queries times the scales of a block
    float *base;   // (H) q · zero points of that block
    Mat zero_sums; // (H, dv / group) Σ weight · zero point per group of channels
} Call;

static Mat head_of(Mat row, int h, int width) { return mat_cols(row, h * width, width); }

// Computes q ∘ s and q · z of one block for every head.
static void fold_scales(const Call *call, QuantisedBlock block, BlockLayout layout)
{
    for (int h = 0; h < call->H; h++) {
        const float *q = mat_row(head_of(call->q, h, call->d), 0);
        float *to = mat_row(call->scaled, h);
        int first = h / (call->H / call->G) * call->d;
        call->base[h] = 0.0f;
        for (int c = 0; c < call->d; c++) {
            QuantisedScale grid = layout.grids ? grid_at(block, first + c) : (QuantisedScale){ 1.0f, 0.0f };
            to[c] = q[c] * grid.scale;
            call->base[h] += q[c] * grid.zero;
        }
    }
    cost_counted.multiplies += layout.grids ? 2 * (int64_t)call->H * call->d : 0;
}

// Scores of a block: each row of a KV head is unpacked once for all query heads that share it.
static void score_block(const Call *call, int b)
{
    const QuantisedCache *cache = call->cache;
    BlockLayout layout = layout_of(cache->format, QUANTISED_PER_CHANNEL, cache->key_width);
    int n = call->H / call->G, d = call->d, first = b * cache->format.block;
    fold_scales(call, cache->k[b], layout);
    for (int i = 0; i < cache->format.block; i++)
        for (int g = 0; g < call->G; g++) {
            unpack(call->row, cache->numbers, cache->k[b].codes, i * layout.width + g * d, d, layout.bits);
            for (int h = g * n; h < g * n + n; h++)
                *mat_ref(call->scores, h, first + i) =
                    call->base[h] + float4_product(mat_row(call->scaled, h), call->row, d);
        }
    cost_counted.multiplies += (int64_t)cache->format.block * call->H * d;
}

// out += w (s · code + z): w · s is computed once per group, and w · z is accumulated per group, not per channel.
static void mix_row(const Call *call, const QuantisedBlock *block, BlockLayout layout, int i, int g, int j)
{
    int n = call->H / call->G, dv = call->dv, position = i * layout.width + g * dv;
    int group_size = layout.grids ? layout.group_size : dv;
    unpack(call->row, call->cache->numbers, block->codes, position, dv, layout.bits);
    for (int c = 0; c < dv; c += group_size) {
        QuantisedScale grid =
            layout.grids ? grid_at(*block, (position + c) / layout.group_size) : (QuantisedScale){ 1.0f, 0.0f };
        for (int h = g * n; h < g * n + n; h++) {
            float weight = *mat_ref(call->scores, h, j);
            if (weight == 0.0f) continue; // masked
            float4_add_scaled(mat_ref(call->out, 0, h * dv + c), weight * grid.scale, call->row + c, group_size);
            *mat_ref(call->zero_sums, h, c / group_size) += weight * grid.zero;
        }
    }
}

// Adds the accumulated Σ w z of each group to its channels.
static void add_zeros(const Call *call)
{
    int group_size = call->dv / call->zero_sums.cols;
    for (int h = 0; h < call->H; h++)
        for (int c = 0; c < call->dv; c++)
            *mat_ref(call->out, 0, h * call->dv + c) += *mat_ref(call->zero_sums, h, c / group_size);
}

static void mix_block(const Call *call, int b)
{
    const QuantisedCache *cache = call->cache;
    BlockLayout layout = layout_of(cache->format, QUANTISED_PER_TOKEN, cache->value_width);
    for (int i = 0; i < cache->format.block; i++)
        for (int g = 0; g < call->G; g++) mix_row(call, &cache->v[b], layout, i, g, b * cache->format.block + i);
    int64_t groups = layout.grids ? (int64_t)layout.grids * call->H / call->G : 0;
    cost_counted.multiplies += (int64_t)cache->format.block * call->H * call->dv + 2 * groups;
}

// Scores of the newest tokens, which are float32.
static void score_newest(const Call *call, int first, int count)
{
    for (int i = 0; i < count; i++)
        for (int h = 0; h < call->H; h++) {
            Mat key = head_of(mat_rows(call->cache->newest_k, i, 1), h / (call->H / call->G), call->d);
            *mat_ref(call->scores, h, first + i) =
                float4_product(mat_row(head_of(call->q, h, call->d), 0), mat_row(key, 0), call->d);
        }
    cost_counted.multiplies += (int64_t)count * call->H * call->d;
}

static void mix_newest(const Call *call, int first, int count)
{
    for (int i = 0; i < count; i++)
        for (int h = 0; h < call->H; h++) {
            Mat value = head_of(mat_rows(call->cache->newest_v, i, 1), h / (call->H / call->G), call->dv);
            float4_add_scaled(mat_row(head_of(call->out, h, call->dv), 0), *mat_ref(call->scores, h, first + i),
                              mat_row(value, 0), call->dv);
        }
    cost_counted.multiplies += (int64_t)count * call->H * call->dv;
}

// Scales the products and adds the mask's bias.
static void mask_scores(Mat scores, const Mask *masks, int d)
{
    for (int h = 0; h < scores.rows; h++) {
        float *row = mat_row(scores, h), scale = mask_scale(masks[h], d);
        for (int j = 0; j < scores.cols; j++) {
            float bias = mask_bias(masks[h], 0, j, 1, scores.cols);
            row[j] = bias == -INFINITY ? bias : row[j] * scale + bias;
        }
    }
}

static void require_decode(Attended to, const QuantisedCache *cache, Mat q, int H)
{
    Mat k = { .rows = cache->length, .cols = cache->key_width },
        v = { .rows = cache->length, .cols = cache->value_width };
    grouped_require(to, q, k, v, H);
    QuantisedFormat format = cache->format;
    int d = q.cols / H, dv = cache->value_width / (cache->key_width / d), bits = quantised_bits(format.kind);
    REQUIRE(q.rows == 1 && format.keys == QUANTISED_PER_CHANNEL && format.values == QUANTISED_PER_TOKEN &&
                dv % format.group == 0,
            "q is " MAT_SHAPE ", values are %d wide in groups of %d: one query, keys per channel, values per token",
            MAT_SHAPED(q), dv, format.group);
    REQUIRE(d * bits % 8 == 0 && dv * bits % 8 == 0, "heads of %d and %d numbers of %d bits: whole bytes are needed", d,
            dv, bits);
}

void quantised_decode(Attended to, const QuantisedCache *cache, Mat q, int H, const Mask *masks)
{
    require_decode(to, cache, q, H);
    Arena *scratch = arena_open();
    int S = cache->length, d = q.cols / H, G = cache->key_width / d, dv = cache->value_width / G;
    int blocks = S / cache->format.block, first = blocks * cache->format.block, newest = S - first;
    Mat scores = to.weights;
    if (mat_empty(scores)) scores = mat_cols(mat_new(scratch, H, S + 16), 0, S);
    Call call = { cache,
                  q,
                  scores,
                  to.out,
                  H,
                  G,
                  d,
                  dv,
                  arena_alloc(scratch, (size_t)(d + dv) * sizeof(float)),
                  mat_new(scratch, H, d),
                  arena_alloc(scratch, (size_t)H * sizeof(float)),
                  mat_new(scratch, H, dv / cache->format.group) };

    // 1. Scores, block by block.
    for (int b = 0; b < blocks; b++) score_block(&call, b);
    score_newest(&call, first, newest);
    mask_scores(scores, masks, d);

    // 2. Weights.
    if (!mat_empty(to.lse))
        for (int h = 0; h < H; h++) *mat_ref(to.lse, 0, h) = logsumexp(mat_row(scores, h), S);
    softmax_rows(scores, scores);

    // 3. Values.
    mat_fill(to.out, 0.0f);
    for (int b = 0; b < blocks; b++) mix_block(&call, b);
    add_zeros(&call);
    mix_newest(&call, first, newest);

    cost_counted.reads += mat_numbers(q) + (quantised_bytes(cache) + 3) / 4;
    cost_counted.writes += mat_numbers(to.out) + mat_numbers(to.lse) + mat_numbers(to.weights);
    cost_scratch((int64_t)arena_peak(scratch));
    arena_close(scratch);
}
