// Exercise 04a, solved wrongly: number WRONG of these gets this answer.
//
// 1: divided by sqrt(d)
// 2: not by sqrt(D)
// 3: not by d
// 4: q and k are swapped
// 5: the softmax runs along the rows
// 6: softmax makes weights of them first
// 7: rows times columns
// 8: what a word hands over is its value
// 9: by wk, not by wq
// 10: v = x wv
// 11: k = x wk
// 12: q = x wq
// 13: add up columns, not rows
// 14: that is no mixture of values
// 15: all that is received sums to 6, and 3 words
// 16: after the softmax it is too late
// 17: not how many words there are
// 18: at which does yours begin?
// 19: what it gives to itself
// 20: a sum is asked for
// 21: only what the last word gives
// 22: softmax makes weights of them first
// 23: not in the whole table
// 24: this is x times wᵀ
// 25: by wq, not by wk
// 26: by wv, not by wq
// 27: nothing is projected
// 28: multiplied by sqrt(d)
// 29: divided by the root of dv
// 30: no mask was asked for
// 31: through softmax once more
// 32: all weights are the same
// 33: turned round before they meet v
// 34: these are exponentials times v
// 35: this is v times the weights
// 36: the word itself has been added
// 37: the sum goes on from word to word
// 38: the largest of the arrows
// 39: but of other weights
// 40: it looks at itself, too
// 41: the value of one word alone
// 42: not divided once more
// 43: these scores are cosines
// 44: is it kept in an int?
// 45: what word 0 receives
// 46: it is in the sum already
// 47: gives to itself
// 48: is taken away here
// 49: word 0 gives something
// 50: the last word gives something
// 51: words that come later
// 52: only what word 0 gives
// 53: by wq, not by wv
// 54: by wk, not by wv
// 55: the wrong sign
#include "attention/dot_product.h"
#include "attention/self_attention.h"
#include "attention/softmax.h"
#include "exercises/wrong.h"
#include "lesson/matrices.h"

#include <math.h>

void my_self_attention(Mat out, Mat x, HeadWeights w, Arena *arena);
void my_received(float *received, Mat weights);

static Mat transposed(Arena *arena, Mat m)
{
    Mat t = mat_new(arena, m.cols, m.rows);
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++) *mat_ref(t, j, i) = *mat_ref(m, i, j);
    return t;
}

// Numbers 28 to 36 and 40 to 46, which leave q, k and v alone.
static void my_odd_attention(Mat out, Mat x, HeadProjections p, Arena *arena, int how)
{
    Mat weights = mat_new(arena, x.rows, x.rows);
    float root = sqrtf((float)(how == 29 ? p.v.cols : p.q.cols)), scale = how == 28 ? root : 1.0f / root;
    if (how == 44) scale = 1.0f / floorf(root);
    attention_scores(weights, p.q, p.k, (Mask){ .scale = scale, .causal = how == 30 });
    if (how == 32) mat_fill(weights, 0.0f);
    for (int i = 0; i < x.rows && how == 40 && x.rows > 1; i++) *mat_ref(weights, i, i) = -INFINITY;
    for (int i = 0; i < x.rows && how == 43; i++)
        for (int j = 0; j < x.rows; j++)
            *mat_ref(weights, i, j) = cosine_similarity(mat_row(p.q, i), mat_row(p.k, j), p.q.cols);
    for (int i = 0; i < x.rows && how == 34; i++)
        for (int j = 0; j < x.rows; j++) *mat_ref(weights, i, j) = expf(*mat_ref(weights, i, j));
    if (how != 34) softmax_rows(weights, weights);
    if (how == 31) softmax_rows(weights, weights);
    if (how == 33) weights = transposed(arena, weights);
    for (int i = 1; i < x.rows && how == 45; i++) mat_set(mat_rows(weights, i, 1), mat_rows(weights, 0, 1));
    if (how == 35 && p.v.cols == x.rows) matmul(out, p.v, weights);
    else matmul(out, weights, p.v);
    for (int i = 0; i < x.rows; i++) {
        int best = mat_argmax(weights, i);
        for (int c = 0; c < out.cols; c++) {
            if (how == 36) *mat_ref(out, i, c) += *mat_ref(x, i, c);
            if (how == 41) *mat_ref(out, i, c) = *mat_ref(p.v, best, c);
            if (how == 42) *mat_ref(out, i, c) /= (float)x.rows;
            if (how == 46) *mat_ref(out, i, c) += *mat_ref(p.v, i, c);
        }
    }
}

void my_self_attention(Mat out, Mat x, HeadWeights w, Arena *arena)
{
    int how = wrong();
    if ((how >= 28 && how <= 36) || (how >= 40 && how <= 46)) {
        my_odd_attention(out, x, head_project(arena, x, x, w), arena, how);
        return;
    }
    if (how == 9) w.wk = w.wq;
    if (how == 25) w.wq = w.wk;
    if (how == 53 && w.wv.cols == w.wq.cols) w.wq = w.wv;
    if (how == 54 && w.wv.cols == w.wq.cols) w.wk = w.wv;
    if (how == 26 && w.wv.cols == w.wq.cols) w.wv = w.wq;
    if (how == 24 && w.wq.rows == w.wq.cols)
        w = (HeadWeights){ transposed(arena, w.wq), transposed(arena, w.wk), transposed(arena, w.wv) };
    HeadProjections p = head_project(arena, x, x, w);
    if (how == 27) p = (HeadProjections){ x, x, x };
    Mat q = how == 4 ? p.k : how == 12 ? x : p.q, k = how == 4 ? p.q : how == 11 ? x : p.k;
    Mat v = how == 8 ? p.k : how == 10 ? x : p.v, weights = mat_new(arena, x.rows, x.rows);
    float root = how == 1 || how == 16 || how == 22 ? 1.0f
                 : how == 17                        ? sqrtf((float)x.rows)
                 : how == 2                         ? sqrtf((float)x.cols)
                                                    : sqrtf((float)w.wq.cols) * (how == 55 ? -1.0f : 1.0f);
    if (how == 7) matmul(weights, q, k);
    else matmul_transposed(weights, q, k);
    for (int i = 0; i < x.rows; i++)
        for (int j = 0; j < x.rows; j++) *mat_ref(weights, i, j) /= how == 3 ? root * root : root;
    if (how == 5) weights = transposed(arena, weights);
    if (how == 23) softmax(weights.at, weights.at, x.rows * x.rows);
    else if (how != 6 && how != 22) softmax_rows(weights, weights);
    if (how == 5) weights = transposed(arena, weights);
    matmul(out, weights, v);
    if (how == 14) *mat_ref(out, 0, 0) += 10.0f;
    if (how == 39) *mat_ref(out, 0, 0) += 0.01f;
    for (int i = 0; i < out.rows && how == 16; i++)
        for (int c = 0; c < out.cols; c++) *mat_ref(out, i, c) /= sqrtf((float)w.wq.cols);
}

void my_received(float *received, Mat weights)
{
    int how = wrong();
    float sum = 0.0f;
    for (int j = 0; j < weights.cols; j++) {
        if (how != 18) received[j] = how == 15 ? 1.0f : 0.0f;
        for (int i = how == 21 ? weights.rows - 1 : 0; i < weights.rows; i++)
            if (how != 19 || i != j) received[j] += how == 13 ? *mat_ref(weights, j, i) : *mat_ref(weights, i, j);
        if (how == 37) received[j] = sum += received[j];
        for (int i = 0; i < weights.rows && how == 38; i++)
            received[j] = i ? fmaxf(received[j], *mat_ref(weights, i, j)) : *mat_ref(weights, i, j);
        if (how == 20) received[j] /= (float)weights.rows;
        if (how == 47 || how == 52) received[j] = *mat_ref(weights, how == 47 ? j : 0, j);
        if (how == 48) received[j] -= 1.0f;
        if (how == 49 || how == 50) received[j] -= *mat_ref(weights, how == 49 ? 0 : weights.rows - 1, j);
        for (int i = j + 1; i < weights.rows && how == 51; i++) received[j] -= *mat_ref(weights, i, j);
    }
}
