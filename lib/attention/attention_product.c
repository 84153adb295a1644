// Chapter 09. The three passes of attention as blocked matrix products, and their backward pass.
#include "attention/attention_product.h"

#include "attention/backward.h"
#include "attention/product.h"
#include "attention/softmax.h"
#include "base/cost.h"
#include "base/portable_math.h"

// scores (T, S) = q kᵀ / √d + mask. Masked pairs are multiplied too and then overwritten with −INFINITY.
void attention_product_scores(Mat scores, Mat q, Mat k, Mask mask)
{
    REQUIRE(q.cols >= 1 && q.cols == k.cols && scores.rows == q.rows && scores.cols == k.rows,
            "scores is " MAT_SHAPE ", q is " MAT_SHAPE ", k is " MAT_SHAPE, MAT_SHAPED(scores), MAT_SHAPED(q),
            MAT_SHAPED(k));
    float scale = mask_scale(mask, q.cols);
    mat_fill(scores, 0.0f);
    product_add_transposed(scores, q, k);
    for (int i = 0; i < q.rows; i++)
        for (int j = 0; j < k.rows; j++) {
            float bias = mask_bias(mask, i, j, q.rows, k.rows);
            *mat_ref(scores, i, j) = bias == -INFINITY ? bias : *mat_ref(scores, i, j) * scale + bias;
        }
}

static bool is_finite(Mat m)
{
    bool finite = true;
    for (int i = 0; i < m.rows; i++)
        for (int c = 0; c < m.cols; c++) finite &= isfinite(*mat_ref(m, i, c)) != 0;
    return finite;
}

// For values that are not finite: in a matrix product 0 · NaN is NaN, so they would reach queries that cannot see them.
// Here only visible pairs are multiplied.
static void mix_visible_values(Mat out, Mat weights, Mat v, Mask mask)
{
    for (int i = 0; i < out.rows; i++)
        for (int j = 0; j < v.rows; j++) {
            if (!mask_sees(mask, i, j, out.rows, v.rows)) continue;
            for (int c = 0; c < v.cols; c++) *mat_ref(out, i, c) += *mat_ref(weights, i, j) * *mat_ref(v, j, c);
            cost_counted.multiplies += v.cols;
        }
}

void attention_product_weights(Mat weights, Mat q, Mat k, Mask mask)
{
    attention_product_scores(weights, q, k, mask);
    softmax_rows(weights, weights);
}

void attention_product(Attended to, Mat q, Mat k, Mat v, Mask mask)
{
    attention_require(to, q, k, v);
    Arena *scratch = arena_open();
    Mat weights = mat_empty(to.weights) ? mat_new(scratch, q.rows, k.rows) : to.weights;

    // 1. Scores: every query against every key.
    attention_product_scores(weights, q, k, mask);

    // 2. Weights: softmax of every row, in place.
    if (!mat_empty(to.lse))
        for (int i = 0; i < q.rows; i++) *mat_ref(to.lse, i, 0) = logsumexp(mat_row(weights, i), k.rows);
    softmax_rows(weights, weights);

    // 3. Output: every row of weights averages the values.
    mat_fill(to.out, 0.0f);
    if (is_finite(v)) product_add(to.out, weights, v);
    else mix_visible_values(to.out, weights, v, mask);

    cost_scratch((int64_t)arena_peak(scratch));
    arena_close(scratch);
}

void attention_product_backward(HeadProjections to, Mat dout, HeadProjections p, Mat weights, Mask mask, float bonus)
{
    Arena *scratch = arena_open();
    Mat dweights = mat_new(scratch, p.q.rows, p.k.rows), dscores = mat_new(scratch, p.q.rows, p.k.rows);
    float scale = mask_scale(mask, p.q.cols);

    // Forward 3: out = weights v. The bonus: loss = … − bonus · Σ weights²
    product_add_transposed(dweights, dout, p.v);
    product_add_transposed_left(to.v, weights, dout);
    for (int i = 0; i < p.q.rows; i++)
        for (int j = 0; j < p.k.rows; j++) *mat_ref(dweights, i, j) -= 2.0f * bonus * *mat_ref(weights, i, j);

    // Forward 2: weights = softmax(scores), row by row
    for (int i = 0; i < p.q.rows; i++)
        backward_softmax(mat_row(dscores, i), mat_row(dweights, i), mat_row(weights, i), p.k.rows);

    // Forward 1: scores = q kᵀ · scale + mask; the mask is a constant
    for (int i = 0; i < p.q.rows; i++)
        for (int j = 0; j < p.k.rows; j++) *mat_ref(dscores, i, j) *= scale;
    product_add(to.q, dscores, p.k);
    product_add_transposed_left(to.k, dscores, p.q);
    cost_scratch((int64_t)arena_peak(scratch));
    arena_close(scratch);
}
