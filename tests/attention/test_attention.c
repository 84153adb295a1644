// Tests of lib/attention/attention.c. tests/support/kernel.c holds the battery that every kernel has to pass.
#include "attention/attention.h"

#include "base/cost.h"
#include "base/portable_math.h"
#include "support/kernel.h"
#include "support/reference.h"
#include "support/suite.h"

static const Kernel naive = { attention_naive, "attention_naive", 1e-5, 2e-6 };

TEST_EACH(battery, kernel_check_count) { kernel_checks[_i](naive); }

TEST_ABORTS(wrong_shapes, wrong_shape_count) { kernel_wrong_shapes(naive, _i); }

TEST(scores)
{
    Random random = random_from(1);
    Mask masks[] = { { 0 }, { .causal = true, .alibi = 0.5f }, { .window = 3, .sinks = 1, .padding = 2 } };
    for (int m = 0; m < 3; m++) {
        Framed q = framed_mat(arena, 5, 6, NAN), k = framed_mat(arena, 7, 6, NAN), s = framed_mat(arena, 5, 7, NAN);
        random_normals(&random, q.view);
        random_normals(&random, k.view);
        attention_scores(s.view, q.view, k.view, masks[m]);
        Table none = table_new(arena, 7, 0);
        Reference want = reference_attention(arena, table_of(arena, q.view), table_of(arena, k.view), none, masks[m]);
        assert_close(s.view, want.scores.at, 1e-6, 1e-6);
        ck_assert(frame_untouched(s, NAN));
    }
}

TEST_ABORTS(scores_of_the_wrong_shape, 4)
{
    Mat s = mat_new(arena, 3, 3);
    quiet();
    if (_i == 0) attention_scores(s, mat_new(arena, 2, 4), mat_new(arena, 3, 4), (Mask){ 0 });
    if (_i == 1) attention_scores(s, mat_new(arena, 3, 4), mat_new(arena, 2, 4), (Mask){ 0 });
    if (_i == 2) attention_scores(s, mat_new(arena, 3, 4), mat_new(arena, 3, 5), (Mask){ 0 });
    if (_i == 3) attention_scores(s, mat_new(arena, 3, 0), mat_new(arena, 3, 0), (Mask){ 0 });
}

static Cost cost_of(int T, int S, int d, int dv, bool lse, bool weights, Mask mask)
{
    Random random = random_from(4);
    Attended to = { .out = mat_new(arena, T, dv) };
    if (lse) to.lse = mat_new(arena, T, 1);
    if (weights) to.weights = mat_new(arena, T, S);
    Mat q = random_mat(arena, &random, T, d), k = random_mat(arena, &random, S, d);
    Mat v = random_mat(arena, &random, S, dv);
    cost_counted = (Cost){ 0 };
    attention_naive(to, q, k, v, mask);
    return cost_counted;
}

TEST(costs)
{
    for (int e = 0; e < 5 * 5; e++) {
        int T = 1 + e % 5 * 4, S = 1 + e / 5 * 5, d = 1 + e % 8, dv = d + 2, blind = T > S ? T - S : 0, causal = 0;
        for (int i = blind; i < T; i++) causal += i + S - T + 1;
        Cost full = cost_of(T, S, d, dv, true, false, (Mask){ 0 });
        ck_assert_int_eq(full.multiplies, T * S * (d + dv));
        ck_assert_int_eq(full.exps, 2 * T * S);
        ck_assert_int_eq(full.scratch, (T * S * 4 + 63) / 64 * 64);
        ck_assert_int_eq(full.reads, T * d + T * S * (d + dv + 2));
        ck_assert_int_eq(full.writes, 2 * T * S + T * dv + T);
        Cost half = cost_of(T, S, d, dv, false, true, (Mask){ .causal = true });
        ck_assert_int_eq(half.multiplies, causal * (d + dv));
        ck_assert_int_eq(half.exps, (T - blind) * S);
        ck_assert_int_eq(half.scratch, 0); // the table is the caller's
        ck_assert_int_eq(half.reads, T * d + 2 * T * S + causal * (d + dv));
        ck_assert_int_eq(half.writes, 2 * T * S + T * dv);
    }
}
