// Exercise 13a, solved wrongly: number WRONG of these gets this answer.
//
// 1: it is still the stub
// 2: the factors are exchanged
// 3: Has max been overwritten before?
// 4: mixed needs the same factors as sum
// 5: the sign
// 6: max must become the larger
// 7: mixed stays undivided
// 8: need a case of their own
#include "exercises/wrong.h"

#include <math.h>

void my_merge(float *max, float *sum, float *mixed, float other_max, float other_sum, const float *other_mixed, int dv);
void my_merge(float *max, float *sum, float *mixed, float other_max, float other_sum, const float *other_mixed, int dv)
{
    int how = wrong();
    float m = fmaxf(*max, other_max);
    if (how == 1 || (m == -INFINITY && how != 8)) return;
    if (how == 3) *max = m;
    float own = expf(*max - m), other = expf(other_max - m);
    if (how == 2) own = expf(other_max - m);
    if (how == 2) other = expf(*max - m);
    if (how == 5) own = 1.0f / own;
    if (how == 5) other = 1.0f / other;
    *sum = *sum * own + other_sum * other;
    for (int c = 0; c < dv; c++)
        mixed[c] = how == 4 ? mixed[c] + other_mixed[c] : mixed[c] * own + other_mixed[c] * other;
    for (int c = 0; c < dv && how == 7; c++) mixed[c] /= *sum;
    if (how != 6) *max = m;
}
