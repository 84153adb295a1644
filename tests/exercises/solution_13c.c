// Exercise 13c, solved: every case is computed from the keys themselves.
#include "base/portable_math.h"

#include <stdbool.h>

typedef void Merge(float *max, float *sum, float *mixed, float other_max, float other_sum, const float *other_mixed,
                   int dv);
bool merge_is_right(Merge *merge);

enum { DV = 2 };
typedef struct {
    float max, sum, mixed[DV];
} Result;

// Key j has this score, and the values j + 1 and 1.
static Result over(const float *scores, int first, int count)
{
    Result r = { -INFINITY, 0.0f, { 0.0f, 0.0f } };
    for (int j = first; j < first + count; j++) r.max = fmaxf(r.max, scores[j]);
    for (int j = first; j < first + count; j++) {
        float weight = expf(scores[j] - r.max);
        r.sum += weight;
        r.mixed[0] += weight * (float)(j + 1);
        r.mixed[1] += weight;
    }
    return r;
}

static bool near(float a, float b) { return a == b || fabsf(a - b) <= 1e-5f * fmaxf(1.0f, fabsf(b)); }

static bool case_is_right(Merge *merge, const float *scores, int own, int others)
{
    Result a = over(scores, 0, own), b = over(scores, own, others), all = over(scores, 0, own + others);
    merge(&a.max, &a.sum, a.mixed, b.max, b.sum, b.mixed, DV);
    return near(a.max, all.max) && near(a.sum, all.sum) && near(a.mixed[0], all.mixed[0]) &&
           near(a.mixed[1], all.mixed[1]);
}

bool merge_is_right(Merge *merge)
{
    static const float rising[] = { 1, 2, 3, 4 }, falling[] = { 4, 3, 2, 1 }, large[] = { 200, 201, 202, 199 };
    return case_is_right(merge, rising, 2, 2) && case_is_right(merge, falling, 1, 3) &&
           case_is_right(merge, large, 2, 2) && case_is_right(merge, rising, 0, 3) &&
           case_is_right(merge, rising, 3, 0) && case_is_right(merge, rising, 0, 0);
}
