// Exercise 21b, solved wrongly: number WRONG of these gets this answer.
//
// 1: not one of 25 right samplers passes
// 2: nothing was drawn
// 3: it is q that comes out
// 4: chance alone is taken for a mistake
// 5: it is q that comes out
// 6: the last token has no chance
// 7: more than 100,000 draws
// 8: its first token comes with a chance of 0.22
// 9: it is off by a little
// 10: not one of 25 right samplers passes
// 11: its tokens are each off by a little
// 12: chance alone is taken for a mistake
// 13: the last token has no chance here
#include "base/portable_math.h"
#include "exercises/wrong.h"

#include <stdbool.h>

typedef int Draw(void *context);

bool my_is_exact(Draw *draw, void *context, const float *p, int n);
bool my_is_exact(Draw *draw, void *context, const float *p, int n)
{
    int how = wrong(), count[64] = { 0 };
    if (how == 2) return true;
    int draws = how == 7 ? 100001 : how == 9 ? 1500 : how == 8 ? 100 : how == 11 ? 550 : 50000;
    int largest = 0, likeliest = 0;
    for (int i = 0; i < draws; i++) count[draw(context)]++;
    double sum = 0.0, worst = 0.0;
    for (int x = 0; x < n; x++) {
        double expected = draws * (double)p[x], off = count[x] - expected;
        worst = fmax(worst, fabs(off) / draws);
        if (expected > 0.0 || how == 13) sum += off * off / expected;
        else if (count[x] > 0 && how != 6) return false;
        if (count[x] > count[largest]) largest = x;
        if (p[x] > p[likeliest]) likeliest = x;
    }
    if (how == 1) return worst == 0.0;                          // to the count
    if (how == 3) return true;                                  // everything is
    if (how == 5) return worst < 0.5;                           // a half of all may be off
    if (how == 4) return sum < n;                               // only what is nearer than the mean
    if (how == 10) return sum > n + 6.0 * sqrt(2.0 * n) + 18.0; // the wrong way round
    if (how == 12) return largest == likeliest && sum < n + sqrt(2.0 * n);
    return sum < n - 1 + 6.0 * sqrt(2.0 * (n - 1)) + 18.0;
}
