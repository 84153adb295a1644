// Chapter 23. Ring attention: exact attention over a sharded sequence. Every rank keeps its queries; blocks of keys and
// values circulate. [Liu, Zaharia and Abbeel 2023, arXiv:2310.01889]
//
// In each step a rank attends to the current block of keys while it sends that block to the next rank and receives
// another from the previous one (overlap of communication and computation). Partial results are merged by logsumexp
// (online.h). After R steps every query has met every key. Rank me gets the blocks in the order me, me − 1, me − 2 …,
// so the result depends on the number of ranks and the layout, by rounding only, and on nothing else.
//
// Not here: masks that differ between heads; different numbers of queries and keys.
#ifndef RANKS_RING_H
#define RANKS_RING_H

#include "attention/self_attention.h"
#include "ranks/shares.h"

// Statistics of one step of a rank.
typedef struct {
    int owner;             // rank that owns the keys
    int worked_on, hidden; // pairs of runs, summed over heads: computed; skipped because fully masked
    int64_t multiplies;    // including the merge
    double began, worked;  // seconds since the task began: start of the step, end of the computation
    double arrived, ended; // arrival of the next block, end of the step; both = worked in the last step
} RingStep;

// own.q (n, H d)  own.k (n, G d)  own.v (n, G dv): this rank's share of n rows; keys and values contiguous.
// →  to.out (n, H dv) and to.lse (n, H). steps: R elements, or NULL. Each rank sends R − 1 blocks of keys and values.
// Scratch: two such blocks and one head's result for one block. kernel NULL: communication only, to measure its time.
void ring_attend(Rank *rank, Attended to, HeadProjections own, ShareSequence s, AttentionKernel *kernel,
                 RingStep *steps);

// Forward: ring_attend(rank, forward, own, s, …). dout (n, H dv) → to.q, to.k, to.v, shapes of own, ADDED as in
// backward.h.
// Queries and their gradients stay. Keys and values circulate again, followed by their gradients: every rank adds its
// queries' contribution, and the last one sends the sum to the owner. The contribution of the owner's own queries is
// never sent. Each rank sends twice as much as in the forward pass; scratch is five blocks if there are at least three
// ranks.
void ring_backward(Rank *rank, HeadProjections to, Mat dout, HeadProjections own, Attended forward, ShareSequence s);

// Bytes that rank `rank` of R sends in the forward pass; and bytes of its queries, keys, values, outputs, lse and
// scratch in the rank's arena.
int64_t ring_bytes(ShareSequence s, int R, int rank);
int64_t ring_memory(ShareSequence s, int R, int rank);

#endif
