// Exercise 10c, solved.
#include "base/mat.h"

typedef void GateHeads(Mat gated, Mat heads, const float *gates, int H);
bool my_test(GateHeads *gate_heads, Arena *arena);

bool my_test(GateHeads *gate_heads, Arena *arena)
{
    enum { T = 3, H = 2, D = 6 };
    static const float gates[H] = { 0.5f, -2.0f };
    Mat heads = mat_cols(mat_new(arena, T, D + 2), 1, D), gated = mat_cols(mat_new(arena, T, D + 3), 2, D);
    for (int i = 0; i < T; i++)
        for (int c = 0; c < D; c++) *mat_ref(heads, i, c) = (float)(1 + i * D + c);
    mat_fill(gated, 7.0f); // what stood there must not matter
    gate_heads(gated, heads, gates, H);
    for (int i = 0; i < T; i++)
        for (int c = 0; c < D; c++) {
            float value = (float)(1 + i * D + c);
            if (*mat_ref(heads, i, c) != value || *mat_ref(gated, i, c) != gates[c / (D / H)] * value) return false;
        }
    return true;
}
