// Exercise 02c. Write the test that finds a wrong softmax.
//
// Write the function, then run: make exercise-02c
#include "base/portable_math.h"

#include <stdbool.h>

// What exercise 02a asks for: n scores to n weights. The two arrays may be the same.
typedef void Softmax(float *weights, const float *scores, int n);

// Task. Somebody has written a softmax. Is it right? Call it on scores for which you know what must come back, and
// answer true when it is right, within rounding: another right softmax may work in float64. The checker gives you three
// that are right, and eight that are wrong, each in a way that somebody has got it wrong before. Hidden keys, whose
// score is −INFINITY, and rows where all are hidden belong to the task.
bool softmax_is_right(Softmax *softmax)
{
    (void)softmax;
    return true;
}
