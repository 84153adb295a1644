// Exercise 21a: my_keep, my_rest.
#include "base/portable_math.h"
#include "exercises/judge.h"

#include <string.h>

float my_keep(const float *p, const float *q, int x);
void my_rest(float *rest, const float *p, const float *q, int n);

enum { CASES = 5, MOST = 5 };
typedef struct {
    const char *about;
    int n;
    float p[MOST], q[MOST];
} Case;
// clang-format off
static const Case cases[CASES] = {
    { "p = .6 .3 .1, q = .2 .3 .5", 3, { 0.6f, 0.3f, 0.1f }, { 0.2f, 0.3f, 0.5f } },
    { "p = .1 .9, q = .5 .5", 2, { 0.1f, 0.9f }, { 0.5f, 0.5f } },
    { "p = 0 .25 .75, q = .5 .25 .25: the target never says token 0", 3, { 0.0f, 0.25f, 0.75f },
      { 0.5f, 0.25f, 0.25f } },
    { "p = .4 .1 .2 .1 .2, q = .1 .3 .1 .4 .1", 5, { 0.4f, 0.1f, 0.2f, 0.1f, 0.2f }, { 0.1f, 0.3f, 0.1f, 0.4f, 0.1f } },
    { "p = q = .25 .75", 2, { 0.25f, 0.75f }, { 0.25f, 0.75f } },
};
// clang-format on

// ---- keeping

typedef enum { ALWAYS, QUOTIENT, TURNED, TARGET, SMALLER, AT_MOST_P, HARD, KEEPS } Keep;

static float keep_of(Keep how, float p, float q)
{
    switch (how) {
    case ALWAYS: return 1.0f;
    case QUOTIENT: return p / q;
    case TURNED: return q < p ? q / p : 1.0f;
    case TARGET: return p;
    case SMALLER: return p < q ? p : q;
    case AT_MOST_P: return fmaxf(0.0f, 1.0f - q);
    case HARD: return p >= q;
    default: return p < q ? p / q : 1.0f;
    }
}

// (1, n) of a case: the right chances, or those of a mistake.
static Mat keeps_of(Judge *judge, const Case *c, Keep how)
{
    Mat m = mat_new(judge->arena, 1, c->n);
    for (int x = 0; x < c->n; x++) *mat_ref(m, 0, x) = keep_of(how, c->p[x], c->q[x]);
    return m;
}

// Whether a token, drafted and kept, comes more often than p says.
static bool too_often(const Case *c, Mat keep)
{
    for (int x = 0; x < c->n; x++)
        if (c->q[x] * *mat_ref(keep, 0, x) > c->p[x] + 1e-6f) return true;
    return false;
}

static void keep_case(Judge *judge, const Case *c)
{
    Mat got = mat_new(judge->arena, 1, c->n);
    judge_trying(judge, "my_keep of every token, %s", c->about);
    for (int x = 0; x < c->n; x++) *mat_ref(got, 0, x) = my_keep(c->p, c->q, x);
    judge_answer(
        judge,
        (Answer){
            .got = got,
            .expected = keeps_of(judge, c, KEEPS),
            .hints = { .property =
                           too_often(c, got)
                               ? "drafted and kept, a token must not come more often than p says: q[x] times what you answer "
                                 "is at most p[x]"
                               : "a token is refused more often than p asks for",
                       .question =
                           "how often is x drafted, how often may it come, and what if it is drafted too seldom?",
                       .formula = "q[x] · keep = min(p[x], q[x])" },
            .mistakes = {
                { "everything is kept: then the text is the draft's", keeps_of(judge, c, ALWAYS) },
                { "a chance is 1 at most", keeps_of(judge, c, QUOTIENT) },
                { "this is the wrong way round: what the draft says too often must be kept less often",
                  keeps_of(judge, c, TURNED) },
                { "this is p[x]: but x was drafted already, with the chance q[x]", keeps_of(judge, c, TARGET) },
                { "this is the chance to be drafted and kept; x has been drafted already",
                  keeps_of(judge, c, SMALLER) },
                { "p has no say in this", keeps_of(judge, c, AT_MOST_P) },
                { "this keeps all or nothing: what the draft says too often may still come sometimes",
                  keeps_of(judge, c, HARD) },
            } });
}

// ---- the rest

typedef enum {
    TARGET_ITSELF,
    NOT_DIVIDED,
    FAR,
    DRAFTS_REST,
    DIVIDED_BY_N,
    EVEN,
    SUPPORT,
    ALL_ZERO,
    NEGATIVE,
    RESTS
} Rest;

static float weight_of(Rest how, float p, float q)
{
    switch (how) {
    case TARGET_ITSELF: return p;
    case FAR: return fabsf(p - q);
    case DRAFTS_REST: return q > p ? q - p : 0.0f;
    case EVEN: return 1.0f;
    case SUPPORT: return p > q;
    case NEGATIVE: return p - q;
    default: return p > q ? p - q : 0.0f;
    }
}

static Mat rest_of(Judge *judge, const Case *c, Rest how)
{
    Mat m = mat_new(judge->arena, 1, c->n);
    float sum = 0.0f;
    for (int x = 0; x < c->n; x++) sum += *mat_ref(m, 0, x) = weight_of(how, c->p[x], c->q[x]);
    if (how == NOT_DIVIDED || how == NEGATIVE) return m;
    if (how == DIVIDED_BY_N) sum = (float)c->n;
    for (int x = 0; x < c->n; x++) {
        if (sum > 0.0f) *mat_ref(m, 0, x) /= sum;
        else *mat_ref(m, 0, x) = how == ALL_ZERO ? NAN : c->p[x];
    }
    return m;
}

static void rest_case(Judge *judge, const Case *c)
{
    Mat got = judge_output(judge, 1, c->n);
    bool same = memcmp(c->p, c->q, sizeof c->p) == 0;
    judge_trying(judge, "my_rest, %s", c->about);
    my_rest(got.at, c->p, c->q, c->n);
    judge_answer(judge,
                 (Answer){
                     .got = got,
                     .expected = rest_of(judge, c, RESTS),
                     .hints = { .property = "with what was drafted and kept, the tokens do not come as often as p says",
                                .question = "min(p, q) has come already: what is missing to p?",
                                .formula = "max(0, p − q), divided by its sum" },
                     .mistakes = {
                         { "this is p itself: but tokens that the draft knows have had their share already",
                           rest_of(judge, c, TARGET_ITSELF) },
                         { same ? "nothing is missing where p and q are the same: the task says what to write then"
                                : "the chances do not sum to 1",
                           rest_of(judge, c, NOT_DIVIDED) },
                         { "tokens that come too often already get a share, too", rest_of(judge, c, FAR) },
                         { "these are the tokens that the draft says too often", rest_of(judge, c, DRAFTS_REST) },
                         { "divided by the number of tokens, the chances do not sum to 1",
                           rest_of(judge, c, DIVIDED_BY_N) },
                         { "each token has the same chance here, whatever p says", rest_of(judge, c, EVEN) },
                         { "those that lack something have the same share each: one lacks more than another",
                           rest_of(judge, c, SUPPORT) },
                         { "nothing is missing, and the sum is 0: it was divided by", rest_of(judge, c, ALL_ZERO) },
                         { "a chance is never below 0", rest_of(judge, c, NEGATIVE) },
                     } });
}

static void check(Judge *judge)
{
    for (int c = 0; c < CASES; c++) keep_case(judge, &cases[c]);
    for (int c = 0; c < CASES; c++) rest_case(judge, &cases[c]);
}

int main(void) { return judge_main("21a", check); }
