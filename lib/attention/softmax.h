// Chapter 02. Softmax: from scores to a distribution.
#ifndef ATTENTION_SOFTMAX_H
#define ATTENTION_SOFTMAX_H

#include "base/mat.h"

// One row of scores (n) to weights (n): wⱼ = exp(sⱼ − max s) / Σ exp(sₖ − max s). The two arrays may be the same.
// A row of −INFINITY only (no visible key), or an empty one, gives weights of 0. A NaN score makes its row NaN.
void softmax(float *weights, const float *scores, int n);

// softmax of every row of scores (m, n). The two matrices may be the same.
void softmax_rows(Mat weights, Mat scores);

// The textbook formula without max subtraction, to demonstrate its overflow.
void softmax_unshifted(float *weights, const float *scores, int n);

// softmax(scores / temperature), temperature > 0: near 0 the largest score takes all, far above 1 the weights become
// equal.
void softmax_at(float *weights, const float *scores, int n, float temperature);

// log Σ exp(sⱼ), without overflow; −INFINITY for an empty row or one of −INFINITY only.
float logsumexp(const float *scores, int n);

// For kernels that never store a whole row (online.c, tiled.c): the maximum of `max` and scores (n), where NaN counts
// as the largest; and log Σ exp(sⱼ) from the maximum and sum = Σ exp(sⱼ − max).
float softmax_running_max(float max, const float *scores, int n);
float logsumexp_of(float max, float sum);

// Entropy −Σ wⱼ log₂ wⱼ in bits: 0 if one weight is 1, log₂ n if all are equal.
float softmax_entropy(const float *weights, int n);

// jacobian (n, n) with ∂wᵢ/∂sⱼ = wᵢ (δᵢⱼ − wⱼ): diag(w) − w wᵀ.
void softmax_jacobian(Mat jacobian, const float *weights, int n);

#endif
