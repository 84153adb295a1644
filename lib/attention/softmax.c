// Chapter 02. Softmax, logsumexp, entropy and Jacobian of a row of weights. [Vaswani et al. 2017, §3.2.1,
// arXiv:1706.03762]
#include "attention/softmax.h"

#include "base/cost.h"
#include "base/portable_math.h"

// NaN counts as the largest, so that it reaches the result and is not hidden.
float softmax_running_max(float max, const float *scores, int n)
{
    for (int j = 0; j < n; j++)
        if (scores[j] > max || isnan(scores[j])) max = scores[j];
    return max;
}

// The largest score; −INFINITY if n is 0.
static float largest(const float *scores, int n) { return softmax_running_max(-INFINITY, scores, n); }

// One row of scores (n) to weights (n): wⱼ = exp(sⱼ − max s) / Σ exp(sₖ − max s).
// Subtracting the maximum keeps expf below its overflow at 88.7; it cancels in the quotient.
// A row of −INFINITY only has no visible key: its weights are 0.
void softmax(float *weights, const float *scores, int n)
{
    float max = largest(scores, n), sum = 0.0f;
    if (max == -INFINITY) {
        for (int j = 0; j < n; j++) weights[j] = 0.0f;
        return;
    }
    for (int j = 0; j < n; j++) {
        weights[j] = expf(scores[j] - max);
        sum += weights[j];
    }
    cost_counted.exps += n;
    for (int j = 0; j < n; j++) weights[j] /= sum;
}

void softmax_rows(Mat weights, Mat scores)
{
    REQUIRE(weights.rows == scores.rows && weights.cols == scores.cols,
            "weights is " MAT_SHAPE ", scores is " MAT_SHAPE, MAT_SHAPED(weights), MAT_SHAPED(scores));
    for (int i = 0; i < scores.rows; i++) softmax(mat_row(weights, i), mat_row(scores, i), scores.cols);
}

// Fails in float32: expf(89) is +INFINITY, and INFINITY / INFINITY is NaN.
void softmax_unshifted(float *weights, const float *scores, int n)
{
    float sum = 0.0f;
    for (int j = 0; j < n; j++) sum += weights[j] = expf(scores[j]);
    for (int j = 0; j < n; j++) weights[j] /= sum;
    cost_counted.exps += n;
}

void softmax_at(float *weights, const float *scores, int n, float temperature)
{
    REQUIRE(temperature > 0.0f, "the temperature is %g; it must be above 0", (double)temperature);
    float max = largest(scores, n), shift = isinf(max) ? 0.0f : max;
    for (int j = 0; j < n; j++) weights[j] = (scores[j] - shift) / temperature; // at most 0: cannot overflow
    softmax(weights, weights, n);
}

// log Σ exp(sⱼ) = max s + log Σ exp(sⱼ − max s): max subtraction outside the logarithm.
float logsumexp(const float *scores, int n)
{
    float max = largest(scores, n), sum = 0.0f;
    if (isinf(max)) return max;
    for (int j = 0; j < n; j++) sum += expf(scores[j] - max);
    cost_counted.exps += n;
    return logsumexp_of(max, sum);
}

// An infinite maximum is the result: no visible key (−INFINITY), or a score that outweighs all others (+INFINITY).
float logsumexp_of(float max, float sum) { return isinf(max) ? max : max + logf(sum); }

// The average surprise −log₂ w in bits. 0 · log 0 counts as 0.
float softmax_entropy(const float *weights, int n)
{
    double bits = 0.0;
    for (int j = 0; j < n; j++)
        if (!(weights[j] == 0.0f)) bits -= (double)weights[j] * log2((double)weights[j]);
    return (float)bits;
}

// ∂wᵢ/∂sⱼ: raising a score by ε raises its own weight by ε wᵢ (1 − wᵢ) and lowers every other one by ε wᵢ wⱼ.
void softmax_jacobian(Mat jacobian, const float *weights, int n)
{
    REQUIRE(jacobian.rows == n && jacobian.cols == n, "jacobian is " MAT_SHAPE ", n is %d", MAT_SHAPED(jacobian), n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) *mat_ref(jacobian, i, j) = weights[i] * ((i == j ? 1.0f : 0.0f) - weights[j]);
}
