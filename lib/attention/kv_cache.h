// Chapter 11. KV cache: the keys and values of all tokens so far, so that each is computed only once.
//
// With a causal mask a query sees only earlier tokens, so cached rows stay valid, and a sequence processed in chunks of
// any size gives the same result as in one piece. Without `causal` it does not: earlier queries would have to see later
// keys. Not here: several sequences, a sliding window (ring_cache.h), pages (paged_cache.h).
#ifndef ATTENTION_KV_CACHE_H
#define ATTENTION_KV_CACHE_H

#include "attention/kv_segments.h"

#include <stdint.h>

// Rows 0 … length − 1 are filled.
typedef struct {
    Mat k, v;
    int length;
} KvCache; // (capacity, G d)  (capacity, G dv)

KvCache kv_cache_new(Arena *arena, int capacity, int key_width, int value_width);
void kv_cache_append(KvCache *cache, Mat k, Mat v); // appends n rows; they must fit
void kv_cache_truncate(KvCache *cache, int length); // keeps the first `length` rows
KvSegment kv_cache_filled(KvCache cache);           // k (length, G d), v (length, G dv): a row view
KvSegments kv_cache_segments(const KvCache *cache); // the same, as the only segment
int64_t kv_cache_bytes(KvCache cache);              // of the filled rows: 4 · (G d + G dv) · length

// A chunk of n tokens: its keys k (n, G d) and values v (n, G dv) are appended, then its queries q (n, H d) attend to
// the whole cache. n = 1 is a decoding step, larger n is prefill; masks are aligned bottom-right, so both are one call.
// k and v without rows mean that a lower layer that shares them has already appended them: the queries belong to the
// last keys. Shapes of `to`, and masks: as grouped_attend, with S = the new length of the cache. With RoPE, q and k are
// passed rotated by their true positions: row i of the chunk has position (old length) + i.
//
// Chunking does not change a bit if every mask is causal and without padding and the kernel sums each row in the order
// of its keys (attention_naive).
//
// cost_counted.reads and .writes get the minimum traffic of two consecutive steps, with the chunk's own queries, scores
// and outputs in fast memory: to append, the chunk's k and v are read and written once; to attend, q is read once and,
// per KV head, each cache row that a query of its group may see; requested outputs are written once. A kernel that
// reloads keys for each query moves more; for n = 1 and G = H none does.
void kv_cache_attend(Attended to, KvCache *cache, Mat q, Mat k, Mat v, int H, const Mask *masks,
                     AttentionKernel *kernel);

// Interface of a cache of any kind (model/run.h). `attend` does what kv_cache_attend does. k and v without rows: a
// lower layer that shares its keys (Config.share) has already appended them.
typedef struct {
    void *cache;
    void (*attend)(Attended to, void *cache, Mat q, Mat k, Mat v, int H, const Mask *masks, AttentionKernel *kernel);
    int (*length)(const void *cache);          // tokens appended so far, including those no longer kept
    int64_t (*bytes)(const void *cache);       // bytes of what is kept
    void (*truncate)(void *cache, int length); // keeps the first `length` tokens, as if no others had
                                               //   been appended; NULL: not supported
} KvStore;

KvStore kv_cache_store(KvCache *cache);

#endif
