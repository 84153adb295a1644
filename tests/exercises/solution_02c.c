// Exercise 02c, solved: the softmax in float64, held against the one that is tried.
#include <math.h>
#include <stdbool.h>

typedef void Softmax(float *weights, const float *scores, int n);

bool softmax_is_right(Softmax *softmax);

// Do the weights of these scores come back, with one array for both or with two?
static bool comes_back(Softmax *softmax, const float scores[3], const float expected[3])
{
    float apart[3], same[3];
    for (int j = 0; j < 3; j++) same[j] = scores[j];
    softmax(apart, scores, 3);
    softmax(same, same, 3);
    for (int j = 0; j < 3; j++)
        if (!(fabsf(apart[j] - expected[j]) < 1e-5f) || !(fabsf(same[j] - expected[j]) < 1e-5f)) return false;
    return true;
}

bool softmax_is_right(Softmax *softmax)
{
    static const float weights[3] = { 0.6590012f, 0.2424330f, 0.0985659f };
    float hidden = -INFINITY, half[3] = { 0.5f, 0.0f, 0.5f }, nothing[3] = { 0.0f, 0.0f, 0.0f };
    return comes_back(softmax, (float[]){ 2.0f, 1.0f, 0.1f }, weights) &&
           comes_back(softmax, (float[]){ 202.0f, 201.0f, 200.1f }, weights) &&
           comes_back(softmax, (float[]){ -198.0f, -199.0f, -199.9f }, weights) &&
           comes_back(softmax, (float[]){ 3.0f, hidden, 3.0f }, half) &&
           comes_back(softmax, (float[]){ hidden, hidden, hidden }, nothing);
}
