// Chapter 23. DeepSpeed-Ulysses: sequence parallelism by all-to-all. Before attention, each rank sends every other rank
// the columns of that rank's heads; then each rank has the whole sequence for a few heads, and any kernel works
// unchanged; a second all-to-all returns the rows of each rank's positions. [Jacobs et al. 2023, arXiv:2309.14509]
//
// Requires at least as many heads as ranks: R ≤ H. A KV head that heads of several ranks read is sent to each of them,
// so if R does not divide G, keys and values are sent and stored more than once. Shares are contiguous, whatever
// s.layout is.
#ifndef RANKS_ULYSSES_H
#define RANKS_ULYSSES_H

#include "attention/self_attention.h"
#include "ranks/shares.h"

// As ring_attend, for R ≤ s.H: own.q (n, H d)  own.k (n, G d)  own.v (n, G dv) → to.out (n, H dv), to.lse (n, H).
void ulysses_attend(Rank *rank, Attended to, HeadProjections own, ShareSequence s, AttentionKernel *kernel);

// Bytes that rank `rank` of R sends: queries, keys and values to the ranks of their heads; then outputs and lse of its
// heads to the ranks of their positions.
int64_t ulysses_bytes(ShareSequence s, int R, int rank);

#endif
