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
// 26: begins at column h · d of out
// 27: leave the rest of out unwritten
// 28: in the wrong order
// 29: columns are dealt out in turn
// 30: works on the columns of head 0
// 31: the queries and keys of head 0
// 32: multiplied by √d
// 33: compares all columns of q and k
// 34: nothing is divided by their number
// 35: which is more than `cols`
// 36: not at column h: in q, k, v and out
// 37: the columns of q, not its rows
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
    if (wrong() == 35) return (Mat){ m.at + h * d, m.rows, d, m.cols };
    if (wrong() == 22) return (Mat){ m.at + h * d, m.rows, d, d };
    return memory ? in_memory(m, h, H) : mat_cols(m, wrong() == 4 ? h : wrong() == 10 ? h * H : h * d, d);
}

// Head h has columns h, h + H, h + 2H … of all matrices.
static void in_turn(Mat out, Mat q, Mat k, Mat v, int H)
{
    Arena *arena = arena_open();
    int T = q.rows, d = q.cols / H;
    for (int h = 0; h < H; h++) {
        Mat from[] = { q, k, v }, part[4];
        for (int m = 0; m < 4; m++) part[m] = mat_new(arena, T, d);
        for (int m = 0; m < 3; m++)
            for (int i = 0; i < T; i++)
                for (int c = 0; c < d; c++) *mat_ref(part[m], i, c) = *mat_ref(from[m], i, c * H + h);
        attention_naive((Attended){ .out = part[3] }, part[0], part[1], part[2], (Mask){ 0 });
        for (int i = 0; i < T; i++)
            for (int c = 0; c < d; c++) *mat_ref(out, i, c * H + h) = *mat_ref(part[3], i, c);
    }
    arena_close(arena);
}

// Some columns of out are left to the reader: H heads of H columns or of T / H, or heads that begin at column h, of out
// or of all.
static void narrow(Mat out, Mat q, Mat k, Mat v, int H, int how)
{
    int d = how == 27 ? H : how == 37 ? q.rows / H : q.cols / H, step = how == 27 || how == 37 ? d : 1;
    for (int h = 0; h < H; h++) {
        int at = how == 27 ? h * H : how == 36 ? h : h * d;
        attention_naive((Attended){ .out = mat_cols(out, h * step, d) }, mat_cols(q, at, d), mat_cols(k, at, d),
                        mat_cols(v, at, d), (Mask){ 0 });
    }
}

void my_heads(Mat out, Mat q, Mat k, Mat v, int H)
{
    int how = wrong();
    if (how == 26 || how == 27 || how >= 36) narrow(out, q, k, v, H, how);
    if (how == 29) in_turn(out, q, k, v, H);
    if (how == 26 || how == 27 || how == 29 || how >= 36) return;
    Mask mask = { .causal = how == 7, .scale = how == 5 ? 1.0f / sqrtf((float)q.cols) : 0.0f };
    if (how == 8) {
        for (int h = 0, d = q.cols / H; h < H; h++)
            attention_naive((Attended){ .out = mat_rows(out, h * d, d) }, mat_rows(q, h * d, d), mat_rows(k, h * d, d),
                            mat_rows(v, h * d, d), mask);
        return;
    }
    Mat asking = q, mixed = v;
    if (how == 32) mask.scale = sqrtf((float)(q.cols / H));
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
        bool first = how == 30, pair = how == 31;
        int of_q = how == 18 || first || pair ? 0 : h, of_k = how == 19 || how == 21 || first || pair ? 0 : h;
        int of_v = how == 20 || how == 21 || first ? 0 : h, at = how == 24 ? 0 : how == 28 ? H - 1 - h : h;
        Mat to = how == 2 || how == 3 ? in_memory(out, h, H) : mat_cols(out, at * (out.cols / H), out.cols / H);
        if (how == 9 && h == 1) mask.scale = 3.0f;
        if (how == 33) mask.scale = 1.0f / sqrtf((float)to.cols);
        attention_naive((Attended){ .out = to }, how == 33 ? q : head(q, of_q, H, in),
                        how == 33 ? k : head(k, of_k, H, in), head(v, of_v, H, in), mask);
        for (int i = 0; i < to.rows && how == 34; i++)
            for (int c = 0; c < to.cols; c++) *mat_ref(to, i, c) /= (float)H;
    }
}
