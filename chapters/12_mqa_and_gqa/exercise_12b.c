// Exercise 12b. The test that finds a wrong grouping.
//
// Write the function, then run: make exercise-12b
#include "attention/attention.h"
#include "base/random.h"

// What task 1 of exercise 12a asks for: q (T, H d), k and v (S, G d), out (T, H d), no mask.
typedef void Shared(Mat out, Mat q, Mat k, Mat v, int H);

// Task. Somebody has written attention with shared key heads. Is it right? Call it and compare, within rounding. What
// can you compare it with? One head alone you know: attention_naive. The checker gives you two functions that are right
// and eight that are wrong; nearly all of these are right for some H and G.
// (Random random = random_from(1); random_normals(&random, q); fills a matrix. mat_max_difference(a, b) is what it
// says; NaN where there is one.)
bool heads_are_right(Shared *shared, Arena *arena)
{
    (void)shared;
    (void)arena;
    return true;
}
