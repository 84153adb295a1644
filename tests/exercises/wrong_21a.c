// Exercise 21a, solved wrongly: number WRONG of these gets this answer.
//
// 1: the text is the draft's
// 2: a chance is 1 at most
// 3: the wrong way round
// 4: x was drafted already
// 5: x has been drafted already
// 6: p has no say in this
// 7: all or nothing
// 8: must not come more often than p says
// 9: tokens that the draft knows have had their share already
// 10: the chances do not sum to 1
// 11: tokens that come too often already get a share, too
// 12: these are the tokens that the draft says too often
// 13: divided by the number of tokens
// 14: each token has the same chance here
// 15: one lacks more than another
// 16: it was divided by
// 17: a chance is never below 0
// 18: do not come as often as p says
// 19: a token is refused more often than p asks for
// 20: the task says what to write then
#include "base/portable_math.h"
#include "exercises/wrong.h"

float my_keep(const float *p, const float *q, int x);
float my_keep(const float *p, const float *q, int x)
{
    switch (wrong()) {
    case 1: return 1.0f;
    case 2: return p[x] / q[x];
    case 3: return fminf(1.0f, q[x] / p[x]);
    case 4: return p[x];
    case 5: return fminf(p[x], q[x]);
    case 6: return 1.0f - q[x];
    case 7: return p[x] < q[x] ? 0.0f : 1.0f;
    case 8: return fminf(1.0f, 1.3f * p[x] / q[x]);
    case 19: return 0.0f;
    default: return fminf(1.0f, p[x] / q[x]);
    }
}

static float weight(int how, float p, float q)
{
    switch (how) {
    case 9: return p;
    case 11: return fabsf(p - q);
    case 12: return fmaxf(0.0f, q - p);
    case 14: return 1.0f;
    case 15: return p > q ? 1.0f : 0.0f;
    case 17: return p - q;
    case 18: return p > q ? p : 0.0f;
    default: return fmaxf(0.0f, p - q);
    }
}

void my_rest(float *rest, const float *p, const float *q, int n);
void my_rest(float *rest, const float *p, const float *q, int n)
{
    int how = wrong();
    float sum = 0.0f;
    for (int x = 0; x < n; x++) sum += rest[x] = weight(how, p[x], q[x]);
    if (how == 10 || how == 17) return;
    if (how == 13) sum = (float)n;
    if (how == 20 && sum == 0.0f) return;
    for (int x = 0; x < n; x++) rest[x] = sum > 0.0f || how == 16 ? rest[x] / sum : p[x];
}
