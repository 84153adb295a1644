// Tests of lib/lesson/reference.c: by hand, then against the suites' own reference.
#include "lesson/reference.h"

#include "base/portable_math.h"
#include "support/reference.h"
#include "support/suite.h"

// Scores log 3 and 0: shares ¾ and ¼.
TEST(two_keys_by_hand)
{
    Mat q = mat_of(arena, 1, 1, (float[]){ 1.0f }), k = mat_of(arena, 2, 1, (float[]){ logf(3.0f), 0.0f });
    Mat v = mat_of(arena, 2, 2, (float[]){ 4, 0, 8, 1 });
    double *out = reference_compute(arena, q, k, v, (Mask){ 0 });
    ck_assert_double_eq_tol(out[0], 5, 1e-6);
    ck_assert_double_eq_tol(out[1], 0.25, 1e-7);
    out = reference_compute(arena, q, k, v, (Mask){ .padding = 2 });
    ck_assert(out[0] == 0 && out[1] == 0);
}

TEST(as_the_reference_says)
{
    Random random = random_from(3);
    static const Mask masks[] = {
        { 0 },
        { .causal = true },
        { .causal = true, .window = 3, .sinks = 1 },
        { .padding = 4, .alibi = 0.25f },
        { .causal = true, .shift = -2, .scale = 0.75f },
    };
    for (int m = 0; m < 5; m++) {
        Mat q = random_mat(arena, &random, 6, 5), k = random_mat(arena, &random, 9, 5);
        Mat v = random_mat(arena, &random, 9, 3);
        double *out = reference_compute(arena, q, k, v, masks[m]);
        Reference want =
            reference_attention(arena, table_of(arena, q), table_of(arena, k), table_of(arena, v), masks[m]);
        for (int e = 0; e < 6 * 3; e++) ck_assert_double_eq_tol(out[e], want.out.at[e], 1e-14);
    }
}

TEST(errors_are_relative)
{
    Mat got = mat_of(arena, 1, 2, (float[]){ 3.0f, 5.0f });
    ck_assert_double_eq_tol(reference_error(got, (double[]){ 3, 4 }), 0.2, 1e-15);
    ck_assert_double_eq(reference_error(got, (double[]){ 3, 5 }), 0);
}
