// Plots: round numbers for the axes, lines where the numbers are, and data that cannot be drawn.
#include "base/arena.h"
#include "base/portable_math.h"
#include "figure/plot.h"
#include "figure/ticks.h"
#include "support/suite.h"

#include <stdlib.h>

static void assert_ticks(const double *at, int count, int expected_count, const double *expected)
{
    ck_assert_int_eq(count, expected_count);
    for (int k = 0; k < count; k++)
        ck_assert_msg(fabs(at[k] - expected[k]) < 1e-12, "tick %d is %.17g, not %g", k, at[k], expected[k]);
}

TEST(ticks_are_round)
{
    double at[TICKS_MOST];
    assert_ticks(at, ticks_round(at, 0, 1, 4), 5, (double[]){ 0, 0.25, 0.5, 0.75, 1 });
    assert_ticks(at, ticks_round(at, 0, 1, 6), 6, (double[]){ 0, 0.2, 0.4, 0.6, 0.8, 1 });
    assert_ticks(at, ticks_round(at, -3.2, 3.2, 6), 3, (double[]){ -2, 0, 2 });
    assert_ticks(at, ticks_round(at, 0, 10, 4), 3, (double[]){ 0, 5, 10 });
    assert_ticks(at, ticks_round(at, 0.013, 0.67, 4), 3, (double[]){ 0.2, 0.4, 0.6 });
    ck_assert_int_eq(ticks_round(at, 1, 1, 4), 0);
    ck_assert_int_eq(ticks_round(at, NAN, 1, 4), 0);
    assert_ticks(at, ticks_doublings(at, 60, 600), 4, (double[]){ 64, 128, 256, 512 });
    assert_ticks(at, ticks_powers(at, 0.5, 20000, 7), 5, (double[]){ 1, 10, 100, 1000, 10000 });
    assert_ticks(at, ticks_powers(at, 2, 60, 7), 5, (double[]){ 2, 5, 10, 20, 50 });
    ck_assert_int_eq(ticks_doublings(at, 0, 8), 0);
}

TEST(numbers_are_written_as_they_are)
{
    ck_assert_str_eq(ticks_text(arena, -1.25, 2), "−1.25");
    ck_assert_str_eq(ticks_text(arena, -0.001, 2), "0.00");
    ck_assert_str_eq(ticks_text(arena, 5, 0), "5");
    ck_assert_str_eq(ticks_text(arena, NAN, 2), "NaN");
    ck_assert_str_eq(ticks_text(arena, -INFINITY, 2), "−∞");
    ck_assert_str_eq(ticks_text(arena, 2.5e9, 0), "2.5e+09");
    ck_assert_str_eq(ticks_power_text(arena, 0.001, 10), "10⁻³");
    ck_assert_str_eq(ticks_power_text(arena, 1048576, 2), "2²⁰");
    ck_assert_int_eq(ticks_decimals((double[]){ 0, 0.25, 0.5 }, 3, 0.5), 2);
    ck_assert_int_eq(ticks_decimals((double[]){ 0, 50, 100 }, 3, 100), 0);
}

static bool is_color(const Canvas *canvas, int x, int y, Color color)
{
    const uint8_t *at = canvas->rgba + ((size_t)y * (size_t)canvas->width + (size_t)x) * 4;
    return at[0] == color.r && at[1] == color.g && at[2] == color.b;
}

// The rows of column x that hold the colour: how many, and their mean.
static int rows_of(const Canvas *canvas, int x, Color color, double *mean)
{
    int count = 0;
    *mean = 0;
    for (int y = 0; y < canvas->height; y++)
        if (is_color(canvas, x, y, color)) {
            *mean += y + 0.5;
            count++;
        }
    if (count) *mean /= count;
    return count;
}

// Three level lines on an axis from 0 to 4: the middle one lies midway between the others, the larger higher up.
TEST(lines_lie_where_their_numbers_are)
{
    const double x[] = { 0, 10 }, one[] = { 1, 1 }, two[] = { 2, 2 }, three[] = { 3, 3 };
    PlotSeries series[] = { { .x = x, .y = one, .count = 2 },
                            { .x = x, .y = two, .count = 2 },
                            { .x = x, .y = three, .count = 2 } };
    Plot plot = { .series = series, .count = 3, .y_low = 0, .y_high = 4 };
    Canvas *canvas = plot_draw(arena, &plot, (RenderTarget){ .scale = 2 });
    double at[3];
    for (int s = 0; s < 3; s++) ck_assert_int_ge(rows_of(canvas, 640, COLOR_SERIES[s], &at[s]), 3);
    ck_assert_double_gt(at[0], at[1]);
    ck_assert_double_eq_tol(at[0] - at[1], at[1] - at[2], 1.01);
}

// On two log axes x² is a straight line: its height at the middle is the mean of its heights at the ends.
TEST(a_power_is_straight_on_log_axes)
{
    double x[9], y[9], mean;
    for (int i = 0; i < 9; i++) {
        x[i] = 16 << i;
        y[i] = x[i] * x[i];
    }
    PlotSeries series = { .x = x, .y = y, .count = 9 };
    Plot plot = { .series = &series, .count = 1, .log_x = true, .log_y = true };
    Canvas *canvas = plot_draw(arena, &plot, (RenderTarget){ .scale = 1 });
    double previous = 1e9, fall[3], before = 0;
    for (int k = 0; k < 4; k++) {
        ck_assert_int_gt(rows_of(canvas, 120 + 120 * k, COLOR_SERIES[0], &mean), 0);
        ck_assert_double_lt(mean, previous);
        if (k) fall[k - 1] = before - mean;
        previous = before = mean;
    }
    ck_assert_double_eq_tol(fall[0], fall[1], 1.6);
    ck_assert_double_eq_tol(fall[1], fall[2], 1.6);
}

// What leaves the asked-for range is cut off at the frame: nothing reaches the title or the numbers below.
TEST(lines_keep_inside_the_frame)
{
    const double x[] = { 0, 1, 2, 3 }, y[] = { 0, 100, -100, 0.5 };
    PlotSeries series = { .x = x, .y = y, .count = 4 };
    Plot plot = { .title = "title", .series = &series, .count = 1, .y_low = -1, .y_high = 1 };
    Canvas *canvas = plot_draw(arena, &plot, (RenderTarget){ .scale = 1 });
    for (int column = 0; column < canvas->width; column++)
        for (int row = 0; row < canvas->height; row++)
            if (row < 50 || row > 360)
                ck_assert_msg(!is_color(canvas, column, row, COLOR_SERIES[0]), "ink at (%d, %d)", column, row);
}

// Two plots of the same x: the same step stands at the same column in both, though their numbers are of other widths,
// and the second keeps below the first.
TEST(plots_stand_one_below_the_other)
{
    const double x[] = { 0, 10, 20 }, peak[] = { 1, 100000, 1 };
    const double small[] = { 0, 1, 0 };
    PlotSeries series[] = { { .name = "a long name", .x = x, .y = peak, .count = 3 },
                            { .name = "b", .x = x, .y = small, .count = 3 } };
    const Plot plots[] = { { .series = series, .count = 1, .y_low = 0, .y_high = 100000, .height = 200 },
                           { .series = series + 1, .count = 1, .y_low = 0, .y_high = 1, .height = 300 } };
    Canvas *canvas = plots_draw(arena, plots, 2, (RenderTarget){ .scale = 1 });
    ck_assert_int_eq(canvas->width, 640);
    ck_assert_int_eq(canvas->height, 500);
    int top[2] = { 0, 0 }, rows[2] = { 1000, 1000 };
    for (int column = 0; column < 560; column++)
        for (int row = 0; row < 500; row++) {
            int p = row >= 200;
            if (!is_color(canvas, column, row, COLOR_SERIES[0]) || row >= rows[p]) continue;
            rows[p] = row;
            top[p] = column;
        }
    ck_assert_int_lt(rows[0], 100);
    ck_assert_int_gt(rows[1], 200);
    ck_assert_int_le(abs(top[0] - top[1]), 2);
}

static bool overlap(CanvasBox a, CanvasBox b, int slack)
{
    return a.x + slack < b.x + b.width && b.x + slack < a.x + a.width && a.y + slack < b.y + b.height &&
           b.y + slack < a.y + a.height;
}

TEST(names_do_not_collide)
{
    const double x[] = { 0, 1 };
    double y[8][2];
    const char *names[] = { "one", "two", "three", "four", "five", "six", "seven", "eight" };
    PlotSeries series[8];
    for (int s = 0; s < 8; s++) {
        y[s][0] = s; // all end in the lower right corner
        y[s][1] = 0.001 * s;
        series[s] = (PlotSeries){ .name = names[s], .x = x, .y = y[s], .count = 2 };
    }
    Plot plot = { .title = "Eight", .x_title = "x", .y_title = "y", .series = series, .count = 8 };
    Canvas *canvas = plot_draw(arena, &plot, (RenderTarget){ .scale = 1 });
    for (int a = 0; a < canvas->text_count; a++)
        for (int b = 0; b < a; b++)
            ck_assert_msg(!overlap(canvas->text[a], canvas->text[b], 3), "texts %d and %d", a, b);
}

TEST(poor_data_is_drawn_as_far_as_it_goes)
{
    const double x[] = { 1, 2, 3 }, nothing[] = { NAN, INFINITY, -INFINITY }, same[] = { 5, 5, 5 };
    const double minus[] = { -1, 0, -3 }, huge[] = { -1e308, 0, 1e308 };
    const double *columns[] = { nothing, same, minus, huge };
    for (int c = 0; c < 4; c++)
        for (int kind = 0; kind < 8; kind++) {
            PlotSeries series = {
                .name = "s", .x = x, .y = columns[c], .count = 3, .dashed = kind & 1, .dots = kind & 2
            };
            Plot plot = { .title = "t", .series = &series, .count = 1, .log_x = kind & 4, .log_y = kind & 4 };
            ck_assert_int_eq(plot_draw(arena, &plot, (RenderTarget){ .scale = 1 })->width, 640);
            series.count = 1;
            plot_draw(arena, &plot, (RenderTarget){ .scale = 1 });
            series.count = 0;
            plot_draw(arena, &plot, (RenderTarget){ .scale = 1 });
        }
    Plot empty = { .width = 200, .height = 100 };
    ck_assert_int_eq(plot_draw(arena, &empty, (RenderTarget){ .scale = 2 })->height, 200);
}

// The ink of each series in proportion to its values.
TEST(bars_are_as_long_as_their_numbers)
{
    const char *groups[] = { "MHA", "MQA" }, *names[] = { "cache", "time" };
    PlotBars bars = { .title = "Bars",
                      .y_title = "MiB",
                      .groups = groups,
                      .series = names,
                      .group_count = 2,
                      .series_count = 2,
                      .values = (double[]){ 8, 1, 4, 3 },
                      .decimals = -1 };
    Canvas *canvas = plot_bars_draw(arena, &bars, (RenderTarget){ .scale = 1 });
    double ink[2] = { 0 };
    for (int y = 90; y < canvas->height; y++)
        for (int x = 0; x < canvas->width; x++)
            for (int s = 0; s < 2; s++) ink[s] += is_color(canvas, x, y, COLOR_SERIES[s]);
    ck_assert_double_eq_tol(ink[0] / ink[1], 12.0 / 4, 0.05);
}

// On a log axis a number is a dot, equal factors are equal heights, and 0 has no dot.
TEST(bars_on_a_log_axis_are_dots)
{
    const char *names[] = { "a", "b", "c", "d" };
    PlotBars bars = { .groups = (const char *const[]){ "" },
                      .series = names,
                      .group_count = 1,
                      .series_count = 4,
                      .values = (double[]){ 1, 10, 1000, 0 },
                      .decimals = -1,
                      .log = true };
    Canvas *canvas = plot_bars_draw(arena, &bars, (RenderTarget){ .scale = 1 });
    double ink[4] = { 0 }, height[4] = { 0 };
    for (int y = 60; y < canvas->height; y++)
        for (int x = 0; x < canvas->width; x++)
            for (int s = 0; s < 4; s++)
                if (is_color(canvas, x, y, COLOR_SERIES[s])) {
                    ink[s]++;
                    height[s] -= y;
                }
    for (int s = 0; s < 3; s++) {
        ck_assert_double_eq_tol(ink[s], 69, 10); // of radius 5, without its soft edge
        height[s] /= ink[s];
    }
    ck_assert_double_eq_tol((height[2] - height[1]) / (height[1] - height[0]), 2, 0.02);
    ck_assert_double_eq(ink[3], 0);
}
