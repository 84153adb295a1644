// Exercise 10c, solved wrongly: number WRONG of these gets this answer.
//
// 1: never looks at a gate
// 2: a right function fails your test
// 3: takes the first head's gate for all
// 4: deals the gates out column by column
// 5: knows only on and off
// 6: gates the first row only
// 7: leaves out the last column
// 8: writes over heads
// 9: without a stride
// 10: adds to what stood in gated before
// 11: the answer is turned round
// 12: does it ever answer true
// 13: a right function fails your test
#include "base/mat.h"
#include "exercises/wrong.h"

typedef void GateHeads(Mat gated, Mat heads, const float *gates, int H);
bool my_test(GateHeads *gate_heads, Arena *arena);

// A test that lacks one thing; with 13 it counts in doubles what is rounded to floats.
static bool test(GateHeads *gate_heads, Arena *arena)
{
    int how = wrong(), T = how == 6 ? 1 : 3, H = how == 3 ? 1 : 2, D = how == 4 ? H : 6, wider = how == 9 ? 0 : 2;
    const float gates[] = { how == 5 ? 0.0f : how == 13 ? 0.3f : 0.5f, how == 5 ? 1.0f : 3.0f };
    Mat heads = mat_cols(mat_new(arena, T, D + wider), 0, D), gated = mat_new(arena, T, D);
    if (how == 1) return true;
    if (how != 10) mat_fill(gated, 7.0f);
    for (int i = 0; i < T; i++)
        for (int c = 0; c < D; c++) *mat_ref(heads, i, c) = (float)(1 + i * D + c);
    gate_heads(gated, heads, gates, H);
    for (int i = 0; i < T; i++)
        for (int c = 0; c < D - (how == 7); c++) {
            float value = (float)(1 + i * D + c);
            if (how != 8 && *mat_ref(heads, i, c) != value) return false;
            if (how == 13 && (double)*mat_ref(gated, i, c) != (double)gates[c / (D / H)] * (double)value) return false;
            if (*mat_ref(gated, i, c) != gates[c / (D / H)] * value) return false;
        }
    return how != 2;
}

bool my_test(GateHeads *gate_heads, Arena *arena)
{
    bool right = test(gate_heads, arena);
    return wrong() == 11 ? !right : right && wrong() != 12;
}
