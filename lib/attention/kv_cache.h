// Chapter 11. The keys and values of all tokens so far, kept so that they are computed only once.
//
// A query sees only what came before it (Mask.causal), so what is kept never has to be computed again, and a sequence
// fed in chunks of any sizes gives what it gives in one piece. Without `causal` it does not: earlier queries would have
// to see later keys. What is not here: several sequences, a window that forgets (chapter 18), pages (chapter 20).
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
void kv_cache_append(KvCache *cache, Mat k, Mat v); // n rows behind the last; they must fit
void kv_cache_truncate(KvCache *cache, int length); // only the first `length` rows stay (chapter 21)
KvSegment kv_cache_filled(KvCache cache);           // k (length, G d), v (length, G dv): a row view
KvSegments kv_cache_segments(const KvCache *cache); // the same, as the only part
int64_t kv_cache_bytes(KvCache cache);              // of the filled rows: 4 · (G d + G dv) · length

// A chunk of n tokens: its keys and values k (n, G d), v (n, G dv) join the cache, then its queries q (n, H d) look at
// all of it. n = 1 is a step of decoding, larger is prefill; as masks are aligned bottom-right, both are one call.
// k and v without rows have joined already, by a layer below that shares them: the queries stand at the last keys.
// Shapes of `to`, and masks: as grouped_attend, with S = the cache's new length. With RoPE, q and k come turned, each
// by its true position: row i of the chunk stands at the cache's old length + i.
//
// Chunks of any sizes give the bits of one piece when every mask is causal and without padding, the kernel adds up each
// row in the order of its keys (attention_naive), and nothing else differs.
//
// Traffic, in counted.reads and counted.writes, is the least of two steps, one after the other, when a chunk's own
// queries, scores and outputs stay close to the processor: to join, k and v of the chunk are read once and written
// once; to look, q is read once and, for each of the G key heads, each row of the cache that some query of its group
// may see; what `to` asks for is written once. A kernel that fetches a key again for each query moves more; at n = 1
// and G = H none does.
void kv_cache_attend(Attended to, KvCache *cache, Mat q, Mat k, Mat v, int H, const Mask *masks,
                     AttentionKernel *kernel);

// Any cache, for those who need not know which (model/run.h): it does what kv_cache_attend does, in its own way. With k
// and v of no rows the chunk has joined already, for a layer below that shares its keys (Config.share).
typedef struct {
    void *cache;
    void (*attend)(Attended to, void *cache, Mat q, Mat k, Mat v, int H, const Mask *masks, AttentionKernel *kernel);
    int (*length)(const void *cache);          // tokens that have joined, whether they are kept or not
    int64_t (*bytes)(const void *cache);       // of what is kept of them
    void (*truncate)(void *cache, int length); // only the first `length` tokens stay, as if no other had ever
                                               //   joined (chapter 21); NULL: none can be taken back
} KvStore;

KvStore kv_cache_store(KvCache *cache);

#endif
