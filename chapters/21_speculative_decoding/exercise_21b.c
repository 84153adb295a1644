// Exercise 21b. Which of them are exact? Write the test of a distribution that finds out.
//
// Write the function, then run: make exercise-21b
#include <stdbool.h>

// What draws: each call gives a token, 0 … n − 1.
typedef int Draw(void *context);

// Task. Is draw(context) a draw from the chances p (n, Σ 1)? Draw as often as you need, up to 100,000 times, count, and
// say whether the counts may come from p. It will be asked of samplers that are right, many times: they must pass. And
// of samplers with a wrong rule: always kept; drawn from p when not kept; kept 1.3 times as often as may be; and one
// that sometimes says what has no chance at all. All of them differ from p by 0.02 or more: ½ Σ |chance − p|.
// There are 2 to 12 tokens.
bool my_is_exact(Draw *draw, void *context, const float *p, int n)
{
    (void)draw;
    (void)context;
    (void)p;
    (void)n;
    return false; // your code goes here
}
