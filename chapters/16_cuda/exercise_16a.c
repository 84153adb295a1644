// Exercise 16a. Who holds what: the fragment of A, and a place in a swizzled tile of narrow rows.
//
// Write the two functions, then run: make exercise-16a
#include "base/mat.h"

// Task 1. mma.m16n8k16 multiplies an A of 16 rows and 16 columns. fragments.png says which lane holds a number of it.
// A lane holds eight, in registers 0 … 3 of two halves each. The two halves of a register, 0 and 1, are neighbours in a
// row. Registers 0 and 1 hold the left eight columns, register 1 eight rows below register 0; registers 2 and 3 do the
// same with the right eight columns. In which lane, which register and which half is the number of this row and column?
void my_holder(int row, int col, int *lane, int *reg, int *half)
{
    (void)row;
    (void)col;
    (void)lane;
    (void)reg;
    (void)half;
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
