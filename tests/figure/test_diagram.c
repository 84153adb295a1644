// Diagrams: boxes that hold what they are given, arrows from side to side, cells in the colours of their numbers.
#include "base/arena.h"
#include "base/portable_math.h"
#include "figure/diagram.h"
#include "figure/svg.h"
#include "support/suite.h"

static Arena *records;

static void open_arenas(void) { records = arena_open(); }

static void close_arenas(void) { arena_close(records); }
FIXTURE(open_arenas, close_arenas);

static const Color RED = { 200, 30, 30 }, BLUE = { 30, 30, 200 };
enum { LEFT = 24, TOP = 24 }; // where (0, 0) lies without a title

static Canvas *draw(Diagram diagram) { return diagram_draw(arena, &diagram, (RenderTarget){ .scale = 1 }); }

static bool is_color(const Canvas *canvas, int x, int y, Color color)
{
    const uint8_t *at = canvas->rgba + ((size_t)y * (size_t)canvas->width + (size_t)x) * 4;
    return at[0] == color.r && at[1] == color.g && at[2] == color.b;
}

static void assert_color(const Canvas *canvas, int x, int y, Color color)
{
    const uint8_t *at = canvas->rgba + ((size_t)(y + TOP) * (size_t)canvas->width + (size_t)(x + LEFT)) * 4;
    ck_assert_msg(is_color(canvas, x + LEFT, y + TOP, color), "(%d, %d) is %d %d %d, not %d %d %d", x, y, at[0], at[1],
                  at[2], color.r, color.g, color.b);
}

static int count_color(const Canvas *canvas, Color color)
{
    int count = 0;
    for (int y = 0; y < canvas->height; y++)
        for (int x = 0; x < canvas->width; x++) count += is_color(canvas, x, y, color);
    return count;
}

// Two boxes without words: frames in their colours, a thin ground of it within, paper between; the picture ends where
// the last one does.
TEST(boxes_stand_where_they_are_put)
{
    const DiagramBox boxes[] = { { .at = { 0, 0, 60, 40 }, .color = RED },
                                 { .at = { 100, 50, 80, 30 }, .color = BLUE } };
    Canvas *canvas = draw((Diagram){ .boxes = boxes, .box_count = 2 });
    ck_assert_int_eq(canvas->width, 180 + 2 * LEFT);
    ck_assert_int_eq(canvas->height, 80 + 2 * TOP);
    assert_color(canvas, 0, 20, RED);
    assert_color(canvas, 59, 20, RED);
    assert_color(canvas, 30, 39, RED);
    assert_color(canvas, 30, 20, color_mix(COLOR_PAPER, RED, 0.12));
    assert_color(canvas, 80, 20, COLOR_PAPER);
    assert_color(canvas, 100, 60, BLUE);
    assert_color(canvas, 179, 60, BLUE);
    Canvas *wide = draw((Diagram){ .boxes = boxes, .box_count = 2, .width = 400, .height = 300 });
    ck_assert_int_eq(wide->width, 400);
    ck_assert_int_eq(wide->height, 300);
}

// A box grows with its title, its lines and its matrix, by a line for each, and all letters stay inside.
TEST(a_box_holds_what_it_is_given)
{
    DiagramBox box = { .at = { 0, 0, 10, 10 }, .title = "scores" };
    CanvasRect title = diagram_box(arena, &box);
    box.lines = "two lines\nof which this one is the longer";
    CanvasRect lines = diagram_box(arena, &box);
    ck_assert_double_eq_tol(lines.height - title.height, 2 * 16, 1e-9);
    ck_assert_double_gt(lines.width, title.width);
    box.values = mat_of(arena, 2, 2, (float[]){ 1, 2, 3, 4 });
    box.rows = (const char *[]){ "The", "animal" };
    CanvasRect matrix = diagram_box(arena, &box);
    ck_assert_double_eq_tol(matrix.height - lines.height, 2 * 20 + 5, 1e-9);
    box.cols = (const char *[]){ "noun", "verb" };
    CanvasRect named = diagram_box(arena, &box);
    ck_assert_double_eq_tol(named.height - matrix.height, 16, 1e-9);
    Canvas *canvas = draw((Diagram){ .boxes = &box, .box_count = 1 });
    if (canvas_font_name()) ck_assert_int_ge(canvas->text_count, 3 + 4 + 4);
    for (int k = 0; k < canvas->text_count; k++) {
        CanvasBox text = canvas->text[k];
        ck_assert_int_ge(text.x, LEFT);
        ck_assert_int_ge(text.y, TOP);
        ck_assert_int_le(text.x + text.width, LEFT + (int)named.width);
        ck_assert_int_le(text.y + text.height, TOP + (int)named.height);
    }
    ck_assert_double_eq(diagram_box(arena, &(DiagramBox){ .at = { 5, 5, 0, 0 }, .bare = true }).width, 0);
}

// An arrow joins the sides that face each other, wherever the second box stands: its line is seen midway, its head
// only before the second box, whichever way it runs.
TEST(an_arrow_joins_the_sides_that_face)
{
    const int aside[][2] = { { 100, 0 }, { -100, 0 }, { 0, 100 }, { 0, -100 } };
    for (int k = 0; k < 4; k++) {
        int x = aside[k][0], y = aside[k][1];
        const DiagramBox boxes[] = { { .at = { 100, 100, 40, 40 } }, { .at = { 100 + x, 100 + y, 40, 40 } } };
        DiagramArrow arrow = { .from = 0, .to = 1, .color = RED, .thick = 3 };
        Canvas *canvas = draw((Diagram){ .boxes = boxes, .box_count = 2, .arrows = &arrow, .arrow_count = 1 });
        int near = 28, far = 72 - 3; // from the middle of the first box; the head's root is thick
        assert_color(canvas, 120 + x * near / 100, 120 + y * near / 100, RED);
        assert_color(canvas, 120 + x / 2, 120 + y / 2, RED);
        int away_x = y ? 3 : 0, away_y = x ? 3 : 0;
        assert_color(canvas, 120 + x * far / 100 + away_x, 120 + y * far / 100 + away_y, RED);
        assert_color(canvas, 120 + x * near / 100 + away_x, 120 + y * near / 100 + away_y, COLOR_PAPER);
    }
}

// Round one corner between sides at right angles; across and back between the same sides; across midway between
// opposite ones. The direct way stays paper.
TEST(an_arrow_turns_corners)
{
    const DiagramBox boxes[] = { { .at = { 0, 0, 40, 40 } }, { .at = { 100, 100, 40, 40 } } };
    DiagramArrow arrow = { .to = 1, .color = RED, .thick = 3 };
    arrow.leaves = DIAGRAM_RIGHT;
    arrow.enters = DIAGRAM_TOP;
    arrow.bend = 1;
    Diagram diagram = { .boxes = boxes, .box_count = 2, .arrows = &arrow, .arrow_count = 1 };
    Canvas *corner = draw(diagram);
    assert_color(corner, 80, 20, RED);
    assert_color(corner, 120, 20, RED);
    assert_color(corner, 120, 60, RED);
    assert_color(corner, 80, 60, COLOR_PAPER);

    arrow.enters = DIAGRAM_RIGHT;
    arrow.bend = 25;
    Canvas *back = draw(diagram);
    assert_color(back, 165, 20, RED);
    assert_color(back, 165, 90, RED);
    ck_assert_int_ge(back->width, 165 + 2 * LEFT);

    arrow.enters = DIAGRAM_LEFT;
    Canvas *across = draw(diagram);
    assert_color(across, 50, 20, RED);
    assert_color(across, 65, 70, RED);
    assert_color(across, 75, 120, RED);

    arrow.enters = DIAGRAM_TOP;
    arrow.from_shift = -15;
    arrow.to_shift = 10;
    Canvas *shifted = draw(diagram);
    assert_color(shifted, 80, 5, RED);
    assert_color(shifted, 130, 50, RED);
}

TEST(dashes_leave_gaps_and_heads_can_be_left_out)
{
    const DiagramBox boxes[] = { { .at = { 0, 0, 40, 40 } }, { .at = { 200, 0, 40, 40 } } };
    DiagramArrow arrow = { .to = 1, .color = RED, .thick = 2, .headless = true };
    Diagram diagram = { .boxes = boxes, .box_count = 2, .arrows = &arrow, .arrow_count = 1 };
    int whole = count_color(draw(diagram), RED);
    ck_assert_int_eq(whole, 160 * 2);
    arrow.dashed = true;
    int dashed = count_color(draw(diagram), RED);
    ck_assert_int_gt(dashed, whole / 3);
    ck_assert_int_lt(dashed, whole * 2 / 3);
    arrow = (DiagramArrow){ .to = 1, .color = RED, .thick = 2 };
    ck_assert_int_gt(count_color(draw(diagram), RED), whole);
}

// Corners of cells, where no letter reaches: the map's colours from the least number to the greatest, paper for NaN,
// and MARK around the marked cell.
TEST(cells_have_the_colours_of_their_numbers)
{
    DiagramBox box = { .at = { 0, 0, 0, 0 },
                       .values = mat_of(arena, 1, 3, (float[]){ 0, 1, NAN }),
                       .shaded = true,
                       .colors = COLOR_VIRIDIS,
                       .bare = true };
    int cell = ((int)diagram_box(arena, &box).width - 18) / 3, x = 9, y = 7;
    Canvas *canvas = draw((Diagram){ .boxes = &box, .box_count = 1 });
    assert_color(canvas, x + 2, y + 2, color_at(COLOR_VIRIDIS, 0));
    assert_color(canvas, x + cell + 2, y + 2, color_at(COLOR_VIRIDIS, 1));
    assert_color(canvas, x + 2 * cell + 2, y + 2, COLOR_PAPER);
    box.high = 2;
    assert_color(draw((Diagram){ .boxes = &box, .box_count = 1 }), x + cell + 2, y + 2, color_at(COLOR_VIRIDIS, 0.5));
    box.mark_row = 1;
    box.mark_col = 2;
    canvas = draw((Diagram){ .boxes = &box, .box_count = 1 });
    assert_color(canvas, x + cell, y + 10, COLOR_MARK);
    assert_color(canvas, x + 2, y + 10, color_at(COLOR_VIRIDIS, 0));
    box.shaded = false;
    box.mark_row = 0;
    assert_color(draw((Diagram){ .boxes = &box, .box_count = 1 }), x + 2, y + 2, COLOR_PAPER);
}

// A group stands behind what comes before it in the list, and an arrow runs over it.
TEST(a_group_stands_behind)
{
    const DiagramBox boxes[] = { { .at = { 20, 30, 40, 40 }, .color = RED },
                                 { .at = { 120, 30, 40, 40 }, .color = RED },
                                 { .at = { 0, 0, 200, 100 }, .title = "layer 1", .group = true, .color = BLUE } };
    const DiagramArrow arrow = { .from = 0, .to = 1, .color = RED, .thick = 3 };
    Canvas *canvas = draw((Diagram){ .boxes = boxes, .box_count = 3, .arrows = &arrow, .arrow_count = 1 });
    assert_color(canvas, 40, 50, color_mix(COLOR_PAPER, RED, 0.12));
    assert_color(canvas, 90, 50, RED);
    assert_color(canvas, 90, 80, color_mix(COLOR_PAPER, BLUE, 0.06));
}

TEST_ABORTS(an_arrow_to_no_box_stops, 1)
{
    const DiagramBox box = { .at = { 0, 0, 40, 40 } };
    const DiagramArrow arrow = { .from = 0, .to = 1 };
    draw((Diagram){ .boxes = &box, .box_count = 1, .arrows = &arrow, .arrow_count = 1 });
}
