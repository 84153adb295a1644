// Tests of lib/base/measure.c: its statistics on given numbers, and its rounds on functions whose time is known.
#include "base/measure.h"

#include "base/portable_math.h"
#include "support/reference.h"
#include "support/suite.h"

static void assert_spread(MeasureSpread got, double low, double median, double high)
{
    ck_assert_double_eq_tol(got.low, low, 1e-12);
    ck_assert_double_eq_tol(got.median, median, 1e-12);
    ck_assert_double_eq_tol(got.high, high, 1e-12);
}

TEST(spreads)
{
    assert_spread(measure_spread((double[]){ 7 }, 1), 7, 7, 7);
    assert_spread(measure_spread((double[]){ 3, 1 }, 2), 1.5, 2, 2.5);
    assert_spread(measure_spread((double[]){ 9, 1, 5, 3, 7 }, 5), 3, 5, 7);
    assert_spread(measure_spread((double[]){ 4, 1, 3, 2 }, 4), 1.75, 2.5, 3.25);
    assert_spread(measure_spread((double[]){ -1, 1000000, 0, 1, 2 }, 5), 0, 1, 2); // one wild number moves nothing
    double values[] = { 3, 1, 2 };
    measure_spread(values, 3);
    ck_assert(values[0] == 3 && values[1] == 1 && values[2] == 2);
}

TEST(slopes)
{
    double x[] = { 128, 256, 1024, 32768 }, square[4], root[4], bent[] = { 1, 2, 2, 4 };
    for (int i = 0; i < 4; i++) {
        square[i] = 3.5 * x[i] * x[i];
        root[i] = 0.1 * sqrt(x[i]);
    }
    ck_assert_double_eq_tol(measure_slope_log_log(x, square, 4), 2.0, 1e-12);
    ck_assert_double_eq_tol(measure_slope_log_log(x, root, 4), 0.5, 1e-12);
    ck_assert_double_eq_tol(measure_slope_log_log((double[]){ 1, 2, 4, 8 }, bent, 4), 0.6, 1e-12);
}

// ---- rounds. Every call writes its letter down.
static char log_of_calls[4096];
static int calls;
static double looked;

static void note(void *letter)
{
    if (calls < 4000) log_of_calls[calls++] = *(char *)letter;
}
static double look(void *context)
{
    (void)context;
    note("|");
    return looked *= 2.0;
}
static int reports, last_done, last_all;
static void report(int done, int all, void *context)
{
    (void)context;
    reports++;
    last_done = done;
    last_all = all;
}

TEST(rounds_take_turns)
{
    MeasureTimed rows[] = { { .name = "a", .run = note, .context = "a", .work = 1, .repeats = 2 },
                            { .name = "b", .run = note, .context = "b", .work = 1, .repeats = 1, .wall = true } };
    calls = reports = 0;
    looked = 1.0;
    ck_assert_int_eq(measure_best(rows, 2, (Measurement){ .yardstick = look, .progress = report, .rounds = 4 }), 3);
    log_of_calls[calls] = '\0';
    ck_assert_str_eq(log_of_calls, "aabb|aa|b||aa|b||aa|b|"); // two calls each to warm up; three rounds
    ck_assert(reports == 3 && last_done == 3 && last_all == 4);
    ck_assert_int_eq(rows[0].rounds, 3);
    for (int i = 0; i < 3; i++) { // the yardstick doubles each time it is looked at
        double before = pow(2.0, 3 * i + 1);
        ck_assert_double_eq_tol(rows[0].share[i] / rows[0].rate[i], 2.0 / (before + 2 * before), 1e-12);
        ck_assert_double_eq_tol(rows[1].share[i] / rows[1].rate[i], 2.0 / (2 * before + 4 * before), 1e-12);
    }
}

TEST(rates_and_ratios)
{
    MeasureTimed a = { .rounds = 3, .rate = { 10, 30, 20 }, .share = { 0.5, 0.25, 1 } };
    MeasureTimed b = { .rounds = 3, .rate = { 5, 10, 10 } }, shorter = { .rounds = 2, .rate = { 5, 10 } };
    assert_spread(measured_rate(&a), 15, 20, 25);
    assert_spread(measured_share(&a), 0.375, 0.5, 0.75);
    assert_spread(measured_ratio(&a, &b), 2, 2, 2.5);                        // 2, 3, 2: round by round
    assert_spread(measured_ratio(&shorter, &a), 0.375, 5.0 / 12, 11.0 / 24); // 1/2, 1/3
}

// What runs elsewhere says itself how long it took; what is slow sits out later rounds.
static double ten_seconds(void *context)
{
    note(context);
    return 10.0;
}

TEST(elsewhere_and_seldom)
{
    MeasureTimed rows[] = { { .name = "c", .elsewhere = ten_seconds, .context = "c", .work = 5, .repeats = 2 },
                            { .name = "d", .run = note, .context = "d", .work = 1, .repeats = 1, .most = 2 } };
    calls = 0;
    looked = 1.0;
    measure_best(rows, 2, (Measurement){ .yardstick = look, .rounds = 3 });
    log_of_calls[calls] = '\0';
    ck_assert_str_eq(log_of_calls, "cdd|cc|d||cc|d||cc|");
    ck_assert(rows[0].rounds == 3 && rows[1].rounds == 2);
    for (int i = 0; i < 3; i++) ck_assert_double_eq_tol(rows[0].rate[i], 0.5, 1e-12);
}

static volatile double sink;
