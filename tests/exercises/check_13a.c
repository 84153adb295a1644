// Exercise 13a: my_merge.
#include "base/portable_math.h"
#include "base/random.h"
#include "exercises/judge.h"

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
    if (first == SUM && isnan(got.at[SUM])) return "sum, at [1], is NaN: which difference or quotient gives that?";
    if (first != SUM) return arena_format(arena, "%s is the first that is not as over all keys at once", names[first]);
    return arena_format(arena, "sum, at [1], is %.4g; over all keys at once Σ exp(score − max) is %.4g",
                        (double)got.at[SUM], (double)all.at[SUM]);
}

// What is right in a result, and from a column on what stood there before.
static Mat up_to(Arena *arena, Mat right, Mat before, int column)
{
    Mat m = mat_copy(arena, right);
    for (int c = column; c < m.cols; c++) m.at[c] = before.at[c];
    return m;
}

// As it comes out where each factor is exp(own max) / exp(common max).
static Mat quotients(Arena *arena, Mat a, Mat b, float to)
{
    float factors[] = { expf(a.at[MAX]) / expf(to), expf(b.at[MAX]) / expf(to) };
    return joined(arena, a, b, factors, factors);
}

// Does the function do anything at all, where the second result has the larger maximum?
static bool does_something(void)
{
    float max = 0, sum = 1, mixed = 1, other = 1;
    my_merge(&max, &sum, &mixed, 1, 1, &other, 1);
    return max != 0.0f || sum != 1.0f || mixed != 1.0f;
}

static Mat divided(Arena *arena, Mat r)
{
    Mat m = mat_copy(arena, r);
    for (int c = MIXED; c < m.cols; c++) m.at[c] /= m.at[SUM];
    return m;
}

// Scores of `size`; the second half of the keys lies `shift` higher.
static void merge_of(Judge *judge, const char *which, int own, int others, int dv, float size, float shift, bool first)
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

    float none[] = { right[0], 0 }, by_sums[] = { right[0] * a.at[SUM], right[1] * b.at[SUM] };
    float low = fminf(a.at[MAX], b.at[MAX]), to_low[] = { expf(a.at[MAX] - low), expf(b.at[MAX] - low) };
    Mat smaller = joined(arena, a, b, to_low, to_low), logarithm = mat_copy(arena, all);
    smaller.at[MAX] = low;
    logarithm.at[SUM] = logf(all.at[SUM]);
    Mat one = divided(arena, all), of_both = mat_copy(arena, all), each_column = mat_copy(arena, a);
    one.at[SUM] = 1.0f;
    of_both.at[MAX] = logf(expf(a.at[MAX]) + expf(b.at[MAX]));
    for (int c = 0; c < dv; c++) each_column.at[SUM] = each_column.at[SUM] * right[0] + b.at[SUM] * right[1];
    mat_set(mat_cols(each_column, MIXED, dv), mat_cols(all, MIXED, dv));
    each_column.at[MAX] = to;
    float as_one[] = { right[0], others > 0 ? right[1] / b.at[SUM] : 0 }, copied[] = { 0, 2 };
    float to_other[] = { expf(a.at[MAX] - b.at[MAX]), 1 }, no_exp[] = { a.at[MAX] - to, b.at[MAX] - to };
    const char *unchanged =
        first && does_something() ? "nothing has changed: a result whose maximum is the smaller adds something, too"
        : first                   ? "nothing has changed: it is still the stub"
        : own ? "nothing has changed: what does a larger maximum of the other result do to this one?"
              : "nothing has changed: this result is over no keys, and the other's keys are lost";
    static const char not_all[] = "mixed has dv numbers, and not all of them have been merged";
    const char *overflow =
        to > 88.0f ? "the factors are right as long as exp(max) is a number: subtract before exp" : NULL;
    judge_trying(judge, "my_merge of %s; [0]: max, [1]: sum, then mixed", which);
    my_merge(&got.at[MAX], &got.at[SUM], &got.at[MIXED], b.at[MAX], b.at[SUM], &b.at[MIXED], dv);
    judge_answer(
        judge,
        (Answer){
            .got = got,
            .expected = all,
            .hints = { .property = property_of(arena, got, all),
                       .question =
                           "each result was measured against a maximum of its own: what must it be multiplied by "
                           "to be measured against the common one? What is there to measure over no keys?",
                       .formula = "exp(s − m) = exp(s − m₁) · exp(m₁ − m), for every key of the first result" },
            .mistakes = {
                { unchanged, a },
                { "the two factors are exchanged: each result needs its own", joined(arena, a, b, swapped, swapped) },
                { "the other result is brought to the new maximum, and this one is not. Has max been overwritten "
                  "before its old value was needed?",
                  joined(arena, a, b, own_as_is, own_as_is) },
                { "-INFINITY - -INFINITY is NaN: two results over no keys need a case of their own",
                  joined(arena, a, b, blind, blind) },
                { "the output is not rescaled: mixed needs what sum needs", joined(arena, a, b, right, as_is) },
                { "the sum is not rescaled: sum needs what mixed needs", joined(arena, a, b, as_is, right) },
                { "the sign: bringing a sum to a larger maximum makes it smaller",
                  joined(arena, a, b, inverse, inverse) },
                { "what was summed against the smaller maximum is not rescaled, and counts too much now",
                  joined(arena, a, b, as_is, as_is) },
                { "the other result's mixed is missing", joined(arena, a, b, right, none) },
                { "the other result's sum is missing", joined(arena, a, b, none, right) },
                { not_all, up_to(arena, all, a, MIXED + 1) },
                { not_all, up_to(arena, all, a, MIXED + dv - 1) },
                { "mixed is not divided, so the sums are no factors for it", joined(arena, a, b, right, by_sums) },
                { "the common maximum is the larger of the two, and this is the smaller", smaller },
                { "max must become the larger of the two", old_max },
                { "mixed stays undivided: what comes later is added to it", divided(arena, all) },
                { "this is measured against the other's maximum: is that always the larger of the two?",
                  joined(arena, a, b, to_other, to_other) },
                { "the factor is exp of a difference, and this is the difference itself",
                  joined(arena, a, b, no_exp, no_exp) },
                { "sum is Σ exp(score − max), and this is its logarithm", logarithm },
                { overflow, quotients(arena, a, b, to) },
                { "sum and mixed are both divided by the sum: it must be kept for the keys that follow", one },
                { "max is the largest score, and here it is the logarithm of a sum of exp", of_both },
                { "sum is brought to the new measure once for each column of mixed: once is enough", each_column },
                { "the other result counts as one key: its sum is other_sum, not 1",
                  joined(arena, a, b, as_one, right) },
                { own ? NULL : "the other result is copied and then merged as well, so it counts twice",
                  joined(arena, a, b, copied, copied) } } });
}

static void check(Judge *judge)
{
    merge_of(judge, "one key and one key, the first with the larger score", 1, 1, 2, 0.5f, -4.0f, true);
    merge_of(judge, "one key and one key, the second with the larger score", 1, 1, 2, 0.5f, 4.0f, false);
    merge_of(judge, "five keys and three keys", 5, 3, 4, 1.0f, 0.0f, false);
    merge_of(judge, "three keys and five keys whose scores are smaller", 3, 5, 1, 1.0f, -3.0f, false);
    merge_of(judge, "four keys and none", 4, 0, 3, 1.0f, 0.0f, false);
    merge_of(judge, "no keys and four", 0, 4, 3, 1.0f, 0.0f, false);
    merge_of(judge, "no keys and none", 0, 0, 3, 1.0f, 0.0f, false);
    merge_of(judge, "six keys and two keys whose scores are higher by 200", 6, 2, 2, 10.0f, 200.0f, false);
}

int main(void) { return judge_main("13a", check); }
