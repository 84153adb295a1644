// Exercise 10a. Which head goes next.
//
// Write the two functions, then run: make exercise-10a
#include "base/mat.h"

// Answers the accuracy of a model with these gates (heads): 1 for a head that is on, 0 for one that is off. `model` is
// passed on as it came.
typedef double Accuracy(const float *gates, int heads, void *model);

// Task 1. Switch heads off one after the other, greedily, until none is left: each time the one without which accuracy
// is largest, while those that have gone stay off. Of equal ones the first. order[n] is the head that goes n-th, for
// n = 0 … heads − 1; there are 16 at most.
void my_greedy_order(int *order, int heads, Accuracy *accuracy, void *model)
{
    (void)accuracy;
    (void)model;
    for (int n = 0; n < heads; n++) order[n] = -1; // your code goes here
}

// Task 2. Row s of slopes (S, heads) holds, for sentence s, the gradient of the loss with respect to the gate of every
// head. Write into importance (1, heads) the mean size of each: Michel et al. 2019.
void my_importance(Mat importance, Mat slopes)
{
    (void)importance;
    (void)slopes;
    // and here
}
