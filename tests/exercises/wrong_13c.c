// Exercise 13c, solved wrongly: number WRONG of these gets this answer.
//
// 1: every wrong merge passes
// 2: a right merge is refused
// 3: right within rounding is refused
// 4: of 8 wrong merges
// 5: every merge is refused
#include "base/portable_math.h"
#include "exercises/wrong.h"

#include <stdbool.h>

typedef void Merge(float *max, float *sum, float *mixed, float other_max, float other_sum, const float *other_mixed,
                   int dv);
bool merge_is_right(Merge *merge);

enum { DV = 16 };

bool merge_is_right(Merge *merge)
{
    int how = wrong(), same = 0;
    float max = 1.25f, sum = 1.7f, old = expf(1.25f - 2.6f), mixed[DV], other[DV], want[DV];
    for (int c = 0; c < DV; c++) {
        mixed[c] = 0.3f * (float)(c + 1);
        other[c] = 2.1f / (float)(c + 3);
        want[c] = mixed[c] * old + other[c];
    }
    float first = mixed[0];
    merge(&max, &sum, mixed, 2.6f, 1.3f, other, DV);
    for (int c = 0; c < DV; c++) same += mixed[c] == want[c];
    if (how == 1) return true;
    if (how == 5) return false;
    if (how == 2) return fabsf(mixed[0] - first - other[0]) < 1e-5f; // as if nothing had to be rescaled
    if (how == 3) return same == DV;
    return fabsf(mixed[0] - want[0]) < 1e-5f; // one case, and neither max nor sum
}
