// Exercise 24a: my_merge.
#include "base/portable_math.h"
#include "base/random.h"
#include "exercises/judge.h"

void my_merge(float *out, float *lse, const float *const *answers, int R, int n, int H, int dv);

enum { RANKS = 8 };
typedef struct {
    const char *name;
    int R, n, H, dv;
    float size, shift;
    int empty;
    bool turns;
} Case;
typedef struct {
    const Case *c;
    Mat answers[RANKS];
} Given;

// Answers of keys that nobody sees here: only their lse and outputs are drawn. `empty`: so many of the ranks, from rank
// 1 on, had no keys; −1: all had none; −2: rank 0 had none. `turns`: every other token and head is shifted the other
// way. Rank 1 has more weight, so that neither the first nor the last has the most.
static Given given_of(Arena *arena, const Case *c)
{
    Given g = { .c = c };
    Random random = random_from((uint64_t)(c->R + 10 * c->n + 100 * c->H + 1000 * c->dv));
    for (int r = 0; r < c->R; r++) {
        bool none = c->empty == -1 || (c->empty == -2 && r == 0) || (r >= 1 && r <= c->empty);
        g.answers[r] = mat_new(arena, c->n, c->H * (c->dv + 1));
        random_normals(&random, g.answers[r]);
        for (int i = 0; i < c->n; i++)
            for (int x = 0; x < c->H * (c->dv + 1); x++) {
                float *at = mat_ref(g.answers[r], i, x);
                bool sum = x >= c->H * c->dv;
                float shift = c->turns && (i + x - c->H * c->dv) % 2 ? -c->shift : c->shift;
                if (sum) *at = none ? -INFINITY : c->size * *at + shift + (r == 1 ? 2.0f : 0.0f);
                else if (none) *at = 0.0f;
            }
    }
    return g;
}

static float lse_of(const Given *g, int r, int i, int h) { return *mat_ref(g->answers[r], i, g->c->H * g->c->dv + h); }

static float largest(const Given *g, int i, int h)
{
    float most = -INFINITY;
    for (int r = 0; r < g->c->R; r++) most = fmaxf(most, lse_of(g, r, i, h));
    return most;
}

// How the answers may be weighed, rightly and wrongly.
typedef enum {
    BY_EXP,
    ALL_ALIKE,
    THOSE_WITH_KEYS,
    BY_LSE,
    ADDED,
    LARGEST_ALONE,
    FIRST_ALONE,
    LAST_ALONE,
    BY_EXP_INVERSE,
    OF_HEAD_0,
    UNSHIFTED,
    EMPTY_COUNTS_ONE,
    UNDIVIDED
} Weighing;

static double weight_of(const Given *g, Weighing how, int r, int i, int h)
{
    double lse = (double)lse_of(g, r, i, how == OF_HEAD_0 ? 0 : h);
    double most = (double)largest(g, i, how == OF_HEAD_0 ? 0 : h);
    switch (how) {
    case ALL_ALIKE: return 1;
    case THOSE_WITH_KEYS: return lse > -INFINITY;
    case BY_LSE: return lse > -INFINITY ? lse : 0;
    case ADDED: return 1;
    case LARGEST_ALONE: return lse == most;
    case FIRST_ALONE: return r == 0;
    case LAST_ALONE: return r == g->c->R - 1;
    case BY_EXP_INVERSE: return lse > -INFINITY ? exp(most - lse) : 0;
    case UNSHIFTED: return (double)expf((float)lse);
    case EMPTY_COUNTS_ONE: return lse > -INFINITY ? exp(lse - most) : 1;
    default: return most > -INFINITY ? exp(lse - most) : 0;
    }
}

// What my_merge would have given: outputs and, behind them, lse, as in an answer.
static Mat merged(Arena *arena, const Given *g, Weighing how)
{
    const Case *c = g->c;
    Mat m = mat_new(arena, c->n, c->H * (c->dv + 1));
    for (int i = 0; i < c->n; i++)
        for (int h = 0; h < c->H; h++) {
            double sum = 0, exps = 0, most = (double)largest(g, i, h);
            for (int r = 0; r < c->R; r++) {
                sum += weight_of(g, how, r, i, h);
                exps += most > -INFINITY ? exp((double)lse_of(g, r, i, h) - most) : 0;
            }
            for (int x = h * c->dv; x < (h + 1) * c->dv; x++) {
                double out = 0;
                for (int r = 0; r < c->R; r++)
                    out += weight_of(g, how, r, i, h) * (double)*mat_ref(g->answers[r], i, x);
                *mat_ref(m, i, x) = (float)(sum == 0 && how != UNSHIFTED       ? 0
                                            : how == ADDED || how == UNDIVIDED ? out
                                                                               : out / sum);
            }
            float *lse = mat_ref(m, i, c->H * c->dv + h);
            *lse = exps > 0 ? (float)(most + log(exps)) : -INFINITY;
            if (how == UNSHIFTED) *lse = (float)log(sum);
            if (how == FIRST_ALONE) *lse = lse_of(g, 0, i, h);
            if (how == LAST_ALONE) *lse = lse_of(g, c->R - 1, i, h);
            if (how == LARGEST_ALONE) *lse = (float)most;
        }
    return m;
}

// The right outputs, and another lse.
static Mat with_lse(Arena *arena, const Given *g, int kind)
{
    const Case *c = g->c;
    Mat m = merged(arena, g, BY_EXP);
    for (int i = 0; i < c->n; i++)
        for (int h = 0; h < c->H; h++) {
            float sum = 0, *lse = mat_ref(m, i, c->H * c->dv + h), right = *lse;
            for (int r = 0; r < c->R; r++) sum += lse_of(g, r, i, h);
            float most = largest(g, i, h);
            *lse = kind == 0          ? sum
                   : kind == 1        ? sum / (float)c->R
                   : kind == 2        ? most
                   : kind == 3        ? expf(right)
                   : most > -INFINITY ? right - most
                                      : right;
        }
    return m;
}

// The right merge of answers that are read as dv + 1 numbers a head, its lse behind its outputs.
static Mat head_by_head(Arena *arena, const Given *g)
{
    const Case *c = g->c;
    Given as_read = *g;
    for (int r = 0; r < c->R; r++) {
        Mat from = g->answers[r], to = mat_copy(arena, from);
        for (int h = 0; h < c->H; h++) {
            mat_set(mat_cols(to, h * c->dv, c->dv), mat_cols(from, h * (c->dv + 1), c->dv));
            mat_set(mat_cols(to, c->H * c->dv + h, 1), mat_cols(from, h * (c->dv + 1) + c->dv, 1));
        }
        as_read.answers[r] = to;
    }
    return merged(arena, &as_read, BY_EXP);
}

static const char *property_of(Arena *arena, const Given *g, Mat got, Mat right)
{
    const Case *c = g->c;
    for (int x = 0; x < right.cols; x++)
        for (int i = 0; i < right.rows; i++) {
            float is = *mat_ref(got, i, x), must = *mat_ref(right, i, x);
            if (is == must || fabsf(is - must) <= 1e-5f * fmaxf(1.0f, fabsf(must))) continue;
            bool sum = x >= c->H * c->dv;
            int h = sum ? x - c->H * c->dv : x / c->dv;
            if (isnan(is) && largest(g, i, h) == -INFINITY)
                return arena_format(arena,
                                    "token %d, head %d: NaN, where no rank had keys: minus infinity taken from "
                                    "itself is no number",
                                    i, h);
            return arena_format(arena, "token %d, head %d: %s is not that of all keys together", i, h,
                                sum ? "lse" : "the output");
        }
    return NULL;
}

static void merge_case(Judge *judge, const Case *c)
{
    Arena *arena = judge->arena;
    Given g = given_of(arena, c);
    Mat right = merged(arena, &g, BY_EXP), got = mat_new(arena, c->n, right.cols);
    Mat out = judge_output(judge, c->n, c->H * c->dv), lse = judge_output(judge, c->n, c->H);
    const float *answers[RANKS];
    for (int r = 0; r < c->R; r++) answers[r] = g.answers[r].at;
    judge_trying(judge, "my_merge of %s; out, and lse behind it", c->name);
    my_merge(out.at, lse.at, answers, c->R, c->n, c->H, c->dv);
    mat_set(mat_cols(got, 0, c->H * c->dv), out);
    mat_set(mat_cols(got, c->H * c->dv, c->H), lse);
    judge_answer(
        judge,
        (Answer){
            .got = got,
            .expected = right,
            .hints = { .property = property_of(arena, &g, got, right),
                       .question =
                           "a rank whose keys had larger scores has a larger share of all weights: which number "
                           "says how large its sum of exponentials was, and what if there was none?",
                       .formula =
                           "out = Σ exp(lseᵣ − lse) outᵣ, lse = log Σ exp(lseᵣ), head by head; the largest lse is "
                           "taken away before exp" },
            .mistakes = {
                { "the ranks' outputs are averaged: a rank with little weight counts as much as any",
                  merged(arena, &g, ALL_ALIKE) },
                { "the outputs of the ranks that had keys are averaged: each must count by its share of the "
                  "weights",
                  merged(arena, &g, THOSE_WITH_KEYS) },
                { "the outputs are weighed by lse itself: it is the logarithm of the weight",
                  merged(arena, &g, BY_LSE) },
                { "the outputs are added up: their shares must sum to 1", merged(arena, &g, ADDED) },
                { "the rank with the largest lse takes all: that is a maximum, not its soft form",
                  merged(arena, &g, LARGEST_ALONE) },
                { "this is the answer of rank 0 alone", merged(arena, &g, FIRST_ALONE) },
                { "this is the answer of the last rank alone", merged(arena, &g, LAST_ALONE) },
                { "the shares are upside down: a larger lse is more weight, not less",
                  merged(arena, &g, BY_EXP_INVERSE) },
                { "every head is weighed by the lse of head 0", merged(arena, &g, OF_HEAD_0) },
                { "exp of an lse overflows or vanishes: what cancels in the quotient may be taken away first",
                  merged(arena, &g, UNSHIFTED) },
                { "a rank without keys has a share: exp of minus infinity is 0, not 1",
                  merged(arena, &g, EMPTY_COUNTS_ONE) },
                { "out is right, but lse is the sum of all lse", with_lse(arena, &g, 0) },
                { "out is right, but lse is the mean of all lse", with_lse(arena, &g, 1) },
                { "out is right, but lse is only the largest one", with_lse(arena, &g, 2) },
                { "out is right, but the logarithm of lse is missing", with_lse(arena, &g, 3) },
                { "out is right, but the largest lse was taken away and never added back", with_lse(arena, &g, 4) },
                { "the outputs are weighed by exp(lse - largest), and not divided by the sum of these",
                  merged(arena, &g, UNDIVIDED) },
                { "an answer has all heads' outputs first, then all lse", head_by_head(arena, &g) } } });
}

static void check(Judge *judge)
{
    static const Case cases[] = {
        { "three ranks, one token, one head", 3, 1, 1, 2, 1, 0, 0, false },
        { "three ranks, two tokens, three heads", 3, 2, 3, 4, 2, 1, 0, false },
        { "four ranks, of which two had no keys", 4, 2, 2, 3, 1, 0, 2, false },
        { "three ranks, lse near 1000", 3, 1, 2, 2, 1, 1000, 0, false },
        { "three ranks, lse near -1000", 3, 1, 2, 2, 1, -1000, 0, false },
        { "one rank", 1, 2, 2, 2, 1, 0, 0, false },
        { "three ranks without any keys", 3, 1, 2, 2, 1, 0, -1, false },
        { "three ranks, rank 0 has no keys", 3, 2, 2, 2, 1, 0, -2, false },
        { "three ranks, lse near 1000 and -1000 by turns", 3, 2, 2, 2, 1, 1000, 0, true },
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) merge_case(judge, &cases[n]);
}

int main(void) { return judge_main("24a", check); }
