// Exercise 07c, solved wrongly: number WRONG of these gets this answer.
//
// 1: q is still all zeros
// 2: word 1 gives the word 1 before it 0.00, and the word 0 before it 1.00
// 3: word 20 gives the word 1 before it 0.75, and the word 20 before it 0.24
// 4: word 1 gives the word 1 before it 0.53, and the word 0 before it 0.47
// 5: word 1 gives the word 1 before it 0.00, and the word 0 before it 1.00
// 6: q[0] is 30; it must lie between -20 and 20
// 7: k[1] is 27.64; it must lie between
// 8: k is still all zeros
// 9: before it 0.00 (the score is negative), and the word 0
#include "attention/positions.h"
#include "exercises/wrong.h"

void my_head(Mat q, Mat k, int n, Arena *arena);
void my_head(Mat q, Mat k, int n, Arena *arena)
{
    int how = wrong();
    float size = how == 3 ? 20.0f : how == 4 ? 1.0f : how == 6 ? 30.0f : how == 7 ? 20.0f : 8.0f;
    if (how == 1) return;
    for (int pair = 0; pair < (how == 3 ? 1 : 3); pair++) {
        *mat_ref(q, 0, 2 * pair) = size;
        if (how == 7) *mat_ref(q, 0, 2 * pair + 1) = size;
    }
    if (how == 8) return;
    mat_set(k, q);
    if (how == 5) n = 0;
    rope_apply(k, rope_table(arena, how == 2 ? -n : n, 1, q.cols));
    for (int c = 0; c < k.cols && how == 9; c++) k.at[c] = -k.at[c];
}
