// lib/train/adamw.c: three steps against the formula in float64, worked out number by number.
#include "train/adamw.h"

#include "base/portable_math.h"
#include "support/reference.h"
#include "support/suite.h"

// Loshchilov and Hutter's algorithm 2 as it is printed, for one parameter.
typedef struct {
    double p, m, v;
} One;

static void step_one(One *one, double g, AdamW a, double lr, int t)
{
    one->m = a.beta1 * one->m + (1 - a.beta1) * g;
    one->v = a.beta2 * one->v + (1 - a.beta2) * g * g;
    double mean = one->m / (1 - pow(a.beta1, t)), square = one->v / (1 - pow(a.beta2, t));
    one->p = one->p - lr * a.decay * one->p - lr * mean / (sqrt(square) + a.epsilon);
}

TEST(three_steps_against_float64)
{
    static const AdamW kinds[] = { { 0.9, 0.98, 1e-8, 0.01 }, { 0.9, 0.999, 1e-8, 0.0 }, { 0.0, 0.5, 1e-3, 0.2 } };
    static const float start[] = { 1, -2, 0.5f, 0 }, gradients[3][4] = {
        { 0.1f, -3, 0, 1e-4f },
        { -0.2f, 5, 0, 2e-4f },
        { 0.05f, 1, 0, -1e-4f },
    };
    for (int k = 0; k < 3; k++) {
        Mat p = mat_of(arena, 2, 2, start), m = mat_new(arena, 2, 2), v = mat_new(arena, 2, 2);
        One want[4];
        double values[4];
        for (int i = 0; i < 4; i++) want[i] = (One){ (double)start[i], 0, 0 };
        for (int t = 1; t <= 3; t++) {
            double lr = 0.01 * t;
            adamw_step(p, m, v, mat_of(arena, 2, 2, gradients[t - 1]), kinds[k], lr, t);
            for (int i = 0; i < 4; i++) {
                step_one(&want[i], (double)gradients[t - 1][i], kinds[k], lr, t);
                values[i] = want[i].p;
            }
            case_is("kind %d, step %d", k, t);
            assert_close(p, values, 1e-6, 1e-7);
        }
    }
}

TEST(a_long_gradient_is_shortened)
{
    Mat g = mat_of(arena, 2, 2, (float[]){ 3, 0, 0, -4 });
    Mat more = mat_of(arena, 1, 3, (float[]){ 0, 12, 0 });
    const TransformerParameter one[] = { { "g", g } }, two[] = { { "g", g }, { "more", more } };
    const TransformerParameter none = { "0", mat_new(arena, 2, 2) };
    ck_assert_double_eq_tol(adamw_clip(one, 1, 0.0), 5.0, 1e-12);
    ck_assert_double_eq_tol(adamw_clip(one, 1, 6.0), 5.0, 1e-12);
    assert_close(g, ((double[]){ 3, 0, 0, -4 }), 0, 0);
    ck_assert_double_eq_tol(adamw_clip(two, 2, 6.5), 13.0, 1e-12);
    assert_close(g, ((double[]){ 1.5, 0, 0, -2 }), 1e-6, 0);
    assert_close(more, ((double[]){ 0, 6, 0 }), 1e-6, 0);
    ck_assert_double_eq_tol(adamw_clip(one, 1, 1.0), 2.5, 1e-6);
    assert_close(g, ((double[]){ 0.6, 0, 0, -0.8 }), 1e-6, 0);
    ck_assert(!(adamw_clip(&none, 1, 1.0) > 0.0));
}

TEST_ABORTS(mistakes_stop_the_program, 4)
{
    Mat p = mat_new(arena, 1, 4), other = mat_new(arena, 1, 3);
    quiet();
    adamw_step(p, _i == 0 ? other : p, _i == 1 ? other : p, _i == 2 ? other : p, (AdamW){ 0 }, 0.1, _i == 3 ? 0 : 1);
}
