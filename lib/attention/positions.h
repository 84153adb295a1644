// Chapter 07. Where a word stands: sinusoidal positions, turned queries and keys (RoPE), a slope for each head (ALiBi).
//
// The fourth way, no positions at all (NoPE), needs no code. All angles are computed in float64; only their sines and
// cosines are rounded. So position 1,000,000 is as good as position 1, and the digits agree on every machine.
#ifndef ATTENTION_POSITIONS_H
#define ATTENTION_POSITIONS_H

#include "base/mat.h"

// ---- Sinusoidal: added to the words, before the first layer. [Vaswani et al. 2017, §3.5, arXiv:1706.03762]

// table (T, D), D even: row i belongs to position p = first + i, and columns 2m and 2m + 1 hold the sine and the cosine
// of p / 10000^(2m/D). `first` may be negative.
void sinusoidal(Mat table, int first);
void sinusoidal_add(Mat x, int first); // x (T, D) += that table

// ---- RoPE: queries and keys are turned, in every layer and every head. [Su et al. 2021, arXiv:2104.09864]

// The cosines and sines of all angles: position first + i turns pair m by (first + i) / 10000^(2m/d) radians. Words do
// not enter, so one table serves q and k, all heads and all layers. With a cache, `first` is the number of keys that
// are there already.
typedef struct {
    Mat cosine, sine;
} RopeTable;                                                 // (T, d / 2) each; row i is position first + i
RopeTable rope_table(Arena *arena, int first, int T, int d); // d even

// The same for texts longer than those of training: with another base than 10000, so that pairs turn more slowly, the
// first one excepted; and with all positions divided by `stretch`. [Chen et al. 2023, arXiv:2306.15595, for the latter]
RopeTable rope_table_scaled(Arena *arena, int first, int T, int d, double base, double stretch);

// m (T, d), one head's q or k, in place: row i is turned by row i of `turns`. A pair is columns 2m and 2m + 1, as in
// the paper; weights that were trained with pairs m and m + d/2 need the columns of Wq and Wk dealt anew (chapter 07).
void rope_apply(Mat m, RopeTable turns);
void rope_undo(Mat m, RopeTable turns); // turned by the same angles the other way: undoes `rope`

// ---- ALiBi: a slope for every head, for Mask.alibi. [Press et al. 2022, arXiv:2108.12409]

// Head h of 0 … H − 1: 2^(−8 (h + 1) / H). The paper's h counts from 1; its authors' code places the slopes in another
// way where H is not a power of two.
float alibi_slope(int h, int H);

#endif
