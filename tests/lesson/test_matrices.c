// Tests of lib/lesson/matrices.c: by hand.
#include "lesson/matrices.h"
#include "support/suite.h"

TEST(the_magnitude_knows_no_sign)
{
    Mat m = mat_of(arena, 2, 3, (float[]){ 1, -5, 2, 0, 4, 3 });
    ck_assert_double_eq(mat_magnitude(m), 5);
    ck_assert_double_eq(mat_magnitude(mat_rows(m, 1, 1)), 4);
    ck_assert_double_eq(mat_magnitude(mat_rows(m, 0, 0)), 0);
    ck_assert_double_eq(mat_value(m, 0, 1), -5);
}

TEST(the_first_of_the_largest)
{
    Mat m = mat_of(arena, 3, 3, (float[]){ 1, 7, 7, -3, -2, -1, 4, 4, 4 });
    ck_assert_int_eq(mat_argmax(m, 0), 1);
    ck_assert_int_eq(mat_argmax(m, 1), 2);
    ck_assert_int_eq(mat_argmax(m, 2), 0);
}

TEST(the_last_query_stands_at_the_last_key)
{
    Mat hidden = mat_hidden(arena, (Mask){ .causal = true }, 2, 4);
    ck_assert(mat_equal(hidden, mat_of(arena, 2, 4, (float[]){ 0, 0, 0, 1, 0, 0, 0, 0 })));
    ck_assert_double_eq(mat_sum(mat_hidden(arena, (Mask){ 0 }, 3, 5)), 0);
}
