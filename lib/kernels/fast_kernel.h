// Chapter 15. What the kernels of attention in float32 share, and what fast.c has to know of them.
//
// Each is compiled once for each instruction set (simd.h): blocks of queries (fast_block.c, and as plain loops
// plain_c.c and reordered.c), one query a head (fast_decode.c), the same over latent rows (fast_mla.c), and the
// yardstick (fast_probe.c).
#ifndef KERNELS_FAST_KERNEL_H
#define KERNELS_FAST_KERNEL_H

#include "attention/attention.h"
#include "attention/tiled.h"
#include "kernels/simd.h"

// KEYS in a tile: its weights and one block of queries or outputs fit into the L1 cache together.
// SPAN: keys that decoding weighs at a time.
enum { KEYS = 64, SPAN = 2048 };
// The rescale threshold: a score may exceed the running maximum by this many powers of two before the maximum is raised
// and sums are rescaled. 2⁴⁰ leaves room for sums of a million.
#define THRESHOLD 40.0f

// From a query's position to the nearest of the keys 0 … end − 1. ALiBi's distances are measured from that key: softmax
// is invariant when all scores of a row change alike, and so they stay small and exact where all keys are far away.
static inline int to_nearest_key(int position, int end)
{
    return position < 0 ? -position : position < end ? 0 : position - end + 1;
}

// Which of the tiles of keys 0 … end − 1 a block of queries takes as number `turn`: one after the other; with ALiBi, from
// the one at `position` back to the first, and then those after it. So the largest scores come early, and the running
// maximum is about right from the first tile on.
static inline int tile_in_turn(int turn, Mask mask, int position, int end)
{
    int near = mask.alibi == 0.0f ? 0 : smaller(larger(position, 0), larger(end - 1, 0)) / KEYS;
    return turn <= near ? near - turn : turn;
}

// log Σ exp(score) of a row from its largest score (in units of q · k) and Σ 2^((score − max) · scale), when all scores
// are `lowered` first. −INFINITY where no key was seen: max −FLT_MAX, sum 0.
static inline float row_lse(float max, float sum, float scale, double lowered)
{
    if (max == INFINITY) return max;
    return (float)(((double)max * (double)scale + log2((double)sum)) * 0.69314718055994531 - lowered);
}

// ---- blocks of queries

typedef enum { RUNG_LANES, RUNG_1X4, RUNG_2X4, RUNG_4X4, RUNG_LAZY, RUNG_FAST } RungName;

typedef int NextBlock(void *context); // the next block of queries
typedef void FastBlocks(RungName rung, Arena *scratch, Attended to, Mat q, Mat k, Mat v, Mask mask, NextBlock *next,
                        void *context);

FastBlocks fast_blocks_avx512, fast_blocks_avx2, fast_blocks_neon, fast_blocks_generic;
AttentionKernel plain_c_avx512, plain_c_avx2, plain_c_neon, plain_c_generic;
AttentionKernel reordered_avx512, reordered_avx2, reordered_neon, reordered_generic;

// ---- one query a head

// What the R heads of a KV group sum up over some of the keys: Σ 2^((s − max) · scale) v, the largest s, the sum of weights.
typedef struct {
    Mat out, max, sum;
} Partial; // (R, dv) (R, 1) (R, 1)

// Some KV groups, q (groups.count · R, d), over some of S keys in any representation, `of`. to and masks: [groups.count],
// [groups.count · R]. `sinks` are the keys before the others.
typedef void DecodeKeys(Arena *scratch, const void *of, const Partial *to, MaskRange groups, Mat q, const Mask *masks,
                        MaskRange sinks, MaskRange keys);
typedef struct {
    const void *of;
    int S, G;
    DecodeKeys *decode;
} DecodeRows;

// One query a head against such rows: split-KV. The keys of a step are cut into parts, which are shared out among threads
// and merged. Shapes and masks as in attention_fast_decode, after grouped_require.
void fast_decode_parts(Attended to, Mat q, DecodeRows rows, int H, const Mask *masks);

// The same over float32, k (S, groups · d) and v. fast_mla: where each group's values are a view of its keys' columns.
typedef void FastDecode(Arena *scratch, const Partial *to, int groups, Mat q, Mat k, Mat v, const Mask *masks,
                        MaskRange sinks, MaskRange keys);
FastDecode fast_decode_avx512, fast_decode_avx2, fast_decode_neon, fast_decode_generic;
FastDecode fast_mla_avx512, fast_mla_avx2, fast_mla_neon, fast_mla_generic;

// ---- the yardstick: see fast_probe_rows

typedef int64_t FastProbe(int rounds, int rows);
FastProbe fast_probe_avx512, fast_probe_avx2, fast_probe_neon, fast_probe_generic;

#endif
