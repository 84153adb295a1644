// Chapter 03. Scaled dot-product attention in three passes. [Vaswani et al. 2017, §3.2.1, arXiv:1706.03762]
#include "attention/attention.h"

#include "attention/dot_product.h"
#include "attention/softmax.h"
#include "base/cost.h"
#include "base/portable_math.h"

void attention_require(Attended to, Mat q, Mat k, Mat v)
{
    REQUIRE(q.cols >= 1 && q.cols == k.cols,
            "q is " MAT_SHAPE ", k is " MAT_SHAPE ": their widths must be equal and at least 1", MAT_SHAPED(q),
            MAT_SHAPED(k));
    REQUIRE(k.rows == v.rows, "k is " MAT_SHAPE ", v is " MAT_SHAPE ": every key needs its value", MAT_SHAPED(k),
            MAT_SHAPED(v));
    REQUIRE(to.out.rows == q.rows && to.out.cols == v.cols, "out is " MAT_SHAPE "; it must be " MAT_SHAPE,
            MAT_SHAPED(to.out), q.rows, v.cols);
    REQUIRE(mat_empty(to.lse) || (to.lse.rows == q.rows && to.lse.cols == 1),
            "lse is " MAT_SHAPE "; it must be " MAT_SHAPE, MAT_SHAPED(to.lse), q.rows, 1);
    REQUIRE(mat_empty(to.weights) || (to.weights.rows == q.rows && to.weights.cols == k.rows),
            "weights is " MAT_SHAPE "; it must be " MAT_SHAPE, MAT_SHAPED(to.weights), q.rows, k.rows);
}

// sᵢⱼ = qᵢ · kⱼ / √d + mask. A masked key is not even multiplied: its score is −INFINITY.
void attention_scores(Mat scores, Mat q, Mat k, Mask mask)
{
    REQUIRE(q.cols >= 1 && q.cols == k.cols && scores.rows == q.rows && scores.cols == k.rows,
            "scores is " MAT_SHAPE ", q is " MAT_SHAPE ", k is " MAT_SHAPE, MAT_SHAPED(scores), MAT_SHAPED(q),
            MAT_SHAPED(k));
    float scale = mask_scale(mask, q.cols); // 1/√d
    for (int i = 0; i < q.rows; i++)
        for (int j = 0; j < k.rows; j++) {
            bool seen = mask_sees(mask, i, j, q.rows, k.rows);
            float score = seen ? dot_product(mat_row(q, i), mat_row(k, j), 1, q.cols) * scale : 0.0f;
            *mat_ref(scores, i, j) = score + mask_bias(mask, i, j, q.rows, k.rows);
        }
}

void attention_weights(Mat weights, Mat q, Mat k, Mask mask)
{
    if (mat_empty(weights)) return;
    attention_scores(weights, q, k, mask);
    softmax_rows(weights, weights);
}

// outᵢ += Σⱼ wᵢⱼ vⱼ over the visible keys: a weighted sum of values.
void attention_mix(Mat out, Mat weights, Mat v, Mask mask)
{
    for (int i = 0; i < out.rows; i++)
        for (int j = 0; j < v.rows; j++) {
            if (!mask_sees(mask, i, j, out.rows, v.rows)) continue;
            for (int c = 0; c < v.cols; c++) *mat_ref(out, i, c) += *mat_ref(weights, i, j) * *mat_ref(v, j, c);
            cost_counted.multiplies += v.cols;
        }
}

// Memory traffic, a lower bound: a row in use is loaded once, however often it is used, and stored once. Every
// multiplication loads a float of a key or a value. The table is written as scores, read, written as weights, and read
// again.
static void count_traffic(int64_t multiplies, Attended to, Mat q, Mat weights)
{
    int64_t table = (int64_t)weights.rows * weights.cols;
    cost_counted.reads += (int64_t)q.rows * q.cols + multiplies + 2 * table;
    cost_counted.writes += 2 * table + (int64_t)to.out.rows * to.out.cols + (mat_empty(to.lse) ? 0 : q.rows);
}

// out = softmax(q kᵀ / √d + mask) v, in three passes over a T × S table.
void attention_naive(Attended to, Mat q, Mat k, Mat v, Mask mask)
{
    attention_require(to, q, k, v);
    Arena *scratch = arena_open();
    Mat weights = mat_empty(to.weights) ? mat_new(scratch, q.rows, k.rows) : to.weights;
    Cost before = cost_counted;

    // 1. Scores: every query against every key.
    attention_scores(weights, q, k, mask);

    // 2. Weights: softmax of every row, in place. lse has no rows if it was not requested.
    for (int i = 0; i < to.lse.rows; i++) *mat_ref(to.lse, i, 0) = logsumexp(mat_row(weights, i), k.rows);
    softmax_rows(weights, weights);

    // 3. Output: every row of weights averages the values.
    mat_fill(to.out, 0.0f);
    attention_mix(to.out, weights, v, mask);

    count_traffic(cost_since(before).multiplies, to, q, weights);
    cost_scratch((int64_t)arena_peak(scratch));
    arena_close(scratch);
}
