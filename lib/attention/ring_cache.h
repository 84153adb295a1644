// Chapter 18. A cache that forgets: the last `window` keys and values, and the first `sinks` ones.
//
// New rows are written over the oldest, so the cache never grows and nothing is moved. Behind it stand as many tokens
// as one likes. What is not here: room for more than one query's window at a time (a chunk goes through token by
// token), and a choice of what to keep by its weight (chapter 19).
//
// A token that is taken back (chapter 21) has been written over another that is in the window again. So a ring may have
// `spare` rows: what is written over then left the window so many tokens ago.
#ifndef ATTENTION_RING_CACHE_H
#define ATTENTION_RING_CACHE_H

#include "attention/kv_cache.h"

// Token j is kept in row j if j < sinks, else in row sinks + (j − sinks) % (window + spare), until token j + window +
// spare comes. Only the newest `window` behind the sinks are in sight.
typedef struct {
    Mat k, v;                 // (sinks + window + spare, G d)  (sinks + window + spare, G dv)
    int sinks, window, spare; // window ≥ 1
    int length;               // tokens that have joined, kept or not
    int farthest;             // the largest length that has been written into the rows
    double base;              // 0: keys are given as they came; else RoPE's base, and sinks follow the window
    int G;                    // with a base: key heads in a row
} RingCache;

// `base` 0 and G 1; whoever wants sinks that follow sets them. Without spare rows, and with them.
RingCache ring_cache_new(Arena *arena, int sinks, int window, int key_width, int value_width);
RingCache ring_cache_spare(Arena *arena, int sinks, int window, int spare, int key_width, int value_width);
void ring_cache_append(RingCache *cache, Mat k, Mat v); // n rows, any number
int ring_cache_row(const RingCache *cache, int j);      // where token j lies, or lay; −1: it is yet to come
int ring_cache_dropped(const RingCache *cache);         // tokens that have left the window
int64_t ring_cache_bytes(const RingCache *cache);       // of the rows that are filled, spare ones as well

// Only the first `length` tokens stay. At most `spare` can be taken back, counted from the farthest that ever joined;
// as many as there are, as long as nothing has been written over, or down to the sinks.
void ring_cache_truncate(RingCache *cache, int length);

// Three parts: the sinks; the older piece of the window, up to the last row; the newer one, from the ring's first row.
//
// Keys come turned by RoPE, each by its true position. Then a query stands further from the sinks the longer the text
// is, further than any training has shown it. With a `base` the sinks follow: where `dropped` tokens lie between, their
// keys are turned on by `dropped` positions when the part is asked for. The query's distance to them is then that in
// the cache, at most sinks + window − 1.
// [Xiao et al. 2024, §3.2, arXiv:2309.17453: positions in the cache]
KvSegments ring_cache_segments(const RingCache *cache);

// As kv_cache_attend, each query of the chunk over what the ring keeps when its token has joined. Masks need no window:
// what is not kept is out of sight. A single query may come without its key, which has joined already, by a layer below
// that shares it.
void ring_cache_attend(Attended to, RingCache *cache, Mat q, Mat k, Mat v, int H, const Mask *masks,
                       AttentionKernel *kernel);

KvStore ring_cache_store(RingCache *cache);

#endif
