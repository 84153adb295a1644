// Exercise 06a, solved wrongly: number WRONG of these gets this answer.
//
// 1: not a share of the memory
// 2: on the way in and on the way out
// 3: not side by side
// 4: begins at column h · d
// 5: a head of width d divides by √d
// 6: one head of full width
// 7: no mask was asked for
// 8: a head is given some of the tokens
// 9: that are wrong belong to head 1
// 10: each d columns wide, not H
// 11: the queries were taken for the keys
// 12: the keys were taken for the values
// 13: H and d have changed places
// 14: the scores are not divided
// 15: q and k have changed places
// 16: the scores are divided by √H
// 17: the scores are divided by d
// 18: the queries of head 0
// 19: the keys of head 0
// 20: the values of head 0
// 21: the keys and values of head 0
// 22: a view keeps the stride of its matrix
// 23: k and v have changed places
// 24: into columns 0 … d - 1 of out
// 25: not all of head 1's columns of out have been written
#include "attention/attention.h"
#include "exercises/wrong.h"

#include <math.h>

void my_heads(Mat out, Mat q, Mat k, Mat v, int H);

static Mat in_memory(Mat m, int h, int H)
{
    int d = m.cols / H;
    return (Mat){ m.at + h * m.rows * d, m.rows, d, d };
}

static Mat head(Mat m, int h, int H, bool memory)
{
    int d = m.cols / H;
    if (wrong() == 22) return (Mat){ m.at + h * d, m.rows, d, d };
    return memory ? in_memory(m, h, H) : mat_cols(m, wrong() == 4 ? h : wrong() == 10 ? h * H : h * d, d);
}

void my_heads(Mat out, Mat q, Mat k, Mat v, int H)
{
    int how = wrong();
    Mask mask = { .causal = how == 7, .scale = how == 5 ? 1.0f / sqrtf((float)q.cols) : 0.0f };
    if (how == 8) {
        for (int h = 0, d = q.cols / H; h < H; h++)
            attention_naive((Attended){ .out = mat_rows(out, h * d, d) }, mat_rows(q, h * d, d), mat_rows(k, h * d, d),
                            mat_rows(v, h * d, d), mask);
        return;
    }
    Mat asking = q, mixed = v;
    if (how == 16) mask.scale = 1.0f / sqrtf((float)H);
    if (how == 17) mask.scale = (float)H / (float)q.cols;
    if (how == 23) v = k;
    if (how == 23) k = mixed;
    if (how == 15) q = k;
    if (how == 15) k = asking;
    if (how == 14) mask.scale = 1.0f;
    if (how == 13) H = q.cols / H;
    if (how == 12) v = k;
    if (how == 11) k = q;
    bool in = how == 1 || how == 2;
    if (how == 6) attention_naive((Attended){ .out = out }, q, k, v, mask);
    for (int h = 0; h < H - (how == 25) && how != 6; h++) {
        int of_q = how == 18 ? 0 : h, of_k = how == 19 || how == 21 ? 0 : h, of_v = how == 20 || how == 21 ? 0 : h;
        int at = how == 24 ? 0 : h;
        Mat to = how == 2 || how == 3 ? in_memory(out, h, H) : mat_cols(out, at * (out.cols / H), out.cols / H);
        if (how == 9 && h == 1) mask.scale = 3.0f;
        attention_naive((Attended){ .out = to }, head(q, of_q, H, in), head(k, of_k, H, in), head(v, of_v, H, in),
                        mask);
    }
}
