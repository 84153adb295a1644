// Chapter 15, step 5. Two to the x, by a fitted polynomial.
#include "base/portable_math.h"
#include "kernels/fast.h"
#include "steps.h"

// Σ (r ln 2)ⁿ / n! up to n = last.
static double series_of_2(double r, int last)
{
    double sum = 0, term = 1;
    for (int n = 0; n <= last; n++) {
        sum += term;
        term *= r * log(2) / (n + 1);
    }
    return sum;
}

void two_to_the_x(Lesson *lesson)
{
    step(lesson, "2ˣ in two parts");
    enum { DOTS = 401, MANY = 200001 };
    double *x = arena_alloc(lesson->arena, 3 * sizeof *x * DOTS), *poly = x + DOTS, *power = x + 2 * DOTS;
    double worst = 0, ends = 0, off = 0;
    for (int i = 0; i < DOTS; i++) {
        x[i] = (double)i / (DOTS - 1) - 0.5;
        poly[i] = 1e7 * (fast_polynomial(x[i]) / exp2(x[i]) - 1);
        power[i] = 1e7 * (series_of_2(x[i], 6) / exp2(x[i]) - 1);
        worst = fmax(worst, fabs(poly[i]));
        ends = fmax(ends, fabs(1e7 * (series_of_2(x[i], 5) / exp2(x[i]) - 1)));
    }
    for (int i = 0; i < MANY; i++) {
        float at = -100.0f + 227.0f * (float)i / MANY;
        off = fmax(off, fabs((double)fast_exp2(at) / exp2((double)at) - 1));
    }
    check(lesson, worst < 0.95, "the polynomial on [−½, ½], in float64: off by at most %.2f · 10⁻⁷", worst);
    check(lesson, ends > 20, "the power series up to the fifth power: by %.0f · 10⁻⁷", ends);
    check(lesson, off < 2e-7, "2ˣ in float32, x from −100 to 127: off by less than 2 · 10⁻⁷ of itself");
    bool whole = true;
    for (int n = -100; n < 128; n++) whole = whole && fast_exp2((float)n) == ldexpf(1.0f, n);
    check(lesson, whole, "whole powers are exact");
    check(lesson, fast_exp2(-101.0f) == 0.0f && fast_exp2(-1e6f) == 0.0f && fast_exp2(-INFINITY) == 0.0f,
          "2⁻¹⁰¹ and all below it is 0, 2 to the power −∞ too");
    check(lesson, isnan(fast_exp2(NAN)), "NaN stays NaN");
    PlotSeries series[] = { { .name = "degree 5, fitted", .x = x, .y = poly, .count = DOTS },
                            { .name = "series, degree 6", .x = x, .y = power, .count = DOTS } };
    figure_plot(lesson, "exp2.png",
                "the fitted polynomial spreads its error; the power series, one degree higher, "
                "leaves all of it to the ends",
                (Plot){ .title = "2ʳ by a polynomial",
                        .x_title = "r",
                        .y_title = "relative error, in 10⁻⁷",
                        .series = series,
                        .count = 2 });
}
