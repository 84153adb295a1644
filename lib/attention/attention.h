// Chapter 03. Scaled dot-product attention: one head.
//
// All implementations share one signature, so that they are interchangeable and can be tested against each other.
#ifndef ATTENTION_ATTENTION_H
#define ATTENTION_ATTENTION_H

#include "attention/mask.h"
#include "base/mat.h"

// Outputs of an attention kernel. lse and weights are optional: (Attended){ .out = out }.
typedef struct {
    Mat out; // (T, dv)  softmax(q kᵀ / √d + mask) v; a row without visible keys is all 0
    Mat lse; // (T, 1)   log Σⱼ exp(score of query i and key j) over the visible keys; −INFINITY if there are none
    Mat weights; // (T, S)   the softmax itself; 0 where the mask hides a key. A visible NaN makes its row NaN
} Attended;

// q (T, d)  k (S, d)  v (S, dv). d ≥ 1; T, S and dv may be 0. Inputs and outputs must not overlap.
// A masked key cannot influence the output, even if it or its value is NaN.
typedef void AttentionKernel(Attended to, Mat q, Mat k, Mat v, Mask mask);

AttentionKernel attention_naive;

// scores (T, S) = q kᵀ / √d + mask, the input of the softmax. −INFINITY where the mask hides a key.
void attention_scores(Mat scores, Mat q, Mat k, Mask mask);

// weights (T, S) = softmax(scores), for kernels that do not store them; does nothing if weights is empty.
void attention_weights(Mat weights, Mat q, Mat k, Mask mask);

// out (T, dv) += weights (T, S) v (S, dv), over the visible keys.
void attention_mix(Mat out, Mat weights, Mat v, Mask mask);

// Shape check, called first by every kernel: exits with a message if the shapes do not match.
void attention_require(Attended to, Mat q, Mat k, Mat v);

#endif
