// Chapter 08. Backward passes: from the gradient of an output to the gradients of the inputs.
//
// dX is the gradient of the loss with respect to X: for each element, how fast the loss rises when that element rises.
// It has the shape of X. So the gradients of a struct are a struct of the same type: HeadProjections of gradients hold
// dq, dk and dv, a MultiHead of gradients holds dWqkv and dWo.
//
// Every function ADDS to the gradients that it is given. An input that is used twice collects both contributions: pass
// the same matrix twice. A fresh gradient is 0, as mat_new leaves it. Gradients may be views of any stride; they must
// not overlap the inputs. Where the comment says so, an unwanted gradient may be left empty and is not computed. Only
// scratch memory is allocated, and it is released before the function returns.
//
// Not here: residuals, norms, positional encodings, an optimizer. tiled.h has the backward pass with recomputed
// weights.
#ifndef ATTENTION_BACKWARD_H
#define ATTENTION_BACKWARD_H

#include "attention/multi_head.h"

// Forward: matmul(out, a, b).
// dout (m, n), a (m, k), b (k, n) → da (m, k) += dout bᵀ, db (k, n) += aᵀ dout. Either may be left empty.
// Masks are not applied: 0 · NaN is NaN here.
void backward_matmul(Mat da, Mat db, Mat dout, Mat a, Mat b);

// Forward: softmax(weights, scores, n). Takes dweights (n) and weights; the scores are not needed.
// dscoresⱼ += wⱼ (dwⱼ − Σₖ wₖ dwₖ): the Jacobian of softmax times dw, without building it. Weights of 0 give 0.
void backward_softmax(float *dscores, const float *dweights, const float *weights, int n);

// Forward: attention_scores(scores, q, k, mask). dscores (T, S) → dq (T, d), dk (S, d).
void backward_attention_scores(Mat dq, Mat dk, Mat dscores, Mat q, Mat k, Mask mask);

// Forward: out = weights v, over the visible keys. dout (T, dv) → dweights (T, S), dv (S, dv).
void backward_mix_values(Mat dweights, Mat dv, Mat dout, Mat weights, Mat v, Mask mask);

// Forward: attention_naive((Attended){ .out, .weights = weights }, p.q, p.k, p.v, mask).
// dout (T, dv), p.q (T, d), p.k (S, d), p.v (S, dv), weights (T, S) from the forward pass → to.q, to.k, to.v of those
// shapes.
// A masked pair contributes no gradient, even if the key is NaN. A query without visible keys gets 0. Query heads that
// share a KV head pass the same to.k and to.v.
void backward_attention(HeadProjections to, Mat dout, HeadProjections p, Mat weights, Mask mask);

// Forward: multi_head_attend(out, weights, p.q, p.k, p.v, H, mask), with weights (H · T, S).
void backward_heads(HeadProjections to, Mat dout, HeadProjections p, Mat weights, int H, Mask mask);

// Forward: head_project(arena, x, y, w). dp → dx (T, D), dy (S, D), dw. In self-attention dx and dy are one matrix.
// dx and dy may be left empty.
void backward_project(Mat dx, Mat dy, HeadWeights dw, HeadProjections dp, Mat x, Mat y, HeadWeights w);

// Activations that the forward pass of one head saves for the backward pass. float32.
typedef struct {
    Mat x, y;          // (T, D) (S, D)   the inputs, not copied; needed for dWq, dWk, dWv
    HeadProjections p; // (T, d) (S, d) (S, dv)   dk needs q, dq needs k, dweights needs v
    Mat weights;       // (T, S)          for dv and the softmax; quadratic in the sequence length
} BackwardHeadKept;

// Bit-identical to cross_attention; the saved activations are in memory from `arena`.
BackwardHeadKept backward_keep_cross_attention(Arena *arena, Mat out, Mat x, Mat y, HeadWeights w, Mask mask);

// dout (T, dv) → dx, dy, dw. backward_self_attention is for kept.y = kept.x: both contributions of x are added to dx.
void backward_cross_attention(Mat dx, Mat dy, HeadWeights dw, Mat dout, BackwardHeadKept kept, HeadWeights w,
                              Mask mask);
void backward_self_attention(Mat dx, HeadWeights dw, Mat dout, BackwardHeadKept kept, HeadWeights w, Mask mask);

// Activations that multi_head_fused saves for the backward pass. float32.
typedef struct {
    Mat x;       // (T, D)          the input, not copied; for dWqkv
    Mat qkv;     // (T, 3D)         q | k | v
    Mat weights; // (H · T, T)      one attention map per head: H · T² floats
    Mat heads;   // (T, D)          the concatenated heads; for dWo
} BackwardKept;

// backward_kept_new allocates the buffers from `arena`; they can be reused every step. backward_keep_multi_head is
// bit-identical to multi_head_fused from kept.x to out, and fills the rest of kept.
BackwardKept backward_kept_new(Arena *arena, Mat x, int H);
void backward_keep_multi_head(Mat out, BackwardKept kept, MultiHead m, Mask mask);

// dout (T, D) → dx (T, D), dm.wqkv (D, 3D), dm.wo (D, D). dx may be left empty; dm.wo must be empty exactly if m.wo is.
void backward_multi_head(Mat dx, MultiHead dm, Mat dout, BackwardKept kept, MultiHead m, Mask mask);

#endif
