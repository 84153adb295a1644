// Exercise 17b, solved wrongly: number WRONG of these gets this answer.
//
// 1: 1 mistake is left. Look at the query
// 2: 1 mistake is left. Look at head 0 and the others
// 3: 2 mistakes are left. Look at the query
// 4: 1 mistake is left. Look at what is mixed
// 5: 2 mistakes are left. Look at the query
// 6: 2 mistakes are left. Look at head 0 and the others
// 7: 3 mistakes are left
// 8: 1 mistake is left. Look at how steep
// 9: 2 mistakes are left. Look at the query
// 10: 2 mistakes are left. Look at head 0 and the others
// 11: 3 mistakes are left
// 12: 2 mistakes are left. Look at what is mixed
// 13: 3 mistakes are left
// 14: 3 mistakes are left
// 15: 4 mistakes are left
// 16: row 0 stands at position 0; that line was right
// 17: the scale is that of d alone
// 18: the last of S tokens stands at S − 1
// 19: the latent's c numbers
// 20: and not by its root
// 21: the scores are not scaled
// 22: the shared keys are not turned any more
// 23: they are the latent's; that line was right
// 24: head 0's columns of wuv
// 25: the wrong way round
// 26: leave the matrix
// 27: begin at column h
// 28: multiplied by the root
// 29: none of the four mistakes gives it
// 30: turned in place
// 31: stands at S − 1. Besides, 3 mistakes are left. Look at head 0 and the others
// 32: the turned part is in the sum, too. Besides, 3 mistakes are left. Look at the query
// 33: in the sum, too; and the query is turned by S: the last of S tokens stands at S − 1. Besides, 1 mistake is left
// 34: the turned part is in the sum, too. Besides, 1 mistake is left. Look at what is mixed
// 35: in the sum, too; and the query is turned by S: the last of S tokens stands at S − 1
#include "attention/attention.h"
#include "attention/dot_product.h"
#include "attention/positions.h"
#include "base/portable_math.h"
#include "exercises/wrong.h"

void my_step(Mat out, Mat q, Mat rows, Mat wuk, Mat wuv, int H, int dr);

void my_step(Mat out, Mat q, Mat rows, Mat wuk, Mat wuv, int H, int dr)
{
    Arena *arena = arena_open();
    static const int beside[] = { 2 | 4 | 8, 1 | 2 | 4, 2, 4, 0 }; // of 31 and on
    int S = rows.rows, c = rows.cols - dr, d = q.cols / H - dr, dv = out.cols / H;
    int how = wrong(), left = how < 16 ? how : how > 30 ? beside[how - 31] : 0;
    Mat kept = how == 30 ? rows : mat_copy(arena, rows), turned = mat_copy(arena, q);
    int divisor = how == 17 || how >= 32 ? d : how == 19 ? c : how == 20 ? (d + dr) * (d + dr) : how == 21 ? 1 : d + dr;
    int first = left & 1 ? 0 : how == 18 || how == 31 || how == 33 || how == 35 ? S : how == 25 ? 1 - S : S - 1;
    if (how != 22) rope_apply(mat_cols(kept, how == 23 ? 0 : c, dr), rope_table(arena, how == 16 ? 1 : 0, S, dr));
    for (int h = 0; h < H; h++) {
        Mat own = mat_cols(turned, h * (d + dr), d + dr), absorbed = mat_new(arena, 1, c + dr);
        rope_apply(mat_cols(own, d, dr), rope_table(arena, first, 1, dr));
        int begins = left & 2 ? 0 : how == 26 ? h * dv : how == 27 ? h : h * d;
        matmul_transposed(mat_cols(absorbed, 0, c), mat_cols(own, 0, d), mat_cols(wuk, begins, d));
        mat_set(mat_cols(absorbed, c, dr), mat_cols(own, d, dr));
        Mat mixed = mat_new(arena, 1, c);
        Mask mask = { .scale = left & 8 ? 0.0f : 1.0f / sqrtf((float)divisor) };
        if (how == 28) mask.scale = sqrtf((float)divisor);
        attention_naive((Attended){ .out = mixed }, absorbed, kept, mat_cols(kept, left & 4 ? dr : 0, c), mask);
        matmul(mat_cols(out, h * dv, dv), mixed, mat_cols(wuv, how == 24 ? 0 : h * dv, dv));
    }
    if (how == 29) *mat_ref(out, 0, 0) *= 0.5f; // nothing that is known
    arena_close(arena);
}
