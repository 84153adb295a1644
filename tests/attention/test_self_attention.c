// Tests of lib/attention/self_attention.c.
#include "attention/self_attention.h"

#include "base/cost.h"
#include "base/portable_math.h"
#include "support/random_inputs.h"
#include "support/suite.h"

static HeadWeights random_head(int D, int d, int dv)
{
    Framed all = framed_mat(arena, D, 2 * d + dv, NAN); // three column views of one block, as chapter 06 stores them
    random_normals(&random_state, all.view);
    return (HeadWeights){ mat_cols(all.view, 0, d), mat_cols(all.view, d, d), mat_cols(all.view, 2 * d, dv) };
}

static Attended room_for(int T, int S, int dv)
{
    Framed out = framed_mat(arena, T, dv, NAN), lse = framed_mat(arena, T, 1, NAN);
    Framed weights = framed_mat(arena, T, S, NAN);
    return (Attended){ out.view, lse.view, weights.view };
}

static Reference reference_layer(Mat x, Mat y, HeadWeights w, Mask mask)
{
    Table q = reference_matmul(arena, table_of(arena, x), table_of(arena, w.wq));
    Table k = reference_matmul(arena, table_of(arena, y), table_of(arena, w.wk));
    Table v = reference_matmul(arena, table_of(arena, y), table_of(arena, w.wv));
    return reference_attention(arena, q, k, v, mask);
}

static void assert_attended(Attended to, Reference want)
{
    assert_close(to.weights, want.weights.at, 2e-5, 1e-8);
    assert_close(to.lse, want.lse.at, 1e-5, 1e-5);
    assert_close(to.out, want.out.at, 1e-5, 1e-5);
}

TEST(against_float64)
{
    static const int lengths[] = { 0, 1, 6, 17 };
    Mask masks[] = { { 0 }, { .causal = true }, { .padding = 2 }, { .window = 4 } };
    for (int e = 0; e < 4 * 4 * 4; e++) {
        int T = lengths[e % 4], S = lengths[e / 4 % 4];
        case_is("T %d, S %d, mask %d", T, S, e / 16);
        Mat x = framed_random(T, 4), y = framed_random(S, 4);
        HeadWeights w = random_head(4, 2, 3);
        Attended to = room_for(T, S, 3);
        cross_attention(to, x, y, w, masks[e / 16]);
        assert_attended(to, reference_layer(x, y, w, masks[e / 16]));
        if (T != S) continue;
        self_attention(to, x, w, masks[e / 16]);
        assert_attended(to, reference_layer(x, x, w, masks[e / 16]));
    }
}

TEST(costs)
{
    int T = 5, S = 7, D = 6, d = 3, dv = 4;
    Mat x = framed_random(T, D), y = framed_random(S, D);
    HeadWeights w = random_head(D, d, dv);
    Attended to = { .out = mat_new(arena, T, dv) };
    cost_counted = (Cost){ 0 };
    cross_attention(to, x, y, w, (Mask){ 0 });
    ck_assert_int_eq(cost_counted.multiplies, T * D * d + S * D * d + S * D * dv + T * S * d + T * S * dv);
    ck_assert_int_eq(cost_counted.exps, T * S);
}

TEST_ABORTS(shapes_that_do_not_fit, 5)
{
    HeadWeights w = random_head(4, 3, 2);
    Mat x = mat_new(arena, 5, _i == 0 ? 3 : 4), y = mat_new(arena, 6, _i == 1 ? 5 : 4);
    Attended to = room_for(_i == 2 ? 4 : 5, 6, _i == 3 ? 3 : 2);
    if (_i == 4) w.wk = mat_new(arena, 4, 2);
    quiet();
    cross_attention(to, x, y, w, (Mask){ 0 });
}
