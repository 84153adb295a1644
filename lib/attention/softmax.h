// Chapter 02. Softmax: from scores to a distribution.
#ifndef ATTENTION_SOFTMAX_H
#define ATTENTION_SOFTMAX_H

#include "base/mat.h"

// One row of scores (n) to weights (n): wⱼ = exp(sⱼ − max s) / Σ exp(sₖ − max s). The two arrays may be the same.
// A row of −INFINITY alone (no key to look at), and an empty row, give weights of 0. NaN in a score spreads to its row.
void softmax(float *weights, const float *scores, int n);

// Every row of scores (m, n) on its own. The two matrices may be the same.
void softmax_rows(Mat weights, Mat scores);

// The formula as it stands in most books, without taking the maximum away: for chapter 02, which shows it break.
void softmax_unshifted(float *weights, const float *scores, int n);

// Scores divided by a temperature > 0 first: near 0 the largest score takes all, far above 1 all are equal.
void softmax_at(float *weights, const float *scores, int n, float temperature);

// log Σ exp(sⱼ), without overflow; −INFINITY for an empty row or one of −INFINITY alone.
float logsumexp(const float *scores, int n);

// For kernels that never have a whole row (chapters 13 and 14). The larger of `max` and the scores (n), where NaN is
// larger than everything; and log Σ exp(sⱼ) from the largest score and sum = Σ exp(sⱼ − max).
float softmax_running_max(float max, const float *scores, int n);
float logsumexp_of(float max, float sum);

// −Σ wⱼ log₂ wⱼ in bits: 0 when one weight has it all, log₂ n when all are equal.
float softmax_entropy(const float *weights, int n);

// jacobian (n, n) with ∂wᵢ/∂sⱼ = wᵢ (δᵢⱼ − wⱼ): diag(w) − w wᵀ.
void softmax_jacobian(Mat jacobian, const float *weights, int n);

#endif
