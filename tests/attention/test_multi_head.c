// Tests of lib/attention/multi_head.c.
#include "attention/multi_head.h"

#include "base/cost.h"
#include "base/portable_math.h"
#include "base/threads.h"
#include "support/random_inputs.h"
#include "support/suite.h"

typedef void Form(Mat out, Mat weights, Mat x, MultiHead m, Mask mask);
static Form *const forms[] = { multi_head_separate, multi_head_views, multi_head_fused };
enum { FORMS = 3 };

static MultiHead random_heads(int D, int H, bool with_wo)
{
    MultiHead m = { .H = H, .wqkv = framed_mat(arena, D, 3 * D, NAN).view };
    random_normals(&random_state, m.wqkv);
    if (with_wo) {
        m.wo = framed_mat(arena, D, D, NAN).view;
        random_normals(&random_state, m.wo);
    }
    for (int i = 0; i < D; i++) // what comes out is then about as large as what goes in
        for (int j = 0; j < 3 * D; j++) *mat_ref(m.wqkv, i, j) /= sqrtf((float)D);
    return m;
}

static Reference reference_layer(Mat x, MultiHead m, Mask mask)
{
    Table wo = mat_empty(m.wo) ? (Table){ 0 } : table_of(arena, m.wo);
    return reference_multi_head(arena, table_of(arena, x), table_of(arena, m.wqkv), wo, m.H, mask);
}

// clang-format off
static const Mask masks[] = {
    { 0 }, { .causal = true }, { .padding = 2 }, { .causal = true, .window = 3, .sinks = 1 },
    { .causal = true, .alibi = 0.5f },
};
// clang-format on
enum { MASKS = sizeof masks / sizeof *masks };

// clang-format off
static const int shapes[][3] = {                      // T, D, H
    { 0, 4, 2 }, { 1, 4, 2 }, { 5, 4, 1 }, { 6, 4, 4 }, { 7, 12, 3 }, { 17, 8, 2 }, { 3, 16, 8 },
};
// clang-format on
enum { SHAPES = sizeof shapes / sizeof *shapes };

TEST(every_form_against_float64)
{
    for (int e = 0; e < SHAPES * MASKS * 2; e++) {
        int T = shapes[e % SHAPES][0], D = shapes[e % SHAPES][1], H = shapes[e % SHAPES][2];
        Mask mask = masks[e / SHAPES % MASKS];
        MultiHead m = random_heads(D, H, e < SHAPES * MASKS);
        Mat x = framed_random(T, D);
        Reference want = reference_layer(x, m, mask);
        for (int f = 0; f < FORMS; f++) {
            case_is("form %d, T %d, D %d, H %d, mask %d, Wo %d", f, T, D, H, e / SHAPES % MASKS, !mat_empty(m.wo));
            Framed out = framed_mat(arena, T, D, NAN), weights = framed_mat(arena, H * T, T, NAN);
            forms[f](out.view, weights.view, x, m, mask);
            assert_close(out.view, want.out.at, 1e-5, 1e-5);
            assert_close(weights.view, want.weights.at, 1e-5, 1e-8);
            ck_assert(frame_untouched(out, NAN) && frame_untouched(weights, NAN));
        }
    }
}

TEST(batch_is_each_sequence_alone)
{
    enum { B = 6, T = 7, D = 8 };
    Mask each[B] = {
        { 0 }, { .causal = true }, { .padding = 3 }, { .padding = T }, { .causal = true, .window = 2 }, { .alibi = 1 },
    };
    MultiHead m = random_heads(D, 4, true);
    Mat x = framed_random(B * T, D), alone = mat_new(arena, B * T, D), none = { 0 };
    cost_counted = (Cost){ 0 };
    for (int b = 0; b < B; b++) multi_head_fused(mat_rows(alone, b * T, T), none, mat_rows(x, b * T, T), m, each[b]);
    Cost wanted = cost_counted;
    for (int threads = 1; threads <= 4; threads++) {
        threads_set(threads);
        Framed out = framed_mat(arena, B * T, D, NAN);
        cost_counted = (Cost){ 0 };
        case_is("%d threads", threads);
        multi_head_batch(out.view, x, B, m, each);
        assert_same(out.view, alone);
        ck_assert(frame_untouched(out, NAN));
        ck_assert_int_eq(cost_counted.multiplies, wanted.multiplies);
        ck_assert_int_eq(cost_counted.exps, wanted.exps);
    }
    for (int i = 0; i < T; i++) ck_assert(mat_sum(mat_rows(alone, 3 * T + i, 1)) == 0.0); // all keys padded
}

// 4 T D² for the projections and 2 T² D for the heads, whatever H.
TEST(costs)
{
    int T = 6, D = 8;
    for (int H = 1; H <= 8; H *= 2)
        for (int f = 0; f < FORMS; f++) {
            MultiHead m = random_heads(D, H, true);
            cost_counted = (Cost){ 0 };
            forms[f](mat_new(arena, T, D), (Mat){ 0 }, framed_random(T, D), m, (Mask){ 0 });
            ck_assert_int_eq(cost_counted.multiplies, 4 * T * D * D + 2 * T * T * D);
            ck_assert_int_eq(cost_counted.exps, H * T * T);
        }
}

TEST_ABORTS(shapes_that_do_not_fit, 9 * FORMS)
{
    MultiHead m = random_heads(8, 2, true);
    Mat x = mat_new(arena, 6, 8), out = mat_new(arena, 6, 8), weights = { 0 };
    quiet();
    switch (_i / FORMS) {
    case 0: x = mat_cols(x, 0, 6); break;
    case 1: out = mat_rows(out, 0, 5); break;
    case 2: out = mat_cols(out, 0, 7); break;
    case 3: weights = mat_new(arena, 11, 6); break;
    case 4: weights = mat_new(arena, 12, 5); break;
    case 5: m.H = 3; break;
    case 6: m.H = 0; break;
    case 7: m.wo = mat_cols(m.wo, 0, 7); break;
    default: m.wqkv = mat_cols(m.wqkv, 0, 23); break;
    }
    forms[_i % FORMS](out, weights, x, m, masks[0]);
}

TEST_ABORTS(other_mistakes, 10)
{
    MultiHead m = random_heads(4, 2, true);
    Mat x = mat_new(arena, 6, 4), out = mat_new(arena, 6, 4);
    quiet();
    threads_set(1);
    switch (_i) {
    case 0: multi_head_new(arena, 4, 3); break;
    case 1: multi_head_new(arena, 4, 0); break;
    case 2: multi_head_new(arena, 0, 1); break;
    case 3: multi_head_batch(out, x, 4, m, masks); break;
    case 4: multi_head_batch(out, x, 0, m, masks); break;
    case 5: multi_head_batch(mat_rows(out, 0, 5), x, 2, m, masks); break;
    case 6: multi_head_attend(out, (Mat){ 0 }, x, x, x, 3, masks[0]); break;
    case 7: multi_head_attend(out, (Mat){ 0 }, x, x, x, 0, masks[0]); break;
    case 8: multi_head_weights(m, 2); break;
    default: multi_head_weights(m, -1); break;
    }
}
