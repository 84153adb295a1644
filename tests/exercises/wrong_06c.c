// Exercise 06c, solved wrongly: number WRONG of these gets this answer.
//
// 1: Wo is still all zeros
// 2: rows and columns of Wo are exchanged
// 3: an average was asked for
// 4: the sign of column 4
// 5: column 0 of out should be head 2's first number; yours is 1 · head 0's first number
// 6: column 5 of out should be 0; yours is 1 · head 2's second number
// 7: yours is 0.5 · head 0's first number + 0.5 · head 0's second number
// 8: column 4 of out should be head 0's first number less head 1's; yours is 0
// 9: in C that is 0, and 0.5f is a half
#include "base/mat.h"
#include "exercises/wrong.h"

void my_wo(Mat wo);

static void set(Mat wo, int i, int j, float value) { *(wrong() == 2 ? mat_ref(wo, j, i) : mat_ref(wo, i, j)) = value; }

void my_wo(Mat wo)
{
    int how = wrong();
    if (how == 1) return;
    for (int c = 0; c < 2; c++) {
        set(wo, (how == 5 ? 0 : 4) + c, c, 1.0f);
        float share = how == 3 ? 1.0f : how == 9 ? 1 / 2 : 0.5f;
        set(wo, how == 7 ? 2 * c : c, 2 + c, share);
        set(wo, how == 7 ? 2 * c + 1 : 2 + c, 2 + c, share);
    }
    if (how == 8) return;
    set(wo, 0, 4, how == 4 ? -1.0f : 1.0f);
    set(wo, 2, 4, how == 4 ? 1.0f : -1.0f);
    if (how == 6) set(wo, 5, 5, 1.0f);
}
