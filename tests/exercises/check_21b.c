// Exercise 21b: my_is_exact.
#include "exercises/judge.h"
#include "model/speculative.h"

#include <string.h>

typedef int Draw(void *context);

bool my_is_exact(Draw *draw, void *context, const float *p, int n);

enum { MOST = 12, DRAWS_MOST = 100000, AGAIN = 25 };
typedef enum { RIGHT, ALWAYS, NO_REST, LENIENT, IMPOSSIBLE, RULES } Rule;

typedef struct {
    int n;
    float p[MOST], q[MOST];
} Chances;
static const Chances even = { 4, { 0.4f, 0.3f, 0.2f, 0.1f }, { 0.1f, 0.3f, 0.3f, 0.3f } };
static const Chances skewed = { 6, { 0.5f, 0.25f, 0.15f, 0.06f, 0.04f, 0.0f }, { 0.3f, 0.2f, 0.3f, 0.1f, 0.1f, 0.0f } };
static const Chances many = { 12,
                              { 0.2f, 0.15f, 0.12f, 0.1f, 0.1f, 0.08f, 0.07f, 0.06f, 0.05f, 0.04f, 0.02f, 0.01f },
                              { 0.1f, 0.05f, 0.17f, 0.12f, 0.08f, 0.1f, 0.1f, 0.08f, 0.07f, 0.06f, 0.04f, 0.03f } };

// A sampler: one drafted token, by a rule.
typedef struct {
    Chances of;
    Rule rule;
    Random random;
    int draws;
} Sampler;

static int draw_one(void *context)
{
    Sampler *s = context;
    double p[MOST], q[MOST];
    for (int x = 0; x < s->of.n; x++) {
        p[x] = (double)s->of.p[x];
        q[x] = (double)s->of.q[x];
    }
    s->draws++;
    if (s->rule == IMPOSSIBLE && sample_uniform(&s->random) < 0.02) return s->of.n - 1;
    int drafted = sample_draw(q, s->of.n, &s->random);
    double stretch = s->rule == LENIENT ? 1.3 : 1.0;
    if (s->rule == ALWAYS || sample_uniform(&s->random) * q[drafted] < stretch * p[drafted]) return drafted;
    double rest[MOST];
    speculative_rest(rest, p, q, s->of.n);
    return sample_draw(s->rule == NO_REST ? p : rest, s->of.n, &s->random);
}

// How many of `times` samplers, each with numbers of its own, are said to be exact; *draws is what the last one drew.
static int said_exact(const Chances *chances, Rule rule, int times, int *draws)
{
    int yes = 0;
    for (int i = 0; i < times; i++) {
        Sampler s = { *chances, rule, random_from(100 * (uint64_t)rule + (uint64_t)i + 1), 0 };
        float p[MOST];
        memcpy(p, chances->p, sizeof p);
        yes += my_is_exact(draw_one, &s, p, chances->n);
        *draws = s.draws;
    }
    return yes;
}

static void right_ones(Judge *judge, const Chances *chances, const char *name)
{
    int draws = 0, yes = said_exact(chances, RIGHT, AGAIN, &draws);
    bool none = chances->p[chances->n - 1] == 0.0f;
    judge_trying(judge, "my_is_exact of 25 right samplers, %s", name);
    judge_claim(judge, draws > 0, (Hints){ "nothing was drawn: how do you know?", NULL, NULL });
    judge_claim(judge, draws <= DRAWS_MOST, (Hints){ "more than 100,000 draws", NULL, NULL });
    judge_claim(judge, yes > 0,
                (Hints){ none ? "not one of 25 right samplers passes; the last token has no chance here"
                              : "not one of 25 right samplers passes",
                         none ? "what does your test make of p = 0?"
                              : "by how much do counts of right draws differ from draws · p?",
                         "a count of N draws with chance p is about √(N p (1 − p)) off" });
    judge_claim(judge, yes == AGAIN,
                (Hints){ "some right samplers pass, others do not: chance alone is taken for a "
                         "mistake",
                         "how far off may right counts be, once in a million?",
                         "Σ (count − N p)² / (N p) is n − 1 on average, and its standard deviation is √(2 (n − 1))" });
}

static void wrong_one(Judge *judge, const Chances *chances, Rule rule, Hints hints)
{
    static const char *const names[RULES] = { "", "that keeps always", "that draws from p when a draft is not kept",
                                              "that keeps 1.3 times as often", "that says what has no chance" };
    int draws = 0;
    judge_trying(judge, "my_is_exact of a sampler %s, %d tokens", names[rule], chances->n);
    judge_claim(judge, said_exact(chances, rule, 5, &draws) == 0, hints);
}

static void check(Judge *judge)
{
    static const char *const many_draws = "how far off do you let counts be, and with how many "
                                          "draws are right ones surely nearer?";
    right_ones(judge, &even, "4 tokens");
    wrong_one(judge, &even, ALWAYS,
              (Hints){ "it is q that comes out, far from p, and it passes", "what do you compare the counts with?",
                       "counts / N against p, token by token" });
    wrong_one(judge, &even, NO_REST,
              (Hints){ "this one passes: its first token comes with a chance of 0.22 in place of 0.4", many_draws,
                       "Σ (count − N p)² / (N p) grows with N where p is wrong, and stays where it is right" });
    right_ones(judge, &skewed, "6 tokens");
    wrong_one(judge, &skewed, IMPOSSIBLE,
              (Hints){ "the last token has no chance, and comes all the same",
                       "what is (count − N p)² / (N p) where p is 0?", "count > 0 where p = 0: no" });
    right_ones(judge, &many, "12 tokens");
    wrong_one(judge, &many, NO_REST,
              (Hints){ "this one passes: its tokens are each off by a little", many_draws,
                       "add up over all tokens: Σ (count − N p)² / (N p)" });
    wrong_one(judge, &many, LENIENT,
              (Hints){ "this one passes: it is off by a little in many places", many_draws,
                       "add up over all tokens: Σ (count − N p)² / (N p)" });
    wrong_one(judge, &skewed, LENIENT,
              (Hints){ "this one passes: it is off by a little", many_draws, "N of some ten thousands" });
}

int main(void) { return judge_main("21b", check); }
