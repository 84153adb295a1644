// Exercise 26a. The share of a part, and rollout.
//
// Write the two functions, then run: make exercise-26a
#include "base/mat.h"
#include "base/portable_math.h"

// Task 1. whole (1, D) is a row of the stream at the end, part (1, D) what one head has added to it. The model divides
// the whole row by the root of the mean of its D squares, multiplies number c by gain(0, c), and its logits are that
// times wout (D, words). Answer the share of the part in the logit of `word` less that of `other`, so that the shares
// of all parts add up to the difference of the two logits. There is no 10⁻⁶.
double my_share(Mat part, Mat whole, Mat gain, Mat wout, int word, int other)
{
    (void)part;
    (void)whole;
    (void)gain;
    (void)wout;
    (void)word;
    (void)other;
    return NAN; // your code goes here
}

// Task 2. first and second (T, T) are the mean maps of layers 0 and 1. Write their rollout into out (T, T): A is ½ of
// the identity and ½ of a map, rows divided by their sum, and R = A of layer 1 times A of layer 0. T is 8 at most, and
// the maps must stay as they are.
void my_rollout(Mat out, Mat first, Mat second)
{
    (void)out;
    (void)first;
    (void)second;
    // and here
}
