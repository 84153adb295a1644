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

enum { ADDED = 1, NO_LAMBDA, ON_FIRST, ON_BOTH, OVERWRITTEN, SECOND_ONLY, WIDE_SCALE, ALL_KEYS, SAME_KEYS, CROSSED };
enum { MINUS_LOST = CROSSED + 1, HALF };

static void difference_by(Mat out, Mat q, Mat k, Mat v, float lambda)
{
    const int fault = judge_fault, d = q.cols / 2, crossed = fault == CROSSED ? d : 0;
    Arena *arena = arena_open();
    Mat second = mat_new(arena, out.rows, out.cols);
    Mask mask = { .causal = fault != ALL_KEYS, .scale = fault == WIDE_SCALE ? 1.0f / sqrtf(2.0f * (float)d) : 0.0f };
    float one = fault == ON_FIRST || fault == ON_BOTH ? lambda : fault == HALF ? 0.5f : 1.0f;
    float two = fault == NO_LAMBDA || fault == ON_FIRST ? -1.0f : fault == ADDED ? lambda : -lambda;
    if (fault == OVERWRITTEN || fault == SECOND_ONLY) {
        one = 0.0f;
        two = fault == SECOND_ONLY ? 1.0f : 1.0f - lambda;
    }
    if (fault == MINUS_LOST) two = -fabsf(lambda);
    attention_naive((Attended){ .out = out }, mat_cols(q, 0, d), mat_cols(k, crossed, d), v, mask);
    attention_naive((Attended){ .out = second }, mat_cols(q, d, d),
                    mat_cols(k, fault == SAME_KEYS ? 0 : d - crossed, d), v, mask);
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

enum { UNCHANGED = 1, WHOLE_ROW, NO_ROOT, SUM, BY_INIT, NO_FACTOR, GOES_ON, CHANGED, NO_SMALL, SMALL_LATE };
enum { SMALL_TWICE = SMALL_LATE + 1 };

static void norm_by(Mat out, int P, float init)
{
    const int fault = judge_fault, n = fault == WHOLE_ROW ? out.cols : out.cols / P;
    const float factor = fault == BY_INIT ? init : fault == NO_FACTOR ? 1.0f : 1.0f - init;
    const float small = fault == NO_SMALL || fault == SMALL_LATE ? 0.0f : fault == SMALL_TWICE ? 2e-6f : 1e-6f;
    for (int i = 0; i < out.rows && fault != UNCHANGED; i++) {
        float sum = 0.0f, size = 1.0f;
        for (float *x = mat_row(out, i), *end = x + out.cols; x < end; x += n)
            for (int c = 0; c < n; c++) {
                if (fault != GOES_ON) sum = 0.0f;
                for (int e = 0; e < n && (c == 0 || fault != GOES_ON); e++) sum += x[e] * x[e];
                float square = sum / (fault == SUM ? 1.0f : (float)n) + small;
                if (c == 0 || fault == CHANGED)
                    size = fault == NO_ROOT ? square : sqrtf(square) + (fault == SMALL_LATE ? 1e-6f : 0.0f);
                x[c] *= factor / size;
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
                 FAULT(ON_BOTH, "λ stands before both maps; it belongs to the second alone"),
                 FAULT(OVERWRITTEN,
                       "this is 1 − λ times the second map; a kernel writes over what stood in its output"),
                 FAULT(SECOND_ONLY, "this is the second map alone; a kernel writes over what stood in its output"),
                 FAULT(WIDE_SCALE, "the scores are scaled for queries of 2d; each map's queries are d wide"),
                 FAULT(ALL_KEYS, "no key is hidden; both maps are causal"),
                 FAULT(SAME_KEYS, "the second queries meet the first keys; they have keys of their own"),
                 FAULT(CROSSED, "the first queries meet the second keys, and the second queries the first"),
                 FAULT(MINUS_LOST, "λ is negative here, and its minus is lost"),
                 { .fault = HALF, .told = "not that of two causal maps" } } },
    { AS(Norm, my_norm), AS(Norm, norm_by), norm_case, COUNT(norms), .explain = norm_hints, .faulty = AS(Norm, norm_by),
      .wrong = { FAULT(UNCHANGED, "nothing has changed"),
                 FAULT(WHOLE_ROW, "the mean is taken over the whole row; every pair has its own"),
                 FAULT(NO_ROOT, "the mean square has no root taken of it"),
                 FAULT(SUM, "squares are added up, and not divided by how many there are"),
                 FAULT(BY_INIT, "multiplied by init; it is 1 − init"),
                 FAULT(NO_FACTOR, "the factor 1 − init is missing"),
                 FAULT(GOES_ON, "the squares of the pairs before are in the sum"),
                 FAULT(CHANGED, "numbers that had changed already are in the mean"),
                 FAULT(NO_SMALL, "10⁻⁶ is not added"),
                 FAULT(SMALL_LATE, "10⁻⁶ is added to the root; it is added to the mean"),
                 { .fault = SMALL_TWICE, .told = "the 10⁻⁶ counts" } } },
};
EXERCISE("22a", tasks)
