// Exercise 10a, solved wrongly: number WRONG of these gets this answer.
//
// 1: of two copies both look as if they could go
// 2: the head that is needed most goes first
// 3: the first is wanted, not the last
// 4: each head was tried alone
// 5: every head goes once, and the one without which
// 6: with their signs some would cancel others
// 7: not the size of the mean
// 8: divide by the number of sentences
// 9: this is the mean of the squares
// 10: this divides by the number of heads
// 11: knows the stride
// 12: order[n] is the head that goes n-th
// 13: every head goes once, and the one without which
// 14: greedily that takes 6 measurements; yours took 9
// 15: this is the largest of the sizes
// 16: the root of the mean of the squares
// 17: divided by the length of all of them
// 18: divided by the largest
// 19: accuracy may be 0, and the best begins below it
// 20: a head that was only tried must come back
// 21: the one that went must stay off
// 22: heads are counted from 0
// 23: in every turn the first head that is left goes
// 24: the first measurement has not one head off
// 25: divided by the sum over all heads
// 26: it begins at 0 for each
// 27: this divides by one sentence too few
// 28: the root of the sum of the squares
// 29: look as if they could go
// 30: abs is for whole numbers
// 31: slopes below 0 were left out
// 32: a division of whole numbers
#include "base/mat.h"
#include "exercises/wrong.h"

#include <math.h>

typedef double Accuracy(const float *gates, int heads, void *model);
void my_greedy_order(int *order, int heads, Accuracy *accuracy, void *model);
void my_importance(Mat importance, Mat slopes);

enum { MOST = 16 };

// What is left without head n; with 1, all others are on, with 4, off; with 24, it is on itself.
static double left_without(const float *gates, int heads, int n, Accuracy *accuracy, void *model)
{
    float tried[MOST];
    for (int m = 0; m < heads; m++) tried[m] = wrong() == 1 ? 1.0f : wrong() == 4 ? 0.0f : gates[m];
    tried[n] = wrong() == 4 || wrong() == 24 ? 1.0f : 0.0f;
    double left = accuracy(tried, heads, model);
    return wrong() == 2 || wrong() == 4 ? -left : left;
}

void my_greedy_order(int *order, int heads, Accuracy *accuracy, void *model)
{
    float gates[MOST];
    bool gone[MOST] = { false };
    for (int n = 0; n < heads; n++) gates[n] = 1.0f;
    for (int turn = 0; turn < heads; turn++) {
        int best = wrong() == 13 ? 0 : -1;
        double most = 0.0;
        for (int n = 0; n < heads; n++) {
            if ((wrong() == 29 ? gone[n] : gates[n] == 0.0f) && wrong() != 14) continue;
            double left = left_without(gates, heads, n, accuracy, model);
            if (wrong() == 20) gates[n] = 0.0f;
            for (int m = 0; m < heads && wrong() == 29; m++) gates[m] = 1.0f; // those that have gone, too
            if (wrong() == 23 && best >= 0) continue;
            if ((best >= 0 || wrong() == 19) && (wrong() == 3 ? left < most : left <= most)) continue;
            best = n;
            most = left;
        }
        if (best >= 0 && wrong() != 21) gates[best] = 0.0f;
        gone[best < 0 ? 0 : best] = true;
        order[wrong() == 12 ? best : turn] = wrong() == 5 ? turn + 7 : wrong() == 12 ? turn : best + (wrong() == 22);
    }
}

void my_importance(Mat importance, Mat slopes)
{
    int how = wrong();
    float length = 0.0f, most = 0.0f, all = 0.0f, sum = 0.0f;
    for (int n = 0; n < slopes.cols; n++) {
        if (how != 26) sum = 0.0f;
        for (int s = 0; s < slopes.rows; s++) {
            float slope = how == 11 ? slopes.at[s * slopes.cols + n] : *mat_ref(slopes, s, n);
            if (how == 30) slope = floorf(fabsf(slope));
            if (how == 31) slope = fmaxf(0.0f, slope);
            bool squared = how == 9 || how == 16 || how == 28;
            if (how == 15) sum = fmaxf(sum, fabsf(slope) * (float)slopes.rows);
            else sum += how == 6 || how == 7 ? slope : squared ? slope * slope : fabsf(slope);
        }
        if (how == 7) sum = fabsf(sum);
        float count = (float)(how == 10 ? slopes.cols : how == 27 ? slopes.rows - 1 : slopes.rows);
        float mean = how == 8 || how == 28 ? sum : how == 32 ? sum * (float)(1 / slopes.rows) : sum / count;
        *mat_ref(importance, 0, n) = how == 16 || how == 28 ? sqrtf(mean) : mean;
        length += mean * mean;
        most = fmaxf(most, mean);
        all += mean;
    }
    float by = how == 17 ? sqrtf(length) : how == 18 ? most : how == 25 ? all : 1.0f;
    for (int n = 0; n < slopes.cols; n++) *mat_ref(importance, 0, n) /= by;
}
