// Chapter 18. A KV cache as a ring buffer of rows after the attention sinks. [Xiao et al. 2024, arXiv:2309.17453]
#include "attention/ring_cache.h"

#include "attention/positions.h"
#include "base/cost.h"

static int smaller(int a, int b) { return a < b ? a : b; }
static int larger(int a, int b) { return a > b ? a : b; }

RingCache ring_cache_new(Arena *arena, int sinks, int window, int key_width, int value_width)
{
    return ring_cache_spare(arena, sinks, window, 0, key_width, value_width);
}

RingCache ring_cache_spare(Arena *arena, int sinks, int window, int spare, int key_width, int value_width)
{
    REQUIRE(sinks >= 0 && window >= 1 && spare >= 0,
            "%d sinks, a window of %d and %d spare rows; there must be 0 or "
            "more, 1 or more, and 0 or more",
            sinks, window, spare);
    int rows = sinks + window + spare;
    return (RingCache){ .k = mat_new(arena, rows, key_width),
                        .v = mat_new(arena, rows, value_width),
                        .sinks = sinks,
                        .window = window,
                        .spare = spare,
                        .G = 1 };
}

static int ring_size(const RingCache *cache) { return cache->window + cache->spare; }

int ring_cache_row(const RingCache *cache, int j)
{
    if (j < 0 || j >= cache->length) return -1;
    return j < cache->sinks ? j : cache->sinks + (j - cache->sinks) % ring_size(cache);
}

// Number of tokens after the sinks; and of those still in the window.
static int after_sinks(const RingCache *cache) { return larger(cache->length - cache->sinks, 0); }
static int in_window(const RingCache *cache) { return smaller(after_sinks(cache), cache->window); }

static int sinks_filled(const RingCache *cache) { return smaller(cache->length, cache->sinks); }

int ring_cache_dropped(const RingCache *cache) { return after_sinks(cache) - in_window(cache); }

int64_t ring_cache_bytes(const RingCache *cache)
{
    int64_t rows = sinks_filled(cache) + smaller(after_sinks(cache), ring_size(cache));
    return rows * (cache->k.cols + cache->v.cols) * (int64_t)sizeof(float);
}

void ring_cache_append(RingCache *cache, Mat k, Mat v)
{
    REQUIRE(k.rows == v.rows && k.cols == cache->k.cols && v.cols == cache->v.cols,
            "k is " MAT_SHAPE ", v is " MAT_SHAPE "; the cache holds rows of %d and %d", MAT_SHAPED(k), MAT_SHAPED(v),
            cache->k.cols, cache->v.cols);
    for (int i = 0; i < k.rows; i++) {
        cache->length++;
        int row = ring_cache_row(cache, cache->length - 1);
        mat_set(mat_rows(cache->k, row, 1), mat_rows(k, i, 1));
        mat_set(mat_rows(cache->v, row, 1), mat_rows(v, i, 1));
    }
    cache->farthest = larger(cache->farthest, cache->length);
    cost_counted.reads += (int64_t)k.rows * (k.cols + v.cols);
    cost_counted.writes += (int64_t)k.rows * (k.cols + v.cols);
}

// Token j was overwritten when token j + ring size was appended. If only sinks remain, the ring's contents do not
// matter.
void ring_cache_truncate(RingCache *cache, int length)
{
    int first = larger(length - cache->window, cache->sinks), lost = cache->farthest - ring_size(cache);
    REQUIRE(length >= 0 && length <= cache->length, "the first %d tokens of %d", length, cache->length);
    REQUIRE(length <= cache->sinks || first >= lost,
            "of the window of token %d, token %d has been written over: the "
            "ring has %d spare rows, and has had %d tokens",
            length - 1, first, cache->spare, cache->farthest);
    cache->length = length;
    if (length <= cache->sinks) cache->farthest = length;
}

// ---- segments

// Rotations compose: a key rotated by its position and then by `offset` is the key of a token `offset` positions later.
static Mat rotate_forward(Arena *scratch, Mat k, int G, int offset, double base)
{
    Mat rotated = mat_copy(scratch, k);
    int d = k.cols / G;
    RopeTable rotations = rope_table_scaled(scratch, offset, 1, d, base, 1.0);
    for (int i = 0; i < k.rows; i++)
        for (int g = 0; g < G; g++) rope_apply(mat_cols(mat_rows(rotated, i, 1), g * d, d), rotations);
    return rotated;
}

static KvSegment rows_segment(const RingCache *cache, int first, int count, int shift)
{
    return (KvSegment){ mat_rows(cache->k, first, count), mat_rows(cache->v, first, count), shift };
}

static KvSegment ring_segment(const void *context, int n, Arena *scratch)
{
    const RingCache *cache = context;
    int sinks = sinks_filled(cache), in_sight = in_window(cache), dropped = ring_cache_dropped(cache);
    if (n == 0) {
        KvSegment segment = rows_segment(cache, 0, sinks, cache->length - sinks);
        if (cache->base > 0.0 && dropped > 0)
            segment.k = rotate_forward(scratch, segment.k, cache->G, dropped, cache->base);
        return segment;
    }
    // The window starts in row `first` of the ring and may wrap around to row 0.
    int first = (after_sinks(cache) - in_sight) % ring_size(cache), older = smaller(in_sight, ring_size(cache) - first);
    if (n == 1) return rows_segment(cache, cache->sinks + first, older, in_sight - older);
    return rows_segment(cache, cache->sinks, in_sight - older, 0);
}

KvSegments ring_cache_segments(const RingCache *cache) { return (KvSegments){ cache->length, 3, ring_segment, cache }; }

// ---- attention

// One row at a time: appending a later row may overwrite one that an earlier query must see.
void ring_cache_attend(Attended to, RingCache *cache, Mat q, Mat k, Mat v, int H, const Mask *masks,
                       AttentionKernel *kernel)
{
    REQUIRE(q.rows == k.rows || (k.rows == 0 && q.rows == 1 && cache->length > 0),
            "q is " MAT_SHAPE ", k is " MAT_SHAPE ": a chunk has as many queries as keys; one query may come alone",
            MAT_SHAPED(q), MAT_SHAPED(k));
    int n = q.rows, stride = to.weights.stride;
    mat_fill(to.weights, 0.0f);
    for (int i = 0; i < n; i++) {
        if (k.rows > 0) ring_cache_append(cache, mat_rows(k, i, 1), mat_rows(v, i, 1));
        Attended row = { .out = mat_rows(to.out, i, 1) };
        if (!mat_empty(to.lse)) row.lse = mat_rows(to.lse, i, 1);
        if (!mat_empty(to.weights)) row.weights = (Mat){ mat_row(to.weights, i), H, cache->length, n * stride };
        kv_segments_attend(row, mat_rows(q, i, 1), ring_cache_segments(cache), H, masks, kernel);
    }
}

static void attend_store(Attended to, void *cache, Mat q, Mat k, Mat v, int H, const Mask *masks,
                         AttentionKernel *kernel)
{
    ring_cache_attend(to, cache, q, k, v, H, masks, kernel);
}

static int length_of_store(const void *cache) { return ((const RingCache *)cache)->length; }
static int64_t bytes_of_store(const void *cache) { return ring_cache_bytes(cache); }
static void truncate_store(void *cache, int length) { ring_cache_truncate(cache, length); }

KvStore ring_cache_store(RingCache *cache)
{
    return (KvStore){ cache, attend_store, length_of_store, bytes_of_store, truncate_store };
}
