// Exercise 02c, with tests that miss something: number WRONG of these gets this answer.
//
// 1: its weights do not sum to 1
// 2: they sum to 1
// 3: for two large scores it gives NaN
// 4: all below 0 it gives NaN
// 5: a hidden key gets some weight
// 6: all keys are hidden gives NaN
// 7: shares out 1 where all keys are hidden
// 8: are one array
// 9: your test says that it is wrong
// 10: your test says that it is wrong
// 11: your test says that it is wrong
// 12: lets one pass that gives NaN
// 13: lets one pass that shares out 1
// 14: and does not see NaN
// 15: of two that are wrong, that they are right
#include "exercises/wrong.h"

#include <math.h>
#include <stdbool.h>

typedef void Softmax(float *weights, const float *scores, int n);

bool softmax_is_right(Softmax *softmax);

static bool near(float got, float expected, bool nan_passes)
{
    float off = fabsf(got - expected);
    return nan_passes ? !(off >= 1e-5f) : off < 1e-5f;
}

// Each wrong test leaves out what the number stands for, and all that comes after it.
bool softmax_is_right(Softmax *softmax)
{
    int how = wrong();
    float hidden = -INFINITY, got[3], same[3] = { 2.0f, 1.0f, 0.1f };
    if (how == 1) return true;
    if (how == 10) return false;
    softmax(got, (float[]){ 2.0f, 1.0f, 0.1f }, 3);
    if (how == 9) return got[0] + got[1] + got[2] == 1.0f && got[0] == 0.659f;
    if (how == 11) return near(got[0], 0.659f, false) && near(got[1], 0.242f, false);
    if (how == 2) return near(got[0] + got[1] + got[2], 1.0f, false);
    bool right = near(got[0], 0.6590012f, false) && near(got[2], 0.0985659f, false);
    if (how == 15) return !right;
    if (how == 3) return right;
    softmax(got, (float[]){ 1000.0f, 999.0f, 0.0f }, 3);
    right = right && near(got[0], 0.7310586f, how == 14);
    if (how == 4) return right;
    softmax(got, (float[]){ -1000.0f, -999.0f, -2000.0f }, 3);
    right = right && near(got[1], 0.7310586f, how == 14);
    if (how == 5) return right;
    softmax(got, (float[]){ 3.0f, hidden, 3.0f }, 3);
    right = right && near(got[1], 0.0f, false);
    softmax(got, (float[]){ hidden, hidden, hidden }, 3);
    if (how == 6) return right && near(got[0], 0.0f, true);
    if (how == 12) return right && isnan(got[0]);
    if (how == 13) return right && near(got[0], 1.0f / 3.0f, false);
    if (how == 7) return right && !isnan(got[0]);
    right = right && near(got[0], 0.0f, false);
    if (how == 8) return right;
    softmax(same, same, 3);
    return right && near(same[0], 0.6590012f, false);
}
