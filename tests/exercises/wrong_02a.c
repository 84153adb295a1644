// Exercise 02a, solved wrongly: number WRONG of these gets this answer.
//
// 1: expf overflows above 88.7
// 2: what was taken away from scores that are all below 0?
// 3: divided by the sum of them all
// 4: a row with every key hidden takes nothing from anybody
// 5: the sum is not complete yet
// 6: above and below
// 7: divided by their sum, not by the largest
// 8: bits take log2f
// 9: these are powers of 2
// 10: shares of the scores themselves
// 11: not by how many there are
// 12: the weights sum to 1.318
// 13: a weight is below 0
// 14: the sign
// 15: each logarithm counts by its weight
// 16: a weight of 0 adds nothing
// 17: entropy is the logarithm of it
// 18: is the largest taken away?
// 19: these are shares of 1
// 20: a hidden key gets some weight
// 21: divided by the norm
// 22: to base 10
// 23: nothing is divided by how many weights
// 24: a share of the entropy of equal weights
// 25: as they must, but the shares are not right
// 26: what was taken away from scores that are all below 0?
// 27: in the sum alone it does not cancel
// 28: they are not divided by it
// 29: what is taken away from what?
// 30: the logarithms of the weights
// 31: the largest takes all here
// 32: only what the last weight adds
// 33: when all weights are equal
// 34: though no key is hidden
// 35: inside exp
// 36: max + log Σ is rounded
// 37: nothing is written for such a row
// 38: hides itself alone
// 39: those behind it count
// 40: leaves open who gets the rest
// 41: a weight of 0 adds nothing
// 42: a weight is not a finite number
// 43: typed in with a few digits
// 44: the exponentials are missing
// 45: the logistic function of each score
// 46: shares of logistic functions
// 47: leaves out the last key
// 48: divided by the sum of the others
// 49: cut off somewhere
// 50: a hidden key has a weight, too
// 51: not every weight of this row is written
// 52: is the largest taken away?
// 53: what the first weight adds is there
// 54: what the first weight adds is missing
// 55: what the last weight adds is missing
// 56: and is it a float?
// 57: how far it is from equal weights
#include "exercises/wrong.h"

#include <math.h>

void my_softmax(float *weights, const float *scores, int n);
float my_entropy(const float *weights, int n);

static float exponential(float score, float max)
{
    int how = wrong();
    if (how == 35) return expf(score) - max;
    if (how == 42) return expf(score - 1000.0f);
    if (how == 43) return powf(2.718f, score - max);
    if (how == 44) return score - max;
    if (how == 45 || how == 46) return 1.0f / (1.0f + expf(-score));
    if (how == 49) return expf(fminf(score, 88.0f));
    return how == 9    ? exp2f(score - max)
           : how == 10 ? score
           : how == 28 ? expf(score / max)
           : how == 29 ? expf(max - score)
           : how == 31 ? (float)(score == max)
                       : expf(score - max);
}

void my_softmax(float *weights, const float *scores, int n)
{
    int how = wrong();
    float max = how == 2 || how == 34 ? 0.0f : -INFINITY, sum = 0.0f, largest = 0.0f;
    for (int j = 0; j < n; j++) max = fmaxf(max, scores[j]);
    if (how == 1) max = 0.0f;
    if (how == 18) max = scores[0];
    if (how == 26) max = fabsf(max);
    if (how == 19 && max == -INFINITY) {
        for (int j = 0; j < n; j++) weights[j] = 1.0f / (float)n;
        return;
    }
    if (max == -INFINITY && (how == 37 || how == 51)) {
        if (how == 51) weights[0] = 0.0f;
        return;
    }
    if (how == 52 && scores[n - 1] != -INFINITY) max = scores[n - 1];
    for (int j = 0; j < n && how == 38; j++)
        if (scores[j] == -INFINITY) max = INFINITY;
    if (max == -INFINITY && how != 4) max = 0.0f;
    for (int j = 0; j < n; j++) {
        weights[j] = exponential(scores[j], max);
        if (how == 20 && scores[j] == -INFINITY) weights[j] = 1.0f;
        sum += how == 6 ? expf(scores[j]) : how == 21 ? weights[j] * weights[j] : weights[j];
        largest = fmaxf(largest, weights[j]);
        if (how == 5) weights[j] /= sum;
    }
    if (how == 45) return;
    if (how == 47) sum -= weights[n - 1];
    for (int j = 0; j < n && how == 48; j++) weights[j] *= sum / (sum - weights[j]);
    if (how == 11) sum = (float)n;
    if (how == 13) sum = -sum;
    if (how == 21) sum = sqrtf(sum);
    for (int j = 0; j < n && how != 3 && how != 5; j++)
        if (how == 50 && scores[j] == -INFINITY) weights[j] = NAN;
        else if (sum != 0.0f || how == 2 || how == 26 || how == 42) weights[j] /= how == 7 ? fmaxf(max, largest) : sum;
    float logsumexp = max + logf(sum);
    for (int j = 0; j < n && how == 36; j++) weights[j] = expf(scores[j] - logsumexp);
    for (int j = 0; j < n && how == 27; j++) weights[j] = expf(scores[j]) / sum;
    for (int j = 0; j < n && how == 30; j++) weights[j] = logf(weights[j]);
    if (how == 12) weights[0] *= 1.4829f;
    if (how == 25) {
        weights[0] += 0.5f * weights[n - 1];
        weights[n - 1] *= 0.5f;
    }
}

float my_entropy(const float *weights, int n)
{
    int how = wrong();
    float sum = 0.0f;
    if (how == 33) return log2f((float)n);
    for (int j = how == 54; j < n - (how == 55); j++) {
        if (how == 32) sum = 0.0f;
        if (how == 39 && weights[j] == 0.0f) break;
        if (how == 40 && weights[j] == 0.0f) return 0.0f;
        if (how == 41 && weights[j] == 0.0f) sum += 1.0f;
        float bits = how == 8 ? logf(weights[j]) : how == 22 ? log10f(weights[j]) : log2f(weights[j]);
        if (weights[j] > 0.0f || how == 16) sum -= how == 15 ? bits : weights[j] * bits;
        if (how == 53 && weights[j] > 0.0f) return sum;
        if (how == 56) sum = truncf(sum);
    }
    if (how == 57) return log2f((float)n) - sum;
    if (how == 23 || how == 24) return sum / (how == 23 ? (float)n : log2f((float)n));
    return how == 14 ? -sum : how == 17 ? exp2f(sum) : sum;
}
