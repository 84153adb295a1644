// Exercise 15b. Mend it: a maximum that is seldom raised.
//
// Mend the function, then run: make exercise-15b
#include "base/mat.h"
#include "base/portable_math.h"

// One output. scores (1, S) are in powers of two, v is (S, dv), out (1, dv) must be Σ 2^(s − c) v / Σ 2^(s − c), and
// zeros where all scores are −INFINITY. c is raised, to the score at hand, only when that one lies more than `far`
// above it; the function answers how often that happened. The first score that is not −INFINITY raises it once, from
// −INFINITY.
//
// Task. It compiles, and it is right whenever the first score is the largest. Four things are wrong with it. Find them
// and mend them, with no more calls of exp2f in a turn than there are.
int my_lazy_output(Mat out, Mat scores, Mat v, float far)
{
    float c = -INFINITY, sum = 0.0f;
    int raised = 0;
    mat_fill(out, 0.0f);
    for (int j = 0; j < scores.cols; j++) {
        float score = *mat_ref(scores, 0, j);
        if (score - c > far) {
            float factor = exp2f(score - c);
            for (int e = 0; e < v.cols; e++) *mat_ref(out, 0, e) *= raised ? factor : 0.0f;
            c = score;
            raised++;
        }
        float weight = exp2f(score - c);
        sum += weight;
        for (int e = 0; e < v.cols; e++) *mat_ref(out, 0, e) += weight * *mat_ref(v, j, e);
    }
    for (int e = 0; e < v.cols; e++) *mat_ref(out, 0, e) /= sum;
    return raised;
}
