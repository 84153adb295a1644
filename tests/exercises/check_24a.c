// Exercise 24a: my_merge.
#include "base/portable_math.h"
#include "exercises/judge.h"
#include "lesson/matrices.h"

typedef void Merge(float *out, float *lse, const float *const *answers, int R, int n, int H, int dv);
Merge my_merge;

// lse are drawn around `shift`; with `turns`, around −shift for every other token and head. `empty` ranks, from rank 1
// on, have no keys; ALL_RANKS: none of them has keys; RANK_0: rank 0 has none.
enum { RANKS = 4, ALL_RANKS = -1, RANK_0 = -2 };
static const struct {
    const char *which;
    int R, n, H, dv;
    float size, shift;
    int empty;
    bool turns;
} cases[] = {
    { "three ranks, one token, one head", 3, 1, 1, 2, 1, 0, 0, false },
    { "three ranks, two tokens, three heads", 3, 2, 3, 4, 2, 1, 0, false },
    { "four ranks, of which two had no keys", 4, 2, 2, 3, 1, 0, 2, false },
    { "three ranks, lse near 1000", 3, 1, 2, 2, 1, 1000, 0, false },
    { "three ranks, lse near -1000", 3, 1, 2, 2, 1, -1000, 0, false },
    { "one rank", 1, 2, 2, 2, 1, 0, 0, false },
    { "three ranks without any keys", 3, 1, 2, 2, 1, 0, ALL_RANKS, false },
    { "three ranks, rank 0 has no keys", 3, 2, 2, 2, 1, 0, RANK_0, false },
    { "three ranks, lse near 1000 and -1000 by turns", 3, 2, 2, 2, 1, 1000, 0, true },
};

// Rank 1 has more weight, so that neither the first nor the last has the most.
static void merge_case(Judge *judge, Function f, int n)
{
    int R = cases[n].R, tokens = cases[n].n, H = cases[n].H, dv = cases[n].dv, empty = cases[n].empty;
    Random random = random_from((uint64_t)(R + 10 * tokens + 100 * H + 1000 * dv));
    const float *answers[RANKS];
    for (int r = 0; r < R; r++) {
        Mat answer = judge_random(judge, &random, tokens, H * (dv + 1));
        bool none = empty == ALL_RANKS || (empty == RANK_0 && r == 0) || (r >= 1 && r <= empty);
        for (int e = 0; e < tokens * H; e++) {
            int i = e / H, h = e % H;
            float *lse = mat_ref(answer, i, H * dv + h);
            float shift = cases[n].turns && (i + h) % 2 ? -cases[n].shift : cases[n].shift;
            *lse = none ? -INFINITY : cases[n].size * *lse + shift + (r == 1 ? 2.0f : 0.0f);
        }
        if (none) mat_fill(mat_cols(answer, 0, H * dv), 0.0f);
        answers[r] = answer.at;
    }
    Mat out = judge_output(judge, tokens, H * dv), lse = judge_output(judge, tokens, H);
    judge_trying(judge, "my_merge of %s", cases[n].which);
    ((Merge *)f)(out.at, lse.at, answers, R, tokens, H, dv);
}

enum { RIGHT, AVERAGED, ADDED, BY_LSE, UNDIVIDED, OF_HEAD_0, HEAD_BY_HEAD, UNSHIFTED, LARGEST, NOT_BACK, NO_KEYS };

static double share_of(double lse, double most)
{
    switch (judge_fault) {
    case AVERAGED:
    case ADDED: return 1.0;
    case BY_LSE: return lse;
    case UNSHIFTED: return (double)expf((float)lse);
    case NO_KEYS: return exp(lse - most);
    default: return most > -INFINITY ? exp(lse - most) : 0.0;
    }
}

static void merge(float *out, float *lse, const float *const *answers, int R, int n, int H, int dv)
{
    const int fault = judge_fault;
    for (int e = 0; e < n * H; e++) {
        int row = e / H * H * (dv + 1), h = e % H, of = fault == OF_HEAD_0 ? 0 : h;
        int at = row + h * (fault == HEAD_BY_HEAD ? dv + 1 : dv),
            lse_at = fault == HEAD_BY_HEAD ? at + dv : row + H * dv + of;
        double most = -INFINITY, sum = 0.0;
        for (int r = 0; r < R; r++) most = fmax(most, (double)answers[r][lse_at]);
        for (int r = 0; r < R; r++) sum += share_of((double)answers[r][lse_at], most);
        for (int c = 0; c < dv; c++) {
            double mixed = 0.0;
            for (int r = 0; r < R; r++)
                mixed += share_of((double)answers[r][lse_at], most) * (double)answers[r][at + c];
            out[e * dv + c] = (float)(fault == ADDED || fault == UNDIVIDED || sum == 0.0 ? mixed : mixed / sum);
        }
        lse[e] = (float)(fault == LARGEST ? most : log(sum) + (fault == NOT_BACK || fault == UNSHIFTED ? 0.0 : most));
    }
}

static Hints hints(Judge *judge, Difference d)
{
    Hints told = { .question =
                       "a rank whose keys had larger scores has a larger share of all weights: which number says "
                       "how large its sum of exponentials was, and what if there was none?",
                   .formula = "out = Σ exp(lseᵣ − lse) outᵣ, lse = log Σ exp(lseᵣ), head by head; the largest lse is "
                              "taken away before exp" };
    for (int e = d.got.rows * d.got.cols - 1; e >= 0; e--) {
        int i = e / d.got.cols, h = e % d.got.cols / (d.output ? 1 : cases[d.n].dv);
        double is = mat_value(d.got, i, e % d.got.cols), must = mat_value(d.expected, i, e % d.got.cols);
        if (is == must || fabs(is - must) <= 1e-5 * fmax(1.0, fabs(must))) continue;
        told.property = arena_format(judge->arena,
                                     isnan(is) && cases[d.n].empty == ALL_RANKS
                                         ? "token %d, head %d: NaN, where no rank had keys: minus infinity taken from "
                                           "itself is no number"
                                     : d.output ? "token %d, head %d: lse is not that of all keys together"
                                                : "token %d, head %d: the output is not that of all keys together",
                                     i, h);
    }
    return told;
}

static const Task tasks[] = {
    { AS(Merge, my_merge), AS(Merge, merge), merge_case, COUNT(cases), .hints = { { .of = "out" }, { .of = "lse" } },
      .explain = hints, .faulty = AS(Merge, merge),
      .wrong = { FAULT(AVERAGED, "the ranks' outputs are averaged: a rank with little weight counts as much as any"),
                 FAULT(ADDED, "the outputs are added up: their shares must sum to 1"),
                 FAULT(BY_LSE, "the outputs are weighed by lse itself: it is the logarithm of the weight"),
                 FAULT(UNDIVIDED, "the outputs are weighed by exp(lse - largest), and not divided by the sum of these"),
                 FAULT(OF_HEAD_0, "every head is weighed by the lse of head 0"),
                 FAULT(HEAD_BY_HEAD, "an answer has all heads' outputs first, then all lse"),
                 FAULT(UNSHIFTED,
                       "exp of an lse overflows or vanishes: what cancels in the quotient may be taken away first"),
                 FAULT(LARGEST, "out is right, but lse is only the largest one"),
                 FAULT(NOT_BACK, "out is right, but the largest lse was taken away and never added back"),
                 { .fault = NO_KEYS, .told = "head 0: NaN, where no rank had keys" } } },
};
EXERCISE("24a", tasks)
