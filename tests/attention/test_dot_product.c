// Tests of lib/attention/dot_product.c.
#include "attention/dot_product.h"

#include "base/cost.h"
#include "base/portable_math.h"
#include "support/reference.h"
#include "support/suite.h"

TEST(dot_by_hand)
{
    float a[] = { 1, 2, 3 }, b[] = { 4, -5, 6 };
    ck_assert(dot_product(a, b, 1, 3) == 12.0f);
    ck_assert(dot_product(b, a, 1, 3) == 12.0f);
    ck_assert(dot_product(a, b, 1, 1) == 4.0f);
    ck_assert(dot_product(a, b, 1, 0) == 0.0f);
    float columns[] = { 4, 90, -5, 90, 6, 90 };
    ck_assert(dot_product(a, columns, 2, 3) == 12.0f);
    ck_assert(dot_product(a, columns + 4, -2, 3) == 1 * 6 + 2 * -5 + 3 * 4);
    ck_assert(isnan(dot_product((float[]){ 1, NAN }, b, 1, 2)));
    ck_assert(dot_product((float[]){ 1, INFINITY }, a, 1, 2) == INFINITY);
    ck_assert(isnan(dot_product((float[]){ INFINITY, 1 }, (float[]){ 0, 1 }, 1, 2)));
}

// Printed digits are to be the same on every machine: added in order, every product rounded before it is added.
TEST(dot_is_plain_float32)
{
    ck_assert(dot_product((float[]){ 1e8f, 1, -1e8f }, (float[]){ 1, 1, 1 }, 1, 3) == 0.0f);
    ck_assert(dot_product((float[]){ 1e8f, -1e8f, 1 }, (float[]){ 1, 1, 1 }, 1, 3) == 1.0f);
    float x = 1.0f + 0x1p-12f, square = 1.0f + 0x1p-11f; // x² is square + 2⁻²⁴: a fused multiply-add keeps the rest
    ck_assert(dot_product((float[]){ -square, x }, (float[]){ 1, x }, 1, 2) == 0.0f);
}

TEST(length_by_hand)
{
    ck_assert(vector_norm((float[]){ 3, 4 }, 2) == 5.0f);
    ck_assert(vector_norm((float[]){ -3, 4, 12 }, 3) == 13.0f);
    ck_assert(vector_norm((float[]){ 3, 4 }, 1) == 3.0f);
    ck_assert(vector_norm((float[]){ 0, 0 }, 2) == 0.0f);
    ck_assert(vector_norm((float[]){ 1 }, 0) == 0.0f);
}

TEST(cosine_by_hand)
{
    float a[] = { 3, 4 }, left[] = { -4, 3 }, none[] = { 0, 0 };
    ck_assert(cosine_similarity(a, a, 2) == 1.0f);
    ck_assert(cosine_similarity(a, (float[]){ -6, -8 }, 2) == -1.0f);
    ck_assert(cosine_similarity(a, left, 2) == 0.0f);
    ck_assert_float_eq_tol(cosine_similarity(a, (float[]){ 4, 3 }, 2), 0.96f, 1e-7f);
    ck_assert(cosine_similarity(a, none, 2) == 0.0f && cosine_similarity(none, a, 2) == 0.0f &&
              cosine_similarity(none, none, 2) == 0.0f);
    ck_assert(isnan(cosine_similarity(a, (float[]){ NAN, 1 }, 2)));
}

// Column views for all three matrices, NaN around them and in the output before.
TEST(products_of_views)
{
    static const int sizes[] = { 0, 1, 2, 7, 17 };
    Random random = random_from(2);
    for (int e = 0; e < 125; e++) {
        int m = sizes[e % 5], k = sizes[e / 5 % 5], n = sizes[e / 25];
        case_is("m %d, k %d, n %d", m, k, n);
        Framed a = framed_mat(arena, m, k, NAN), b = framed_mat(arena, k, n, NAN), bt = framed_mat(arena, n, k, NAN);
        Framed out = framed_mat(arena, m, n, NAN);
        random_normals(&random, a.view);
        random_normals(&random, b.view);
        for (int i = 0; i < k; i++)
            for (int j = 0; j < n; j++) *mat_ref(bt.view, j, i) = *mat_ref(b.view, i, j);
        Table want = reference_matmul(arena, table_of(arena, a.view), table_of(arena, b.view));

        Cost before = cost_counted;
        matmul(out.view, a.view, b.view);
        assert_close(out.view, want.at, 1e-6, 2e-6);
        ck_assert(frame_untouched(out, NAN));
        ck_assert_int_eq(cost_since(before).multiplies, m * k * n);

        Mat first = mat_copy(arena, out.view);
        mat_fill(out.view, NAN);
        before = cost_counted;
        matmul_transposed(out.view, a.view, bt.view);
        assert_same(out.view, first);
        ck_assert(frame_untouched(out, NAN));
        ck_assert_int_eq(cost_since(before).multiplies, m * k * n);
        ck_assert_int_eq(cost_since(before).exps, 0);
    }
}

TEST_ABORTS(shapes_that_do_not_fit, 6)
{
    Mat a = mat_new(arena, 2, 3), b = mat_new(arena, 3, 4), c = mat_new(arena, 4, 3), out = mat_new(arena, 2, 4);
    quiet();
    switch (_i) {
    case 0: matmul(out, a, c); break;
    case 1: matmul(mat_rows(out, 0, 1), a, b); break;
    case 2: matmul(mat_cols(out, 0, 3), a, b); break;
    case 3: matmul_transposed(out, a, b); break;
    case 4: matmul_transposed(mat_rows(out, 0, 1), a, c); break;
    default: matmul_transposed(mat_cols(out, 0, 3), a, c); break;
    }
}
