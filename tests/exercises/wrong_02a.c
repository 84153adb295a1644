// Exercise 02a, solved wrongly: number WRONG of these gets this answer.
//
// 1: expf overflows above 88.7
// 2: start the search for the largest with scores[0]
// 3: divided by the sum of them all
// 4: a row with every key hidden takes nothing from anybody
// 5: the sum is not complete yet
// 6: above and below
// 7: divided by their sum, not by the largest
// 8: bits take log2f
#include "exercises/wrong.h"

#include <math.h>

void  my_softmax(float *weights, const float *scores, int n);
float my_entropy(const float *weights, int n);

void my_softmax(float *weights, const float *scores, int n)
{
    int how = wrong();
    float max = how == 2 ? 0.0f : -INFINITY, sum = 0.0f, largest = 0.0f;
    for (int j = 0; j < n; j++) max = fmaxf(max, scores[j]);
    if (how == 1) max = 0.0f;
    if (max == -INFINITY && how != 4) max = 0.0f;
    for (int j = 0; j < n; j++) {
        weights[j] = expf(scores[j] - max);
        sum += how == 6 ? expf(scores[j]) : weights[j];
        largest = fmaxf(largest, weights[j]);
        if (how == 5) weights[j] /= sum;
    }
    for (int j = 0; j < n && how != 3 && how != 5; j++)
        if (sum != 0.0f || how == 2) weights[j] /= how == 7 ? fmaxf(max, largest) : sum;
}

float my_entropy(const float *weights, int n)
{
    float sum = 0.0f;
    for (int j = 0; j < n; j++)
        if (weights[j] > 0.0f) sum -= weights[j] * (wrong() == 8 ? logf(weights[j]) : log2f(weights[j]));
    return sum;
}
