// Exercise 17b. Mend it: four mistakes in a decoder over latents.
//
// Find them and mend them, then run: make exercise-17b
#include "attention/attention.h"
#include "attention/dot_product.h"
#include "attention/positions.h"
#include "base/portable_math.h"

// A token's row of rows (S, c + dr) is its latent and, behind it, one key of dr that all heads share. Nothing has been
// turned yet: row j stands at position j. The one query of each head, in q (1, H (d + dr)), is that of the last token,
// at position S − 1. Of each head d numbers meet its own key, made by wuk (c, H d); the dr behind them meet the shared
// one. Values are made by wuv (c, H dv). out (1, H dv) should be what all heads give, with scores times 1/√(d + dr).
// It compiles, nothing crashes, and it has four mistakes.
void my_step(Mat out, Mat q, Mat rows, Mat wuk, Mat wuv, int H, int dr)
{
    Arena *arena = arena_open();
    int S = rows.rows, c = rows.cols - dr, d = q.cols / H - dr, dv = out.cols / H;
    Mat kept = mat_copy(arena, rows), turned = mat_copy(arena, q);
    rope_apply(mat_cols(kept, c, dr), rope_table(arena, 0, S, dr));
    for (int h = 0; h < H; h++) {
        Mat own = mat_cols(turned, h * (d + dr), d + dr), absorbed = mat_new(arena, 1, c + dr);
        rope_apply(mat_cols(own, d, dr), rope_table(arena, 0, 1, dr));
        matmul_transposed(mat_cols(absorbed, 0, c), mat_cols(own, 0, d), mat_cols(wuk, 0, d));
        mat_set(mat_cols(absorbed, c, dr), mat_cols(own, d, dr));
        Mat mixed = mat_new(arena, 1, c);
        attention_naive((Attended){ .out = mixed }, absorbed, kept, mat_cols(kept, dr, c), (Mask){ 0 });
        matmul(mat_cols(out, h * dv, dv), mixed, mat_cols(wuv, h * dv, dv));
    }
    arena_close(arena);
}
