// Exercise 17a, solved wrongly: number WRONG of these gets this answer.
//
// 1: the turned part is missing
// 2: stands before the latent's
// 3: through head 0's columns of wuk
// 4: the scale is applied here already
// 5: the query of head 0 is taken
// 6: not those with keys that are made
// 7: the scale is that of rows of c + dr
// 8: the scale is that of d alone
// 9: the scores are not scaled
// 10: no mask was asked for
// 11: through head 0's columns of wuv
// 12: the latent comes first
// 13: a head's dv columns are neighbours
// 14: not that of heads with keys and values of their own
// 15: of all heads; each head's dr numbers belong behind its own c
// 16: they may be part of a wider matrix
// 17: the scale is that of the latent's c numbers
// 18: not by its root
// 19: every head looks with head 0's query
// 20: a head's d columns are neighbours
// 21: each head has d + dr of them
// 22: the dr numbers of head 0
// 23: it is the last ones that meet r
// 24: rows and columns of wuk are exchanged
// 25: each head's dr numbers stand behind its own d
// 26: multiplied by the root
// 27: a head's columns of wuv are taken from h · d on
// 28: afterwards q is no longer what it was
// 29: afterwards rows is no longer what it was
// 30: the turned part is missing: the last dr numbers of each head are to be written
// 31: a key or a value of a token is made
// 32: a key or a value of a token is made
// 33: a key or a value of a token is made
// 34: each head has d + dr of them
#include "attention/attention.h"
#include "attention/dot_product.h"
#include "base/portable_math.h"
#include "exercises/wrong.h"

void my_absorbed(Mat to, Mat q, Mat wuk, int H, int dr);
void my_latent_attention(Mat out, Mat q, Mat rows, Mat wuk, Mat wuv, int H, int dr);

void my_absorbed(Mat to, Mat q, Mat wuk, int H, int dr)
{
    int how = wrong(), width = q.cols / H, d = width - dr, c = wuk.rows;
    float by = how == 4 ? 1.0f / sqrtf((float)width) : 1.0f;
    for (int i = 0; i < q.rows; i++)
        for (int h = 0; h < H; h++) {
            int first = how == 5 ? 0 : how == 21 || how == 25 || how == 34 ? h * d : h * width;
            const float *from = (how == 16 ? q.at + i * q.cols : mat_row(q, i)) + first;
            float *at = mat_row(to, i) + h * (how == 15 ? c : c + dr);
            float *behind = how == 15 ? mat_row(to, i) + H * c + h * dr : at + (how == 2 ? 0 : c);
            for (int l = 0; l < c; l++) {
                float sum = 0.0f;
                const float *up = how == 16 ? wuk.at + l * wuk.cols : mat_row(wuk, l);
                for (int e = 0; e < d; e++) {
                    float by_e = up[how == 20 ? e * H + h : (how == 3 ? 0 : h * d) + e];
                    sum += from[e] * (how == 24 ? mat_row(wuk, e)[h * d + l] : by_e);
                }
                at[(how == 2 ? dr : 0) + l] = by * sum;
            }
            if (how == 25) from = mat_row(q, i) + H * d + h * dr - d;
            const float *own = how == 21 ? mat_row(q, i) + h * width : how == 22 ? mat_row(q, i) : from;
            for (int e = 0; e < dr && how != 30; e++) behind[e] = how == 1 ? 0.0f : by * own[how == 23 ? e : d + e];
        }
    if (how == 28) *mat_ref(q, 0, 0) *= 2.0f;
    if (how == 6) *mat_ref(to, 0, 0) *= 0.5f; // nothing that is known
}

// Keys are made (31, 32), and so are values (31, 33).
static void made(Mat out, Mat q, Mat rows, Mat wuk, Mat wuv, int H, int dr)
{
    Arena *arena = arena_open();
    int width = q.cols / H, c = wuk.rows, d = width - dr, dv = wuv.cols / H, S = rows.rows;
    Mat own = mat_new(arena, q.rows, H * (c + dr)), k = mat_new(arena, S, width), v = mat_new(arena, S, dv);
    Mat mixed = mat_new(arena, q.rows, c), latents = mat_cols(rows, 0, c);
    Mask mask = { .scale = 1.0f / sqrtf((float)width) };
    my_absorbed(own, q, wuk, H, dr);
    for (int h = 0; h < H; h++) {
        Mat to = mat_cols(out, h * dv, dv), up = mat_cols(wuv, h * dv, dv), query = mat_cols(q, h * width, width);
        matmul(mat_cols(k, 0, d), latents, mat_cols(wuk, h * d, d));
        mat_set(mat_cols(k, d, dr), mat_cols(rows, c, dr));
        matmul(v, latents, up);
        if (wrong() == 33) attention_naive((Attended){ .out = to }, mat_cols(own, h * (c + dr), c + dr), rows, v, mask);
        if (wrong() == 31) attention_naive((Attended){ .out = to }, query, k, v, mask);
        if (wrong() != 32) continue;
        attention_naive((Attended){ .out = mixed }, query, k, latents, mask);
        matmul(to, mixed, up);
    }
    arena_close(arena);
}

void my_latent_attention(Mat out, Mat q, Mat rows, Mat wuk, Mat wuv, int H, int dr)
{
    if (wrong() >= 31 && wrong() <= 33) {
        made(out, q, rows, wuk, wuv, H, dr);
        return;
    }
    int how = wrong(), width = q.cols / H, c = wuk.rows, dv = wuv.cols / H;
    int divisor = how == 7 ? c + dr : how == 8 ? width - dr : how == 9 ? 1 : how == 18 ? width * width : width;
    if (how == 17) divisor = c;
    float root = sqrtf((float)divisor);
    Arena *arena = arena_open();
    Mat own = mat_new(arena, q.rows, H * (c + dr)), mixed = mat_new(arena, q.rows, c);
    my_absorbed(own, q, wuk, H, dr);
    for (int h = 0; h < H; h++) {
        attention_naive((Attended){ .out = mixed }, mat_cols(own, (how == 19 ? 0 : h) * (c + dr), c + dr), rows,
                        mat_cols(rows, how == 12 ? dr : 0, c),
                        (Mask){ .scale = how == 26 ? root : 1.0f / root, .causal = how == 10 });
        for (int i = 0; i < q.rows; i++)
            for (int e = 0; e < dv; e++) {
                int col = how == 11 ? e : how == 13 ? e * H + h : h * (how == 27 ? width - dr : dv) + e;
                float sum = 0.0f;
                for (int l = 0; l < c; l++) sum += *mat_ref(mixed, i, l) * *mat_ref(wuv, l, col);
                *mat_ref(out, i, h * dv + e) = how == 14 ? sum + 1.0f : sum;
            }
    }
    if (how == 29) *mat_ref(rows, 0, 0) *= 2.0f;
    arena_close(arena);
}
