// Exercise 13a: my_merge.
#include "base/portable_math.h"
#include "exercises/judge.h"

typedef void Merge(float *max, float *sum, float *mixed, float other_max, float other_sum, const float *other_mixed,
                   int dv);
Merge my_merge;

// A result is one row: max, sum, and mixed after them.
enum { MAX, SUM, MIXED };

// Scores of `size`; those of the other result's keys are higher by `shift`.
static const struct {
    const char *which;
    int own, others, dv;
    float size, shift;
} cases[] = { { "one key and one key, the first with the larger score", 1, 1, 2, 0.5f, -4.0f },
              { "five keys and three keys", 5, 3, 4, 1.0f, 0.0f },
              { "four keys and none", 4, 0, 3, 1.0f, 0.0f },
              { "no keys and four", 0, 4, 3, 1.0f, 0.0f },
              { "no keys and none", 0, 0, 3, 1.0f, 0.0f },
              { "six keys and two keys whose scores are higher by 200", 6, 2, 2, 10.0f, 200.0f } };

// What is known of `count` keys with random scores and values.
static void fill_result(Mat r, Random *random, int count, float size, float shift)
{
    float scores[8];
    mat_fill(r, 0.0f);
    r.at[MAX] = -INFINITY;
    for (int j = 0; j < count; j++) {
        scores[j] = size * (float)random_normal(random) + shift;
        r.at[MAX] = fmaxf(r.at[MAX], scores[j]);
    }
    for (int j = 0; j < count; j++) {
        float weight = expf(scores[j] - r.at[MAX]);
        r.at[SUM] += weight;
        for (int c = MIXED; c < r.cols; c++) r.at[c] += weight * (float)random_normal(random);
    }
}

static void merge_case(Judge *judge, Function f, int n)
{
    int dv = cases[n].dv;
    Random random = random_from((uint64_t)(100 * cases[n].own + 10 * cases[n].others + dv));
    Mat a = judge_output(judge, 1, MIXED + dv), b = mat_new(judge->arena, 1, MIXED + dv);
    fill_result(a, &random, cases[n].own, cases[n].size, 0.0f);
    fill_result(b, &random, cases[n].others, cases[n].size, cases[n].shift);
    judge_trying(judge, "my_merge of %s; [0]: max, [1]: sum, then mixed", cases[n].which);
    ((Merge *)f)(&a.at[MAX], &a.at[SUM], &a.at[MIXED], b.at[MAX], b.at[SUM], &b.at[MIXED], dv);
}

enum { RIGHT, STUB, OWN_AS_IS, OTHER_AS_IS, MIXED_AS_IS, SUM_AS_IS, MAX_KEPT, NAN_OF_NOTHING };

static void faulty_merge(float *max, float *sum, float *mixed, float other_max, float other_sum,
                         const float *other_mixed, int dv)
{
    const int fault = judge_fault;
    float m = fmaxf(*max, other_max);
    if (fault == STUB) return;
    if (m == -INFINITY && fault != NAN_OF_NOTHING) return;
    float own = expf(*max - m);
    float other = expf(other_max - m);
    if (fault == OWN_AS_IS) own = 1.0f;
    if (fault == OTHER_AS_IS) other = 1.0f;
    *sum = fault == SUM_AS_IS ? *sum + other_sum : *sum * own + other_sum * other;
    for (int c = 0; c < dv; c++)
        mixed[c] = fault == MIXED_AS_IS ? mixed[c] + other_mixed[c] : mixed[c] * own + other_mixed[c] * other;
    if (fault != MAX_KEPT) *max = m;
}

static const Task tasks[] = {
    { AS(Merge, my_merge), AS(Merge, faulty_merge), merge_case, COUNT(cases), .faulty = AS(Merge, faulty_merge),
      .hints = { { NULL,
                   "each result was measured against a maximum of its own: what must it be multiplied by "
                   "to be measured against the common one? What is there to measure over no keys?",
                   "exp(s − m) = exp(s − m₁) · exp(m₁ − m), for every key of the first result" } },
      .wrong = { FAULT(STUB, "nothing has changed: it is still the stub"),
                 FAULT(OWN_AS_IS,
                       "the other result is brought to the new maximum, and this one is not. Has max been overwritten "
                       "before its old value was needed?"),
                 FAULT(OTHER_AS_IS,
                       "what was summed against the smaller maximum is not rescaled, and counts too much now"),
                 FAULT(MIXED_AS_IS, "the output is not rescaled: mixed needs what sum needs"),
                 FAULT(SUM_AS_IS, "the sum is not rescaled: sum needs what mixed needs"),
                 FAULT(MAX_KEPT, "max must become the larger of the two"),
                 FAULT(NAN_OF_NOTHING,
                       "-INFINITY - -INFINITY is NaN: two results over no keys need a case of their own") } },
};
EXERCISE("13a", tasks)
