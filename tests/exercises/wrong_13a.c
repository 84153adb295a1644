// Exercise 13a, solved wrongly: number WRONG of these gets this answer.
//
// 1: it is still the stub
// 2: factors are exchanged
// 3: Has max been overwritten
// 4: mixed needs what sum needs
// 5: the sign
// 6: max must become the larger
// 7: mixed stays undivided
// 8: need a case of their own
// 9: is not rescaled, and counts too much
// 10: the other result's mixed is missing
// 11: sum needs what mixed needs
// 12: sum, at [1], is
// 13: is not rescaled, and counts too much
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
    if (how == 9) own = other = 1.0f;
    if (how == 13) other = 1.0f;                               // this result alone is rescaled
    *sum = how == 11 ? *sum + other_sum : *sum * own + other_sum * other;
    if (how == 12) *sum /= 2.0f;                               // nothing that is known
    if (how == 10) other = 0.0f;
    for (int c = 0; c < dv; c++)
        mixed[c] = how == 4 ? mixed[c] + other_mixed[c] : mixed[c] * own + other_mixed[c] * other;
    for (int c = 0; c < dv && how == 7; c++) mixed[c] /= *sum;
    if (how != 6) *max = m;
}
