// Exercise 06b. A layer that runs, and is wrong four times.
//
// Mend the function, then run: make exercise-06b
#include "attention/attention.h"
#include "attention/dot_product.h"
#include "base/portable_math.h"

// Task. x (T, D) goes through a layer of H heads, causal, to out (T, D). wqkv (D, 3D) is Wq | Wk | Wv, each as wide as
// all heads together, and wo (D, D) is Wo: the names of chapter 06. The function below compiles, runs and has every
// shape right. Four things in it are wrong. No line needs to be added.
// Hint: multi_head_fused of the chapter does the same and is right. What differs, and does it matter?
void my_layer(Mat out, Mat x, Mat wqkv, Mat wo, int H, Arena *arena)
{
    int T = x.rows, D = x.cols, d = D / H;
    Mat qkv = mat_new(arena, T, 3 * D), heads = mat_new(arena, T, D);
    matmul(qkv, x, wqkv);
    for (int h = 0; h < H; h++) {
        Mat q = mat_cols(qkv, h * 3 * d, d), k = mat_cols(qkv, h * 3 * d + d, d);
        Mat v = mat_cols(qkv, h * 3 * d + 2 * d, d);
        Mask mask = { .scale = 1.0f / sqrtf((float)D) };
        attention_naive((Attended){ .out = mat_cols(heads, h * d, d) }, q, k, v, mask);
    }
    matmul_transposed(out, heads, wo);
}
