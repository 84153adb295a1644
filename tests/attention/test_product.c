// Tests of lib/attention/product.c: the same bits as the plain loops of lib/attention, for every shape and every view.
#include "attention/product.h"

#include "attention/backward.h"
#include "attention/dot_product.h"
#include "base/cost.h"
#include "base/portable_math.h"
#include "support/reference.h"
#include "support/suite.h"

static const int sizes[] = { 0, 1, 2, 7, 8, 9, 16, 23, 40, 257, 300 };
enum { SIZES = sizeof sizes / sizeof *sizes };

// A view into a larger matrix of NaN: what is read or written outside of it shows.
static Framed framed_random(int rows, int cols)
{
    Framed m = framed_mat(arena, rows, cols, NAN);
    random_normals(&random_state, m.view);
    return m;
}

static bool small_enough(int e) { return e < SIZES * SIZES * SIZES; }

TEST(the_bits_of_the_plain_loops)
{
    for (int e = 0; small_enough(e); e++) {
        int m = sizes[e % SIZES], k = sizes[e / SIZES % SIZES], n = sizes[e / SIZES / SIZES];
        if (m + k + n > 350) continue;
        ArenaMark mark = arena_mark(arena);
        Mat a = framed_random(m, k).view, b = framed_random(k, n).view, up = framed_random(m, n).view;
        Framed out = framed_mat(arena, m, n, NAN), da = framed_mat(arena, m, k, NAN), db = framed_mat(arena, k, n, NAN);
        Mat want = mat_new(arena, m, n), want_a = mat_new(arena, m, k), want_b = mat_new(arena, k, n);
        mat_fill(out.view, 0.0f);
        mat_fill(da.view, 0.0f);
        mat_fill(db.view, 0.0f);
        matmul(want, a, b);
        backward_matmul(want_a, want_b, up, a, b);

        case_is("(%d, %d) (%d, %d)", m, k, k, n);
        product_add(out.view, a, b);
        product_add_transposed(da.view, up, b);
        product_add_transposed_left(db.view, a, up);
        assert_same(out.view, want);
        assert_same(da.view, want_a);
        assert_same(db.view, want_b);
        ck_assert(frame_untouched(out, NAN) && frame_untouched(da, NAN) && frame_untouched(db, NAN));
        arena_release(arena, mark);
    }
}

TEST(products_are_added)
{
    Mat a = framed_random(9, 5).view, b = framed_random(5, 11).view, before = framed_random(9, 11).view;
    Mat out = mat_copy(arena, before), alone = mat_new(arena, 9, 11);
    product_add(out, a, b);
    product_add(alone, a, b);
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 11; j++)
            ck_assert_float_eq_tol(*mat_ref(out, i, j), *mat_ref(before, i, j) + *mat_ref(alone, i, j), 1e-5f);
}

TEST(what_is_not_finite_stays_in_its_row_and_column)
{
    Mat a = framed_random(10, 4).view, b = framed_random(4, 13).view, out = mat_new(arena, 10, 13);
    *mat_ref(a, 3, 1) = NAN;
    *mat_ref(b, 2, 9) = INFINITY;
    product_add(out, a, b);
    for (int i = 0; i < 10; i++)
        for (int j = 0; j < 13; j++) ck_assert(isfinite(*mat_ref(out, i, j)) == (i != 3 && j != 9));
}

TEST(costs)
{
    cost_counted = (Cost){ 0 };
    product_add(mat_new(arena, 3, 5), mat_new(arena, 3, 4), mat_new(arena, 4, 5));
    product_add_transposed(mat_new(arena, 3, 5), mat_new(arena, 3, 4), mat_new(arena, 5, 4));
    product_add_transposed_left(mat_new(arena, 3, 5), mat_new(arena, 4, 3), mat_new(arena, 4, 5));
    ck_assert_int_eq(cost_counted.multiplies, 3 * 60);
}

TEST_ABORTS(shapes_that_do_not_fit, 4)
{
    Mat out = mat_new(arena, 3, 5), a = mat_new(arena, 3, 4), b = mat_new(arena, 4, 5);
    quiet();
    switch (_i) {
    case 0: product_add(out, a, mat_rows(b, 0, 3)); break;
    case 1: product_add(mat_rows(out, 0, 2), a, b); break;
    case 2: product_add_transposed(out, a, b); break;
    default: product_add_transposed_left(out, a, b); break;
    }
}
