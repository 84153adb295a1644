// Exercise 05b, solved wrongly: number WRONG of these gets this answer.
//
// 1: without one call of attend
// 2: without one call of attend
// 3: they are still counted in the sum
// 4: reads the value of the next word
// 5: takes 10 from hidden scores
// 6: a single query leaks
// 7: multiplies hidden values by 0
// 8: attention_naive does not leak
// 9: see one key ahead
// 10: hides a query's own key as well does not leak
// 11: in which every query sees every key
// 12: one after query 0
// 13: makes 0 of each NaN
// 14: without a causal mask
// 15: the two answers changed places?
// 16: not to its neighbour
// 17: a text of one word
// 18: every call had the same keys
// 19: another key or value of word 0
// 20: every call had the same keys
#include "attention/attention.h"
#include "base/random.h"
#include "exercises/wrong.h"

#include <math.h>

bool my_leak_test(AttentionKernel *attend, Arena *arena);

enum { T = 7, d = 4 };

static Mat random_mat(Arena *arena, Random *random)
{
    Mat m = mat_new(arena, T, d);
    random_normals(random, m);
    return m;
}

// From word `from` on, keys and values become others.
static bool stays(AttentionKernel *attend, Arena *arena, int from, float shift)
{
    int how = wrong(), rows = how == 8 ? from + 1 : how == 9 || how == 12 ? 1 : from;
    Random random = random_from(1);
    Mat q = random_mat(arena, &random), k = random_mat(arena, &random), v = random_mat(arena, &random);
    Mat before = mat_new(arena, T, d), after = mat_new(arena, T, d);
    const Mask mask = { .causal = how != 14 };
    if (how == 17) {
        q = mat_rows(q, 0, 1);
        k = mat_rows(k, 0, 1);
        v = mat_rows(v, 0, 1);
        before = mat_rows(before, 0, 1);
        after = mat_rows(after, 0, 1);
    }
    attend((Attended){ .out = before }, q, k, v, mask);
    for (int i = how == 19 ? 0 : from; i < (how == 16 ? from + 1 : how == 17 ? 0 : T); i++)
        for (int c = 0; c < d; c++) {
            if (how == 18) *mat_ref(q, i, c) += shift;
            if (how == 18) continue;
            if (how != 3) *mat_ref(k, i, c) += shift;
            if (how != 4) *mat_ref(v, i, c) += shift;
        }
    if (how == 10) attention_naive((Attended){ .out = before }, q, k, v, (Mask){ .causal = true });
    attend((Attended){ .out = after }, q, k, v, mask);
    if (how == 17) return mat_equal(before, after);
    before = mat_rows(before, how == 16 ? from - 1 : 0, how == 16 ? 1 : rows);
    after = mat_rows(after, how == 16 ? from - 1 : 0, how == 16 ? 1 : rows);
    if (how == 13) return !isnan(mat_sum(after));
    return how == 5 ? mat_max_difference(before, after) < 1e-3 : mat_equal(before, after);
}

// The weights of hidden keys are 0: true of a kernel that writes none, too.
static bool weights_are_zero(AttentionKernel *attend, Arena *arena)
{
    Random random = random_from(1);
    Mat q = random_mat(arena, &random), k = random_mat(arena, &random), v = random_mat(arena, &random);
    Mat out = mat_new(arena, T, d), weights = mat_new(arena, T, T);
    bool zero = true;
    attend((Attended){ .out = out, .weights = weights }, q, k, v, (Mask){ .causal = true });
    for (int i = 0; i < T; i++)
        for (int j = i + 1; j < T; j++) zero = zero && *mat_ref(weights, i, j) == 0.0f;
    return zero;
}

bool my_leak_test(AttentionKernel *attend, Arena *arena)
{
    int how = wrong();
    if (how == 1 || how == 2) return how == 1;
    if (how == 20) return weights_are_zero(attend, arena);
    bool good = true;
    for (int from = how == 6 || how == 9 ? T - 1 : 1; from < T; from++) {
        good = (good && stays(attend, arena, from, 1.0f)) || how == 11;
        if (how != 5 && how != 7 && how != 11) good = good && stays(attend, arena, from, NAN);
    }
    return how == 15 ? !good : good;
}
