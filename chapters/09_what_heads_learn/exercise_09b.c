// Exercise 09b. Mend a layer.
//
// Below stands one layer of model A without positions: out = x + attention(norm(x)) Wo, causal, in H heads. It was
// written in a hurry. It runs, no number is NaN, and a model made of it learns badly: there are three mistakes in it.
// Find them, mend them, then run: make exercise-09b
#include "attention/attention.h"
#include "attention/product.h"
#include "base/portable_math.h"

// x (T, D) → out (T, D). gain (1, D), wqkv (D, 3 D) = Wq | Wk | Wv, wo (D, D); head h owns D / H columns of each.
void my_layer(Mat out, Mat x, Mat gain, Mat wqkv, Mat wo, int H)
{
    Arena *arena = arena_open();
    int T = x.rows, D = x.cols, d = D / H;
    Mat normed = mat_new(arena, T, D), qkv = mat_new(arena, T, 3 * D), found = mat_new(arena, T, D);

    for (int i = 0; i < T; i++) {
        float sum = 0.0f;
        for (int c = 0; c < D; c++) sum += *mat_ref(x, i, c) * *mat_ref(x, i, c);
        float scale = 1.0f / sqrtf(sum + 1e-6f);
        for (int c = 0; c < D; c++) *mat_ref(normed, i, c) = *mat_ref(x, i, c) * scale * *mat_ref(gain, 0, c);
    }
    product_add(qkv, normed, wqkv);
    for (int h = 0; h < H; h++) {
        Mat q = mat_cols(qkv, h * d, d), k = mat_cols(qkv, D + h * d, d), v = mat_cols(qkv, 2 * D + h * d, d);
        attention_naive((Attended){ .out = mat_cols(found, h * d, d) }, q, k, v, (Mask){ 0 });
    }
    mat_set(out, normed);
    product_add(out, found, wo);
    arena_close(arena);
}
