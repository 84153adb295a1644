// Chapter 13. One row of scores and one column of values: in three passes, and key by key. What is read is counted.
#include "steps.h"

// A score is fetched from the row where it is stored.
float fetch(Mat scores, int j)
{
    cost_counted.reads++;
    return *mat_ref(scores, j, 0);
}

// Σ softmax(scores)ⱼ valuesⱼ, in three passes over the scores (S, 1).
float in_three_passes(Mat scores, Mat values)
{
    int n = scores.rows;
    float max = -INFINITY, sum = 0.0f, mixed = 0.0f;
    for (int j = 0; j < n; j++) max = fmaxf(max, fetch(scores, j));
    for (int j = 0; j < n; j++) sum += expf(fetch(scores, j) - max);
    for (int j = 0; j < n; j++) mixed += expf(fetch(scores, j) - max) / sum * *mat_ref(values, j, 0);
    cost_counted.exps += 2 * n;
    return mixed;
}

// One key more. What was summed so far was measured against the old maximum; exp(old − new) brings it to the new one.
SoFar one_key_more(SoFar row, float score, float value)
{
    float max = fmaxf(row.max, score);
    float rescale = expf(row.max - max), weight = expf(score - max);
    cost_counted.exps += 2;
    return (SoFar){ max, row.sum * rescale + weight, row.mixed * rescale + weight * value };
}
