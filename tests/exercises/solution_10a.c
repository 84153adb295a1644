// Exercise 10a, solved.
#include "base/mat.h"

#include <math.h>

typedef double Accuracy(const float *gates, int heads, void *model);
void my_greedy_order(int *order, int heads, Accuracy *accuracy, void *model);
void my_importance(Mat importance, Mat slopes);

void my_greedy_order(int *order, int heads, Accuracy *accuracy, void *model)
{
    float gates[16];
    for (int n = 0; n < heads; n++) gates[n] = 1.0f;
    for (int gone = 0; gone < heads; gone++) {
        int best = -1;
        double most = 0.0;
        for (int n = 0; n < heads; n++) {
            if (gates[n] == 0.0f) continue;
            gates[n] = 0.0f;
            double left = accuracy(gates, heads, model);
            gates[n] = 1.0f;
            if (best >= 0 && left <= most) continue;
            best = n;
            most = left;
        }
        gates[best] = 0.0f;
        order[gone] = best;
    }
}

void my_importance(Mat importance, Mat slopes)
{
    for (int n = 0; n < slopes.cols; n++) {
        float sum = 0.0f;
        for (int s = 0; s < slopes.rows; s++) sum += fabsf(*mat_ref(slopes, s, n));
        *mat_ref(importance, 0, n) = sum / (float)slopes.rows;
    }
}
