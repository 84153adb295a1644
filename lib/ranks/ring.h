// Chapter 23. Ring attention: every rank keeps its queries, keys and values go round, and the result is exact.
// [Liu, Zaharia and Abbeel 2023, arXiv:2310.01889]
//
// A step: work on the block of keys that is here, while it is sent to the next rank and another one comes from the one
// before. What came of it is merged by its logsumexp (chapter 13). After R steps every query has met every key. Blocks
// come to a rank in the order me, me − 1, me − 2 …, so the result depends on the number of ranks and on the layout, by
// rounding alone, and on nothing else.
//
// Not here: masks that differ from head to head, more queries than keys or the other way round.
#ifndef RANKS_RING_H
#define RANKS_RING_H

#include "attention/self_attention.h"
#include "ranks/shares.h"

// What one step of a rank was.
typedef struct {
    int owner;             // whose keys
    int worked_on, hidden; // pairs of runs, for each head: given to the kernel; left out as nothing is in sight
    int64_t multiplies;    // counted, those of the merge included
    double began, worked;  // seconds since the task began: of step and work, of the work's end
    double arrived, ended; // when the next block was here, and when the step was over; last step: as worked
} RingStep;

// own.q (n, H d)  own.k (n, G d)  own.v (n, G dv): this rank's share of n rows, keys and values in one piece each.
// →  to.out (n, H dv) and to.lse (n, H). steps: room for R of them, or NULL. Each rank sends R − 1 blocks of keys and
// values; it has room for two of them beside its own, and for one head's share of one block's result.
// kernel NULL: no work is done; what sending takes by itself.
void ring_attend(Rank *rank, Attended to, HeadProjections own, ShareSequence s, AttentionKernel *kernel,
                 RingStep *steps);

// Forward: ring_attend(rank, did, own, s, …). dout (n, H dv) → to.q, to.k, to.v, shapes of own, ADDED as in backward.h.
// Queries and their gradients stay. Keys and values go round once more, and the gradients of each block follow it from
// rank to rank: every rank adds its queries' part, and the last one sends them home. What the owner's own queries give
// never leaves. Each rank sends twice what it sent forward, and has room for five blocks, from three ranks on.
void ring_backward(Rank *rank, HeadProjections to, Mat dout, HeadProjections own, Attended did, ShareSequence s);

// Bytes that rank `rank` of R sends forward, and the bytes of all that the task keeps for it in the rank's arena:
// queries, keys, values, outputs, lse; and room.
int64_t ring_bytes(ShareSequence s, int R, int rank);
int64_t ring_memory(ShareSequence s, int R, int rank);

#endif
