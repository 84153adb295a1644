// Tests of lib/attention/positions.c: values by hand, then against float64 by another road: powers as exponentials,
// turns as products of complex numbers.
#include "attention/positions.h"

#include "base/cost.h"
#include "base/portable_math.h"
#include "support/reference.h"
#include "support/suite.h"

#include <complex.h>
#include <limits.h>

static const int starts[] = { 0, 1, 7, -5, 4096, 1000000, -1000000 };
static const int lengths[] = { 0, 1, 2, 9 };
static const int widths[] = { 0, 2, 4, 6, 64, 130 };
enum { STARTS = 7, LENGTHS = 4, WIDTHS = 6, CASES = STARTS * LENGTHS * WIDTHS };

static int start_of(int c) { return starts[c % STARTS]; }
static int length_of(int c) { return lengths[c / STARTS % LENGTHS]; }
static int width_of(int c) { return widths[c / STARTS / LENGTHS]; }

static double reference_angle(double position, int m, int width)
{
    return position * (double)expl(-logl(10000.0L) * 2.0L * m / width);
}

static Framed framed_random(int rows, int cols)
{
    Framed framed = framed_mat(arena, rows, cols, NAN);
    random_normals(&random_state, framed.view);
    return framed;
}

// Pair (a, b) is the complex number a + ib; turning it by θ multiplies it by e^(iθ).
static Table reference_rope(Mat m, int first, double sense)
{
    Table t = table_of(arena, m);
    for (int i = 0; i < t.rows; i++)
        for (int p = 0; p < t.cols / 2; p++) {
            double *at = t.at + i * t.cols + 2 * p;
            double angle = sense * reference_angle((double)first + i, p, t.cols);
            double complex turned = (at[0] + I * at[1]) * cexp(I * angle);
            at[0] = creal(turned);
            at[1] = cimag(turned);
        }
    return t;
}

// ---- sinusoidal

TEST(sinusoidal_against_float64)
{
    for (int c = 0; c < CASES; c++) {
        int first = start_of(c), T = length_of(c), D = width_of(c);
        case_is("first %d, T %d, D %d", first, T, D);
        Framed framed = framed_mat(arena, T, D, NAN);
        Table want = table_new(arena, T, D);
        for (int i = 0; i < T; i++)
            for (int k = 0; k < D; k++) {
                double angle = reference_angle((double)first + i, k / 2, D);
                want.at[i * D + k] = k % 2 ? cos(angle) : sin(angle);
            }
        sinusoidal(framed.view, first);
        assert_close(framed.view, want.at, 1e-7, 1e-8);
        ck_assert(frame_untouched(framed, NAN));
    }
}

TEST(sinusoidal_is_added)
{
    Framed x = framed_random(9, 12);
    Mat before = mat_copy(arena, x.view), table = mat_new(arena, 9, 12);
    sinusoidal(table, 5);
    sinusoidal_add(x.view, 5);
    for (int i = 0; i < 9; i++)
        for (int c = 0; c < 12; c++) *mat_ref(before, i, c) += *mat_ref(table, i, c);
    assert_same(x.view, before);
    ck_assert(frame_untouched(x, NAN));
}

// The last positions that an int can name: first + i must not run over.
TEST(positions_at_the_end_of_int)
{
    Mat table = mat_new(arena, 2, 2);
    sinusoidal(table, INT_MAX);
    ck_assert_double_eq_tol((double)*mat_ref(table, 1, 0), sin(2147483648.0), 1e-7);
    RopeTable turns = rope_table(arena, INT_MAX, 2, 2);
    ck_assert_double_eq_tol((double)*mat_ref(turns.cosine, 1, 0), cos(2147483648.0), 1e-7);
    turns = rope_table(arena, INT_MIN, 1, 2);
    ck_assert_double_eq_tol((double)*mat_ref(turns.sine, 0, 0), -sin(2147483648.0), 1e-7);
}

// ---- RoPE

// By another road than powers: the angle of pair m is (first + i) / stretch · e^(−2m/d · ln base).
TEST(stretched_turns_against_float64)
{
    static const double bases[] = { 10000.0, 500000.0, 2.0 }, stretches[] = { 1.0, 4.0, 0.5 };
    enum { T = 5, d = 8, FIRST = 40 };
    for (int b = 0; b < 3; b++)
        for (int s = 0; s < 3; s++) {
            RopeTable turns = rope_table_scaled(arena, FIRST, T, d, bases[b], stretches[s]);
            for (int i = 0; i < T; i++)
                for (int m = 0; m < d / 2; m++) {
                    double angle = (FIRST + i) / stretches[s] * exp(-2.0 * m / d * log(bases[b]));
                    ck_assert_double_eq_tol((double)*mat_ref(turns.cosine, i, m), cos(angle), 1e-6);
                    ck_assert_double_eq_tol((double)*mat_ref(turns.sine, i, m), sin(angle), 1e-6);
                }
        }
    RopeTable usual = rope_table(arena, FIRST, T, d), same = rope_table_scaled(arena, FIRST, T, d, 10000.0, 1.0);
    ck_assert(mat_equal(usual.cosine, same.cosine) && mat_equal(usual.sine, same.sine));
}

TEST(rope_against_float64)
{
    for (int c = 0; c < CASES; c++) {
        int first = start_of(c), T = length_of(c), d = width_of(c);
        case_is("first %d, T %d, d %d", first, T, d);
        Framed m = framed_random(T, d), back = framed_random(T, d);
        Table want = reference_rope(m.view, first, 1.0), want_back = reference_rope(back.view, first, -1.0);
        RopeTable turns = rope_table(arena, first, T, d);
        int64_t before = cost_counted.multiplies;
        rope_apply(m.view, turns);
        ck_assert_int_eq(cost_counted.multiplies, before + 4 * T * (d / 2));
        rope_undo(back.view, turns);
        assert_close(m.view, want.at, 1e-6, 5e-7);
        assert_close(back.view, want_back.at, 1e-6, 5e-7);
        ck_assert(frame_untouched(m, NAN) && frame_untouched(back, NAN));
    }
}

// ---- ALiBi

TEST(slopes)
{
    for (int h = 0; h < 8; h++) ck_assert(alibi_slope(h, 8) == 1.0f / (float)(2 << h)); // 1/2, 1/4, … 1/256
    ck_assert(alibi_slope(0, 1) == 1.0f / 256.0f);
    ck_assert_double_eq_tol((double)alibi_slope(0, 16), sqrt(0.5), 1e-7);
    ck_assert_double_eq_tol((double)alibi_slope(1, 3), pow(256.0, -2.0 / 3.0), 1e-9);
    for (int H = 1; H <= 40; H++) {
        ck_assert(alibi_slope(H - 1, H) == 1.0f / 256.0f);
        for (int h = 1; h < H; h++) {
            double ratio = (double)alibi_slope(h, H) / (double)alibi_slope(h - 1, H);
            ck_assert_double_eq_tol(ratio, (double)alibi_slope(0, H), 1e-6); // a geometric sequence
        }
    }
    ck_assert(mask_bias((Mask){ .causal = true, .alibi = alibi_slope(1, 8) }, 6, 2, 8, 8) == -1.0f);
}

TEST_ABORTS(shapes_that_do_not_fit, 10)
{
    Mat odd = mat_new(arena, 3, 5), even = mat_new(arena, 3, 6);
    RopeTable turns = rope_table(arena, 0, 3, 6), wide = turns;
    wide.sine = mat_new(arena, 3, 4);
    quiet();
    switch (_i) {
    case 0: sinusoidal(odd, 0); break;
    case 1: sinusoidal_add(odd, 0); break;
    case 2: rope_table(arena, 0, 3, 5); break;
    case 3: rope_table(arena, 0, 3, -2); break;
    case 4: rope_apply(mat_cols(even, 0, 5), rope_table(arena, 0, 3, 4)); break;
    case 5: rope_apply(even, rope_table(arena, 0, 3, 4)); break;
    case 6: rope_undo(even, rope_table(arena, 0, 2, 6)); break;
    case 7: rope_apply(even, wide); break;
    case 8: alibi_slope(8, 8); break;
    case 9: alibi_slope(-1, 8); break;
    default: break;
    }
}
