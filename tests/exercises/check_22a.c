// Exercise 22a: my_difference and my_norm.
#include "attention/attention.h"
#include "base/portable_math.h"
#include "exercises/judge.h"

typedef void Subtract(Mat out, Mat q, Mat k, Mat v, float lambda);
typedef void Norm(Mat out, int P, float init);
Subtract my_difference;
Norm my_norm;

static const struct {
    int T, d, dv;
    float lambda;
} pairs[] = { { 4, 4, 3, 0.3f }, { 7, 3, 5, 0.75f }, { 5, 2, 2, -0.6f } };

static void difference_case(Judge *judge, Function f, int n)
{
    const int T = pairs[n].T, d = pairs[n].d, dv = pairs[n].dv;
    Random random = random_from((uint64_t)(100 * T + d));
    Mat q = judge_random_view(judge, &random, T, 2 * d), k = judge_random_view(judge, &random, T, 2 * d);
    Mat v = judge_random_view(judge, &random, T, dv);
    judge_trying(judge, "my_difference of %d tokens, d = %d, dv = %d, λ = %.2f", T, d, dv, (double)pairs[n].lambda);
    ((Subtract *)f)(judge_output(judge, T, dv), q, k, v, pairs[n].lambda);
}

enum { ADDED = 1, NO_LAMBDA, ON_FIRST, OVERWRITTEN, WIDE_SCALE, ALL_KEYS, MINUS_LOST };

static void difference_by(Mat out, Mat q, Mat k, Mat v, float lambda)
{
    const int fault = judge_fault, d = q.cols / 2;
    Arena *arena = arena_open();
    Mat second = mat_new(arena, out.rows, out.cols);
    Mask mask = { .causal = fault != ALL_KEYS, .scale = fault == WIDE_SCALE ? 1.0f / sqrtf(2.0f * (float)d) : 0.0f };
    float one = fault == ON_FIRST ? lambda : fault != OVERWRITTEN;
    float two = fault == NO_LAMBDA || fault == ON_FIRST ? -1.0f : fault == ADDED ? lambda : -lambda;
    if (fault == OVERWRITTEN) two = 1.0f - lambda;
    if (fault == MINUS_LOST) two = -fabsf(lambda);
    attention_naive((Attended){ .out = out }, mat_cols(q, 0, d), mat_cols(k, 0, d), v, mask);
    attention_naive((Attended){ .out = second }, mat_cols(q, d, d), mat_cols(k, d, d), v, mask);
    for (int i = 0; i < out.rows; i++)
        for (int c = 0; c < out.cols; c++)
            *mat_ref(out, i, c) = one * *mat_ref(out, i, c) + two * *mat_ref(second, i, c);
    arena_close(arena);
}

static const struct {
    int T, P, n;
    float init, size;
} norms[] = { { 3, 2, 4, 0.2f, 1.0f }, { 2, 3, 5, 0.7f, 1.0f }, { 2, 2, 3, 0.4f, 0.001f } };

static void norm_case(Judge *judge, Function f, int n)
{
    const int T = norms[n].T, P = norms[n].P, cols = P * norms[n].n;
    bool small = norms[n].size < 1.0f;
    Random random = random_from((uint64_t)(1000 + 10 * P + norms[n].n));
    Mat out = judge_output(judge, T, cols);
    for (int i = 0; i < T; i++)
        for (int c = 0; c < cols; c++) // pairs differ
            *mat_ref(out, i, c) = random_normal(&random) * norms[n].size * (0.5f + (float)(c / norms[n].n));
    judge_trying(judge, "my_norm of %d rows, P = %d pairs of n = %d, init = %.2f%s", T, P, norms[n].n,
                 (double)norms[n].init, small ? ", numbers of about 0.001" : "");
    ((Norm *)f)(out, P, norms[n].init);
}

enum { UNCHANGED = 1, WHOLE_ROW, NO_ROOT, SUM, BY_INIT, NO_FACTOR, GOES_ON, NO_SMALL };

static void norm_by(Mat out, int P, float init)
{
    const int fault = judge_fault, n = fault == WHOLE_ROW ? out.cols : out.cols / P;
    const float factor = fault == BY_INIT ? init : fault == NO_FACTOR ? 1.0f : 1.0f - init;
    for (int i = 0; i < out.rows && fault != UNCHANGED; i++) {
        float sum = 0.0f;
        for (float *x = mat_row(out, i), *end = x + out.cols; x < end; x += n) {
            if (fault != GOES_ON) sum = 0.0f;
            for (int c = 0; c < n; c++) sum += x[c] * x[c];
            float square = sum / (fault == SUM ? 1.0f : (float)n) + (fault == NO_SMALL ? 0.0f : 1e-6f);
            for (int c = 0; c < n; c++) x[c] *= factor / (fault == NO_ROOT ? square : sqrtf(square));
        }
    }
}

static Hints norm_hints(Judge *judge, Difference d)
{
    (void)judge;
    return (Hints){ norms[d.n].size < 1.0f ? "beside squares so small the 10⁻⁶ counts"
                                           : "the root of the mean square of a pair's numbers is not 1 − init after it",
                    "over which numbers of a row is the mean taken, and what is done with its root?",
                    "y = x / √(mean of the pair's n squares + 10⁻⁶) · (1 − init)" };
}

static const Task tasks[] = {
    { AS(Subtract, my_difference), AS(Subtract, difference_by), difference_case, COUNT(pairs),
      .faulty = AS(Subtract, difference_by),
      .hints = { { "the output is not that of two causal maps, the second taken away λ times",
                   "what does each map give by itself? And what is left of the two outputs?",
                   "out = softmax(q₁k₁ᵀ/√d) v − λ softmax(q₂k₂ᵀ/√d) v" } },
      .wrong = { FAULT(ADDED, "the second map is added; it is to be taken away"),
                 FAULT(NO_LAMBDA, "the whole second map is taken away: λ is left out"),
                 FAULT(ON_FIRST, "λ stands before the first map; it belongs to the second"),
                 FAULT(OVERWRITTEN,
                       "this is 1 − λ times the second map; a kernel writes over what stood in its output"),
                 FAULT(WIDE_SCALE, "the scores are scaled for queries of 2d; each map's queries are d wide"),
                 FAULT(ALL_KEYS, "no key is hidden; both maps are causal"),
                 FAULT(MINUS_LOST, "λ is negative here, and its minus is lost") } },
    { AS(Norm, my_norm), AS(Norm, norm_by), norm_case, COUNT(norms), .explain = norm_hints, .faulty = AS(Norm, norm_by),
      .wrong = { FAULT(UNCHANGED, "nothing has changed"),
                 FAULT(WHOLE_ROW, "the mean is taken over the whole row; every pair has its own"),
                 FAULT(NO_ROOT, "the mean square has no root taken of it"),
                 FAULT(SUM, "squares are added up, and not divided by how many there are"),
                 FAULT(BY_INIT, "multiplied by init; it is 1 − init"),
                 FAULT(NO_FACTOR, "the factor 1 − init is missing"),
                 FAULT(GOES_ON, "the squares of the pairs before are in the sum"),
                 FAULT(NO_SMALL, "10⁻⁶ is not added") } },
};
EXERCISE("22a", tasks)
