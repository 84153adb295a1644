// Exercise 15b, mended wrongly or not at all: number WRONG of these gets this answer.
//
// 1: two mistakes are there
// 2: which way round is the factor?
// 3: what they are divided by is not
// 4: the outputs are not
// 5: nothing is rescaled
// 6: in the measure of the old c
// 7: a hidden score in front
// 8: zeros are wanted
// 9: not divided by the sum of the weights
// 10: more often than scores lie further
// 11: less often than scores lie further
// 12: no mean of the values
// 13: more often than scores lie further
// 14: behind a hidden score
// 15: NaN: c is −∞
// 16: NaN: c is −∞
// 17: a hidden score counts as 0
// 18: thrown away
// 19: powers of e
// 20: the outputs are multiplied by the reverse
// 21: their sum is multiplied by the reverse
// 22: to the new measure twice
// 23: the score that raises c is left out
// 24: makes c −∞ again
// 25: divided in each turn
// 26: by the number of keys
// 27: less often than scores lie further
#include "base/mat.h"
#include "base/portable_math.h"
#include "exercises/wrong.h"

int my_lazy_output(Mat out, Mat scores, Mat v, float far);

static void scale(Mat out, float factor)
{
    for (int e = 0; e < out.cols; e++) *mat_ref(out, 0, e) *= factor;
}

static bool is_one_of(int how, int a, int b, int c) { return how == a || how == b || how == c; }

int my_lazy_output(Mat out, Mat scores, Mat v, float far)
{
    float c = -INFINITY, sum = 0.0f;
    int raised = 0, how = wrong();
    bool naive = how >= 1 && how <= 7; // hidden scores are not asked for
    mat_fill(out, 0.0f);
    for (int j = 0; j < scores.cols; j++) {
        float score = *mat_ref(scores, 0, j), before = c;
        if (score == -INFINITY && how == 14) break;
        if (score == -INFINITY && how == 17) score = 0.0f;
        if (score == -INFINITY && how == 24) c = -INFINITY;
        if (score == -INFINITY && !naive) continue;
        if (score - c > (how == 10 ? 0 : far) || (how == 13 && score - c == far)) {
            float factor = raised || how == 15 ? exp2f(is_one_of(how, 1, 2, 15) ? score - c : c - score) : 0.0f;
            float other = raised ? exp2f(score - c) : 0.0f;
            if (how == 22) factor *= factor;
            if (!is_one_of(how, 1, 3, 5)) sum *= how == 18 ? 0.0f : how == 21 ? other : factor;
            if (how != 4 && how != 5) scale(out, how == 20 ? other : factor);
            c = score + (how == 27 ? far : 0.0f);
            raised++;
            if (how == 23 && raised > 1) continue;
        }
        bool stale = how == 16 || (how == 6 && raised > 1);
        float weight = how == 12 ? 1.0f : how == 19 ? expf(score - c) : exp2f(score - (stale ? before : c));
        sum += weight;
        for (int e = 0; e < v.cols; e++) *mat_ref(out, 0, e) += weight * *mat_ref(v, j, e);
        if (how == 25) scale(out, 1.0f / sum);
    }
    if (how == 26) sum = (float)scores.cols;
    if (how != 9 && how != 25 && (raised || naive || how == 8)) scale(out, 1.0f / sum);
    return how == 11 && raised > 1 ? raised - 1 : raised;
}
