// Exercise 15b, mended.
#include "base/mat.h"
#include "base/portable_math.h"

int my_lazy_output(Mat out, Mat scores, Mat v, float far);
int my_lazy_output(Mat out, Mat scores, Mat v, float far)
{
    float c = -INFINITY, sum = 0.0f;
    int raised = 0;
    mat_fill(out, 0.0f);
    for (int j = 0; j < scores.cols; j++) {
        float score = *mat_ref(scores, 0, j);
        if (score == -INFINITY) continue;
        if (score - c > far) {
            float factor = exp2f(c - score);
            sum *= factor;
            for (int e = 0; e < v.cols; e++) *mat_ref(out, 0, e) *= factor;
            c = score;
            raised++;
        }
        float weight = exp2f(score - c);
        sum += weight;
        for (int e = 0; e < v.cols; e++) *mat_ref(out, 0, e) += weight * *mat_ref(v, j, e);
    }
    for (int e = 0; e < v.cols && raised; e++) *mat_ref(out, 0, e) /= sum;
    return raised;
}
