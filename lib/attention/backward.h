// Chapter 08. Backward passes: from the gradient of what came out to the gradients of what went in.
//
// dX is the gradient of one number, the loss, with respect to X: element for element, how fast the loss rises when that
// element of X rises. It has the shape of X. So the gradients of a struct are a struct of the same kind: a Projected of
// gradients holds dq, dk and dv, a MultiHead of gradients holds dWqkv and dWo.
//
// Every function ADDS to the gradients that it is given. What was used twice then collects from both uses: pass the
// same matrix twice. A fresh gradient starts as mat_new made it, at 0. Gradients may be views of any stride; they must
// not overlap what is read. A gradient that nobody asks for may be left empty where the comment says so: then it is not
// computed. No memory is allocated but scratch, which is given back before the function returns.
//
// What is not here: residuals, norms, position encodings, an optimiser. Backward passes for other kernels: chapter 14.
#ifndef ATTENTION_BACKWARD_H
#define ATTENTION_BACKWARD_H

#include "attention/multi_head.h"

// Forward: matmul(out, a, b).
// dout (m, n), a (m, k), b (k, n) → da (m, k) += dout bᵀ, db (k, n) += aᵀ dout. Either may be left empty.
// It knows of no mask: 0 · NaN is NaN here.
void backward_matmul(Mat da, Mat db, Mat dout, Mat a, Mat b);

// Forward: softmax(weights, scores, n). From dweights (n) and the weights themselves; the scores are not needed.
// dscoresⱼ += wⱼ (dwⱼ − Σₖ wₖ dwₖ): the Jacobian of chapter 02 times dw, without building it. Weights of 0 give 0.
void backward_softmax(float *dscores, const float *dweights, const float *weights, int n);

// Forward: attention_scores(scores, q, k, mask). dscores (T, S) → dq (T, d), dk (S, d).
void backward_attention_scores(Mat dq, Mat dk, Mat dscores, Mat q, Mat k, Mask mask);

// Forward: out = weights v, over the keys in sight. dout (T, dv) → dweights (T, S), dv (S, dv).
void backward_mix_values(Mat dweights, Mat dv, Mat dout, Mat weights, Mat v, Mask mask);

// Forward: attention_naive((Attended){ .out, .weights = weights }, p.q, p.k, p.v, mask).
// dout (T, dv), p.q (T, d), p.k (S, d), p.v (S, dv), weights (T, S) as it left them → to.q, to.k, to.v of those shapes.
// A key that is out of sight gets nothing from that query and gives it nothing, not even when it is NaN. A query with
// nothing to see gets 0. Several query heads that share one key head pass the same to.k and to.v.
void backward_attention(HeadProjections to, Mat dout, HeadProjections p, Mat weights, Mask mask);

// Forward: multi_head_attend(out, weights, p.q, p.k, p.v, H, mask), with weights (H · T, S).
void backward_heads(HeadProjections to, Mat dout, HeadProjections p, Mat weights, int H, Mask mask);

// Forward: head_project(arena, x, y, w). From dp → dx (T, D), dy (S, D), dw. In self-attention dx and dy are one matrix.
// dx and dy may be left empty.
void backward_project(Mat dx, Mat dy, HeadWeights dw, HeadProjections dp, Mat x, Mat y, HeadWeights w);

// What the forward pass of one head must keep until the backward pass has read it. Floats of 4 bytes.
typedef struct {
    Mat x, y;          // (T, D) (S, D)   the inputs, not copied: for dWq, dWk, dWv
    HeadProjections p; // (T, d) (S, d) (S, dv)   q for dk, k for dq, v for the weights' gradient
    Mat weights;       // (T, S)          for dv and for the softmax; grows with the square of the length
} BackwardHeadKept;

// cross_attention to the bit, with what must be kept in memory from `arena`.
BackwardHeadKept backward_keep_cross_attention(Arena *arena, Mat out, Mat x, Mat y, HeadWeights w, Mask mask);

// dout (T, dv) → dx, dy, dw. backward_self_attention is for kept.y = kept.x: both roles of x are added into dx.
void backward_cross_attention(Mat dx, Mat dy, HeadWeights dw, Mat dout, BackwardHeadKept kept, HeadWeights w,
                              Mask mask);
void backward_self_attention(Mat dx, HeadWeights dw, Mat dout, BackwardHeadKept kept, HeadWeights w, Mask mask);

// What the forward pass of a layer in its fused form must keep. Floats of 4 bytes.
typedef struct {
    Mat x;       // (T, D)          the input, not copied: for dWqkv
    Mat qkv;     // (T, 3D)         q | k | v
    Mat weights; // (H · T, T)      one map a head: H · T² floats
    Mat heads;   // (T, D)          the heads side by side: for dWo
} BackwardKept;

// backward_kept_new makes room from `arena`; it can be used for step after step. backward_keep_multi_head is multi_head_fused,
// to the bit, from kept.x to out, and fills the rest of kept.
BackwardKept backward_kept_new(Arena *arena, Mat x, int H);
void backward_keep_multi_head(Mat out, BackwardKept kept, MultiHead m, Mask mask);

// dout (T, D) → dx (T, D), dm.wqkv (D, 3D), dm.wo (D, D). dx may be left empty; dm.wo is when m.wo is.
void backward_multi_head(Mat dx, MultiHead dm, Mat dout, BackwardKept kept, MultiHead m, Mask mask);

#endif
