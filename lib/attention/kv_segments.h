// Chapter 14. Attention over a KV cache that is stored in several segments. Each segment is attended separately; the
// partial results are merged by logsumexp (online.h). [Dao, Haziza, Massa and Sizov 2023, Flash-Decoding]
//
// A contiguous cache has one segment, a ring buffer three (the attention sinks and the two pieces of the window), a
// paged cache one per page. A quantised cache dequantises a segment when it is requested. Callers do not depend on
// which kind it is.
#ifndef ATTENTION_KV_SEGMENTS_H
#define ATTENTION_KV_SEGMENTS_H

#include "attention/attention.h"

// Consecutive keys of a sequence, and their values. `shift` is the number of keys of the sequence after this segment;
// it is added to Mask.shift.
typedef struct {
    Mat k, v;
    int shift;
} KvSegment; // (n, G d)  (n, G dv)

// The segments of a sequence of S keys, in any order, of any size including 0, disjoint. A key in no segment, such as
// one that a ring buffer has overwritten, is masked whatever the mask says.
typedef struct {
    int S, count;
    KvSegment (*part)(const void *cache, int n, Arena *scratch); // n in 0 … count − 1; decodes into `scratch`
    const void *cache;
} KvSegments;

// As grouped_attend over all S keys: q (T, H d)  →  to.out (T, H dv); optional: to.lse (T, H), to.weights (H T, S).
// Runs `kernel` on every segment, in parallel, with the mask restricted to that segment, and merges the results in
// order, so the output does not depend on the number of threads. With one segment the result is exactly the kernel's.
// The accuracy of the merge is limited by the precision of lse (online.h). Scratch: at most 64 segments' worth.
void kv_segments_attend(Attended to, Mat q, KvSegments segments, int H, const Mask *masks, AttentionKernel *kernel);

// The same, bit-identical to grouped_attend with attention_naive over contiguous keys, wherever they are split, if the
// segments are in the order of their keys: scores segment by segment, one softmax per row, then values segment by
// segment. Stores a T × S table, runs on one thread, and requests every segment twice per head.
void kv_segments_attend_in_order(Attended to, Mat q, KvSegments segments, int H, const Mask *masks);

// Split-KV: the keys of one head in `splits` segments of about equal size, attended in parallel. For decoding, where a
// single query gives no other parallelism. A kernel that stores the T × S table stores one per segment.
void kv_segments_split(Attended to, Mat q, Mat k, Mat v, Mask mask, int splits, AttentionKernel *kernel);

#endif
