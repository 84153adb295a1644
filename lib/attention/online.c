// Chapter 13. Online softmax and the merge of two partial results.
// [Milakov and Gimelshein 2018, arXiv:1805.02867; Rabe and Staats 2021, arXiv:2112.05682]
//
// The output is accumulated before it is divided: values above FLT_MAX / S may overflow here, but not in
// attention_naive.
#include "attention/online.h"

#include "attention/dot_product.h"
#include "attention/softmax.h"
#include "base/cost.h"
#include "base/portable_math.h"

// Running state of a row. Initially (Running){ -INFINITY, 0 } and an output of 0.
typedef struct {
    float max; // the largest score so far
    float sum; // Σ exp(score − max) so far
} Running;

// Adds one key to the running state: sum, and out = Σ exp(score − max) value, both relative to the running maximum.
static void add_key(Running *row, float *out, float score, const float *value, int dv)
{
    // 1. New maximum: rescale the sums to it. NaN counts as the largest.
    if (score > row->max || isnan(score)) {
        float rescale = expf(row->max - score); // 0 for the first key, where the sums are 0
        row->sum *= rescale;
        for (int c = 0; c < dv; c++) out[c] *= rescale;
        row->max = score;
        cost_counted.exps++;
        cost_counted.multiplies += 1 + dv;
    }

    // 2. Add the key with its unnormalised weight. −INFINITY is handled separately: −INFINITY − −INFINITY is NaN.
    float weight = score == -INFINITY ? 0.0f : expf(score - row->max);
    row->sum += weight;
    for (int c = 0; c < dv; c++) out[c] += weight * value[c];
    cost_counted.exps += score == -INFINITY ? 0 : 1;
    cost_counted.multiplies += dv;
}

// Converts scores to weights, in place. Uses max and sum instead of lse, which near ±1e4 has few digits left for log
// sum.
static void normalise_weights(float *weights, int n, Running row)
{
    if (row.max == -INFINITY) row = (Running){ 0.0f, 1.0f }; // no visible key: exp(−INFINITY − 0) / 1 is 0
    for (int j = 0; j < n; j++) weights[j] = expf(weights[j] - row.max) / row.sum;
    cost_counted.exps += n;
}

// Memory traffic besides keys and values: a query is loaded and its output stored once; a row of scores is stored,
// loaded and stored as weights.
static void count_rows(Attended to, Mat q)
{
    int64_t out = (int64_t)to.out.rows * to.out.cols, lse = mat_empty(to.lse) ? 0 : q.rows;
    int64_t table = (int64_t)to.weights.rows * to.weights.cols;
    cost_counted.reads += (int64_t)q.rows * q.cols + table;
    cost_counted.writes += out + lse + 2 * table;
}

// out = softmax(q kᵀ / √d + mask) v, one pass per query. The row of out is the accumulator: no scratch memory.
void attention_online(Attended to, Mat q, Mat k, Mat v, Mask mask)
{
    attention_require(to, q, k, v);
    float scale = mask_scale(mask, q.cols);
    mat_fill(to.out, 0.0f);
    if (!mat_empty(to.weights)) mat_fill(to.weights, -INFINITY);

    for (int i = 0; i < q.rows; i++) {
        // 1. Every visible key, once.
        Running row = { -INFINITY, 0.0f };
        float *out = mat_row(to.out, i);
        for (int j = 0; j < k.rows; j++) {
            if (!mask_sees(mask, i, j, q.rows, k.rows)) continue;
            float score =
                dot_product(mat_row(q, i), mat_row(k, j), 1, q.cols) * scale + mask_alibi(mask, i, j, q.rows, k.rows);
            add_key(&row, out, score, mat_row(v, j), v.cols);
            if (!mat_empty(to.weights)) *mat_ref(to.weights, i, j) = score;
            cost_counted.reads += k.cols + v.cols;
        }

        // 2. Normalise once at the end. Without visible keys the sum is 0 and out stays 0.
        if (row.max != -INFINITY)
            for (int c = 0; c < v.cols; c++) out[c] /= row.sum;

        // 3. Optional outputs.
        if (!mat_empty(to.lse)) *mat_ref(to.lse, i, 0) = logsumexp_of(row.max, row.sum);
        if (!mat_empty(to.weights)) normalise_weights(mat_row(to.weights, i), k.rows, row);
    }
    count_rows(to, q);
}

// Merges two partial outputs, out (dv) and other (dv), with weights proportional to exp(lse) and exp(other_lse).
static void merge_rows(float *out, float *lse, const float *other, float other_lse, int dv)
{
    float max = *lse > other_lse || isnan(*lse) ? *lse : other_lse;
    float own = expf(*lse - max), others = expf(other_lse - max);
    for (int c = 0; c < dv; c++) out[c] = (own * out[c] + others * other[c]) / (own + others);
    *lse = logsumexp_of(max, own + others);
    cost_counted.exps += 2;
    cost_counted.multiplies += 2 * dv;
}

void attention_merge(Mat out, Mat lse, Mat other_out, Mat other_lse)
{
    REQUIRE(out.rows == other_out.rows && out.cols == other_out.cols, "out is " MAT_SHAPE ", the other is " MAT_SHAPE,
            MAT_SHAPED(out), MAT_SHAPED(other_out));
    REQUIRE(lse.rows == out.rows && lse.cols == 1, "lse is " MAT_SHAPE "; it must be " MAT_SHAPE, MAT_SHAPED(lse),
            out.rows, 1);
    REQUIRE(other_lse.rows == out.rows && other_lse.cols == 1, "the other lse is " MAT_SHAPE "; it must be " MAT_SHAPE,
            MAT_SHAPED(other_lse), out.rows, 1);
    for (int i = 0; i < out.rows; i++) {
        float *own = mat_ref(lse, i, 0), other = *mat_ref(other_lse, i, 0);
        if (other == -INFINITY) continue; // no keys: changes nothing, not even the sign of a zero
        if (*own == -INFINITY) {
            mat_set(mat_rows(out, i, 1), mat_rows(other_out, i, 1));
            *own = other;
        } else {
            merge_rows(mat_row(out, i), own, mat_row(other_out, i), other, out.cols);
        }
    }
}
