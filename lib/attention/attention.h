// Chapter 03. Scaled dot-product attention: one head.
//
// Every way to compute it has this one signature, so that one can be swapped for another and tested against it.
#ifndef ATTENTION_ATTENTION_H
#define ATTENTION_ATTENTION_H

#include "attention/mask.h"
#include "base/mat.h"

// Where the results go. lse and weights may be left empty: (Attended){ .out = out }.
typedef struct {
    Mat out;     // (T, dv)  softmax(q kᵀ / √d + mask) v; a row with nothing to see is all 0
    Mat lse;     // (T, 1)   log Σⱼ exp(score of query i and key j) over the keys in sight; −INFINITY without any
    Mat weights; // (T, S)   the softmax itself; 0 where the mask hides a key. A NaN in sight makes its row NaN
} Attended;

// q (T, d)  k (S, d)  v (S, dv). d ≥ 1; T, S and dv may be 0. Inputs and outputs must not overlap.
// A key that is out of sight cannot reach the output, not even when it or its value is NaN.
typedef void AttentionKernel(Attended to, Mat q, Mat k, Mat v, Mask mask);

AttentionKernel attention_naive;

// scores (T, S) = q kᵀ / √d + mask: what the softmax of a head is given. −INFINITY where the mask hides a key.
void attention_scores(Mat scores, Mat q, Mat k, Mask mask);

// weights (T, S) = softmax of these, for a kernel that does not keep them; nothing when weights is empty.
void attention_weights(Mat weights, Mat q, Mat k, Mask mask);

// out (T, dv) += weights (T, S) v (S, dv), over the keys that are in sight.
void attention_mix(Mat out, Mat weights, Mat v, Mask mask);

// Stops the program when the shapes do not fit together; for the first line of a kernel.
void attention_require(Attended to, Mat q, Mat k, Mat v);

#endif
