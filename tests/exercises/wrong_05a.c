// Exercise 05a, solved wrongly: number WRONG of these gets this answer.
//
// 1: so that the last query sees every key
// 2: a query sees its own key as well
// 3: no query sees a key after it
// 4: the window is missing
// 5: keys must be hidden
// 6: one key too many
// 7: one key too few
// 8: this is turned round
// 9: filler stands at the end
// 10: and not 1
// 11: -1e+09 is large, not infinite
// 12: there is no window
// 13: the sign: distance lowers
// 14: the bias must be added
// 15: a distance has no sign
// 16: the sign: +INFINITY
// 17: 0 times infinity is NaN
// 18: -1e+30 is large, not infinite
// 19: those of other distances are not
// 20: which is i + S - T, not i
// 21: there are S keys, not T
// 22: a key that is seen needs its 0, too
// 23: -10 is a number, not -INFINITY
// 24: a key that is hidden gets -INFINITY
// 25: T and S have changed places
// 26: filler counts in S
// 27: the rows of filler are hidden as well
// 28: keys after the query have a distance, too
// 29: ALiBi itself hides nothing
// 30: one key of filler is still seen
// 31: one key too many is taken for filler
// 32: stays true with a window
// 33: these are the first keys of the text
// 34: 0 and -INFINITY have changed places
// 35: without the slope
// 36: the score is multiplied
// 37: T and S have changed places: query i
// 38: a score of -INFINITY has changed
// 39: do not add to them
// 40: these are the last keys of the text
// 41: ends at its query, filler or not
// 42: -INFINITY all along
// 43: all that it takes away is 0
// 44: the distance is divided by it
// 45: keys before the query have a distance
// 46: the distance from the last key
// 47: which is i + S - T, not i
#include "base/mat.h"
#include "exercises/wrong.h"

#include <math.h>
#include <stdlib.h>

void my_bias(Mat bias, int window, int padding);
void my_alibi(Mat scores, float slope);

static bool seen(int p, int j, int T, int S, int window, int padding)
{
    int how = wrong();
    if (how == 30 || how == 31) padding += padding == 0 ? 0 : how == 30 ? -1 : 1;
    if (how == 32 && window > 0) return abs(p - j) < window && j < S - padding;
    if (how == 40 && window > 0) return j <= p && j >= S - window && j < S - padding;
    if (how == 41 && p >= S - padding) p = S - padding - 1;
    if (how == 33 && window > 0) return j <= p && j < window && j < S - padding;
    if (how == 21 && j >= T - padding) return false;
    if (how == 8) return j >= p && (window == 0 || j < p + window) && j < S - padding;
    if (how != 3 && (how == 2 ? j >= p : j > p)) return false;
    if (how == 9 ? j < padding : how != 5 && j >= S - padding) return false;
    if (how == 12 && window == 0) return false;
    if (window == 0 || how == 4) return true;
    if (how == 20) p -= S - T;
    if (how == 47) return abs(p - (S - T) - j) < window;
    return j > p - window - (how == 6) + (how == 7 && window > 1);
}

void my_bias(Mat bias, int window, int padding)
{
    int how = wrong(), T = bias.rows, S = bias.cols;
    for (int i = 0; i < T; i++)
        for (int j = 0; j < S; j++) {
            int p = how == 1 ? i : how == 25 ? i + T - S : i + S - T - (how == 26 ? padding : 0);
            bool sees = seen(p, j, T, S, window, padding) && (how != 27 || p < S - padding);
            if (how == 22 && sees) continue;
            if (how == 34) sees = !sees;
            float hidden = how == 11 ? -1e9f : how == 16 ? INFINITY : how == 18 ? -1e30f : -INFINITY;
            if (how == 23 || how == 24) hidden = how == 23 ? -10.0f : NAN;
            if (how == 39) hidden += *mat_ref(bias, i, j);
            if (how == 39) sees = false;
            if (how == 42 && padding >= S) sees = true; // nothing would be left
            *mat_ref(bias, i, j) = how == 10 ? (float)sees : how == 17 ? hidden * (float)!sees : sees ? 0.0f : hidden;
        }
}

void my_alibi(Mat scores, float slope)
{
    for (int i = 0; i < scores.rows; i++)
        for (int j = 0; j < scores.cols; j++) {
            float away = (float)(i + scores.cols - scores.rows - j);
            float bias = -slope * (wrong() == 15 ? away : wrong() == 19 ? away * away : fabsf(away));
            if (wrong() == 13) bias = -bias;
            if (wrong() == 35) bias = -fabsf(away);
            if (wrong() == 36) bias = *mat_ref(scores, i, j) * (slope * fabsf(away) - 1.0f);
            if (wrong() == 43) bias = (float)(-(int)slope * abs((int)away));
            if (wrong() == 44) bias = -fabsf(away) / slope;
            if (wrong() == 45) bias = away > 0.0f ? 0.0f : bias;
            if (wrong() == 46) bias = -slope * (float)(scores.cols - 1 - j);
            if (wrong() == 37) bias = -slope * fabsf((float)(i + scores.rows - scores.cols - j));
            if (wrong() == 38 && isinf(*mat_ref(scores, i, j))) *mat_ref(scores, i, j) = 0.0f;
            if (wrong() == 29 && away < 0.0f) bias = -INFINITY;
            if (wrong() == 28 && away < 0.0f) continue;
            *mat_ref(scores, i, j) = wrong() == 14 ? bias : *mat_ref(scores, i, j) + bias;
        }
}
