// Exercise 21a: my_keep and my_rest.
#include "base/portable_math.h"
#include "exercises/judge.h"

typedef float Keep(const float *p, const float *q, int x);
typedef void Rest(float *rest, const float *p, const float *q, int n);
Keep my_keep;
Rest my_rest;

// clang-format off
static const struct {
    const char *about;
    int n;
    float p[5], q[5];
} cases[] = {
    { "p = .6 .3 .1, q = .2 .3 .5", 3, { 0.6f, 0.3f, 0.1f }, { 0.2f, 0.3f, 0.5f } },
    { "p = .1 .9, q = .5 .5", 2, { 0.1f, 0.9f }, { 0.5f, 0.5f } },
    { "p = 0 .25 .75, q = .5 .25 .25: the target never says token 0", 3, { 0.0f, 0.25f, 0.75f },
      { 0.5f, 0.25f, 0.25f } },
    { "p = .4 .1 .2 .1 .2, q = .1 .3 .1 .4 .1", 5, { 0.4f, 0.1f, 0.2f, 0.1f, 0.2f }, { 0.1f, 0.3f, 0.1f, 0.4f, 0.1f } },
    { "p = q = .25 .75", 2, { 0.25f, 0.75f }, { 0.25f, 0.75f } },
};
// clang-format on

static void keep_case(Judge *judge, Function f, int n)
{
    Mat keep = judge_output(judge, 1, cases[n].n);
    judge_trying(judge, "my_keep of every token, %s", cases[n].about);
    for (int x = 0; x < cases[n].n; x++) keep.at[x] = ((Keep *)f)(cases[n].p, cases[n].q, x);
}

#define KEEP(name, chance) \
    static float name(const float *p, const float *q, int x) { return (void)p, (void)q, (void)x, chance; }
KEEP(right_keep, fminf(1.0f, p[x] / q[x]))
KEEP(always, 1.0f)
KEEP(quotient, p[x] / q[x])
KEEP(wrong_way, fminf(1.0f, q[x] / p[x]))
KEEP(target, p[x])
KEEP(smaller, fminf(p[x], q[x]))
KEEP(never, 0.0f)

// Does a token, drafted and kept, come more often than p says?
static Hints keep_hints(Judge *judge, Difference d)
{
    bool too_often = false;
    (void)judge;
    for (int x = 0; x < d.got.cols; x++)
        too_often = too_often || cases[d.n].q[x] * d.got.at[x] > cases[d.n].p[x] + 1e-6f;
    return (Hints){ too_often ? "drafted and kept, a token must not come more often than p says: q[x] times what you "
                                "answer is at most p[x]"
                              : "a token is refused more often than p asks for",
                    "how often is x drafted, how often may it come, and what if it is drafted too seldom?",
                    "q[x] · keep = min(p[x], q[x])" };
}

static void rest_case(Judge *judge, Function f, int n)
{
    Mat rest = judge_output(judge, 1, cases[n].n);
    judge_trying(judge, "my_rest, %s", cases[n].about);
    ((Rest *)f)(rest.at, cases[n].p, cases[n].q, cases[n].n);
}

// weight / divisor, where the sum is that of all weights; and p, or `otherwise`, where it is 0.
#define REST(name, weight, divisor, otherwise) \
    static void name(float *rest, const float *p, const float *q, int n) \
    { \
        float sum = 0.0f; \
        for (int x = 0; x < n; x++) sum += rest[x] = weight; \
        for (int x = 0; x < n; x++) rest[x] = sum > 0.0f ? rest[x] / (divisor) : otherwise; \
        (void)q; \
    }
REST(right_rest, fmaxf(0.0f, p[x] - q[x]), sum, p[x])
REST(target_itself, p[x], sum, p[x])
REST(not_divided, fmaxf(0.0f, p[x] - q[x]), 1.0f, p[x])
REST(distance, fabsf(p[x] - q[x]), sum, p[x])
REST(drafts_rest, fmaxf(0.0f, q[x] - p[x]), sum, p[x])
REST(by_0, fmaxf(0.0f, p[x] - q[x]), sum, NAN)
REST(nothing_missing, fmaxf(0.0f, p[x] - q[x]), sum, 0.0f)

static void negative(float *rest, const float *p, const float *q, int n)
{
    for (int x = 0; x < n; x++) rest[x] = p[x] - q[x];
}

static const Task tasks[] = {
    { AS(Keep, my_keep), AS(Keep, right_keep), keep_case, COUNT(cases), .explain = keep_hints,
      .wrong = { { AS(Keep, always), "everything is kept: then the text is the draft's" },
                 { AS(Keep, quotient), "a chance is 1 at most" },
                 { AS(Keep, wrong_way),
                   "this is the wrong way round: what the draft says too often must be kept less often" },
                 { AS(Keep, target), "this is p[x]: but x was drafted already, with the chance q[x]" },
                 { AS(Keep, smaller), "this is the chance to be drafted and kept; x has been drafted already" },
                 { AS(Keep, never), .told = "a token is refused more often than p asks for" } } },
    { AS(Rest, my_rest), AS(Rest, right_rest), rest_case, COUNT(cases),
      .hints = { { "with what was drafted and kept, the tokens do not come as often as p says",
                   "min(p, q) has come already: what is missing to p?", "max(0, p − q), divided by its sum" } },
      .wrong = { { AS(Rest, target_itself),
                   "this is p itself: but tokens that the draft knows have had their share already" },
                 { AS(Rest, not_divided), "the chances do not sum to 1" },
                 { AS(Rest, distance), "tokens that come too often already get a share, too" },
                 { AS(Rest, drafts_rest), "these are the tokens that the draft says too often" },
                 { AS(Rest, by_0), "nothing is missing, and the sum is 0: it was divided by" },
                 { AS(Rest, nothing_missing),
                   "nothing is missing where p and q are the same: the task says what to write then" },
                 { AS(Rest, negative), "a chance is never below 0" } } },
};
EXERCISE("21a", tasks)
