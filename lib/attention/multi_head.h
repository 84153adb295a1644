// Chapter 06. Multi-head attention: several heads, each on its own columns of one projection.
// [Vaswani et al. 2017, §3.2.2, arXiv:1706.03762]
#ifndef ATTENTION_MULTI_HEAD_H
#define ATTENTION_MULTI_HEAD_H

#include "attention/self_attention.h"

// All projections are in one matrix. Query, key and value weights are column views of it, and so are each head's: head
// h owns columns h · d … h · d + d − 1.
typedef struct {
    int H;    // heads; d = D / H
    Mat wqkv; // (D, 3D)  Wq | Wk | Wv
    Mat wo;   // (D, D)   output projection; if empty, the heads are only concatenated
} MultiHead;

MultiHead multi_head_new(Arena *arena, int D, int H); // all zeros; H must divide D
HeadWeights multi_head_weights(MultiHead m, int h);   // head h's Wq, Wk, Wv (D, d): views into wqkv

// x (T, D) → out (T, D). weights, if requested, is (H · T, T): head h's map is rows h · T … h · T + T − 1.
// Three implementations with bit-identical results:
void multi_head_separate(Mat out, Mat weights, Mat x, MultiHead m, Mask mask); // H small projections, one per head
void multi_head_views(Mat out, Mat weights, Mat x, MultiHead m, Mask mask);    // three of D × D, heads are views
void multi_head_fused(Mat out, Mat weights, Mat x, MultiHead m, Mask mask);    // one of D × 3D, the same views

// The heads without projections: q (T, D), k (S, D), v (S, D) → out (T, D), head h in its own columns.
void multi_head_attend(Mat out, Mat weights, Mat q, Mat k, Mat v, int H, Mask mask);

// B sequences of T tokens, stacked: x (B · T, D) → out (B · T, D), each with its own mask. Sequences do not attend to
// each other. Parallel over sequences; the result does not depend on the number of threads.
void multi_head_batch(Mat out, Mat x, int B, MultiHead m, const Mask *masks);

#endif
