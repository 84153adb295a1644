// Exercise 08b. The gradient check.
//
// Write the function, then run: make exercise-08b
#include "base/random.h"

typedef double Loss(Mat x);           // the loss of x (rows, cols)
typedef void Gradient(Mat dx, Mat x); // adds to dx (rows, cols) what it says is the derivative of that loss

// Task. Somebody has written `loss` and, for its derivative, `gradient`. Find out whether they belong together: true
// when they do, up to rounding, false when an element is off by one part in fifty of the largest or more. You choose
// x (rows, cols); numbers like those of random_normals will do. `loss` computes in float32: it has about seven digits.
// Hint: section 1 of the chapter. *mat_ref(x, i, j) += h changes one number; put it back afterwards.
bool my_gradient_check(Loss *loss, Gradient *gradient, int rows, int cols, Arena *arena)
{
    (void)loss;
    (void)gradient;
    (void)rows;
    (void)cols;
    (void)arena;
    return false;
}
