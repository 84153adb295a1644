// One map: scales of three kinds, what is drawn of a map that is seen in part, words, numbers and the legend.
#include "base/portable_math.h"
#include "figure/map.h"
#include "support/suite.h"

#include <string.h>

enum { CELL = 20, LEFT = 40, TOP = 30, WIDE = 200, HIGH = 150 };

static const char *const WORDS[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p" };

static Color color_in(const Canvas *canvas, double x, double y)
{
    size_t column = (size_t)(x * canvas->scale), row = (size_t)(y * canvas->scale);
    const uint8_t *at = canvas->rgba + (row * (size_t)canvas->width + column) * 4;
    return (Color){ at[0], at[1], at[2] };
}

static bool same(Color a, Color b) { return a.r == b.r && a.g == b.g && a.b == b.b; }

static void assert_color(Color color, Color expected)
{
    ck_assert_msg(same(color, expected), "the colour is (%d, %d, %d), not (%d, %d, %d)", color.r, color.g, color.b,
                  expected.r, expected.g, expected.b);
}

// All of a map of 0, 1, 2, … in cells of 20 points, its first corner at (LEFT, TOP).
static Map plain(int rows, int cols)
{
    Map map = { .ramp = { RAMP_LINEAR, COLOR_VIRIDIS, 0, rows * cols - 1, false, false, NULL } };
    map.cells = (MapCells){ mat_new(arena, rows, cols), mat_new(arena, rows, cols), 0, 0 };
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) *mat_ref(map.cells.values, i, j) = (float)(i * cols + j);
    map.place = (MapPlace){ { LEFT, TOP, cols * CELL, rows * CELL }, CELL, CELL, 0, 0, rows, cols, 1, 1 };
    return map;
}

static Canvas *drawn(const Map *map)
{
    Canvas *canvas = canvas_new(arena, WIDE, HIGH, 1);
    map_draw(canvas, map);
    return canvas;
}

static Color cell_color(const Canvas *canvas, int i, int j)
{
    return color_in(canvas, LEFT + CELL * j + 3, TOP + CELL * i + 3);
}

static void assert_place(const Ramp *ramp, double value, double t)
{
    assert_color(ramp_color(ramp, value), color_at(ramp->colors, t));
}

TEST(scales_of_three_kinds)
{
    Ramp linear = { RAMP_LINEAR, COLOR_VIRIDIS, -1, 3, false, false, NULL };
    Ramp log = { RAMP_LOG, COLOR_MAGMA, 1e-4, 1, false, false, NULL };
    Ramp ratio = { RAMP_RATIO, COLOR_DIVERGING, 1.0 / 16, 16, false, false, NULL };
    assert_place(&linear, -1, 0);
    assert_place(&linear, 0, 0.25);
    assert_place(&linear, 9, 1);
    assert_place(&linear, -INFINITY, 0);
    assert_place(&log, 1e-2, 0.5);
    assert_place(&log, 1e-3, 0.25);
    assert_place(&log, 0, 0);
    assert_place(&log, -1, 0);
    assert_place(&log, INFINITY, 1);
    assert_place(&ratio, 1, 0.5);
    assert_place(&ratio, 4, 0.75);
    assert_place(&ratio, 0.25, 0.25);
    assert_color(ramp_color(&linear, NAN), COLOR_MARK);
    assert_color(ramp_color(&log, NAN), COLOR_MARK);
    assert_color(ramp_color(&ratio, NAN), COLOR_MARK);
}

// A bar on a canvas of its own, as the SVG that says its numbers.
static int texts_of(const Ramp *ramp, double length, bool lies)
{
    Canvas *canvas = canvas_new(arena, 400, 400, 2);
    ramp_draw(canvas, ramp, 20, 20, length, lies);
    Color low = color_in(canvas, lies ? 20.2 : 26, lies ? 26 : 20 + length - 0.2);
    Color high = color_in(canvas, lies ? 20 + length - 0.2 : 26, lies ? 26 : 20.2);
    assert_color(low, color_at(ramp->colors, 0.25 / length));
    assert_color(high, color_at(ramp->colors, 1 - 0.25 / length));
    return canvas->text_count;
}

static bool overlap(CanvasBox a, CanvasBox b)
{
    return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

// Whatever the scale, its bar and however long: numbers stand clear of one another, and inside the bar's length.
TEST_EACH(numbers_at_a_bar, 7)
{
    const Ramp ramps[] = {
        { RAMP_LINEAR, COLOR_VIRIDIS, 0, 1, false, true, NULL },
        { RAMP_LINEAR, COLOR_DIVERGING, -2.34, 2.34, false, false, NULL },
        { RAMP_LOG, COLOR_VIRIDIS, 1e-4, 1, true, false, NULL },
        { RAMP_RATIO, COLOR_DIVERGING, 1.0 / 16, 16, true, true, NULL },
        { RAMP_RATIO, COLOR_DIVERGING, 1.0 / 4096, 4096, true, false, NULL },
        { RAMP_LINEAR, COLOR_VIRIDIS, 0, 7, false, false, NULL },
        { RAMP_LINEAR, COLOR_VIRIDIS, 4, 16, false, false, NULL },
    };
    const Ramp *ramp = &ramps[_i];
    for (int lies = 0; lies < 2; lies++)
        for (int length = lies ? 250 : 110; length < 360; length += 50) {
            Canvas *canvas = canvas_new(arena, 400, 400, 1);
            ramp_draw(canvas, ramp, 20, 20, length, lies);
            ck_assert_int_ge(canvas->text_count, 2);
            for (int a = 0; a < canvas->text_count; a++) {
                CanvasBox at = canvas->text[a];
                if (lies) ck_assert(at.x >= 16 && at.x + at.width <= 24 + length);
                else ck_assert(at.y >= 14 && at.y + at.height <= 26 + length);
                for (int b = 0; b < a; b++)
                    ck_assert_msg(!overlap(at, canvas->text[b]), "%d points, lies %d: %d, %d", length, lies, a, b);
            }
        }
    Ramp log = { RAMP_LOG, COLOR_VIRIDIS, 1e-4, 1, true, false, NULL },
         linear = { RAMP_LINEAR, COLOR_VIRIDIS, 0, 1, 0, 0, NULL };
    ck_assert_int_eq(texts_of(&log, 200, false), 5);   // 10⁻⁴ … 1
    ck_assert_int_eq(texts_of(&linear, 300, true), 6); // 0, 0.2, … 1
    Ramp whole = { RAMP_LINEAR, COLOR_VIRIDIS, 0, 13, false, false, NULL };
    ck_assert_int_eq(texts_of(&whole, 200, false), 4); // 0, 5, 10, 13
    ck_assert_double_lt(ramp_room(arena, &linear, 200), ramp_room(arena, &log, 200));
}

// Many values are coloured as one by one: more than a piece of them, with runs, NaN and values beyond the ends.
TEST(ramps_of_many_values)
{
    enum { COUNT = 700 };
    static const Ramp ramps[] = {
        { RAMP_LINEAR, COLOR_VIRIDIS, 0, 1, false, false, NULL },
        { RAMP_LINEAR, COLOR_DIVERGING, -2, 2, false, false, NULL },
        { RAMP_LOG, COLOR_MAGMA, 1e-4, 1, false, false, NULL },
        { RAMP_RATIO, COLOR_DIVERGING, 1.0 / 9, 9, false, false, NULL },
        { RAMP_NAMES, COLOR_VIRIDIS, 0, 4, false, false, NULL },
    };
    float values[COUNT];
    Color colors[COUNT];
    for (int k = 0; k < COUNT; k++) values[k] = (float)(k / 2 * 2 - 100) / 300.0f;
    values[11] = NAN;
    values[12] = INFINITY;
    values[13] = -INFINITY;
    values[256] = values[255];
    for (size_t r = 0; r < sizeof ramps / sizeof *ramps; r++) {
        ramp_colors(&ramps[r], colors, values, COUNT);
        for (int k = 0; k < COUNT; k++) {
            Color want = ramp_color(&ramps[r], (double)values[k]);
            ck_assert_msg(!memcmp(&want, &colors[k], sizeof want), "ramp %d, value %g", (int)r, (double)values[k]);
        }
    }
    Color beyond = ramp_color(&ramps[4], (double)INFINITY); // no name has such a number
    ck_assert(!memcmp(&beyond, &COLOR_PAPER, sizeof beyond));
}

// A drawn cell of 2 × 4 of the map's is as large as these.
TEST(folded_cells_are_larger)
{
    Map map = plain(2, 2);
    map.place = (MapPlace){ { LEFT, TOP, 80, 40 }, 10, 10, 0, 0, 4, 8, 2, 4 };
    Canvas *canvas = drawn(&map);
    assert_color(color_in(canvas, LEFT + 35, TOP + 15), color_at(COLOR_VIRIDIS, 0));
    assert_color(color_in(canvas, LEFT + 45, TOP + 15), color_at(COLOR_VIRIDIS, 1 / 3.0));
    assert_color(color_in(canvas, LEFT + 35, TOP + 25), color_at(COLOR_VIRIDIS, 2 / 3.0));
}

// Masked, left out, NaN with a stroke; in a thumbnail masked is plain, and no lines are drawn.
TEST(what_is_no_number)
{
    Map map = plain(2, 4);
    *mat_ref(map.cells.kind, 0, 0) = *mat_ref(map.cells.kind, 0, 1) = MAP_MASKED;
    *mat_ref(map.cells.kind, 0, 2) = MAP_LEFT_OUT;
    *mat_ref(map.cells.values, 1, 1) = NAN;
    Canvas *canvas = drawn(&map), *hatch = canvas_new(arena, WIDE, HIGH, 1);
    canvas_hatch(hatch, 0, 0, WIDE, HIGH);
    for (int k = 2; k < 2 * CELL; k++)
        if (k % CELL) assert_color(color_in(canvas, LEFT + k, TOP + 5), color_in(hatch, LEFT + k, TOP + 5));
    assert_color(cell_color(canvas, 0, 2), COLOR_RULE);
    assert_color(cell_color(canvas, 0, 3), color_at(COLOR_VIRIDIS, 3 / 7.0));
    assert_color(cell_color(canvas, 1, 1), COLOR_MARK);
    Color stroke = color_in(canvas, LEFT + CELL + 10, TOP + CELL + 10);
    ck_assert_int_gt(stroke.g, COLOR_MARK.g + 60);
    ck_assert(!same(color_in(canvas, LEFT + CELL, TOP + CELL + 5), COLOR_MARK)); // a line between cells
    map.plain = true;
    canvas = drawn(&map);
    assert_color(cell_color(canvas, 0, 1), color_mix(COLOR_PAPER, COLOR_RULE, 0.6));
    assert_color(color_in(canvas, LEFT + CELL + 17, TOP + 9), color_mix(COLOR_PAPER, COLOR_RULE, 0.6));
    assert_color(color_in(canvas, LEFT + CELL, TOP + CELL + 5), COLOR_MARK);
}

// One cell, a block, and one that is hardly seen: that is a ring of 7 points and more.
TEST(frames)
{
    Map map = plain(3, 4);
    map.mark = (MapMark){ 1, 2, 1, 2, COLOR_ACCENT };
    Canvas *canvas = drawn(&map);
    assert_color(color_in(canvas, LEFT + 2 * CELL, TOP + CELL + 9), COLOR_ACCENT);
    assert_color(color_in(canvas, LEFT + 4 * CELL, TOP + CELL + 9), COLOR_ACCENT);
    assert_color(color_in(canvas, LEFT + 3 * CELL + 3, TOP + CELL + 9), color_at(COLOR_VIRIDIS, 7 / 11.0));
    map = plain(40, 60);
    map.place.cell_width = map.place.cell_height = 2;
    map.place.frame = (CanvasRect){ LEFT, TOP, 120, 80 };
    map.mark = (MapMark){ 20, 30, 1, 1, COLOR_MARK };
    canvas = drawn(&map);
    int marked = 0;
    for (int x = LEFT; x < LEFT + 120; x++) marked += same(color_in(canvas, x, TOP + 41), COLOR_MARK);
    ck_assert_int_eq(marked, 4); // its two sides
    assert_color(color_in(canvas, LEFT + 60, TOP + 41), color_at(COLOR_VIRIDIS, (20 * 60 + 30) / 2399.0));
}

TEST(what_rounds_to_0_is_0)
{
    ck_assert_str_eq(map_number(arena, 5.34e-6, 2), "0.00");
    ck_assert_str_eq(map_number(arena, -0.004, 2), "0.00");
    ck_assert_str_eq(map_number(arena, -0.006, 2), "−0.01");
    ck_assert_str_eq(map_number(arena, 0.5, 0), "0");
    ck_assert_str_eq(map_number(arena, 0.7, 0), "1");
    ck_assert_str_eq(map_number(arena, (double)NAN, 2), "NaN");
}

// Zeros are left out on demand; masked cells have no number and do not count for the widest.
TEST(numbers_in_cells)
{
    Map map = plain(1, 4);
    memcpy(map.cells.values.at, (float[]){ 0, 1e-6f, 3, 1000 }, 4 * sizeof(float));
    *mat_ref(map.cells.kind, 0, 3) = MAP_MASKED;
    map.number_size = 9;
    map.decimals = 1;
    ck_assert_int_eq(drawn(&map)->text_count, 1);
    map.zeros = true;
    ck_assert_int_eq(drawn(&map)->text_count, 3);
    double three = canvas_text_width(map_number_style(1), "3.0");
    ck_assert_double_eq_tol(map_widest_number(arena, &map.cells, 1, true), three, 1e-9);
    *mat_ref(map.cells.kind, 0, 3) = MAP_SHOWN;
    ck_assert_double_gt(map_widest_number(arena, &map.cells, 1, false), three);
}

TEST(steps_of_labels)
{
    static const int words[] = { 1, 2, 4, 4, 8 }, positions[] = { 1, 2, 5, 5, 10 };
    static const double least[] = { 1, 2, 3, 4, 7 };
    MapLabels named = { .words = WORDS }, counted = { .words = NULL };
    for (int k = 0; k < 5; k++) {
        ck_assert_int_eq(map_label_step(&named, 1, least[k]), words[k]);
        ck_assert_int_eq(map_label_step(&counted, 1, least[k]), positions[k]);
    }
    ck_assert_int_gt(map_label_step(&counted, 1e-9, 1e9), 1 << 20); // comes to an end
}

// The marked one is shown, bold and in its colour, and none within a step of it.
TEST(labels_give_way_to_the_marked_one)
{
    MapLabels labels = { .words = WORDS, .size = 11, .most = 100, .step = 4, .mark = 7, .mark_color = COLOR_ACCENT };
    static const bool shown[16] = { [0] = true, [6] = true, [12] = true };
    for (int i = 0; i < 16; i++) ck_assert_int_eq(map_label_shown(&labels, i), shown[i]);
    ck_assert(map_label_style(&labels, 6).face == CANVAS_SANS_BOLD &&
              same(map_label_style(&labels, 6).color, COLOR_ACCENT));
    ck_assert(map_label_style(&labels, 0).face == CANVAS_SANS && same(map_label_style(&labels, 0).color, COLOR_INK));
    ck_assert_str_eq(map_label(arena, &labels, 6), "g");
    labels.words = NULL;
    ck_assert_str_eq(map_label(arena, &labels, 6), "6");
    labels.marked = "here";
    ck_assert_str_eq(map_label(arena, &labels, 6), "here");
    ck_assert_str_eq(map_label(arena, &labels, 5), "5");
    labels.size = 0;
    for (int i = 0; i < 16; i++) ck_assert(!map_label_shown(&labels, i));
}

// What is not there is paper with lines, none of them those of the hatching; they run on from cell to cell.
TEST(what_is_absent_is_not_masked)
{
    Map map = plain(4, 4);
    mat_fill(mat_rows(map.cells.kind, 0, 2), MAP_ABSENT);
    *mat_ref(map.cells.kind, 3, 3) = MAP_MASKED;
    Canvas *canvas = drawn(&map);
    int paper = 0, all = 0;
    for (int y = TOP + 2; y < TOP + 2 * CELL; y++)
        for (int x = LEFT + 2; x < LEFT + 4 * CELL; x++, all++) paper += same(color_in(canvas, x, y), COLOR_PAPER);
    ck_assert(2 * paper > all && paper < all - 20);
    assert_color(cell_color(canvas, 2, 1), color_at(COLOR_VIRIDIS, 9 / 15.0));
    MapLegend legend = map_legend(&map.cells, "masked");
    ck_assert(legend.absent && !legend.left_out && map_legend_count(&legend) == 2);
}

TEST(the_legend_names_what_is_there)
{
    Map map = plain(1, 3);
    MapLegend none = map_legend(&map.cells, "masked");
    ck_assert(map_legend_count(&none) == 0 && map_legend_room(&none) == 0);
    *mat_ref(map.cells.kind, 0, 0) = MAP_MASKED;
    *mat_ref(map.cells.values, 0, 0) = NAN;
    MapLegend masked = map_legend(&map.cells, "not yet");
    ck_assert(!strcmp(masked.masked, "not yet") && !masked.nan && map_legend_count(&masked) == 1);
    *mat_ref(map.cells.values, 0, 1) = NAN;
    *mat_ref(map.cells.kind, 0, 2) = MAP_LEFT_OUT;
    MapLegend all = map_legend(&map.cells, "masked");
    ck_assert(map_legend_count(&all) == 3 && map_legend_room(&all) > map_legend_room(&masked));
    for (int lies = 0; lies < 2; lies++) {
        Canvas *canvas = canvas_new(arena, 300, 100, 1);
        map_legend_draw(canvas, &all, 10, 10, lies);
        ck_assert_int_eq(canvas->text_count, 3);
        for (int t = 1; t < 3; t++) {
            CanvasBox before = canvas->text[t - 1], at = canvas->text[t];
            ck_assert(lies ? at.x > before.x + before.width && at.y == before.y : at.y == before.y + MAP_LINE);
            ck_assert(at.x + at.width < 10 + map_legend_room(&all));
        }
    }
}
