// Chapter 18. A KV cache as a ring buffer: the last `window` tokens and the first `sinks` tokens (StreamingLLM). [Xiao
// et al. 2024, arXiv:2309.17453]
//
// New rows overwrite the oldest, so the cache never grows, nothing is moved, and the text may be arbitrarily long. Not
// here: parallel queries of a chunk (a chunk is processed token by token); eviction by weight (evicting.h).
//
// Truncation (speculative decoding) brings tokens back into the window that newer ones may have overwritten. `spare`
// extra rows delay the overwriting by `spare` tokens.
#ifndef ATTENTION_RING_CACHE_H
#define ATTENTION_RING_CACHE_H

#include "attention/kv_cache.h"

// Token j is in row j if j < sinks, else in row sinks + (j − sinks) % (window + spare), until token j + window + spare
// overwrites it. Only the sinks and the newest `window` tokens are visible.
typedef struct {
    Mat k, v;                 // (sinks + window + spare, G d)  (sinks + window + spare, G dv)
    int sinks, window, spare; // window ≥ 1
    int length;               // tokens appended so far, kept or not
    int farthest;             // the largest length so far
    double base;              // 0: keys are read as stored; else RoPE's base, and sinks are re-rotated
    int G;                    // with a base: KV heads per row
} RingCache;

// Without and with spare rows. `base` is 0 and G is 1; set them afterwards to re-rotate the sinks.
RingCache ring_cache_new(Arena *arena, int sinks, int window, int key_width, int value_width);
RingCache ring_cache_spare(Arena *arena, int sinks, int window, int spare, int key_width, int value_width);
void ring_cache_append(RingCache *cache, Mat k, Mat v); // appends n rows, any number
int ring_cache_row(const RingCache *cache, int j);      // row of token j, overwritten or not; −1: not yet appended
int ring_cache_dropped(const RingCache *cache);         // number of tokens that have left the window
int64_t ring_cache_bytes(const RingCache *cache);       // bytes of the filled rows, spare ones included

// Keeps the first `length` tokens. At most `spare` tokens below the largest length so far; any number while nothing has
// been overwritten, or if only sinks remain.
void ring_cache_truncate(RingCache *cache, int length);

// Three segments: the sinks; the older piece of the window, up to the last row; the newer piece, from the ring's first
// row.
//
// Keys are appended with RoPE rotations by their true positions. So the distance of a query to the sinks grows with the
// text, beyond any distance seen in training. With a `base`, the sinks' keys are rotated forward by the number of
// dropped tokens when the segment is requested: their distance is then the one within the cache, at most sinks + window
// − 1. [Xiao et al. 2024, §3.2, arXiv:2309.17453: positions in the cache]
KvSegments ring_cache_segments(const RingCache *cache);

// As kv_cache_attend; each query sees what the ring holds after its token was appended. Masks need no window: dropped
// tokens are masked. A single query may come without a key, if a lower layer that shares the cache has appended it.
void ring_cache_attend(Attended to, RingCache *cache, Mat q, Mat k, Mat v, int H, const Mask *masks,
                       AttentionKernel *kernel);

KvStore ring_cache_store(RingCache *cache);

#endif
