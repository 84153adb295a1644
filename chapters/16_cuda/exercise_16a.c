// Exercise 16a. Who holds what: the fragment of C, and a place in a swizzled tile.
//
// Write the two functions, then run: make exercise-16a
#include "base/mat.h"

// Task 1. mma.m16n8k16 adds to a C of 16 rows and 8 columns. Each of the 32 lanes of a warp holds four numbers of it,
// in registers 0 … 3. Lanes 0 … 3 hold row 0 in their registers 0 and 1, two neighbours each, lanes 4 … 7 hold row 1,
// and so on. Registers 2 and 3 are the same eight rows further down. Which row and which column has register reg of
// this lane?
// Hint: four lanes share a row; two registers share a row.
void my_fragment(int lane, int reg, int *row, int *col)
{
    (void)lane;
    (void)reg;
    (void)row;
    (void)col;
}

// Task 2. A tile lies in shared memory as rows of d numbers of 16 bits, d = 64 or 128, in chunks of eight numbers. At
// which number does chunk `chunk` of row `row` begin? Every place of a row must be used once, in its own row. And eight
// neighbouring rows that are asked for the same chunk must answer from all 32 banks: a bank is four bytes wide, number
// n lies in bank n / 2 % 32, and a chunk takes four of them.
// Hint: exchange the chunks of a row among each other, in each of eight rows differently. Exclusive or does that.
int my_place(int row, int chunk, int d)
{
    (void)row;
    (void)chunk;
    (void)d;
    return 0;
}
