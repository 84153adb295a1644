// Exercise 03a, solved wrongly: number WRONG of these gets this answer.
//
// 1: divide every score by sqrt(d)
// 2: not by d
// 3: do not multiply
// 4: not by d
// 5: a row begins at mat_row(q, i)
// 6: here rows of q meet rows of k
// 7: i and j are swapped
// 8: before the softmax
// 9: these are the scores
// 10: these are keys
// 11: mixed by the weights, not by the scores
// 12: add instead of overwriting
// 13: of one key alone
// 14: without their weights
// 15: this is the plain mean
// 16: v is a view
// 17: k is a view
// 18: which two rows meet in the first wrong element
// 19: the weights sum to 2
// 20: d is the number of columns of q
// 21: here rows of q meet rows of k
// 22: these are weights already
// 23: these are cosines
// 24: not how many keys there are
// 25: after the softmax it is too late
// 26: the weights sum to 1, as they must
// 27: is it kept in an int?
// 28: not twice
// 29: do not multiply
// 30: not a value
// 31: no longer what it was
// 32: worked out in whole numbers
// 33: stride is how far apart two rows begin
// 34: never set back
// 35: after the last product
// 36: k is not read
// 37: how far do i and j run
// 38: both are results
// 39: is not written everywhere
// 40: not divided once more
// 41: the mixture is not divided by it
// 42: key 0 is left out
// 43: the last key is left out
// 44: over all keys
// 45: not of the score
// 46: is far too much
// 47: is not the root of d
// 48: set back once a row
// 49: half of this is a mirror image
// 50: stand side by side
// 51: the last product of each score is missing
// 52: row i of q meets row i of k
// 53: shares of their exponentials
// 54: divided by the sum of them all
// 55: the best key takes all here
// 56: through softmax once more
// 57: these scores are cosines
// 58: the numbers of a key stand side by side
// 59: stand below each other
// 60: the output has dv of them
// 61: these are weights already
// 62: these are weights already
#include "attention/dot_product.h"
#include "attention/softmax.h"
#include "exercises/wrong.h"
#include "lesson/matrices.h"

#include <math.h>

void my_scaled_scores(Mat scores, Mat q, Mat k);
void my_look_up(float *out, float *weights, const float *query, Mat k, Mat v);

static const float *row_of(Mat m, int row, int unstrided)
{
    return wrong() == unstrided ? m.at + row * m.cols : mat_row(m, row);
}

static float divided_inside(const float *a, const float *b, int d)
{
    float sum = 0.0f;
    for (int c = 0; c < d; c++) sum = (sum + a[c] * b[c]) / sqrtf((float)d);
    return sum;
}

void my_scaled_scores(Mat scores, Mat q, Mat k)
{
    int how = wrong();
    float root = sqrtf((float)(how == 20 ? q.rows : how == 33 ? q.stride : q.cols)), kept = 0.0f;
    for (int i = 0; i < q.rows && how == 31; i++)
        for (int c = 0; c < q.cols; c++) *mat_ref(q, i, c) /= root;
    if (how == 31) root = 1.0f;
    if (how == 27) root = floorf(root);
    float scale = how == 1 || how == 61 || how == 62 ? 1.0f
                  : how == 2                         ? 1.0f / (root * root)
                  : how == 3                         ? root
                  : how == 32                        ? (float)(1 / q.cols)
                  : how == 46                        ? 1.0f / (float)(q.cols * q.cols)
                  : how == 47                        ? 2.0f / (float)q.cols
                                                     : 1.0f / root;
    if (how == 6 || how == 21) matmul(scores, q, k);
    for (int i = 0; i < q.rows; i++)
        for (int j = 0; j < (how == 37 && q.rows < k.rows ? q.rows : k.rows); j++) {
            float *score = how == 7 ? mat_ref(scores, j, i) : mat_ref(scores, i, j);
            if (how != 6 && how != 21) *score = dot_product(row_of(q, i, 5), row_of(k, j, 5), 1, q.cols);
            if (how == 36 && j < q.rows) *score = dot_product(mat_row(q, i), mat_row(q, j), 1, q.cols);
            bool other = how == 49 && i < j && q.rows == k.rows;
            if (other) *score = dot_product(mat_row(q, j), mat_row(k, i), 1, q.cols);
            if (how == 50) *score = dot_product(mat_row(q, i), mat_row(k, j), k.stride, q.cols);
            if (how == 51) *score -= *mat_ref(q, i, q.cols - 1) * *mat_ref(k, j, q.cols - 1);
            if (how == 52 && i < k.rows) *score = dot_product(mat_row(q, i), mat_row(k, i), 1, q.cols);
            *score *= how == 18 ? -scale : how == 21 ? 1.0f : scale;
            kept = how == 48 && j == 0 ? *score : kept + *score;
            if (how == 45) *score = sqrtf(*score * root);
            if (how == 34 || how == 48) *score = kept;
            if (how == 35) *score = divided_inside(mat_row(q, i), mat_row(k, j), q.cols);
            if (how == 23) *score = cosine_similarity(mat_row(q, i), mat_row(k, j), q.cols);
        }
    if (how == 22 || how == 61 || how == 62) softmax_rows(scores, scores);
    for (int i = 0; i < q.rows && how == 62; i++)
        for (int j = 0; j < k.rows; j++) *mat_ref(scores, i, j) /= root;
}

static void weights_of(float *weights, const float *query, Mat k, int dv)
{
    int how = wrong();
    float root = sqrtf((float)k.cols);
    for (int j = 0; j < k.rows; j++) {
        weights[j] = dot_product(query, row_of(k, j, 17), 1, k.cols);
        weights[j] /= how == 4                ? root * root
                      : how == 8 || how == 25 ? 1.0f
                      : how == 24             ? sqrtf((float)k.rows)
                      : how == 30             ? sqrtf((float)dv)
                                              : root;
        if (how == 28) weights[j] /= root;
        if (how == 29) weights[j] *= root * root;
    }
    if (how == 9) return;
    float sum = 0.0f;
    for (int j = 0; j < k.rows; j++) {
        if (how == 54) weights[j] = expf(weights[j]);
        if (how == 57) weights[j] = cosine_similarity(query, mat_row(k, j), k.cols);
        if (how == 58) weights[j] = dot_product(query, mat_row(k, j), k.stride, k.cols) / root;
        sum += weights[j];
    }
    for (int j = 0; j < k.rows && how == 53; j++) weights[j] /= sum;
    if (how == 53 || how == 54) return;
    if (how == 56) softmax(weights, weights, k.rows);
    softmax(weights, weights, how == 44 && k.cols < k.rows ? k.cols : k.rows);
    int best = mat_argmax((Mat){ weights, 1, k.rows, k.rows }, 0);
    for (int j = 0; j < k.rows && how == 55; j++) weights[j] = j == best ? 1.0f : 0.0f;
    for (int j = 0; j < k.rows && how == 19; j++) weights[j] *= 2.0f;
    for (int j = 0; j < k.rows && how == 25; j++) weights[j] /= root;
    for (int j = 0; j < k.rows && how == 26; j++) weights[j] = 1.0f / (float)k.rows;
}

// How much of value j goes into the output.
static float share(const float *weights, int j, const float *query, Mat k)
{
    int how = wrong();
    for (int other = 0; other < k.rows && how == 13; other++)
        if (weights[other] > weights[j]) return 0.0f;
    if ((how == 42 && j == 0) || (how == 43 && j == k.rows - 1)) return 0.0f;
    if (how == 40) return weights[j] / (float)k.rows;
    if (how == 41) return weights[j] / sqrtf((float)k.cols);
    if (how == 11) return dot_product(query, mat_row(k, j), 1, k.cols) / sqrtf((float)k.cols);
    return how == 13 || how == 14 ? 1.0f : how == 15 ? 1.0f / (float)k.rows : weights[j];
}

void my_look_up(float *out, float *weights, const float *query, Mat k, Mat v)
{
    int how = wrong();
    float own[16], *to = how == 38 ? own : weights;
    weights_of(to, query, k, v.cols);
    for (int c = 0; c < (how == 39 ? 1 : v.cols); c++) {
        out[c] = how == 59 ? dot_product(to, v.at + c, 1, v.rows) : 0.0f;
        if (how == 59 || (how == 60 && c >= k.cols)) continue;
        for (int j = 0; j < v.rows; j++) {
            const float *value = how == 10 && c < k.cols ? mat_row(k, j) : row_of(v, j, 16);
            out[c] = (how == 12 ? 0.0f : out[c]) + share(to, j, query, k) * value[c];
        }
    }
}
