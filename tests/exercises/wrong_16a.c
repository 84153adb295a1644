// Exercise 16a, solved wrongly: number WRONG of these gets this answer.
//
// 1: still the stub
// 2: rows and columns are exchanged
// 3: four registers below each other
// 4: register 1 is the neighbour
// 5: they are eight rows down
// 6: eight columns on
// 7: they are neighbours
// 8: row · d is where a row begins
// 9: takes each value once
// 10: all eight lie in the same
// 11: one bit of the row
// 12: two bits of the row
// 13: row · d is where a row begins
#include "attention/gpu_schedule.h"
#include "exercises/wrong.h"

void my_fragment(int lane, int reg, int *row, int *col);
int  my_place(int row, int chunk, int d);

void my_fragment(int lane, int reg, int *row, int *col)
{
    GpuPlace at = mma_c(lane, reg);
    int how = wrong();
    if (how == 1) return;
    if (how == 2) at = gpu_place(at.col, at.row);
    if (how == 3) at = gpu_place(lane / 8 * 4 + reg, lane % 8);
    if (how == 4) at = gpu_place(lane / 4 + 8 * (reg & 1), lane % 4 * 2 + (reg >> 1));
    if (how == 5) at = gpu_place(lane / 4 * 2 + (reg >> 1), at.col);
    if (how == 6) at = gpu_place(lane / 4, at.col + 8 * (reg >> 1));
    if (how == 7) at.col = lane % 4 + 4 * (reg & 1);
    *row = at.row;
    *col = at.col;
}

int my_place(int row, int chunk, int d)
{
    int how = wrong(), mixed = how == 10 ? 0 : how == 11 ? 1 : how == 12 ? 3 : 7;
    if (how == 8) return (row * d + chunk) * 8;
    if (how == 9) return row * d + (chunk | (row & 7)) * 8;
    if (how == 13) return row * d + chunk + (row & 7);
    return row * d + (chunk ^ (row & mixed)) * 8;
}
