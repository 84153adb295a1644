// Tests of lib/attention/softmax.c.
#include "attention/softmax.h"

#include "base/portable_math.h"
#include "support/reference.h"
#include "support/suite.h"

#include <string.h>

static Mat softmax_of(Mat scores)
{
    Mat weights = mat_new(arena, scores.rows, scores.cols);
    mat_fill(weights, NAN);
    softmax_rows(weights, scores);
    return weights;
}

static Table reference_of(Mat scores)
{
    Table s = table_of(arena, scores), w = table_new(arena, scores.rows, scores.cols);
    for (int i = 0; i < s.rows; i++) reference_softmax(w.at + i * s.cols, s.at + i * s.cols, s.cols);
    return w;
}

TEST(against_float64)
{
    static const int sizes[] = { 1, 2, 15, 16, 17, 33, 1000 };
    static const float scales[] = { 0.01f, 1, 10, 1e4f, 1e30f };
    Random random = random_from(1);
    for (int e = 0; e < 7 * 5; e++) {
        int n = sizes[e % 7];
        case_is("n %d, scale %g", n, (double)scales[e / 7]);
        Mat scores = random_mat(arena, &random, 3, n);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < n; j++) *mat_ref(scores, i, j) *= scales[e / 7];
        Mat w = softmax_of(scores);
        double rtol = scales[e / 7] > 100 ? 1e-4 : 4e-6; // s − max is rounded; with differences of 1000 that shows
        assert_close(w, reference_of(scores).at, rtol, 1e-30);
        for (int i = 0; i < 3; i++) {
            ck_assert_double_eq_tol(mat_sum(mat_rows(w, i, 1)), 1.0, 1e-6);
            Table s = table_of(arena, mat_rows(scores, i, 1));
            double want = reference_logsumexp(s.at, n);
            ck_assert_double_eq_tol((double)logsumexp(mat_row(scores, i), n), want, 2e-6 + 2e-7 * fabs(want));
        }
    }
}

TEST(in_place_and_in_views)
{
    Random random = random_from(2);
    Framed f = framed_mat(arena, 5, 7, NAN), to = framed_mat(arena, 5, 7, NAN);
    random_normals(&random, f.view);
    Mat want = softmax_of(f.view), before = mat_copy(arena, f.view);
    softmax_rows(to.view, f.view);
    assert_same(to.view, want);
    assert_same(f.view, before);
    softmax_rows(f.view, f.view);
    assert_same(f.view, want);
    ck_assert(frame_untouched(f, NAN) && frame_untouched(to, NAN));
}

TEST(large_scores)
{
    Mat w = softmax_of(mat_of(arena, 3, 3, (float[]){ 1e4f, 1e4f, -1e4f, -1e4f, -1e4f, -1e4f, 0, 89, 1e4f }));
    assert_same(w, mat_of(arena, 3, 3, (float[]){ 0.5f, 0.5f, 0, 1 / 3.0f, 1 / 3.0f, 1 / 3.0f, 0, 0, 1 }));
    Mat extreme = softmax_of(mat_of(arena, 1, 2, (float[]){ 3e38f, -3e38f }));
    assert_same(extreme, mat_of(arena, 1, 2, (float[]){ 1, 0 }));
    ck_assert(logsumexp((float[]){ 1e4f, -1e4f }, 2) == 1e4f);
    ck_assert_float_eq_tol(logsumexp((float[]){ -1e4f, -1e4f }, 2), -9999.307f, 2e-3f);
}

TEST(nothing_to_see)
{
    Mat none = mat_of(arena, 1, 3, (float[]){ -INFINITY, -INFINITY, -INFINITY });
    assert_same(softmax_of(none), mat_new(arena, 1, 3));
    ck_assert(logsumexp(none.at, 3) == -INFINITY);
    ck_assert(logsumexp(NULL, 0) == -INFINITY);
    softmax(NULL, NULL, 0);
    softmax_rows(mat_new(arena, 3, 0), mat_new(arena, 3, 0));
    softmax_rows(mat_new(arena, 0, 3), mat_new(arena, 0, 3));
    Mat hidden = softmax_of(mat_of(arena, 1, 3, (float[]){ -INFINITY, 5, -INFINITY }));
    assert_same(hidden, mat_of(arena, 1, 3, (float[]){ 0, 1, 0 }));
}

TEST(no_number)
{
    // clang-format off
    static const float rows[][3] = {
        { NAN, 1, 2 }, { 1, NAN, 2 }, { 1, 2, NAN }, { NAN, -INFINITY, -INFINITY }, { -INFINITY, -INFINITY, NAN },
        { INFINITY, NAN, 1 }, { NAN, INFINITY, 1 }, { INFINITY, 1, 2 }, { 1, 2, INFINITY },
        { INFINITY, INFINITY, -INFINITY },
    };
    // clang-format on
    for (int r = 0; r < 10; r++) {
        Mat w = softmax_of(mat_of(arena, 1, 3, rows[r]));
        for (int j = 0; j < 3; j++) ck_assert_msg(isnan(w.at[j]), "row %d, weight %d is %g", r, j, (double)w.at[j]);
        float lse = logsumexp(rows[r], 3);
        ck_assert_msg(r < 7 ? isnan(lse) : lse == INFINITY, "row %d: %g", r, (double)lse);
    }
    Mat clean = softmax_of(mat_of(arena, 2, 2, (float[]){ NAN, 1, 2, 2 }));
    ck_assert(*mat_ref(clean, 1, 0) == 0.5f && *mat_ref(clean, 1, 1) == 0.5f); // a row does not hear of its neighbour
}

TEST(unshifted_is_right_until_it_breaks)
{
    Mat scores = mat_of(arena, 1, 3, (float[]){ 2.0f, 1.0f, 0.1f }), w = mat_new(arena, 1, 3);
    softmax_unshifted(w.at, scores.at, 3);
    assert_close(w, reference_of(scores).at, 1e-6, 0);
    softmax_unshifted(w.at, (float[]){ 88, 0, 0 }, 3);
    ck_assert(w.at[0] == 1.0f);
    softmax_unshifted(w.at, (float[]){ 89, 0, 0 }, 3);
    ck_assert(isnan(w.at[0]) && w.at[1] == 0.0f);
    softmax_unshifted(w.at, (float[]){ -200, -200, -200 }, 3);
    ck_assert(isnan(w.at[0]));
}

TEST(temperatures)
{
    Mat scores = mat_of(arena, 1, 3, (float[]){ 2.0f, 1.0f, 0.5f }), w = mat_new(arena, 1, 3);
    for (int e = 0; e < 4; e++) {
        float temperature = (float[]){ 0.25f, 0.5f, 1, 4 }[e];
        Mat divided = mat_new(arena, 1, 3);
        for (int j = 0; j < 3; j++) divided.at[j] = scores.at[j] / temperature;
        softmax_at(w.at, scores.at, 3, temperature);
        assert_close(w, reference_of(divided).at, 1e-6, 0);
    }
    softmax_at(w.at, scores.at, 3, 1e-39f); // 2 / 1e-39 is beyond float32
    assert_same(w, mat_of(arena, 1, 3, (float[]){ 1, 0, 0 }));
}

TEST(entropies)
{
    ck_assert(softmax_entropy((float[]){ 0, 1, 0 }, 3) == 0.0f);
    ck_assert(softmax_entropy((float[]){ 0.25f, 0.25f, 0.25f, 0.25f }, 4) == 2.0f);
    ck_assert(softmax_entropy((float[]){ 0.5f, 0.25f, 0.25f }, 3) == 1.5f);
    ck_assert(softmax_entropy((float[]){ 0, 0 }, 2) == 0.0f && softmax_entropy(NULL, 0) == 0.0f);
    ck_assert(isnan(softmax_entropy((float[]){ NAN, 0.5f }, 2)));
}

TEST_ABORTS(mistakes_stop_the_program, 7)
{
    float w[4] = { 0 };
    quiet();
    switch (_i) {
    case 0: softmax_rows(mat_new(arena, 2, 3), mat_new(arena, 2, 4)); break;
    case 1: softmax_rows(mat_new(arena, 3, 3), mat_new(arena, 2, 3)); break;
    case 2: softmax_at(w, w, 4, 0); break;
    case 3: softmax_at(w, w, 4, -1); break;
    case 4: softmax_at(w, w, 4, NAN); break;
    case 5: softmax_jacobian(mat_new(arena, 4, 3), w, 4); break;
    default: softmax_jacobian(mat_new(arena, 3, 4), w, 4); break;
    }
}

TEST(jacobian_by_hand)
{
    Mat jacobian = mat_new(arena, 2, 2);
    softmax_jacobian(jacobian, (float[]){ 0.25f, 0.75f }, 2);
    ck_assert(mat_equal(jacobian, mat_of(arena, 2, 2, (float[]){ 0.1875f, -0.1875f, -0.1875f, 0.1875f })));
}
