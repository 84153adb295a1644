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
// 14: what does a larger maximum of the other result do
// 15: the other's keys are lost
// 16: the other result's sum is missing
// 17: not all of them have been merged
// 18: not all of them have been merged
// 19: the sums are no factors for it
// 20: this is the smaller
// 21: subtract before exp
// 22: sum, at [1], is NaN
// 23: is that always the larger
// 24: the difference itself
// 25: this is its logarithm
// 26: whose maximum is the smaller adds something
// 27: it must be kept for the keys that follow
// 28: the logarithm of a sum of exp
// 29: once for each column
// 30: the other result counts as one key
// 31: copied and then merged as well
#include "base/portable_math.h"
#include "exercises/wrong.h"

void my_merge(float *max, float *sum, float *mixed, float other_max, float other_sum, const float *other_mixed, int dv);
void my_merge(float *max, float *sum, float *mixed, float other_max, float other_sum, const float *other_mixed, int dv)
{
    int how = wrong();
    float m = fmaxf(*max, other_max);
    if (how == 1 || (m == -INFINITY && how != 8)) return;
    if (how == 14 && other_max > *max) return;
    if (how == 26 && other_max < *max) return;
    if (how == 15 && *max == -INFINITY) return;
    if (how == 20) m = fminf(*max, other_max);
    if (how == 23) m = other_max;
    if (how == 3) *max = m;
    if (how == 31 && *max == -INFINITY) { // and no return
        *max = other_max;
        *sum = other_sum;
        for (int c = 0; c < dv; c++) mixed[c] = other_mixed[c];
    }
    float own = expf(*max - m), other = expf(other_max - m);
    if (how == 2) own = expf(other_max - m);
    if (how == 2) other = expf(*max - m);
    if (how == 5) own = 1.0f / own;
    if (how == 5) other = 1.0f / other;
    if (how == 9) own = other = 1.0f;
    if (how == 13) other = 1.0f; // this result alone is rescaled
    if (how == 24) own = *max - m;
    if (how == 24) other = other_max - m;
    if (how == 21) own = expf(*max) / expf(m);
    if (how == 21) other = expf(other_max) / expf(m);
    float of_mixed = how == 19 ? own * *sum : own, of_others = how == 19 ? other * other_sum : other;
    *sum = how == 11 ? *sum + other_sum : *sum * own + other_sum * other;
    for (int c = 1; c < dv && how == 29; c++) *sum = *sum * own + other_sum * other;
    if (how == 12) *sum /= 2.0f; // nothing that is known
    if (how == 30) *sum += other - other_sum * other;
    if (how == 16) *sum -= other_sum * other;
    if (how == 22) *sum = NAN;
    if (how == 23) m = fmaxf(*max, other_max);
    if (how == 10) of_others = 0.0f;
    for (int c = 0; c < (how == 17 ? 1 : how == 18 ? dv - 1 : dv); c++)
        mixed[c] = how == 4 ? mixed[c] + other_mixed[c] : mixed[c] * of_mixed + other_mixed[c] * of_others;
    for (int c = 0; c < dv && (how == 7 || how == 27); c++) mixed[c] /= *sum;
    if (how == 27) *sum = 1.0f;
    if (how == 28) m = logf(expf(*max) + expf(other_max));
    if (how == 25) *sum = logf(*sum);
    if (how != 6) *max = m;
}
