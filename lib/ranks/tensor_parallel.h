// Chapter 23. Tensor parallelism: heads are divided among ranks. Each rank has the columns of Wq, Wk and Wv and the
// rows of Wo of its heads, and all of x. The output is a sum over heads, so one all-reduce adds the ranks'
// contributions. [Shoeybi et al. 2019, arXiv:1909.08053, §3]
//
// A KV head that query heads of two ranks read is on both. With more ranks than heads some have no head and contribute
// zeros.
#ifndef RANKS_TENSOR_PARALLEL_H
#define RANKS_TENSOR_PARALLEL_H

#include "attention/self_attention.h"
#include "ranks/shares.h"

// Weights of all heads, or of one rank's: wq (D, H d)  wk (D, G d)  wv (D, G dv)  wo (H dv, D).
typedef struct {
    Mat wq, wk, wv, wo;
} TensorParallelHeads;

// The weights of rank `rank` of R: views.
TensorParallelHeads tensor_parallel_heads(TensorParallelHeads all, ShareSequence s, int R, int rank);

// Activations of this rank's heads for the backward pass, in its arena.
typedef struct {
    HeadProjections p;
    Mat heads, lse; // (T, heads · dv)  (T, heads)
} TensorParallelKept;

// x (T, D), the same on all ranks, and this rank's heads of s → out (T, D), bit-identical on all ranks.
TensorParallelKept tensor_parallel_attend(Rank *rank, Mat out, Mat x, TensorParallelHeads own, ShareSequence s,
                                          AttentionKernel *kernel);

// dout (T, D), the same on all ranks → dx (T, D), bit-identical on all ranks, and dw of this rank's heads. All ADDED.
// One all-reduce, of dx. If two ranks share a KV head, each one's dw.wk and dw.wv holds the contribution of its own
// query heads: the gradient is their sum.
void tensor_parallel_backward(Rank *rank, Mat dx, TensorParallelHeads dw, Mat dout, Mat x, TensorParallelHeads own,
                              TensorParallelKept kept, ShareSequence s);

#endif
