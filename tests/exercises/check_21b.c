// Exercise 21b: my_is_exact, called with samplers that are right and with samplers that are not.
#include "base/portable_math.h"
#include "exercises/judge.h"
#include "model/speculative.h"

typedef int Draw(void *context);
typedef bool Test(Draw *draw, void *context, const float *p, int n);
Test my_is_exact;

enum { MOST = 12, DRAWS_MOST = 100000, AGAIN = 25 };
typedef enum { RIGHT, ALWAYS, NO_REST, LENIENT, IMPOSSIBLE } Rule;

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
    const Chances *of;
    Rule rule;
    Random random;
    int draws;
} Sampler;

static int draw_one(void *context)
{
    Sampler *s = context;
    double p[MOST], q[MOST], rest[MOST];
    for (int x = 0; x < s->of->n; x++) {
        p[x] = (double)s->of->p[x];
        q[x] = (double)s->of->q[x];
    }
    s->draws++;
    if (s->rule == IMPOSSIBLE && sample_uniform(&s->random) < 0.02) return s->of->n - 1;
    int drafted = sample_draw(q, s->of->n, &s->random);
    double stretch = s->rule == LENIENT ? 1.3 : 1.0;
    if (s->rule == ALWAYS || sample_uniform(&s->random) * q[drafted] < stretch * p[drafted]) return drafted;
    speculative_rest(rest, p, q, s->of->n);
    return sample_draw(s->rule == NO_REST ? p : rest, s->of->n, &s->random);
}

// How many of `times` samplers, each with a seed of its own, the test accepts; *draws is what the last one drew.
static int count_accepted(Test *test, const Chances *chances, Rule rule, int times, int *draws)
{
    int accepted = 0;
    for (int i = 0; i < times; i++) {
        Sampler s = { chances, rule, random_from(100 * (uint64_t)rule + (uint64_t)i + 1), 0 };
        accepted += test(draw_one, &s, chances->p, chances->n);
        *draws = s.draws;
    }
    return accepted;
}

static void right_ones(Judge *judge, Test *test, const Chances *chances)
{
    judge_trying(judge, "my_is_exact of 25 right samplers, %d tokens", chances->n);
    int draws = 0, accepted = count_accepted(test, chances, RIGHT, AGAIN, &draws);
    bool none = chances->p[chances->n - 1] == 0.0f;
    judge_claim(judge, draws > 0, (Hints){ "nothing was drawn: how do you know?" });
    judge_claim(judge, draws <= DRAWS_MOST, (Hints){ "more than 100,000 draws" });
    judge_claim(judge, accepted > 0,
                (Hints){ none ? "not one of 25 right samplers passes; the last token has no chance here"
                              : "not one of 25 right samplers passes",
                         none ? "what does your test make of p = 0?"
                              : "by how much do counts of right draws differ from draws · p?",
                         "a count of N draws with chance p is about √(N p (1 − p)) off" });
    judge_claim(judge, accepted == AGAIN,
                (Hints){ "some right samplers pass, others do not: chance alone is taken for a mistake",
                         "how far off may right counts be, once in a million?",
                         "Σ (count − N p)² / (N p) is n − 1 on average, and its standard deviation is √(2 (n − 1))" });
}

static const char how_far[] = "how far off do you let counts be, and with how many draws are right ones surely nearer?";
static const char add_up[] = "add up over all tokens: Σ (count − N p)² / (N p)";
static const struct {
    const Chances *chances;
    Rule rule;
    const char *name;
    Hints hints;
} subjects[] = {
    { &even, RIGHT },
    { &even,
      ALWAYS,
      "that keeps always",
      { "it is q that comes out, far from p, and it passes", "what do you compare the counts with?",
        "counts / N against p, token by token" } },
    { &even,
      NO_REST,
      "that draws from p when a draft is not kept",
      { "this one passes: its first token comes with a chance of 0.22 in place of 0.4", how_far,
        "Σ (count − N p)² / (N p) grows with N where p is wrong, and stays where it is right" } },
    { &skewed, RIGHT },
    { &skewed,
      IMPOSSIBLE,
      "that says what has no chance",
      { "the last token has no chance, and comes all the same", "what is (count − N p)² / (N p) where p is 0?",
        "count > 0 where p = 0: no" } },
    { &many, RIGHT },
    { &many,
      NO_REST,
      "that draws from p when a draft is not kept",
      { "this one passes: its tokens are each off by a little", how_far, add_up } },
    { &many,
      LENIENT,
      "that keeps 1.3 times as often",
      { "this one passes: it is off by a little in many places", how_far, add_up } },
    { &skewed,
      LENIENT,
      "that keeps 1.3 times as often",
      { "this one passes: it is off by a little", how_far, "N of some ten thousands" } },
};

static void check(Judge *judge, Function f)
{
    for (int n = 0, draws = 0; n < COUNT(subjects); n++) {
        const Chances *chances = subjects[n].chances;
        if (subjects[n].rule == RIGHT) right_ones(judge, (Test *)f, chances);
        if (subjects[n].rule == RIGHT) continue;
        judge_trying(judge, "my_is_exact of a sampler %s, %d tokens", subjects[n].name, chances->n);
        judge_claim(judge, count_accepted((Test *)f, chances, subjects[n].rule, 5, &draws) == 0, subjects[n].hints);
    }
}

// ---- tests: χ², against six standard deviations above its mean

enum { TO_THE_COUNT = 1, NO_DRAWS, SAYS_YES, BELOW_MEAN, UNSEEN_0, TOO_MANY, DRAWS_100, DRAWS_1500, BY_0 };

static bool chi_square(Draw *draw, void *context, const float *p, int n)
{
    const int fault = judge_fault;
    int count[MOST] = { 0 }, draws = fault == TOO_MANY ? DRAWS_MOST + 1 : 50000;
    if (fault == DRAWS_100 || fault == DRAWS_1500) draws = fault == DRAWS_100 ? 100 : 1500;
    double sum = 0.0, worst = 0.0;
    if (fault == NO_DRAWS) return true;
    for (int i = 0; i < draws; i++) count[draw(context)]++;
    for (int x = 0; x < n; x++) {
        double expected = draws * (double)p[x], off = count[x] - expected;
        worst = fmax(worst, fabs(off) / draws);
        if (expected > 0.0 || fault == BY_0) sum += off * off / expected;
        else if (count[x] > 0 && fault != UNSEEN_0) return false;
    }
    if (fault == SAYS_YES || fault == TO_THE_COUNT) return fault == SAYS_YES || worst == 0.0;
    return sum < (fault == BELOW_MEAN ? n : n - 1 + 6.0 * sqrt(2.0 * (n - 1)) + 18.0);
}

static const Task tasks[] = {
    { AS(Test, my_is_exact), AS(Test, chi_square), .check = check, .faulty = AS(Test, chi_square),
      .wrong = { FAULT(TO_THE_COUNT, "not one of 25 right samplers passes"),
                 FAULT(NO_DRAWS, "nothing was drawn: how do you know?"),
                 FAULT(SAYS_YES, "it is q that comes out, far from p, and it passes"),
                 FAULT(BELOW_MEAN, "some right samplers pass, others do not: chance alone is taken for a mistake"),
                 FAULT(UNSEEN_0, "the last token has no chance, and comes all the same"),
                 FAULT(TOO_MANY, "more than 100,000 draws"),
                 FAULT(DRAWS_100, "this one passes: its first token comes with a chance of 0.22 in place of 0.4"),
                 FAULT(DRAWS_1500, "this one passes: it is off by a little"),
                 FAULT(BY_0, "not one of 25 right samplers passes; the last token has no chance here") } },
};
EXERCISE("21b", tasks)
