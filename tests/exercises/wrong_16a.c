// Exercise 16a, solved wrongly: number WRONG of these gets this answer.
//
// 1: still the stub
// 2: ask for 32 rows
// 3: from rows that the tile does not have
// 4: from beside their row
// 5: are never taken
// 6: 1 row in 4 pieces
// 7: ask for 32 rows
// 8: are never taken
// 9: 4 rows in 4 pieces
// 10: 16 rows in 16 pieces
// 11: do all of them stay in it
// 12: takes each value once
// 13: all of eight rows lie
// 14: 4 of eight rows lie
// 15: 2 of eight rows lie
// 16: it begins at a multiple of 8
// 17: must stay below four
// 18: 2 of eight rows lie
// 19: 4 of eight rows lie
// 20: are never taken
// 21: from rows that the tile does not have
// 22: as if it were longer
// 23: it is still the stub
// 24: of 64 rows and 32 columns
// 25: all rows lie in one place
// 26: these are bytes
#include "exercises/wrong.h"

void my_number(int thread, int step, int threads, int d, int *row, int *col);
int my_place(int row, int chunk, int d);

static int steps(int threads, int d) { return (d == 128 ? 64 : d == 16 ? 16 : 32) * d / threads; }

void my_number(int thread, int step, int threads, int d, int *row, int *col)
{
    int how = wrong(), n = step * threads + thread, rows = steps(threads, d) * threads / d;
    if (how == 1) return;
    if (how == 2) n = n % rows * d + n / rows;                // column by column
    if (how == 3) n = thread * d + step;                      // a row a thread, of more threads than rows
    if (how == 5) n = step * 32 + thread;                     // warps overlap
    if (how == 6) n = n / 64 * 64 + n % 32 * 2 + n % 64 / 32; // every other one, then the rest
    if (how == 7) n = thread % rows * d + step + thread / rows * (d * rows / threads);
    if (how == 8) n = thread; // the same in every step
    if (how == 9) n = n / (4 * d) * (4 * d) + n % 4 * d + n % (4 * d) / 4;
    if (how == 10) n = n / (16 * d) * (16 * d) + n % 16 * d + n % (16 * d) / 16;
    if (how == 20) n = step + thread;
    if (how == 21) n = (step + 1) * threads + thread; // steps counted from one
    *row = how == 24 ? n % d : n / d;
    *col = how == 24 ? n / d : n % d;
    if (how == 4) *row = thread / 32;
    if (how == 4) *col = step * 32 + thread % 32;
}

int my_place(int row, int chunk, int d)
{
    int how = wrong(), mixed = how == 13 ? 0 : how == 14 ? row & 1 : how == 15 ? row & 3 : row & 7;
    if (how == 23) return 0;
    if (how == 11) return (row * d + chunk) * 8;
    if (how == 12) return row * d + (chunk | (row & 7)) * 8;
    if (how == 22) return row * d + (chunk + row) * 8;
    if (how == 25) return (chunk ^ mixed) * 8;
    if (how == 26) return 2 * (row * d + (chunk ^ mixed) * 8);
    if (how == 16) return row * d + chunk + (row & 7);
    if (d == 32 && how == 18) mixed = row & 3;
    if (d == 32 && how == 19) mixed = 0;
    return row * d + (chunk ^ mixed) * 8;
}
