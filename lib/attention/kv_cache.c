// Chapter 11. A KV cache as two matrices and a length. [Shazeer 2019, §2.4, arXiv:1911.02150]
#include "attention/kv_cache.h"

#include "base/cost.h"

static int smaller(int a, int b) { return a < b ? a : b; }
static int larger(int a, int b) { return a > b ? a : b; }

KvCache kv_cache_new(Arena *arena, int capacity, int key_width, int value_width)
{
    return (KvCache){ mat_new(arena, capacity, key_width), mat_new(arena, capacity, value_width), 0 };
}

void kv_cache_append(KvCache *cache, Mat k, Mat v)
{
    REQUIRE(k.rows == v.rows && k.cols == cache->k.cols && v.cols == cache->v.cols,
            "k is " MAT_SHAPE ", v is " MAT_SHAPE "; the cache holds rows of %d and %d", MAT_SHAPED(k), MAT_SHAPED(v),
            cache->k.cols, cache->v.cols);
    REQUIRE(k.rows <= cache->k.rows - cache->length, "%d rows more in a cache of %d that holds %d", k.rows,
            cache->k.rows, cache->length);
    mat_set(mat_rows(cache->k, cache->length, k.rows), k);
    mat_set(mat_rows(cache->v, cache->length, v.rows), v);
    cache->length += k.rows;
    cost_counted.reads += mat_numbers(k) + mat_numbers(v);
    cost_counted.writes += mat_numbers(k) + mat_numbers(v);
}

void kv_cache_truncate(KvCache *cache, int length)
{
    REQUIRE(length >= 0 && length <= cache->length, "the first %d tokens of %d", length, cache->length);
    cache->length = length;
}

KvSegment kv_cache_filled(KvCache cache)
{
    return (KvSegment){ mat_rows(cache.k, 0, cache.length), mat_rows(cache.v, 0, cache.length), 0 };
}

// One segment, and no keys after it.
static KvSegment only_segment(const void *cache, int n, Arena *scratch)
{
    (void)n;
    (void)scratch;
    return kv_cache_filled(*(const KvCache *)cache);
}

KvSegments kv_cache_segments(const KvCache *cache) { return (KvSegments){ cache->length, 1, only_segment, cache }; }

int64_t kv_cache_bytes(KvCache cache)
{
    return (int64_t)cache.length * (cache.k.cols + cache.v.cols) * (int64_t)sizeof(float);
}

// Number of the S keys that at least one of T queries sees in at least one of these heads. The union of the heads'
// visible ranges, swept from left to right: extend the current range while a head sees its next key, then jump to the
// nearest range that begins later.
static int visible_keys(const Mask *masks, int heads, int T, int S)
{
    int count = 0;
    for (int key = 0; key < S;) {
        int end = key, next = S;
        for (int h = 0; h < heads; h++) {
            MaskVisible visible = mask_visible(masks[h], (MaskRange){ 0, T }, T, S);
            end = larger(end, visible.sinks);
            if (visible.keys.first > key) next = smaller(next, visible.keys.first);
            else end = larger(end, visible.keys.first + visible.keys.count);
        }
        count += end - key;
        key = end > key ? end : next;
    }
    return count;
}

static void count_traffic(Attended to, KvCache cache, Mat q, int H, const Mask *masks)
{
    int d = q.cols / H, G = cache.k.cols / d, dv = cache.v.cols / G, group = H / G;
    for (int g = 0; g < G; g++)
        cost_counted.reads += visible_keys(masks + g * group, group, q.rows, cache.length) * (int64_t)(d + dv);
    cost_counted.reads += mat_numbers(q);
    cost_counted.writes += mat_numbers(to.out) + mat_numbers(to.lse) + mat_numbers(to.weights);
}

void kv_cache_attend(Attended to, KvCache *cache, Mat q, Mat k, Mat v, int H, const Mask *masks,
                     AttentionKernel *kernel)
{
    REQUIRE(q.rows == k.rows || (k.rows == 0 && q.rows <= cache->length),
            "q is " MAT_SHAPE ", k is " MAT_SHAPE ": a chunk has as many queries as keys", MAT_SHAPED(q),
            MAT_SHAPED(k));
    // 1. Append the chunk first: a token also sees itself. k is empty in a layer that shares the cache of a lower one.
    kv_cache_append(cache, k, v);

    // 2. Attend to the whole cache. The minimum traffic is counted, so the kernel's own count is discarded.
    Cost before = cost_counted;
    kv_segments_attend(to, q, kv_cache_segments(cache), H, masks, kernel);
    cost_counted.reads = before.reads;
    cost_counted.writes = before.writes;
    count_traffic(to, *cache, q, H, masks);
}

// ---- KvStore

static void attend_store(Attended to, void *cache, Mat q, Mat k, Mat v, int H, const Mask *masks,
                         AttentionKernel *kernel)
{
    kv_cache_attend(to, cache, q, k, v, H, masks, kernel);
}

static int length_of_store(const void *cache) { return ((const KvCache *)cache)->length; }
static int64_t bytes_of_store(const void *cache) { return kv_cache_bytes(*(const KvCache *)cache); }
static void truncate_store(void *cache, int length) { kv_cache_truncate(cache, length); }

KvStore kv_cache_store(KvCache *cache)
{
    return (KvStore){ cache, attend_store, length_of_store, bytes_of_store, truncate_store };
}
