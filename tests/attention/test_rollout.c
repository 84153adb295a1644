// Rollout: steps and their products, by hand.
#include "attention/rollout.h"
#include "base/portable_math.h"
#include "support/suite.h"

static void assert_is(Mat got, const float *expected)
{
    for (int i = 0; i < got.rows; i++)
        for (int j = 0; j < got.cols; j++) {
            float want = expected[i * got.cols + j], is = *mat_ref(got, i, j);
            ck_assert_msg(fabsf(is - want) < 1e-6f, "(%d, %d) is %g, not %g", i, j, (double)is, (double)want);
        }
}

// Half of the row itself, half the map. What a mask hides has no weight; rows that sum to less than 1 are divided.
TEST(a_step)
{
    Mat mean = mat_of(arena, 3, 3, (float[]){ 1, -INFINITY, -INFINITY, 0.25f, 0.75f, -INFINITY, 0.2f, 0.2f, 0.2f });
    Mat step = mat_new(arena, 3, 3);
    rollout_step(step, mean);
    assert_is(step, (float[]){ 1, 0, 0, 0.125f, 0.875f, 0, 0.125f, 0.125f, 0.75f });
    rollout_step(mean, mean);
    assert_is(mean, (float[]){ 1, 0, 0, 0.125f, 0.875f, 0, 0.125f, 0.125f, 0.75f });
}

// The later step stands on the left: where the last word looks, and where that had looked.
TEST(two_steps)
{
    Mat first = mat_of(arena, 2, 2, (float[]){ 1, 0, 0.5f, 0.5f });
    Mat second = mat_of(arena, 2, 2, (float[]){ 0.25f, 0.75f, 0, 1 });
    Mat wide = mat_new(arena, 2, 5), out = mat_cols(wide, 2, 2);
    rollout_join(out, second, first);
    assert_is(out, (float[]){ 0.625f, 0.375f, 0.5f, 0.5f });
    ck_assert(*mat_ref(wide, 0, 1) == 0.0f && *mat_ref(wide, 1, 4) == 0.0f);
}

TEST_ABORTS(shapes_that_do_not_fit, 1) { rollout_step(mat_new(arena, 2, 2), mat_new(arena, 2, 3)); }
