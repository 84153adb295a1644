// Exercise 14a, solved wrongly: number WRONG of these gets this answer.
//
// 1: nothing has changed: it is still the stub
// 2: no tile is fetched
// 3: not at i + T − S
// 4: aligned top-left
// 5: a query sees its own position
// 6: the last one sees more
// 7: right, and twice the work
// 8: sum of query 0 is the first that is wrong
// 9: what is the factor then
// 10: Has max been overwritten
// 11: the new one must be known first
// 12: measured against nothing
// 13: what earlier tiles gave is lost
#include "attention/online.h"
#include "exercises/wrong.h"

#include <math.h>

void my_tile(Mat out, Mat max, Mat sum, Mat scores, Mat v);
bool my_tile_is_needed(int i, int queries, int j, int keys, int T, int S);

void my_tile(Mat out, Mat max, Mat sum, Mat scores, Mat v)
{
    for (int r = 0; r < scores.rows && wrong() != 1; r++) {
        float old = *mat_ref(max, r, 0), new = old;
        for (int c = 0; c < scores.cols; c++) new = fmaxf(new, *mat_ref(scores, r, c));
        if (new == -INFINITY) continue;
        *mat_ref(max, r, 0) = new;
        float factor = wrong() == 9 ? expf(new - old) : expf(old - new);
        if (wrong() == 10 && old > -INFINITY) factor = 1.0f;
        if (wrong() == 13) factor = 0.0f;
        *mat_ref(sum, r, 0) *= factor;
        for (int n = 0; n < v.cols; n++) *mat_ref(out, r, n) *= factor;
        for (int c = 0; c < scores.cols; c++) {
            if (*mat_ref(scores, r, c) == -INFINITY) continue;
            float weight = expf(*mat_ref(scores, r, c) - (wrong() == 11 ? old : wrong() == 12 ? 0.0f : new));
            *mat_ref(sum, r, 0) += wrong() == 8 ? 2.0f * weight : weight;
            for (int n = 0; n < v.cols; n++) *mat_ref(out, r, n) += weight * *mat_ref(v, c, n);
        }
    }
}

bool my_tile_is_needed(int i, int queries, int j, int keys, int T, int S)
{
    (void)keys;
    int last = i + queries - 1;
    switch (wrong()) {
    case 2:  return false;
    case 3:  return j <= last + T - S;
    case 4:  return j <= last;
    case 5:  return j < last + S - T;
    case 6:  return j <= i + S - T;
    case 7:  return true;
    default: return j <= last + S - T;
    }
}
