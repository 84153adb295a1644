// Chapter 23. Sharding a sequence: which positions each rank has, and the mask between queries of one rank and keys of
// another.
//
// A share consists of runs of equally spaced positions. So the mask between two runs is again a Mask, and any kernel
// can be used: between positions that are R apart, a window of W becomes one of about W / R.
//
// Not here: two-sided windows, ALiBi and globals between runs with a step above 1. A Mask cannot express the result.
#ifndef RANKS_SHARES_H
#define RANKS_SHARES_H

#include "attention/mask.h"
#include "base/mat.h"
#include "ranks/rank.h"

// Contiguous: rank r has the r-th of R pieces. Striped: r, r + R, r + 2R … [Brandon et al. 2023, arXiv:2311.09431].
// Zigzag: of 2R pieces, the r-th from the front and the r-th from the end [LLaMA 3's report, 2024, §3.3.2].
// The last two balance the load under a causal mask.
typedef enum { SHARE_CONTIGUOUS, SHARE_STRIPED, SHARE_ZIGZAG, SHARE_LAYOUTS } ShareLayout;
extern const char *const share_layout_names[SHARE_LAYOUTS + 1]; // names, NULL-terminated

typedef struct {
    int first, count, step;
} ShareRun; // positions first, first + step, …
typedef struct {
    ShareRun runs[2];
    int count, rows;
} Share; // order of the rows in a rank's matrices

// The share of rank `rank` of R in T positions. Sizes of shares differ by at most one row; two with zigzag.
Share share_of(ShareLayout layout, int T, int R, int rank);
int share_most(ShareLayout layout, int T, int R); // rows of the largest share

// Shape of the sharded attention: T queries and T keys, H heads over G KV heads, one mask for all heads.
typedef struct {
    int T, H, G, d, dv;
    ShareLayout layout;
    Mask mask;
} ShareSequence;

// What a run of queries sees of a run of keys: the first `keys` keys, through the mask. keys 0: nothing. S: length of
// the whole sequence.
typedef struct {
    int keys;
    Mask mask;
} ShareSeen;
ShareSeen share_seen(Mask mask, int S, ShareRun queries, ShareRun keys);

// Gathers every rank's rows at their positions in `whole` (T, cols) on rank 0 (empty elsewhere).
void share_gather(Rank *rank, Mat whole, Mat mine, ShareLayout layout, int T);

// The rows of `whole` (T, cols) that belong to this share, in new memory.
Mat share_rows(Arena *arena, Mat whole, Share share);

// Divides n heads among R ranks: `count` of them from `first` for this rank.
MaskRange share_heads(int n, int R, int rank);

// The KV heads, of G, that these query heads, of H, read.
MaskRange share_key_heads(MaskRange heads, int H, int G);

#endif
