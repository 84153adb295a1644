// Chapter 07. Positional encodings: sinusoidal, rotary (RoPE), and ALiBi slopes.
//
// The fourth option, no encoding (NoPE), needs no code. All angles are computed in float64; only sines and cosines are
// rounded. So position 1,000,000 is as accurate as position 1, and results agree on every machine.
#ifndef ATTENTION_POSITIONS_H
#define ATTENTION_POSITIONS_H

#include "base/mat.h"

// ---- Sinusoidal: added to the embeddings, before the first layer. [Vaswani et al. 2017, §3.5, arXiv:1706.03762]

// table (T, D), D even: row i encodes position p = first + i; columns 2m and 2m + 1 are the sine and cosine of p /
// 10000^(2m/D). `first` may be negative.
void sinusoidal(Mat table, int first);
void sinusoidal_add(Mat x, int first); // x (T, D) += that table

// ---- RoPE: queries and keys are rotated, in every layer and head. [Su et al. 2021, arXiv:2104.09864]

// Cosines and sines: position first + i rotates pair m by (first + i) / 10000^(2m/d) radians. They do not depend on the
// tokens, so one table serves q and k, all heads and all layers. With a KV cache, `first` is its length.
typedef struct {
    Mat cosine, sine;
} RopeTable;                                                 // (T, d / 2) each; row i is position first + i
RopeTable rope_table(Arena *arena, int first, int T, int d); // d even

// The same for contexts longer than those of training: a larger base slows the rotation of all pairs but the first
// (NTK-aware scaling); `stretch` divides all positions (position interpolation). [Chen et al. 2023, arXiv:2306.15595,
// for the latter]
RopeTable rope_table_scaled(Arena *arena, int first, int T, int d, double base, double stretch);

// m (T, d), one head's q or k, in place: row i is rotated by row i of `turns`. A pair is columns 2m and 2m + 1
// (interleaved), as in the paper. Weights trained with pairs m and m + d/2 (rotate_half) need the columns of Wq and Wk
// permuted.
void rope_apply(Mat m, RopeTable turns);
void rope_undo(Mat m, RopeTable turns); // rotates by the negative angles: the inverse

// ---- ALiBi: a slope for every head, for Mask.alibi. [Press et al. 2022, arXiv:2108.12409]

// 2^(−8 (h + 1) / H), h from 0. The paper counts from 1. The authors' code chooses other slopes if H is not a power of
// two.
float alibi_slope(int h, int H);

#endif
