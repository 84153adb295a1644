// Chapter 09. Attention by the blocked matrix products of attention/product.h, used by the model's forward and backward
// pass.
//
// The same three passes as attention_naive, and their backward pass, with bit-identical results; only the loop order
// differs. Masked pairs are multiplied too; tiled.h skips them.
#ifndef ATTENTION_ATTENTION_PRODUCT_H
#define ATTENTION_ATTENTION_PRODUCT_H

#include "attention/self_attention.h"

// Bit-identical to attention_naive, including that a masked key cannot influence the output.
AttentionKernel attention_product;

// The first one and the first two passes alone: scores (T, S) as in attention_scores, weights (T, S).
void attention_product_scores(Mat scores, Mat q, Mat k, Mask mask);
void attention_product_weights(Mat weights, Mat q, Mat k, Mask mask);

// Forward: attention_product((Attended){ .out, .weights = weights }, p.q, p.k, p.v, mask), with an extra loss term −
// bonus · Σ weights². dout (T, dv) → to.q, to.k, to.v: ADDS, as backward_attention does, and is bit-identical to it for
// bonus = 0. Only the mask's scale is used: a masked key has weight 0, and 0 · x = 0. So all inputs must be finite; 0 ·
// NaN is NaN here.
void attention_product_backward(HeadProjections to, Mat dout, HeadProjections p, Mat weights, Mask mask, float bonus);

#endif
