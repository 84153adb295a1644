// Exercise 16a, solved with the library's own functions.
#include "attention/gpu_schedule.h"

void my_holder(int row, int col, int *lane, int *reg, int *half);
int  my_place(int row, int chunk, int d);

void my_holder(int row, int col, int *lane, int *reg, int *half)
{
    for (int e = 0; e < GPU_LANES * 8; e++) {
        GpuPlace at = mma_a(e / 8, e / 2 % 4, e % 2);
        if (at.row != row || at.col != col) continue;
        *lane = e / 8;
        *reg = e / 2 % 4;
        *half = e % 2;
    }
}

// Of narrow rows two lie side by side in a row of 64: its number is what is mixed in.
int my_place(int row, int chunk, int d)
{
    if (d == 64) return gpu_at(row, chunk, d, GPU_SWIZZLE);
    return row * d + (chunk ^ (row / 2 & 3)) * GPU_CHUNK;
}
