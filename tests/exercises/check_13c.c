// Exercise 13c: merge_is_right.
#include "base/portable_math.h"
#include "exercises/judge.h"

typedef void Merge(float *max, float *sum, float *mixed, float other_max, float other_sum, const float *other_mixed,
                   int dv);
bool merge_is_right(Merge *merge);

// ---- merges: a row's three numbers with these factors

static void join(float *max, float *sum, float *mixed, float m, const float factors[2], float other_sum,
                 const float *other_mixed, int dv)
{
    *sum = *sum * factors[0] + other_sum * factors[1];
    for (int c = 0; c < dv; c++) mixed[c] = mixed[c] * factors[0] + other_mixed[c] * factors[1];
    *max = m;
}

static float factor(float max, float m) { return max == -INFINITY ? 0.0f : expf(max - m); }

#define MERGE(name) \
    static void name(float *max, float *sum, float *mixed, float other_max, float other_sum, const float *other_mixed, \
                     int dv)

MERGE(right)
{
    float m = fmaxf(*max, other_max);
    join(max, sum, mixed, m, (float[]){ factor(*max, m), factor(other_max, m) }, other_sum, other_mixed, dv);
}

// The same by way of the divided outputs: the last bits are others.
MERGE(right_otherwise)
{
    float m = fmaxf(*max, other_max), own = *sum * factor(*max, m), others = other_sum * factor(other_max, m);
    for (int c = 0; c < dv; c++) {
        float mine = *sum > 0.0f ? mixed[c] / *sum : 0.0f;
        float theirs = other_sum > 0.0f ? other_mixed[c] / other_sum : 0.0f;
        mixed[c] = mine * own + theirs * others;
    }
    *sum = expf(logf(own + others));
    *max = m;
}
MERGE(nothing_rescaled)
{
    join(max, sum, mixed, fmaxf(*max, other_max), (float[]){ 1, 1 }, other_sum, other_mixed, dv);
}
MERGE(own_as_is)
{
    float m = fmaxf(*max, other_max);
    join(max, sum, mixed, m, (float[]){ 1, factor(other_max, m) }, other_sum, other_mixed, dv);
}
MERGE(others_as_is)
{
    float m = fmaxf(*max, other_max);
    join(max, sum, mixed, m, (float[]){ factor(*max, m), 1 }, other_sum, other_mixed, dv);
}
MERGE(sum_alone)
{
    float m = fmaxf(*max, other_max), own = factor(*max, m), others = factor(other_max, m);
    *sum = *sum * own + other_sum * others;
    for (int c = 0; c < dv; c++) mixed[c] += other_mixed[c];
    *max = m;
}
MERGE(max_kept)
{
    float old = *max;
    right(max, sum, mixed, other_max, other_sum, other_mixed, dv);
    *max = old;
}
MERGE(nan_of_nothing)
{
    float m = fmaxf(*max, other_max);
    join(max, sum, mixed, m, (float[]){ expf(*max - m), expf(other_max - m) }, other_sum, other_mixed, dv);
}
MERGE(overflows)
{
    float own = expf(*max), others = expf(other_max), m = fmaxf(*max, other_max), both = m == -INFINITY ? 1 : expf(m);
    join(max, sum, mixed, m, (float[]){ own / both, others / both }, other_sum, other_mixed, dv);
}
MERGE(first_column) { right(max, sum, mixed, other_max, other_sum, other_mixed, dv < 1 ? dv : 1); }

static const struct {
    Merge *merge;
    const char *question;
} WRONG_ONES[] = {
    { nothing_rescaled, "do the two results of your test have different maxima?" },
    { own_as_is, "has the other result the larger maximum in one of your cases?" },
    { others_as_is, "has the other result the smaller maximum in one of your cases?" },
    { sum_alone, "is mixed compared, and does something in it have to be rescaled?" },
    { max_kept, "is max compared, where it has to change?" },
    { first_column, "is there more than one column in mixed, and are all compared?" },
    { nan_of_nothing, "are two results over no keys merged, and does NaN count as wrong?" },
    { overflows, "are there scores for which exp(score) alone overflows?" },
};
enum { WRONGS = sizeof WRONG_ONES / sizeof *WRONG_ONES };

static void rate(Judge *judge, Merge *merge, bool wanted, const char *what, Hints hints)
{
    judge_trying(judge, "merge_is_right of a merge that is %s", what);
    judge_claim(judge, merge_is_right(merge) == wanted, hints);
}

static int passed(void)
{
    int count = 0;
    for (int w = 0; w < WRONGS; w++) count += merge_is_right(WRONG_ONES[w].merge);
    return count;
}

static void check(Judge *judge)
{
    judge_trying(judge, "merge_is_right of every merge there is");
    int let_through = passed();
    rate(judge, right, true, "right",
         (Hints){ .property = let_through ? "a right merge is refused" : "every merge is refused, a right one as well",
                  .question = "what would you get by hand for the numbers that your test gives it?" });
    rate(judge, right_otherwise, true, "right, with other last bits",
         (Hints){ .property = "a merge that is right within rounding is refused",
                  .question = "how far may two floats be apart that should be the same?" });
    for (int w = 0; w < WRONGS; w++)
        rate(judge, WRONG_ONES[w].merge, false, "wrong",
             (Hints){ .property = let_through == WRONGS
                                      ? "every wrong merge passes: nothing is tried yet"
                                      : arena_format(judge->arena, "of %d wrong merges %d pass", WRONGS, let_through),
                      .question = WRONG_ONES[w].question });
}

int main(void) { return judge_main("13c", check); }
