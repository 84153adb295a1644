// Exercise 10a. Two ways to say which head goes next.
//
// Write the two functions, then run: make exercise-10a
#include "base/mat.h"

// Task 1. gates (L, H) holds 1 for a head that is on and 0 for one that is off. accuracy (L, H) holds, for every head
// that is on, the accuracy without it. Return the number l · H + h of the head to switch off next: the one that is on
// and without which accuracy is largest; of equal ones the first; −1 when no head is on.
// Hint: for a head that is off, accuracy holds something old. *mat_ref(m, l, h) is element (l, h) of a view.
int my_next_head(Mat gates, Mat accuracy)
{
    (void)gates;
    (void)accuracy;
    // your code goes here
    return -2;
}

// Task 2. Row s of slopes (S, heads) holds, for sentence s, the gradient of the loss with respect to the gate of every
// head. Write into importance (1, heads) the mean size of each: Michel et al. 2019.
// Hint: fabsf, before the mean. A slope of −1 in one sentence and of 1 in the next is no slope of 0.
void my_importance(Mat importance, Mat slopes)
{
    (void)importance;
    (void)slopes;
    // and here
}
