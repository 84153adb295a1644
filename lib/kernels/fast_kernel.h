// Chapter 15. Shared declarations of the float32 attention kernels.
//
// Each kernel is compiled once for each instruction set (simd.h): blocks of queries (fast_block.c; as plain loops
// plain_c.c and reordered.c), decoding (fast_decode.c), decoding over latent rows (fast_mla.c), and the peak
// measurement (fast_probe.c).
#ifndef KERNELS_FAST_KERNEL_H
#define KERNELS_FAST_KERNEL_H

#include "attention/attention.h"
#include "attention/tiled.h"
#include "kernels/simd.h"

// KEYS: keys of a tile; its weights and one block of queries or outputs fit into the L1 cache together. SPAN: keys
// whose weights decoding computes at a time.
enum { KEYS = 64, SPAN = 2048 };
// The rescale threshold: the maximum is raised, and sums are rescaled, only when a score exceeds the running maximum by
// more than this many powers of two. With 2⁴⁰ a float32 can still hold sums of a million keys.
#define THRESHOLD 40.0f

// Distance from a query's position to the nearest of the keys 0 … end − 1. ALiBi distances are measured from that key:
// softmax is invariant to a constant added to all scores of a row, and scores stay small and exact if all keys are far.
static inline int to_nearest_key(int position, int end)
{
    return position < 0 ? -position : position < end ? 0 : position - end + 1;
}

// The tile of keys 0 … end − 1 that a block of queries processes as number `turn`: in ascending order, but with ALiBi
// from the tile at `position` back to the first, then those after it. The largest scores then come early, so the
// running maximum is about right from the first tile on.
static inline int tile_in_turn(int turn, Mask mask, int position, int end)
{
    int near = mask.alibi == 0.0f ? 0 : smaller(larger(position, 0), larger(end - 1, 0)) / KEYS;
    return turn <= near ? near - turn : turn;
}

// log Σ exp(score) of a row, from its largest score `max` (in units of q · k) and `sum`, Σ 2^((score − max) · scale),
// with `lowered` subtracted from all scores. −INFINITY if no key was seen (max −FLT_MAX, sum 0).
static inline float row_lse(float max, float sum, float scale, double lowered)
{
    if (max == INFINITY) return max;
    return (float)(((double)max * (double)scale + log2((double)sum)) * 0.69314718055994531 - lowered);
}

// ---- blocks of queries

typedef enum { RUNG_LANES, RUNG_1X4, RUNG_2X4, RUNG_4X4, RUNG_LAZY, RUNG_FAST } RungName;

typedef int NextBlock(void *context); // returns the index of the next block of queries
typedef void FastBlocks(RungName rung, Arena *scratch, Attended to, Mat q, Mat k, Mat v, Mask mask, NextBlock *next,
                        void *context);

FastBlocks fast_blocks_avx512, fast_blocks_avx2, fast_blocks_neon, fast_blocks_generic;
AttentionKernel plain_c_avx512, plain_c_avx2, plain_c_neon, plain_c_generic;
AttentionKernel reordered_avx512, reordered_avx2, reordered_neon, reordered_generic;

// ---- decoding: one query per head

// Partial result of the R heads of a KV group over some of the keys: Σ 2^((s − max) · scale) v, the largest s, Σ of
// weights.
typedef struct {
    Mat out, max, sum;
} Partial; // (R, dv) (R, 1) (R, 1)

// Decodes the KV groups `groups`, q (groups.count · R, d), over some of the keys; `of` is the cache in any
// representation. to and masks: [groups.count], [groups.count · R]. `sinks` are keys before the others.
typedef void DecodeKeys(Arena *scratch, const void *of, const Partial *to, MaskRange groups, Mat q, const Mask *masks,
                        MaskRange sinks, MaskRange keys);
typedef struct {
    const void *of;
    int S, G;
    DecodeKeys *decode;
} DecodeRows;

// Decoding over such rows by split-KV: the visible keys are cut into parts, which threads share and then merge. Shapes
// and masks as in attention_fast_decode, after grouped_require.
void fast_decode_parts(Attended to, Mat q, DecodeRows rows, int H, const Mask *masks);

// The same over float32, k (S, groups · d) and v. fast_mla: for values that are a view of their group's key columns.
typedef void FastDecode(Arena *scratch, const Partial *to, int groups, Mat q, Mat k, Mat v, const Mask *masks,
                        MaskRange sinks, MaskRange keys);
FastDecode fast_decode_avx512, fast_decode_avx2, fast_decode_neon, fast_decode_generic;
FastDecode fast_mla_avx512, fast_mla_avx2, fast_mla_neon, fast_mla_generic;

// ---- peak measurement: see fast_probe_rows

typedef int64_t FastProbe(int rounds, int rows);
FastProbe fast_probe_avx512, fast_probe_avx2, fast_probe_neon, fast_probe_generic;

#endif
