// Chapter 23. Which positions of a sequence each rank has, and what queries of one rank see of the keys of another.
//
// A share consists of runs: positions that stand at equal distances. So what is left of a mask between two runs is a
// mask again, and any kernel can work on it: of positions that are R apart, a window of W holds W / R, more or less.
//
// Not here: two-sided windows, ALiBi and globals between runs of a step above 1. No Mask says what is left of them.
#ifndef RANKS_SHARES_H
#define RANKS_SHARES_H

#include "attention/mask.h"
#include "base/mat.h"
#include "ranks/rank.h"

// Contiguous: rank r has the r-th of R pieces. Striped: r, r + R, r + 2R … [Brandon et al. 2023, arXiv:2311.09431].
// Zigzag: of 2R pieces the r-th from the front and the r-th from the end [LLaMA 3's report, 2024, §3.3.2].
typedef enum { SHARE_CONTIGUOUS, SHARE_STRIPED, SHARE_ZIGZAG, SHARE_LAYOUTS } ShareLayout;
extern const char *const share_layout_names[SHARE_LAYOUTS + 1]; // their names, and NULL

typedef struct {
    int first, count, step;
} ShareRun; // positions first, first + step, …
typedef struct {
    ShareRun runs[2];
    int count, rows;
} Share; // its rows lie in this order in a rank's matrices

// What rank `rank` of R has of T positions. Shares are equal up to a row, or two of zigzag's.
Share share_of(ShareLayout layout, int T, int R, int rank);
int share_most(ShareLayout layout, int T, int R); // rows of the largest share

// An attention that ranks share: T queries and as many keys, H heads over G key heads, one mask for all heads.
typedef struct {
    int T, H, G, d, dv;
    ShareLayout layout;
    Mask mask;
} ShareSequence;

// What these queries see of these keys: the first `keys` keys of the run, through the mask. keys 0: nothing.
// S: how many positions there are in all.
typedef struct {
    int keys;
    Mask mask;
} ShareSeen;
ShareSeen share_seen(Mask mask, int S, ShareRun queries, ShareRun keys);

// Every rank's rows at their positions in `whole` (T, cols), which is rank 0's (empty elsewhere).
void share_gather(Rank *rank, Mat whole, Mat mine, ShareLayout layout, int T);

// The part of `whole` (T, cols) that this share is, in new memory.
Mat share_rows(Arena *arena, Mat whole, Share share);

// Parts of n things that cannot be split, heads: rank r of R has `count` of them from `first` on.
MaskRange share_heads(int n, int R, int rank);

// The key heads, of G, that these query heads, of H, read.
MaskRange share_key_heads(MaskRange heads, int H, int G);

#endif
