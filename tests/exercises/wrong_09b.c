// Exercise 09b, mended in part or in a wrong way: number WRONG of these gets this answer.
//
// 1: with Wo = 0 the layer adds nothing
// 2: it can see what comes after it
// 3: the squares of a normed row must have the mean 1
// 4: that is LayerNorm
// 5: the gain is missing
// 6: the stream itself stays as it is
// 7: Wo is missing
// 8: with Wo = 0 the layer adds nothing
// 9: what the heads found is not in it
// 10: what is added to the stream is not what it should be
// 11: the root is missing
// 12: then divided by D: the other way round
// 13: their squares are divided by T
// 14: the width of one head does not matter
// 15: heads read it through the norm
// 16: queries and keys are swapped
// 17: it begins at 0 for each
// 18: nothing is added to it
// 19: divide by it
// 20: keys and values are swapped
// 21: attention_naive does that itself
// 22: not head by head
// 23: changes row 3 by up to
#include "attention/attention.h"
#include "attention/product.h"
#include "exercises/wrong.h"

#include <math.h>

void my_layer(Mat out, Mat x, Mat gain, Mat wqkv, Mat wo, int H);

static float scale_of(float sum, int T, int D, int H)
{
    int how = wrong();
    float mean = sum / (float)(how == 3 ? 1 : how == 13 ? T : how == 14 ? D / H : D);
    if (how == 11) return 1.0f / mean;
    if (how == 19) return sqrtf(mean + 1e-6f);
    return how == 12 ? (float)D / sqrtf(sum) : 1.0f / sqrtf(mean + 1e-6f);
}

static void norm(Mat y, Mat x, Mat gain, int H)
{
    int D = x.cols, how = wrong();
    float sum = 0.0f;
    for (int i = 0; i < x.rows; i++) {
        float mean = 0.0f;
        if (how != 17) sum = 0.0f;
        if (how == 4)
            for (int c = 0; c < D; c++) mean += *mat_ref(x, i, c) / (float)D;
        for (int c = 0; c < D; c++) sum += (*mat_ref(x, i, c) - mean) * (*mat_ref(x, i, c) - mean);
        float scale = scale_of(sum, x.rows, D, H);
        for (int c = 0; c < D; c++)
            *mat_ref(y, i, c) = (*mat_ref(x, i, c) - mean) * scale *
                                (how == 5 ? 1.0f : *mat_ref(gain, 0, c) + (how == 18 ? 1.0f : 0.0f));
    }
}

static void swap(Mat *a, Mat *b)
{
    Mat kept = *a;
    *a = *b;
    *b = kept;
}

void my_layer(Mat out, Mat x, Mat gain, Mat wqkv, Mat wo, int H)
{
    Arena *arena = arena_open();
    int T = x.rows, D = x.cols, d = D / H, how = wrong();
    Mat normed = mat_new(arena, T, D), qkv = mat_new(arena, T, 3 * D), found = mat_new(arena, T, D);
    norm(normed, x, gain, H);
    product_add(qkv, how == 6 || how == 15 ? x : normed, wqkv);
    for (int h = 0; h < H; h++) {
        Mat q = mat_cols(qkv, h * d, d), k = mat_cols(qkv, D + h * d, d), v = mat_cols(qkv, 2 * D + h * d, d);
        if (how == 22) {
            q = mat_cols(qkv, 3 * h * d, d);
            k = mat_cols(qkv, (3 * h + 1) * d, d);
            v = mat_cols(qkv, (3 * h + 2) * d, d);
        }
        if (how == 16) swap(&q, &k);
        if (how == 20) swap(&k, &v);
        for (int i = 0; i < T && how == 21; i++)
            for (int c = 0; c < d; c++) *mat_ref(q, i, c) /= sqrtf((float)d);
        attention_naive((Attended){ .out = mat_cols(found, h * d, d) }, q, k, v,
                        (Mask){ .causal = how != 2, .shift = how == 23 });
    }
    if (how == 8) mat_fill(out, 0.0f);
    else mat_set(out, how == 1 ? found : x);
    if (how == 10) product_add(out, normed, wo);
    if (how == 7) {
        for (int i = 0; i < T; i++)
            for (int c = 0; c < D; c++) *mat_ref(out, i, c) += *mat_ref(found, i, c);
    } else {
        product_add(out, found, wo);
    }
    if (how == 6) {
        Mat all = mat_copy(arena, out);
        norm(out, all, gain, H);
    }
    if (how == 9) mat_set(out, x);
    arena_close(arena);
}
