// Tests of lib/base/mat.c.
#include "base/portable_math.h"
#include "support/reference.h"
#include "support/suite.h"

// A 4 × 6 matrix whose element (i, j) is 10 i + j.
static Mat counted_mat(void)
{
    Mat m = mat_new(arena, 4, 6);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 6; j++) m.at[i * 6 + j] = (float)(10 * i + j);
    return m;
}

TEST(new_matrices)
{
    Mat m = mat_new(arena, 3, 5);
    ck_assert(m.rows == 3 && m.cols == 5 && m.stride == 5);
    for (int e = 0; e < 15; e++) ck_assert(m.at[e] == 0.0f);
    Mat of = mat_of(arena, 2, 3, (float[]){ 1, 2, 3, 4, 5, 6 });
    ck_assert(*mat_ref(of, 0, 2) == 3.0f && *mat_ref(of, 1, 0) == 4.0f && mat_row(of, 1)[2] == 6.0f);
    int shapes[][2] = { { 0, 0 }, { 0, 4 }, { 4, 0 } };
    for (int s = 0; s < 3; s++) {
        Mat none = mat_of(arena, shapes[s][0], shapes[s][1], NULL);
        ck_assert(none.rows == shapes[s][0] && none.cols == shapes[s][1]);
        ck_assert_msg(!mat_empty(none), "a matrix without elements was not left out");
    }
    ck_assert(mat_empty((Mat){ 0 }));
}

TEST(views_look_at_the_same_memory)
{
    Mat m = counted_mat(), b = mat_block(m, 1, 2, 2, 3);
    ck_assert(b.rows == 2 && b.cols == 3 && b.stride == 6);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++) {
            ck_assert(*mat_ref(b, i, j) == (float)(10 * (i + 1) + j + 2));
            ck_assert(mat_row(b, i)[j] == *mat_ref(b, i, j));
        }
    *mat_ref(b, 1, 1) = -1.0f;
    ck_assert(m.at[2 * 6 + 3] == -1.0f);
    ck_assert(*mat_ref(mat_rows(m, 3, 1), 0, 5) == 35.0f);
    ck_assert(*mat_ref(mat_cols(m, 4, 2), 3, 1) == 35.0f);
    Mat inner = mat_cols(mat_rows(mat_cols(m, 1, 5), 2, 2), 2, 2);
    ck_assert(inner.rows == 2 && inner.cols == 2 && *mat_ref(inner, 0, 1) == 24.0f && *mat_ref(inner, 1, 0) == 33.0f);
    ck_assert_int_eq(mat_rows(m, 4, 0).rows, 0);
    ck_assert_int_eq(mat_cols(m, 6, 0).cols, 0);
    ck_assert_int_eq(mat_block(m, 0, 4, 0, 6).cols, 6);
}

TEST(copies_are_their_own)
{
    Mat m = counted_mat(), copy = mat_copy(arena, mat_block(m, 1, 2, 2, 3));
    ck_assert_int_eq(copy.stride, 3);
    assert_same(copy, mat_of(arena, 2, 3, (float[]){ 12, 13, 14, 22, 23, 24 }));
    *mat_ref(copy, 0, 0) = 99.0f;
    ck_assert(m.at[8] == 12.0f);
}

TEST(set_and_fill_keep_to_their_view)
{
    Framed f = framed_mat(arena, 3, 2, 7.0f);
    mat_fill(f.view, 1.5f);
    for (int i = 0; i < 3; i++) ck_assert(*mat_ref(f.view, i, 0) == 1.5f && *mat_ref(f.view, i, 1) == 1.5f);
    ck_assert(frame_untouched(f, 7.0f));
    mat_set(f.view, mat_block(counted_mat(), 1, 3, 4, 2));
    assert_same(f.view, mat_of(arena, 3, 2, (float[]){ 14, 15, 24, 25, 34, 35 }));
    ck_assert(frame_untouched(f, 7.0f));
    mat_set(mat_new(arena, 0, 3), mat_new(arena, 0, 3));
    mat_set(mat_new(arena, 3, 0), mat_new(arena, 3, 0));
}

TEST(sum_is_in_float64)
{
    ck_assert(mat_sum(mat_block(counted_mat(), 1, 2, 2, 3)) == 12 + 13 + 14 + 22 + 23 + 24);
    Mat far = mat_of(arena, 1, 3, (float[]){ 1e8f, 1, -1e8f });
    ck_assert(mat_sum(far) == 1.0);
    ck_assert(mat_sum(mat_new(arena, 0, 4)) == 0.0);
}

TEST(equal_means_the_same_bits)
{
    Mat a = counted_mat(), b = mat_copy(arena, a);
    ck_assert(mat_equal(a, b));
    b.at[23] = nextafterf(b.at[23], 0.0f);
    ck_assert(!mat_equal(a, b));
    ck_assert(mat_equal(mat_cols(a, 0, 5), mat_cols(b, 0, 5)));
    ck_assert(!mat_equal(mat_rows(a, 0, 2), mat_rows(a, 0, 3)) && !mat_equal(mat_cols(a, 0, 2), mat_cols(a, 0, 3)));
    Mat nan = mat_of(arena, 1, 2, (float[]){ NAN, 0.0f });
    ck_assert(mat_equal(nan, mat_copy(arena, nan)));
    ck_assert(!mat_equal(mat_of(arena, 1, 1, (float[]){ 0.0f }), mat_of(arena, 1, 1, (float[]){ -0.0f })));
    ck_assert(mat_equal(mat_new(arena, 3, 0), mat_new(arena, 3, 0)));
    ck_assert(!mat_equal(mat_new(arena, 3, 0), mat_new(arena, 0, 3)));
}

TEST(rows_of_the_mean_of_all)
{
    Mat m = mat_of(arena, 4, 2, (float[]){ 1, 0, 2, 0, 3, 0, 6, 8 }), mean = mat_mean_rows(arena, mat_rows(m, 0, 4));
    ck_assert(mean.rows == 4 && mean.cols == 2);
    for (int i = 0; i < 4; i++) ck_assert(*mat_ref(mean, i, 0) == 3.0f && *mat_ref(mean, i, 1) == 2.0f);
}

TEST(largest_difference)
{
    Mat a = counted_mat(), b = mat_copy(arena, a);
    ck_assert(mat_max_difference(a, b) == 0.0);
    *mat_ref(b, 1, 2) += 0.5f;
    *mat_ref(b, 3, 5) -= 2.0f;
    ck_assert(mat_max_difference(a, b) == 2.0 && mat_max_difference(b, a) == 2.0);
    ck_assert(mat_max_difference(mat_cols(a, 0, 5), mat_cols(b, 0, 5)) == 0.5);
    *mat_ref(b, 0, 0) = NAN;
    ck_assert(isnan(mat_max_difference(a, b)));
    ck_assert(mat_max_difference(mat_new(arena, 0, 3), mat_new(arena, 0, 3)) == 0.0);
}

TEST_ABORTS(mistakes_stop_the_program, 13)
{
    Mat m = counted_mat();
    quiet();
    switch (_i) {
    case 0: mat_block(m, -1, 2, 0, 6); break;
    case 1: mat_block(m, 3, 2, 0, 6); break;
    case 2: mat_rows(m, 0, 5); break;
    case 3: mat_rows(m, 2, -1); break;
    case 4: mat_cols(m, 5, 2); break;
    case 5: mat_cols(m, -1, 1); break;
    case 6: mat_cols(m, 0, -1); break;
    case 7: mat_rows(m, 2147483647, 2147483647); break;
    case 8: mat_new(arena, -1, 2); break;
    case 9: mat_new(arena, 2, -1); break;
    case 10: mat_set(m, mat_rows(m, 0, 3)); break;
    case 11: mat_set(m, mat_cols(m, 0, 3)); break;
    default: mat_max_difference(m, mat_rows(m, 0, 3)); break;
    }
}

#ifndef NDEBUG
TEST_ABORTS(bounds_are_checked_in_debug_builds, 6)
{
    Mat m = mat_block(counted_mat(), 1, 2, 2, 3); // every index below would still hit memory of ours
    static const int out[][2] = { { -1, 0 }, { 2, 0 }, { 0, -1 }, { 0, 3 } };
    quiet();
    if (_i < 4) *mat_ref(m, out[_i][0], out[_i][1]) = 1.0f;
    else *mat_row(m, _i == 4 ? -1 : 2) = 1.0f;
}
#endif
