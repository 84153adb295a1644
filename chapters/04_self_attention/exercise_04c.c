// Exercise 04c. Write the test that finds a head which knows the order of the words.
//
// Write the function, then run: make exercise-04c
#include "base/portable_math.h"
#include "base/random.h"

#include <stdbool.h>

// Some head: x (T, 12) to out (T, 6), for any T from 1 to 64.
typedef void Head(Mat out, Mat x);

// Task. Is the order of the words invisible to this head? When the words are shuffled, what each of them receives must
// be what it received before, within rounding. Answer true when that holds. The checker gives you two heads that do
// not know the order, and seven that do, each in another way. New matrices come from mat_new(arena, rows, cols),
// random numbers from random_from, random_normals and random_shuffle of base/random.h.
bool order_is_invisible(Head *head, Arena *arena)
{
    (void)head;
    (void)arena;
    return true;
}
