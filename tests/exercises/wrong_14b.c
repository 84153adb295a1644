// Exercise 14b, solved wrongly: number WRONG of these gets this answer.
//
// 1: 0 × 0 is no tile
// 2: it need not be square
// 3: there is room for 8192
// 4: another tile that fits moves
// 5: with one query in a tile
// 6: 60 × 1 moves 2.13, and there is room
// 7: without m, l and the factor of each query
// 8: without two of these: k and v
// 9: another tile that fits moves
// 10: without k and v, or without m, l and the factor of each query, it would fit
// 11: without the scores, or without m, l
// 12: q and out alone would fit
#include "exercises/wrong.h"

void my_best_tile(int M, int d, int *a, int *b);
void my_best_tile(int M, int d, int *a, int *b)
{
    int how = wrong();
    *a = how == 1 ? 0 : 1;
    *b = how == 1 ? 0 : 1;
    if (how == 2)
        while (2 * (*a + 1) * d + 2 * (*b + 1) * d + (*a + 1) * (*b + 1) + 3 * (*a + 1) <= M) *b = ++*a;
    if (how == 3) *a = M / (2 * d);
    if (how == 7) *a = (M - 2 * d) / (2 * d + 1);
    if (how == 8) *a = (M - 2 * d) / (2 * d);
    if (how == 10) *a = M / (2 * d + 4);
    if (how == 11) *a = (M - 2 * d) / (2 * d + 3);
    if (how == 12) *a = M / (2 * d);
    for (int x = 1, most = 0; x < M && how == 9; x++) { // the most pairs in a tile, which is no square
        int y = (M - 2 * x * d - 3 * x) / (2 * d + x);
        if (y < 1 || x * y <= most) continue;
        *a = x;
        *b = y;
        most = x * y;
    }
    if (how == 6) *a = (M - 2 * d) / (2 * d + 4) - 1;
    if (how == 4) *b = 16;
    if (how == 4) *a = (M - 2 * *b * d) / (2 * d + *b + 3);
    if (how == 5) *b = (M - 2 * d - 3) / (2 * d + 1);
}
