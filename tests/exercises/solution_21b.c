// Exercise 21b, solved: 50,000 draws, half of Σ |share − p| against what right ones hardly ever reach.
#include "base/portable_math.h"

#include <stdbool.h>

typedef int Draw(void *context);

bool my_is_exact(Draw *draw, void *context, const float *p, int n);
bool my_is_exact(Draw *draw, void *context, const float *p, int n)
{
    enum { DRAWS = 50000, MOST = 64 };
    int count[MOST] = { 0 };
    for (int i = 0; i < DRAWS; i++) count[draw(context)]++;
    double sum = 0.0;
    for (int x = 0; x < n; x++) {
        double expected = DRAWS * (double)p[x];
        if (expected > 0.0) sum += (count[x] - expected) * (count[x] - expected) / expected;
        else if (count[x] > 0) return false;
    }
    double freedom = n - 1; // mean of the sum, and 6 of its standard deviations
    return sum < freedom + 6.0 * sqrt(2.0 * freedom) + 18.0;
}
