// Exercise 13a: my_merge.
#include "base/random.h"
#include "exercises/judge.h"

#include <math.h>

void my_merge(float *max, float *sum, float *mixed, float other_max, float other_sum, const float *other_mixed, int dv);

// A result is one row: max, sum, and mixed after them.
enum { MAX, SUM, MIXED };

// Keys first … first + count − 1, from the definition.
static Mat result_of(Arena *arena, Mat scores, Mat values, int first, int count)
{
    Mat r = mat_new(arena, 1, MIXED + values.cols);
    r.at[MAX] = -INFINITY;
    for (int j = first; j < first + count; j++) r.at[MAX] = fmaxf(r.at[MAX], scores.at[j]);
    for (int j = first; j < first + count; j++) {
        float weight = expf(scores.at[j] - r.at[MAX]);
        r.at[SUM] += weight;
        for (int c = 0; c < values.cols; c++) r.at[MIXED + c] += weight * *mat_ref(values, j, c);
    }
    return r;
}

// The two results with these factors: one pair for the sums, one for the mixtures.
static Mat joined(Arena *arena, Mat a, Mat b, const float sums[2], const float mixtures[2])
{
    Mat r = mat_new(arena, 1, a.cols);
    r.at[MAX] = fmaxf(a.at[MAX], b.at[MAX]);
    r.at[SUM] = a.at[SUM] * sums[0] + b.at[SUM] * sums[1];
    for (int c = MIXED; c < a.cols; c++) r.at[c] = a.at[c] * mixtures[0] + b.at[c] * mixtures[1];
    return r;
}

// In words what stands where, and what follows for the output.
static const char *property_of(Arena *arena, Mat got, Mat all)
{
    const char *names[] = { "max, at [0],", "sum, at [1],", "mixed, from [2] on," };
    int first = 0;
    while (first < MIXED && fabsf(got.at[first] - all.at[first]) <= 1e-5f * fmaxf(1.0f, fabsf(all.at[first]))) first++;
    if (first != SUM) return arena_format(arena, "%s is the first that is not as over all keys at once", names[first]);
    return arena_format(arena, "sum, at [1], is %.4g; over all keys at once Σ exp(score − max) is %.4g",
                        (double)got.at[SUM], (double)all.at[SUM]);
}

static Mat divided(Arena *arena, Mat r)
{
    Mat m = mat_copy(arena, r);
    for (int c = MIXED; c < m.cols; c++) m.at[c] /= m.at[SUM];
    return m;
}

// Scores of `size`; the second half of the keys lies `shift` higher.
static void merge_of(Judge *judge, const char *which, int own, int others, int dv, float size, float shift)
{
    Arena *arena = judge->arena;
    Random random = random_from((uint64_t)(100 * own + 10 * others + dv));
    int n = own + others;
    Mat scores = mat_new(arena, 1, n), values = mat_new(arena, n, dv), got = judge_output(judge, 1, MIXED + dv);
    random_normals(&random, scores);
    random_normals(&random, values);
    for (int j = 0; j < n; j++) scores.at[j] = size * scores.at[j] + (j >= own ? shift : 0.0f);
    Mat a = result_of(arena, scores, values, 0, own), b = result_of(arena, scores, values, own, others);
    Mat all = result_of(arena, scores, values, 0, n), old_max = mat_copy(arena, all);
    float to = all.at[MAX], as_is[] = { 1, 1 };
    float right[] = { own > 0 ? expf(a.at[MAX] - to) : 0, others > 0 ? expf(b.at[MAX] - to) : 0 };
    float inverse[] = { expf(to - a.at[MAX]), expf(to - b.at[MAX]) };
    float swapped[] = { right[1], right[0] }, own_as_is[] = { 1, right[1] };
    float blind[] = { expf(a.at[MAX] - to), expf(b.at[MAX] - to) };
    old_max.at[MAX] = a.at[MAX];
    mat_set(got, a);

    float none[] = { right[0], 0 };
    judge_trying(judge, "my_merge of %s; [0] is max, [1] is sum, [2] and what follows is mixed", which);
    my_merge(&got.at[MAX], &got.at[SUM], &got.at[MIXED], b.at[MAX], b.at[SUM], &b.at[MIXED], dv);
    judge_answer(judge, (Answer){
        .got = got, .expected = all,
        .hints = { .property = property_of(arena, got, all),
                   .question = "each result was measured against a maximum of its own: what must it be multiplied by "
                               "to be measured against the common one? What is there to measure over no keys?",
                   .formula = "exp(s − m) = exp(s − m₁) · exp(m₁ − m), for every key of the first result" },
        .mistakes = { { "nothing has changed: it is still the stub", a },
                      { "the two factors are exchanged: each result needs its own",
                        joined(arena, a, b, swapped, swapped) },
                      { "the other result is brought to the new maximum, and this one is not. Has max been overwritten "
                        "before its old value was needed?", joined(arena, a, b, own_as_is, own_as_is) },
                      { "-INFINITY - -INFINITY is NaN: two results over no keys need a case of their own",
                        joined(arena, a, b, blind, blind) },
                      { "the output is not rescaled: mixed needs what sum needs", joined(arena, a, b, right, as_is) },
                      { "the sum is not rescaled: sum needs what mixed needs", joined(arena, a, b, as_is, right) },
                      { "the sign: bringing a sum to a larger maximum makes it smaller",
                        joined(arena, a, b, inverse, inverse) },
                      { "what was summed against the smaller maximum is not rescaled, and counts too much now",
                        joined(arena, a, b, as_is, as_is) },
                      { "the other result's mixed is missing", joined(arena, a, b, right, none) },
                      { "max must become the larger of the two", old_max },
                      { "mixed stays undivided: what comes later is added to it", divided(arena, all) } } });
}

static void check(Judge *judge)
{
    merge_of(judge, "one key and one key, the first with the larger score", 1, 1, 2, 0.5f, -4.0f);
    merge_of(judge, "one key and one key, the second with the larger score", 1, 1, 2, 0.5f, 4.0f);
    merge_of(judge, "five keys and three keys", 5, 3, 4, 1.0f, 0.0f);
    merge_of(judge, "three keys and five keys whose scores are smaller", 3, 5, 1, 1.0f, -3.0f);
    merge_of(judge, "four keys and none", 4, 0, 3, 1.0f, 0.0f);
    merge_of(judge, "no keys and four", 0, 4, 3, 1.0f, 0.0f);
    merge_of(judge, "no keys and none", 0, 0, 3, 1.0f, 0.0f);
    merge_of(judge, "six keys and two keys whose scores are higher by 200", 6, 2, 2, 10.0f, 200.0f);
}

int main(void) { return judge_main("13a", check); }
