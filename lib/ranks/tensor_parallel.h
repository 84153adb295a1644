// Chapter 23. Heads among ranks, "tensor parallel": each rank has the columns of Wq, Wk and Wv and the rows of Wo that
// belong to its heads, and all of x. What its heads add to the output is a sum's part: one all-reduce makes it whole.
// [Shoeybi et al. 2019, arXiv:1909.08053, §3]
//
// A key head that query heads of two ranks read is on both. With more ranks than heads some have none, and add zeros.
#ifndef RANKS_TENSOR_PARALLEL_H
#define RANKS_TENSOR_PARALLEL_H

#include "attention/self_attention.h"
#include "ranks/shares.h"

// All heads, or those of one rank: wq (D, H d)  wk (D, G d)  wv (D, G dv)  wo (H dv, D).
typedef struct {
    Mat wq, wk, wv, wo;
} TensorParallelHeads;

// The heads of rank `rank` of R: views.
TensorParallelHeads tensor_parallel_heads(TensorParallelHeads all, ShareSequence s, int R, int rank);

// What the backward pass reads, of this rank's heads: in its arena.
typedef struct {
    HeadProjections p;
    Mat heads, lse; // (T, heads · dv)  (T, heads)
} TensorParallelKept;

// x (T, D), the same on all ranks, and this rank's heads of s → out (T, D), on all ranks the same bits.
TensorParallelKept tensor_parallel_attend(Rank *rank, Mat out, Mat x, TensorParallelHeads own, ShareSequence s,
                                          AttentionKernel *kernel);

// dout (T, D), the same on all ranks → dx (T, D), on all ranks the same bits, and dw of this rank's heads. All ADDED.
// One all-reduce, of dx. Where two ranks read one key head, each one's dw.wk and dw.wv is its own query heads' part:
// the gradient is the sum of these.
void tensor_parallel_backward(Rank *rank, Mat dx, TensorParallelHeads dw, Mat dout, Mat x, TensorParallelHeads own,
                              TensorParallelKept kept, ShareSequence s);

#endif
