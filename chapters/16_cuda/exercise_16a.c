// Exercise 16a. Who takes which number, and where it lies: coalesced requests, and banks that do not meet.
//
// Write the two functions, then run: make exercise-16a
#include "base/mat.h"

// Task 1. A block of `threads` threads brings a tile into shared memory: rows of d numbers of 16 bits. In each step a
// thread takes one number: in which row, and in which column? Every number of the tile must be taken once. There are as
// many steps as that takes. The 32 lanes of a warp are threads 0 … 31, 32 … 63 and so on. What they ask for in one step
// comes in pieces of 32 bytes, sixteen numbers. Rows lie far apart: no piece holds numbers of two. Let each step take
// as few pieces as it can.
void my_number(int thread, int step, int threads, int d, int *row, int *col)
{
    (void)thread;
    (void)step;
    (void)threads;
    (void)d;
    (void)row;
    (void)col;
}

// Task 2. A tile lies in shared memory as rows of d numbers of 16 bits, in chunks of eight numbers. The kernels have
// d = 64 or 128; here d is 64 or 32. At which number does chunk `chunk` of row `row` begin? Every place of a row must
// be used once, in its own row. And eight neighbouring rows (0 … 7, 8 … 15 and so on) that are asked for the same chunk
// must answer from all 32 banks: a bank is four bytes wide, number n lies in bank n / 2 % 32, and a chunk takes four.
// Hint: write down in which bank rows 0, 1, 2 … begin, for d = 32. Which of them meet?
int my_place(int row, int chunk, int d)
{
    (void)row;
    (void)chunk;
    (void)d;
    return 0;
}
