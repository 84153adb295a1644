// Exercise 16a, solved.
#include "chapters/16_cuda/gpu_schedule.h"

void my_number(int thread, int step, int threads, int d, int *row, int *col);
int my_place(int row, int chunk, int d);

void my_number(int thread, int step, int threads, int d, int *row, int *col)
{
    int n = step * threads + thread;
    *row = n / d;
    *col = n % d;
}

// Of narrow rows two lie side by side in a row of 64: its number is what is mixed in.
int my_place(int row, int chunk, int d)
{
    if (d == 64) return gpu_at(row, chunk, d, GPU_SWIZZLE);
    return row * d + (chunk ^ (row / 2 & 3)) * GPU_CHUNK;
}
