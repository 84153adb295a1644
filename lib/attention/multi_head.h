// Chapter 06. Multi-head attention: several heads side by side on slices of one projection.
#ifndef ATTENTION_MULTI_HEAD_H
#define ATTENTION_MULTI_HEAD_H

#include "attention/self_attention.h"

// One block of memory holds all the projections. Query, key and value weights are column views of it, and so is every
// head's share of each: head h owns columns h · d … h · d + d − 1.
typedef struct {
    int H;    // heads; d = D / H
    Mat wqkv; // (D, 3D)  Wq | Wk | Wv
    Mat wo;   // (D, D)   mixes what the heads found; left empty, the heads stay side by side
} MultiHead;

MultiHead multi_head_new(Arena *arena, int D, int H); // all zeros; H must divide D
HeadWeights multi_head_weights(MultiHead m, int h);   // head h's Wq, Wk, Wv (D, d): views into wqkv

// x (T, D) → out (T, D). weights, when asked for, is (H · T, T): head h's map is rows h · T … h · T + T − 1.
// Three ways to the same numbers, to the bit:
void multi_head_separate(Mat out, Mat weights, Mat x, MultiHead m, Mask mask); // H small projections, head by head
void multi_head_views(Mat out, Mat weights, Mat x, MultiHead m, Mask mask);    // three of D × D, heads are views
void multi_head_fused(Mat out, Mat weights, Mat x, MultiHead m, Mask mask);    // one of D × 3D, the same views

// The heads alone, for those who have q (T, D), k (S, D) and v (S, D) already: out (T, D), head h in its own columns.
void multi_head_attend(Mat out, Mat weights, Mat q, Mat k, Mat v, int H, Mask mask);

// B sequences of T tokens: x (B · T, D) → out (B · T, D), one sequence below the other, each with its own mask.
// Sequences never see one another. Runs on all processors; the result does not depend on their number.
void multi_head_batch(Mat out, Mat x, int B, MultiHead m, const Mask *masks);

#endif
