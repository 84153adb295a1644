// Chapter 09. Attention by the matrix products of attention/product.h: what the model computes its heads with.
//
// The three passes of chapter 03 and their way back, with the same bits: only the order in which a processor comes to
// the sums is another. It multiplies hidden pairs, too; chapter 14 is about leaving them out.
#ifndef ATTENTION_ATTENTION_PRODUCT_H
#define ATTENTION_ATTENTION_PRODUCT_H

#include "attention/self_attention.h"

// attention_naive, to the bit: what a mask hides cannot reach the output here either.
AttentionKernel attention_product;

// Its first passes alone: scores (T, S) as attention_scores has them, and weights (T, S).
void attention_product_scores(Mat scores, Mat q, Mat k, Mask mask);
void attention_product_weights(Mat weights, Mat q, Mat k, Mask mask);

// Forward: attention_product((Attended){ .out, .weights = weights }, p.q, p.k, p.v, mask), and the loss has
// − bonus · Σ weights² of its own. dout (T, dv) → to.q, to.k, to.v: ADDS, as backward_attention does, and has its bits
// with a bonus of 0. Of the mask it asks only the scale: where a key is hidden its weight is 0, and 0 times a number is
// 0. So all numbers must be finite; 0 · NaN is NaN here.
void attention_product_backward(HeadProjections to, Mat dout, HeadProjections p, Mat weights, Mask mask, float bonus);

#endif
