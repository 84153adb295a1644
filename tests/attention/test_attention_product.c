// Tests of lib/attention/attention_product.c: the bits of attention_naive and of backward_attention, for every mask.
#include "attention/attention_product.h"

#include "attention/backward.h"
#include "base/cost.h"
#include "support/kernel.h"
#include "support/reference.h"
#include "support/suite.h"

static const Kernel product = { attention_product, "attention_product", 1e-5, 2e-6 };

TEST_EACH(battery, kernel_check_count) { kernel_checks[_i](product); }

TEST_ABORTS(wrong_shapes, wrong_shape_count) { kernel_wrong_shapes(product, _i); }

static HeadProjections random_head(int T, int S, int d, int dv)
{
    return (HeadProjections){ random_mat(arena, &random_state, T, d), random_mat(arena, &random_state, S, d),
                              random_mat(arena, &random_state, S, dv) };
}

static Attended room(int T, int S, int dv)
{
    return (Attended){ mat_new(arena, T, dv), mat_new(arena, T, 1), mat_new(arena, T, S) };
}

// Twice into the same gradients, as query heads that share a key head do.
TEST(the_bits_of_the_backward_pass)
{
    Mask masks[kernel_mask_count];
    for (int S = 1; S <= 33; S += 8) {
        kernel_masks(masks, S);
        for (int m = 0; m < kernel_mask_count; m++) {
            ArenaMark mark = arena_mark(arena);
            int T = S + 3;
            HeadProjections p = random_head(T, S, 5, 3);
            HeadProjections got = { mat_new(arena, T, 5), mat_new(arena, S, 5), mat_new(arena, S, 3) };
            HeadProjections want = { mat_new(arena, T, 5), mat_new(arena, S, 5), mat_new(arena, S, 3) };
            Attended to = room(T, S, 3);
            attention_product(to, p.q, p.k, p.v, masks[m]);
            for (int twice = 0; twice < 2; twice++) {
                Mat dout = random_mat(arena, &random_state, T, 3);
                attention_product_backward(got, dout, p, to.weights, masks[m], 0.0f);
                backward_attention(want, dout, p, to.weights, masks[m]);
            }
            case_is("S %d, mask %d", S, m);
            assert_same(got.q, want.q);
            assert_same(got.k, want.k);
            assert_same(got.v, want.v);
            arena_release(arena, mark);
        }
    }
}

// − bonus · Σ w² has the gradient − 2 bonus w: that of values and a dout whose product it is.
TEST(the_bonus_is_a_gradient_of_the_weights)
{
    HeadProjections p = random_head(6, 6, 4, 2),
                    want = { mat_new(arena, 6, 4), mat_new(arena, 6, 4), mat_new(arena, 6, 6) };
    HeadProjections to = { mat_new(arena, 6, 4), mat_new(arena, 6, 4), mat_new(arena, 6, 2) };
    Attended run = room(6, 6, 2);
    attention_product(run, p.q, p.k, p.v, (Mask){ .causal = true });
    attention_product_backward(to, mat_new(arena, 6, 2), p, run.weights, (Mask){ .causal = true }, 0.5f);

    // out = weights · 1 and dout = − weights: the same gradient of the weights, from values that are the unit matrix.
    Mat unit = mat_new(arena, 6, 6), dout = mat_copy(arena, run.weights);
    for (int i = 0; i < 6; i++) *mat_ref(unit, i, i) = 1.0f;
    for (int i = 0; i < 36; i++) dout.at[i] = -dout.at[i];
    backward_attention(want, dout, (HeadProjections){ p.q, p.k, unit }, run.weights, (Mask){ .causal = true });
    assert_close(to.q, table_of(arena, want.q).at, 1e-5, 1e-7);
    assert_close(to.k, table_of(arena, want.k).at, 1e-5, 1e-7);
    assert_same(to.v, mat_new(arena, 6, 2));
    ck_assert(mat_max_difference(to.q, mat_new(arena, 6, 4)) > 1e-3);
}

// Hidden pairs are multiplied, too: T S (d + dv).
TEST(costs)
{
    HeadProjections p = random_head(3, 5, 4, 2);
    cost_counted = (Cost){ 0 };
    attention_product((Attended){ .out = mat_new(arena, 3, 2) }, p.q, p.k, p.v, (Mask){ .causal = true });
    ck_assert_int_eq(cost_counted.multiplies, 3 * 5 * (4 + 2));
    ck_assert_int_eq(cost_counted.exps, 3 * 5);
    ck_assert_int_ge(cost_counted.scratch, 3 * 5 * (int)sizeof(float));
}
