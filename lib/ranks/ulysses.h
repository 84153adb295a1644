// Chapter 23. Ulysses: shares of the sequence become shares of the heads, and back. Before the attention everyone sends
// everyone the columns of that one's heads; then each rank has the whole sequence for a few heads, and any kernel does
// them as if there were no ranks; afterwards everyone gets the rows of its own positions back.
// [Jacobs et al. 2023, arXiv:2309.14509]
//
// It needs as many heads as ranks: R ≤ H. A key head that heads of several ranks read is sent to each of them, so
// where R does not divide G keys and values are sent, and kept, more than once. Shares are contiguous, whatever
// s.layout says.
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
