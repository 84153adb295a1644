// Exercise 05a. What a mask adds to the scores.
//
// Write the two functions, then run: make exercise-05a
#include "base/mat.h"
#include "base/portable_math.h"

// Task 1. bias (T, S) becomes 0 where query i may see key j, and −INFINITY where it may not. All of this must hold:
//   - no query sees a key that comes after it; query i stands at position i + S − T;
//   - with window > 0, a query sees only the `window` most recent keys, its own included; 0 means no window;
//   - the last `padding` keys are filler, and nobody sees them.
// Hint: with T = 1 and S = 5, no window and no padding, the one query sees all five keys.
void my_bias(Mat bias, int window, int padding)
{
    (void)bias;
    (void)window;
    (void)padding;
}

// Task 2. ALiBi: add −slope · distance to every score. The distance of query i and key j is |i + S − T − j|.
// A score of −INFINITY stays what it is.
// Hint: the score of a query with its own key does not change.
void my_alibi(Mat scores, float slope)
{
    (void)scores;
    (void)slope;
}
