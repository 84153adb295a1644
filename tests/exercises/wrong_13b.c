// Exercise 13b, solved wrongly: number WRONG of these gets this answer.
//
// 1: is not rescaled when a larger score comes
// 2: and out is not
// 3: out is not divided
// 4: after every key
// 5: lse is only log l
// 6: the logarithm of the sum is missing
// 7: which number must be taken away first
// 8: a hidden key is felt
// 9: down as well as up
// 10: every key must be asked for
// 11: every number of out must be 1
// 12: written nothing into its output
// 13: out is right; lse, at [0], is
// 14: or 0 is divided by 0
// 15: a hidden key is felt: 0 · NaN
// 16: expected 3000, got 64
// 17: and the sum is not
// 18: must be known first
// 19: makes NaN of it all
// 20: what stands in out
// 21: NaN is among them
// 22: divided by the number of keys
// 23: only the sum stands under the logarithm
// 24: lse is the sum itself
// 25: the one that undoes exp
// 26: what is its own weight
// 27: the row without its first key
// 28: each value counts 1
// 29: from the first number of the values
// 30: is not written, or no number
// 31: is the new maximum kept
// 32: the new key is rescaled with what was there
// 33: of a key that is a new maximum the value is not added
// 34: the plain mean
// 35: here it is taken away
// 36: the logarithm of a product
// 37: a hidden key is felt: 0 · NaN
// 38: or does l begin anew
// 39: only the first number of out is rescaled
// 40: at every key
// 41: it need not be the largest
// 42: lse is log(m · l)
// 43: its logarithm is wanted
// 44: or does l begin anew
// 45: has m been overwritten
#include "base/portable_math.h"
#include "exercises/wrong.h"

#include <stdbool.h>

bool next_key(float *score, const float **value);
void my_row(float *out, float *lse, int dv);

static float logsumexp(int how, float max, float sum, float last)
{
    if (how == 41) return last + logf(sum);
    if (how == 42) return logf(max * sum);
    if (how == 43) return expf(max + logf(sum));
    if (how == 44) return max;
    if (how == 15) return max + logf(sum);
    if (!(sum > 0.0f)) return -INFINITY;
    if (how == 23) return logf(max + sum);
    if (how == 24) return sum;
    if (how == 25) return max + log2f(sum);
    if (how == 30) return NAN;
    if (how == 36) return logf(sum * expf(max));
    if (how == 35) return logf(sum) - max;
    return how == 5 ? logf(sum) : how == 13 ? logf(sum) + 2.0f * max : how == 6 ? max + sum : max + logf(sum);
}

void my_row(float *out, float *lse, int dv)
{
    int how = wrong(), keys = 0, seen = 0;
    float max = how == 7 ? 0.0f : -INFINITY, sum = 0.0f, score, last = 0.0f;
    const float *value;
    for (int c = 0; c < dv && how != 12 && how != 20; c++) out[c] = 0.0f;
    if (how == 12) return;
    if (how == 27) next_key(&score, &value);
    while ((how != 10 || keys < 4) && (how != 16 || keys < 64) && next_key(&score, &value)) {
        keys++;
        if (score == -INFINITY && how == 37) out[0] = out[1] = NAN; // 0 times a value that is no number
        if (score == -INFINITY && how != 8 && how != 15) continue;
        seen++;
        last = score;
        float grown = how == 7 ? 0.0f : how == 9 ? score : fmaxf(max, score);
        if (how == 45) max = grown;
        float rescale = how == 1 ? 1.0f : expf(max - grown);
        float weight = expf(score - (how == 18 ? max : grown));
        if (how == 19) rescale = expf(grown - max);
        if (how == 38 && score > max) rescale = 0.0f;
        if (how == 40) rescale = expf(max - score);
        if (how == 26 && score > max) weight = 0.0f;
        sum = sum * (how == 17 ? 1.0f : rescale) + weight * (how == 32 ? rescale : 1.0f);
        float of_value = how == 28 || how == 34 ? 1.0f : how == 33 && score > max ? 0.0f : weight;
        if (how == 32) of_value *= rescale;
        for (int c = 0; c < dv; c++) {
            bool as_it_is = how == 2 || how == 34 || (how == 39 && c > 0);
            out[c] = out[c] * (as_it_is ? 1.0f : rescale) + of_value * value[how == 29 ? 0 : c];
            if (how == 4) out[c] /= sum;
        }
        if (how != 31) max = grown;
    }
    for (int c = 0; c < dv; c++) {
        if ((sum > 0.0f || how == 14) && how != 3 && how != 4) out[c] /= how == 22 || how == 34 ? (float)seen : sum;
        if (how == 11) out[c] *= 0.5f; // nothing that is known
        if (how == 21 && c == 1) out[c] = NAN;
    }
    *lse = logsumexp(how, max, sum, last);
}
