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
    attend((Attended){ .out = before }, q, k, v, mask);
    for (int i = from; i < T; i++)
        for (int c = 0; c < d; c++) {
            if (how != 3) *mat_ref(k, i, c) += shift;
            if (how != 4) *mat_ref(v, i, c) += shift;
        }
    if (how == 10) attention_naive((Attended){ .out = before }, q, k, v, (Mask){ .causal = true });
    attend((Attended){ .out = after }, q, k, v, mask);
    before = mat_rows(before, 0, rows);
    after = mat_rows(after, 0, rows);
    if (how == 13) return !isnan(mat_sum(after));
    return how == 5 ? mat_max_difference(before, after) < 1e-3 : mat_equal(before, after);
}

bool my_leak_test(AttentionKernel *attend, Arena *arena)
{
    int how = wrong();
    if (how == 1 || how == 2) return how == 1;
    bool good = true;
    for (int from = how == 6 || how == 9 ? T - 1 : 1; from < T; from++) {
        good = (good && stays(attend, arena, from, 1.0f)) || how == 11;
        if (how != 5 && how != 7 && how != 11) good = good && stays(attend, arena, from, NAN);
    }
    return how == 15 ? !good : good;
}
