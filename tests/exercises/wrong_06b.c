// Exercise 06b, solved wrongly: number WRONG of these gets this answer. 1 to 15: the faults left, as bits.
//
// 1: 1 of the four faults is left
// 2: 1 of the four faults is left
// 4: 1 of the four faults is left
// 8: 1 of the four faults is left
// 3: 2 of the four faults are left
// 14: 3 of the four faults are left
// 15: all four faults are still there
// 16: some line is wrong in a new way
// 17: now the scores are not divided at all
// 18: it divides by a width, not by its root
// 19: it makes the scores larger
// 20: they have changed places
// 21: q is cut rightly now; k and v are not
// 22: in the next head's columns
// 23: q and k are cut rightly now; v is not
// 24: where q and k are cut has been changed
// 25: no longer goes through Wo
// 26: it divides by the root of H
// 27: q and v are cut rightly now; k is not
// 28: k and v are cut rightly now; q is not
// 29: it begins at D + 2 h d
// 30: these are the keys
// 31: these are the queries
// 32: x is added to what the layer gives
// 33: begin d further on, not one
// 34: every head has those of head 0
// 35: not q, k and v of one
// 36: it divides by the root of T
#include "attention/attention.h"
#include "attention/dot_product.h"
#include "exercises/wrong.h"

#include <math.h>

void my_layer(Mat out, Mat x, Mat wqkv, Mat wo, int H, Arena *arena);
void my_layer(Mat out, Mat x, Mat wqkv, Mat wo, int H, Arena *arena)
{
    int how = wrong() > 16 ? 0 : wrong(), also = wrong(), T = x.rows, D = x.cols, d = D / H;
    Mat qkv = mat_new(arena, T, 3 * D), heads = mat_new(arena, T, D);
    matmul(qkv, x, wqkv);
    for (int h = 0; h < H; h++) {
        int q = how & 1 ? h * 3 * d : h * d, k = how & 1 ? q + d : D + h * d, v = how & 1 ? q + 2 * d : 2 * D + h * d;
        if (also == 33) k = D + h;
        if (also == 33) v = 2 * D + h;
        if (also == 34) k = D;
        if (also == 34) v = 2 * D;
        if (also == 35) q = h * D;
        if (also == 35) k = q + d;
        if (also == 35) v = k + d;
        if (also == 27) k = h * 3 * d + d;
        if (also == 28) q = h * 3 * d;
        if (also == 29) v = D + 2 * h * d;
        if (also == 30) v = k;
        if (also == 31) k = q;
        if (also == 23) v = h * 3 * d + 2 * d;
        if (also == 24) q = D + h * d;
        if (also == 24) k = h * d;
        if (also >= 20 && also <= 22) k = also == 20 ? 2 * D + h * d : (also == 21 ? 3 : 1) * h * d + d;
        if (also >= 20 && also <= 22) v = also == 20 ? D + h * d : (also == 21 ? 3 : 1) * h * d + 2 * d;
        float scale = how & 2 ? 1.0f / sqrtf((float)D) : 0.0f;
        if (also >= 17 && also <= 19) scale = also == 17 ? 1.0f : also == 18 ? 1.0f / (float)d : sqrtf((float)d);
        if (also == 36) scale = 1.0f / sqrtf((float)T);
        if (also == 26) scale = 1.0f / sqrtf((float)H);
        Mask mask = { .scale = scale, .causal = !(how & 4), .window = how == 16 };
        attention_naive((Attended){ .out = mat_cols(heads, h * d, d) }, mat_cols(qkv, q, d), mat_cols(qkv, k, d),
                        mat_cols(qkv, v, d), mask);
    }
    if (also == 25) mat_set(out, heads);
    else if (how & 8) matmul_transposed(out, heads, wo);
    else matmul(out, heads, wo);
    for (int i = 0; i < T; i++)
        for (int j = 0; j < D && also == 32; j++) *mat_ref(out, i, j) += *mat_ref(x, i, j);
}
