// The plane and the lines between words: what is drawn lies where its numbers say, and is as thick as its weight.
#include "base/portable_math.h"
#include "figure/links.h"
#include "figure/vector_plot.h"
#include "support/suite.h"

typedef struct {
    int count;
    double x, y, left, right, top, bottom;
} Ink; // in pixels

// The pixels of one colour: how many, their middle, and how far they reach.
static Ink ink_of(const Canvas *canvas, Color color)
{
    Ink ink = { .left = INFINITY, .right = -INFINITY, .top = INFINITY, .bottom = -INFINITY };
    for (int k = 0; k < canvas->width * canvas->height; k++) {
        const uint8_t *at = canvas->rgba + (size_t)k * 4;
        if (at[0] != color.r || at[1] != color.g || at[2] != color.b) continue;
        double x = k % canvas->width, y = (int)(k / canvas->width);
        ink.x += x;
        ink.y += y;
        ink.left = fmin(ink.left, x);
        ink.right = fmax(ink.right, x);
        ink.top = fmin(ink.top, y);
        ink.bottom = fmax(ink.bottom, y);
        ink.count++;
    }
    ink.x /= fmax(ink.count, 1);
    ink.y /= fmax(ink.count, 1);
    return ink;
}

static Canvas *drawn(VectorPlot plane)
{
    plane.x_low = plane.y_low = -1;
    plane.x_high = plane.y_high = 1;
    return vector_plot_draw(arena, &plane, (RenderTarget){ .scale = 1 });
}

// One unit is as long upwards as to the right: 558 points for 2.
TEST(points_lie_where_their_numbers_are)
{
    VectorPlotPoint points[] = { { 0, 0, NULL, 0, COLOR_SERIES[0] },
                                 { 1, 0, NULL, 0, COLOR_SERIES[1] },
                                 { 0, 1, NULL, 0, COLOR_SERIES[2] } };
    Canvas *canvas = drawn((VectorPlot){ .points = points, .point_count = 3 });
    Ink at[3];
    for (int p = 0; p < 3; p++) at[p] = ink_of(canvas, COLOR_SERIES[p]);
    for (int p = 0; p < 3; p++) ck_assert_int_gt(at[p].count, 15);
    ck_assert_double_eq_tol(at[1].x - at[0].x, 279, 1);
    ck_assert_double_eq_tol(at[0].y - at[2].y, 279, 1);
    ck_assert_double_eq_tol(at[1].y, at[0].y, 1);
    ck_assert_double_eq_tol(at[2].x, at[0].x, 1);
}

// An arrow is thick at its head, which ends at the tip; a dashed one has none, and gaps; a bar is thick all along.
TEST(an_arrow_ends_at_its_tip)
{
    VectorPlotArrow arrow = { 0, 0, 1, 0, NULL, 0, COLOR_SERIES[0], VECTOR_PLOT_ARROW };
    Ink solid = ink_of(drawn((VectorPlot){ .arrows = &arrow, .arrow_count = 1 }), COLOR_SERIES[0]);
    ck_assert_double_eq_tol(solid.right - solid.left, 279, 5);
    ck_assert_double_ge(solid.bottom - solid.top, 7);
    ck_assert_double_gt(solid.x, (solid.left + solid.right) / 2);
    arrow.stroke = VECTOR_PLOT_DASHES;
    Ink dashed = ink_of(drawn((VectorPlot){ .arrows = &arrow, .arrow_count = 1 }), COLOR_SERIES[0]);
    ck_assert_double_le(dashed.bottom - dashed.top, 2);
    ck_assert_int_lt(dashed.count, solid.count / 2);
    arrow.stroke = VECTOR_PLOT_BAR;
    Ink bar = ink_of(drawn((VectorPlot){ .arrows = &arrow, .arrow_count = 1 }), COLOR_SERIES[0]);
    ck_assert_double_eq_tol(bar.right - bar.left, 279, 8);
    ck_assert_double_eq_tol(bar.bottom - bar.top, 6, 1.5); // its edges are mixed with the paper
    ck_assert_double_eq_tol(bar.x, (bar.left + bar.right) / 2, 1);
    arrow.x = 0; // no direction: nothing
    arrow.stroke = VECTOR_PLOT_ARROW;
    ck_assert_int_eq(ink_of(drawn((VectorPlot){ .arrows = &arrow, .arrow_count = 1 }), COLOR_SERIES[0]).count, 0);
}

// From 0 to 90 degrees: a quarter of a circle, to the right of the origin and above it.
TEST(an_angle_is_an_arc)
{
    VectorPlotAngle angle = { 0, 90, 0.5, NULL, COLOR_SERIES[0] };
    VectorPlotPoint origin = { 0, 0, NULL, 0, COLOR_SERIES[1] };
    Canvas *canvas = drawn((VectorPlot){ .angles = &angle, .angle_count = 1, .points = &origin, .point_count = 1 });
    Ink arc = ink_of(canvas, COLOR_SERIES[0]), middle = ink_of(canvas, COLOR_SERIES[1]);
    ck_assert_double_eq_tol(arc.right - middle.x, 139.5, 2);
    ck_assert_double_eq_tol(middle.y - arc.top, 139.5, 2);
    ck_assert_double_gt(arc.x, middle.x + 60);
    ck_assert_double_lt(arc.y, middle.y - 60);
}

TEST(an_area_is_shaded)
{
    const double square[] = { -0.5, -0.5, 0.5, -0.5, 0.5, 0.5, -0.5, 0.5 };
    Color shade = color_mix(COLOR_PAPER, COLOR_ACCENT, 0.13);
    Ink area = ink_of(drawn((VectorPlot){ .area = square, .corners = 4 }), shade);
    ck_assert_double_eq_tol(area.right - area.left, 279, 6);
    ck_assert_int_gt(area.count, 74000);
    ck_assert_int_eq(ink_of(drawn((VectorPlot){ .area = square, .corners = 2 }), shade).count, 0);
}

static const char *const WORDS[] = { "one", "two", "three" };

static Canvas *linked(Mat weights, int row, int col)
{
    Links links = { .weights = weights, .queries = WORDS, .keys = WORDS, .row = row, .col = col };
    return links_draw(arena, "title", &links, 1, (RenderTarget){ .scale = 1 });
}

// The whole of a word's attention is one line in full MARK, level where it looks at itself, and thicker than a half.
TEST(a_line_is_as_thick_as_its_weight)
{
    Mat weights = mat_new(arena, 3, 3);
    *mat_ref(weights, 0, 0) = 1.0f;
    *mat_ref(weights, 1, 0) = *mat_ref(weights, 1, 1) = 0.5f;
    Ink whole = ink_of(linked(weights, 1, 0), COLOR_MARK),
        half = ink_of(linked(weights, 2, 0), color_mix(COLOR_PAPER, COLOR_MARK, 0.3 + 0.7 * sqrt(0.5)));
    ck_assert_int_gt(whole.count, 80 * 14);
    ck_assert_int_gt(half.count, 0);
    ck_assert_double_lt(half.top, half.bottom - 15); // one of the two lines goes up
    int none = ink_of(linked(weights, 0, 0), COLOR_MARK).count;
    ck_assert_int_eq(none, 0);
}

TEST(every_shape_is_survived)
{
    Mat weights = mat_new(arena, 2, 3);
    *mat_ref(weights, 0, 0) = NAN;
    *mat_ref(weights, 0, 1) = INFINITY;
    Links panels[] = { { .title = "left", .weights = weights, .queries = WORDS, .keys = WORDS, .row = 1 },
                       { .title = "right", .weights = weights, .queries = WORDS, .keys = WORDS, .col = 3 } };
    int one = links_draw(arena, NULL, panels, 1, (RenderTarget){ .scale = 1 })->width;
    ck_assert_int_gt(links_draw(arena, NULL, panels, 2, (RenderTarget){ .scale = 1 })->width, one + 300);
    ck_assert_int_eq(links_draw(arena, NULL, panels, 0, (RenderTarget){ .scale = 1 })->width, one);
}
