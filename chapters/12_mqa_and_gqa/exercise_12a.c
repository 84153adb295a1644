// Exercise 12a. Heads that share, and heads that become one.
//
// Write the two functions, then run: make exercise-12a
#include "attention/attention.h"

// Task 1. q is (T, H d), k and v are (S, G d), out is (T, H d), and G divides H. Query head h works on its own d
// columns of q and out, and on the d columns of the key head that it reads: the first H / G query heads read key head
// 0, the next H / G read key head 1, and so on. No mask: every query sees every key. One head is
// attention_naive((Attended){ .out = … }, …, …, …, (Mask){ 0 }).
void my_shared_heads(Mat out, Mat q, Mat k, Mat v, int H)
{
    (void)out;
    (void)q;
    (void)k;
    (void)v;
    (void)H;
    // your code goes here
}

// Task 2. from (rows, n G d) holds the columns of n G heads of width d, head after head; to (rows, G d) gets G heads.
// Head g of `to` is the mean of the n heads that its group had: n g … n g + n − 1.
void my_pooled_heads(Mat to, Mat from, int d)
{
    (void)to;
    (void)from;
    (void)d;
    // and here
}
