// Chapter 14. Attention over keys that do not lie in one piece: part by part, and the results merged.
//
// A cache gives its parts. One that is contiguous has one, a ring two, a paged one as many as it has pages; and one
// that keeps its rows in fewer bits decodes a part when it is asked for. Whoever reads parts need not know which it is.
#ifndef ATTENTION_KV_SEGMENTS_H
#define ATTENTION_KV_SEGMENTS_H

#include "attention/attention.h"

// Keys that follow each other in their sequence, and their values. `shift` keys of the sequence come behind the last of
// them: it is what the part adds to Mask.shift.
typedef struct {
    Mat k, v;
    int shift;
} KvSegment; // (n, G d)  (n, G dv)

// The parts of a sequence of S keys. They may come in any order, be of any size or empty, and no key is in two of them.
// A key that is in none, as a ring has forgotten it, is out of sight whatever the mask says.
typedef struct {
    int S, count;
    KvSegment (*part)(const void *cache, int n, Arena *room); // n in 0 … count − 1; `room` is there to decode into
    const void *cache;
} KvSegments;

// As grouped_attend over all S keys: q (T, H d)  →  to.out (T, H dv), and asked for to.lse (T, H), to.weights (H T, S).
// Every part is worked on by `kernel` through the masks of that part, on as many processors as there are, and the
// results are merged in order by their logsumexp: the number of threads changes no bit. A single part is the kernel's
// own work. The parts' shares are as good as their lse (online.h). Scratch is that of 64 parts, however many there are.
// [Dao, Haziza, Massa and Sizov 2023, Flash-Decoding]
void kv_segments_attend(Attended to, Mat q, KvSegments parts, int H, const Mask *masks, AttentionKernel *kernel);

// The same, to the bit as grouped_attend with attention_naive over keys in one piece, wherever they are cut, as long as
// the parts come in the order of their keys: scores part by part, one softmax a row, then values part by part. It keeps
// a T × S table, runs on one processor, and asks for every part twice a head. (Chapter 20.)
void kv_segments_attend_in_order(Attended to, Mat q, KvSegments parts, int H, const Mask *masks);

// The keys of one head cut into `parts` of about equal size. For decoding, where one query gives only one row of tiles
// to work on. A kernel that stores the T × S table stores one for every part.
void kv_segments_split(Attended to, Mat q, Mat k, Mat v, Mask mask, int parts, AttentionKernel *kernel);

#endif
