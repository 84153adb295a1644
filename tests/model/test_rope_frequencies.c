// lib/model/rope_frequencies.c at numbers worked out by hand; whole models are test_pretrained.c's.
#include "model/rope_frequencies.h"

#include "base/portable_math.h"
#include "support/reference.h"
#include "support/suite.h"

static Mat of(double base, int turned, RopeScaling s, int positions, int T)
{
    Mat f = mat_new(arena, 1, (turned + 1) / 2);
    rope_frequencies(f, base, turned, &s, positions, T);
    return f;
}

#define AT(m, want) ck_assert_double_eq_tol((double)f.at[m], (want), 1e-6 * (want))

TEST(none)
{
    Mat f = of(10000.0, 8, (RopeScaling){ 0 }, 64, 9);
    AT(0, 1.0);
    AT(1, 0.1);
    AT(2, 0.01);
    AT(3, 0.001);
    f = of(1000.0, 3, (RopeScaling){ 0 }, 64, 9); // an odd number rounds up
    ck_assert_int_eq(f.cols, 2);
    AT(1, 0.01);
}

TEST(linear_and_dynamic)
{
    Mat f = of(10000.0, 8, (RopeScaling){ .kind = ROPE_SCALING_LINEAR, .factor = 4.0 }, 64, 9);
    AT(0, 0.25);
    AT(3, 0.00025);
    RopeScaling dynamic = { .kind = ROPE_SCALING_DYNAMIC, .factor = 2.0 };
    f = of(10000.0, 8, dynamic, 64, 64);
    AT(3, 0.001);
    f = of(10000.0, 8, dynamic, 64, 128); // base · (2 · 2 − 1)^(8/6)
    AT(0, 1.0);
    AT(3, pow(10000.0 * pow(3.0, 8.0 / 6.0), -0.75));
}

TEST(llama3)
{
    double pi = acos(-1.0);
    RopeScaling s = { .kind = ROPE_SCALING_LLAMA3, .factor = 8.0, .low = 1.0, .high = 4.0, .original = 100 };
    Mat f = of(10000.0, 8, s, 800, 9);
    double share = (100.0 * 0.1 / (2.0 * pi) - 1.0) / 3.0; // waves of 2π, 20π, 200π: fast, between, slow
    AT(0, 1.0);
    AT(1, (1.0 - share) * 0.1 / 8.0 + share * 0.1);
    AT(2, 0.01 / 8.0);
    AT(3, 0.001 / 8.0);
}

TEST(yarn)
{
    RopeScaling s = { .kind = ROPE_SCALING_YARN, .factor = 4.0, .fast = 32.0, .slow = 1.0, .original = 4096 };
    Mat f = of(10000.0, 128, s, 16384, 9);
    AT(0, 1.0);
    AT(20, pow(10000.0, -20.0 / 64.0));            // 64 ln(4096 / 64π) / ln 10000 = 20.94, rounded down
    double frequency = pow(10000.0, -33.0 / 64.0); // … and 45.03 rounded up: half way
    AT(33, frequency * 0.5 + frequency / 4.0 * 0.5);
    AT(46, pow(10000.0, -46.0 / 64.0) / 4.0);
    AT(63, pow(10000.0, -63.0 / 64.0) / 4.0);
}

TEST(longrope)
{
    RopeScaling s = { .kind = ROPE_SCALING_LONGROPE,
                      .original = 16,
                      .short_factor = mat_of(arena, 1, 2, (float[]){ 1, 2 }),
                      .long_factor = mat_of(arena, 1, 2, (float[]){ 4, 5 }) };
    Mat f = of(10000.0, 4, s, 64, 16);
    AT(0, 1.0);
    AT(1, 0.005);
    f = of(10000.0, 4, s, 64, 17);
    AT(0, 0.25);
    AT(1, 0.002);
}
