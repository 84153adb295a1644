// Tests of lib/attention/attention.c. tests/support/kernel.c holds the battery that every kernel has to pass.
#include "attention/attention.h"

#include "attention/softmax.h"
#include "base/cost.h"
#include "base/portable_math.h"
#include "support/kernel.h"
#include "support/reference.h"
#include "support/suite.h"

static const Kernel naive = { attention_naive, "attention_naive", 1e-5, 2e-6 };

TEST_EACH(battery, kernel_check_count) { kernel_checks[_i](naive); }

TEST_ABORTS(wrong_shapes, wrong_shape_count) { kernel_wrong_shapes(naive, _i); }

// FACTS.md's worked example, head 0: q = k = v = the first two columns of X.
TEST(worked_example)
{
    Mat x = mat_of(arena, 3, 4, (float[]){ 1, 0, 1, 0, 0, 1, 0, 1, 1, 1, 0, 0 }), head = mat_cols(x, 0, 2);
    Attended to = { mat_new(arena, 3, 2), mat_new(arena, 3, 1), mat_new(arena, 3, 3) };
    Mat scores = mat_new(arena, 3, 3);
    attention_scores(scores, head, head, (Mask){ 0 });
    assert_close(scores, ((double[]){ 0.707, 0, 0.707, 0, 0.707, 0.707, 0.707, 0.707, 1.414 }), 0, 5e-4);
    attention_naive(to, head, head, head, (Mask){ .causal = true });
    assert_close(to.weights, ((double[]){ 1, 0, 0, 0.330, 0.670, 0, 0.248, 0.248, 0.503 }), 0, 5e-4);
    assert_close(to.out, ((double[]){ 1, 0, 0.330, 0.670, 0.752, 0.752 }), 0, 5e-4);
    Table t = table_of(arena, head);
    Reference want = reference_attention(arena, t, t, t, (Mask){ .causal = true });
    assert_close(to.weights, want.weights.at, 1e-6, 0);
    assert_close(to.out, want.out.at, 1e-6, 0);
    assert_close(to.lse, want.lse.at, 1e-6, 0);
}

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
    for (int T = 1; T <= 17; T += 4)
        for (int S = 1; S <= 21; S += 5)
            for (int d = 1; d <= 8; d += 7) {
                int dv = d + 2, causal = 0;
                for (int i = 0; i < T; i++) causal += i + S - T + 1 > 0 ? i + S - T + 1 : 0;
                int blind = T > S ? T - S : 0;
                Cost full = cost_of(T, S, d, dv, false, false, (Mask){ 0 });
                ck_assert_int_eq(full.multiplies, T * S * d + T * S * dv);
                ck_assert_int_eq(full.exps, T * S);
                ck_assert_int_eq(full.scratch, (T * S * 4 + 63) / 64 * 64);
                ck_assert_int_eq(full.reads, T * d + T * S * (d + dv + 2));
                ck_assert_int_eq(full.writes, 2 * T * S + T * dv);
                Cost half = cost_of(T, S, d, dv, false, true, (Mask){ .causal = true });
                ck_assert_int_eq(half.multiplies, causal * (d + dv));
                ck_assert_int_eq(half.exps, (T - blind) * S);
                ck_assert_int_eq(half.scratch, 0); // the table is the caller's
                ck_assert_int_eq(half.reads, T * d + 2 * T * S + causal * (d + dv));
                ck_assert_int_eq(half.writes, 2 * T * S + T * dv);
                Cost asked = cost_of(T, S, d, dv, true, false, (Mask){ 0 });
                ck_assert_int_eq(asked.exps, 2 * T * S);
                ck_assert_int_eq(asked.reads, full.reads);
                ck_assert_int_eq(asked.writes, full.writes + T);
                Cost padded = cost_of(T, S, d, dv, true, true, (Mask){ .padding = S });
                ck_assert_int_eq(padded.multiplies, 0);
                ck_assert_int_eq(padded.exps, 0);
            }
}
