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
// 14: of which shape is each matrix on the way
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
#include "attention/dot_product.h"
#include "attention/self_attention.h"
#include "attention/softmax.h"
#include "exercises/wrong.h"

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

void my_self_attention(Mat out, Mat x, HeadWeights w, Arena *arena)
{
    int how = wrong();
    if (how == 9) w.wk = w.wq;
    if (how == 25) w.wq = w.wk;
    if (how == 26 && w.wv.cols == w.wq.cols) w.wv = w.wq;
    if (how == 24 && w.wq.rows == w.wq.cols)
        w = (HeadWeights){ transposed(arena, w.wq), transposed(arena, w.wk), transposed(arena, w.wv) };
    Projected p = project(arena, x, x, w);
    if (how == 27) p = (Projected){ x, x, x };
    Mat q = how == 4 ? p.k : how == 12 ? x : p.q, k = how == 4 ? p.q : how == 11 ? x : p.k;
    Mat v = how == 8 ? p.k : how == 10 ? x : p.v, weights = mat_new(arena, x.rows, x.rows);
    float root = how == 1 || how == 16 || how == 22 ? 1.0f : how == 17 ? sqrtf((float)x.rows) :
                 how == 2 ? sqrtf((float)x.cols) : sqrtf((float)w.wq.cols);
    if (how == 7) matmul(weights, q, k);
    else matmul_transposed(weights, q, k);
    for (int i = 0; i < x.rows; i++)
        for (int j = 0; j < x.rows; j++) *mat_ref(weights, i, j) /= how == 3 ? root * root : root;
    if (how == 5) weights = transposed(arena, weights);
    if (how == 23) softmax(weights.at, weights.at, x.rows * x.rows);
    else if (how != 6 && how != 22) softmax_rows(weights, weights);
    if (how == 5) weights = transposed(arena, weights);
    matmul(out, weights, v);
    if (how == 14) *mat_ref(out, 0, 0) += 1.0f;
    for (int i = 0; i < out.rows && how == 16; i++)
        for (int c = 0; c < out.cols; c++) *mat_ref(out, i, c) /= sqrtf((float)w.wq.cols);
}

void my_received(float *received, Mat weights)
{
    int how = wrong();
    for (int j = 0; j < weights.cols; j++) {
        if (how != 18) received[j] = how == 15 ? 1.0f : 0.0f;
        for (int i = how == 21 ? weights.rows - 1 : 0; i < weights.rows; i++)
            if (how != 19 || i != j) received[j] += how == 13 ? *mat_ref(weights, j, i) : *mat_ref(weights, i, j);
        if (how == 20) received[j] /= (float)weights.rows;
    }
}
