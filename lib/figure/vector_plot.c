// Draws the plane: grid, then area, angles, arrows and points, then labels.
#include "figure/vector_plot.h"

#include "base/error.h"
#include "base/portable_math.h"
#include "figure/ticks.h"

static const double MARGIN = 24, SCALE_ROOM = 34, UNDER = 42, AWAY = 9, PI = 3.14159265358979323846;
enum { ARC = 48 };
static const double THICK = 2.4; // of an arrow, in points

typedef struct {
    Canvas *canvas;
    Arena *arena;
    const VectorPlot *plane;
    double x_unit, y_unit; // points per unit, horizontally and vertically
    double left, bottom;   // position of x_low and y_low
} Sheet;

static double x_of(const Sheet *sheet, double x) { return sheet->left + (x - sheet->plane->x_low) * sheet->x_unit; }
static double y_of(const Sheet *sheet, double y) { return sheet->bottom - (y - sheet->plane->y_low) * sheet->y_unit; }

static CanvasText label_style(CanvasAnchor anchor)
{
    return (CanvasText){ .size = 12, .color = COLOR_QUIET, .anchor = anchor };
}
static CanvasText number_style(CanvasAnchor anchor)
{
    return (CanvasText){ .size = 11, .face = CANVAS_MONO, .color = COLOR_QUIET, .anchor = anchor };
}

static void draw_grid(const Sheet *sheet)
{
    const VectorPlot *plane = sheet->plane;
    double at[TICKS_MOST], right = x_of(sheet, plane->x_high), top = y_of(sheet, plane->y_high);
    // With a common unit the shorter axis gets proportionally fewer steps, and so the same step.
    double wide = plane->x_high - plane->x_low, tall = plane->y_high - plane->y_low;
    double longer = plane->height > 0 ? 0 : fmax(wide, tall);
    int count = ticks_round(at, plane->x_low, plane->x_high, longer > wide ? (int)fmax(6 * wide / longer, 2) : 6);
    for (int k = 0; k < count; k++) {
        double x = canvas_crisp(sheet->canvas, x_of(sheet, at[k]) - 0.5);
        canvas_rect(sheet->canvas, x, top, 1, sheet->bottom - top,
                    at[k] == 0 ? color_mix(COLOR_RULE, COLOR_QUIET, 0.7) : COLOR_RULE);
        canvas_text(sheet->canvas, x, sheet->bottom + 16, number_style(CANVAS_AT_MIDDLE),
                    ticks_text(sheet->arena, at[k], ticks_decimals(at, count, plane->x_high - plane->x_low)));
    }
    count = ticks_round(at, plane->y_low, plane->y_high, longer > tall ? (int)fmax(6 * tall / longer, 2) : 6);
    for (int k = 0; k < count; k++) {
        double y = canvas_crisp(sheet->canvas, y_of(sheet, at[k]) - 0.5);
        canvas_rect(sheet->canvas, sheet->left, y, right - sheet->left, 1,
                    at[k] == 0 ? color_mix(COLOR_RULE, COLOR_QUIET, 0.7) : COLOR_RULE);
        canvas_text(sheet->canvas, sheet->left - 8, y + 4, number_style(CANVAS_AT_END),
                    ticks_text(sheet->arena, at[k], ticks_decimals(at, count, plane->y_high - plane->y_low)));
    }
}

static Color area_color(void) { return color_mix(COLOR_PAPER, COLOR_ACCENT, 0.13); }

static void draw_area(const Sheet *sheet)
{
    int corners = sheet->plane->corners;
    if (corners < 2) return;
    double *xy = arena_alloc(sheet->arena, (size_t)(corners + 1) * 2 * sizeof *xy);
    for (int c = 0; c <= corners; c++) {
        xy[2 * c] = x_of(sheet, sheet->plane->area[2 * (c % corners)]);
        xy[2 * c + 1] = y_of(sheet, sheet->plane->area[2 * (c % corners) + 1]);
    }
    if (corners > 2) canvas_polygon(sheet->canvas, xy, corners, area_color());
    canvas_polyline(sheet->canvas, xy, corners + 1, 1.4, color_mix(COLOR_PAPER, COLOR_ACCENT, 0.6));
}

// A label next to a point, in the direction `side`.
static void draw_label(const Sheet *sheet, double x, double y, double side, CanvasText style, const char *label)
{
    double across = cos(side * PI / 180), up = sin(side * PI / 180);
    style.color = color_text(style.color, sheet->plane->corners > 2 ? area_color() : COLOR_PAPER);
    style.anchor = across > 0.4 ? CANVAS_AT_START : across < -0.4 ? CANVAS_AT_END : CANVAS_AT_MIDDLE;
    canvas_text(sheet->canvas, x + AWAY * across, y - AWAY * up + (up > 0.4 ? 0 : up < -0.4 ? 9 : 4), style, label);
}

static void draw_angle(const Sheet *sheet, const VectorPlotAngle *angle)
{
    double xy[2 * (ARC + 1)], radius = angle->radius * sheet->x_unit, x = x_of(sheet, 0), y = y_of(sheet, 0);
    for (int k = 0; k <= ARC; k++) {
        double turn = (angle->from + (angle->to - angle->from) * k / ARC) * PI / 180;
        xy[2 * k] = x + radius * cos(turn);
        xy[2 * k + 1] = y - radius * sin(turn) * sheet->y_unit / sheet->x_unit;
    }
    canvas_polyline(sheet->canvas, xy, ARC + 1, 1.6, angle->color);
    if (angle->label)
        draw_label(sheet, xy[ARC], xy[ARC + 1], (angle->from + angle->to) / 2,
                   (CanvasText){ .size = 12, .color = angle->color }, angle->label);
}

static void draw_dashes(const Sheet *sheet, const double at[4], Color color)
{
    double dx = at[2] - at[0], dy = at[3] - at[1], length = sqrt(dx * dx + dy * dy);
    for (double from = 0; from < length; from += 8) {
        double to = fmin(from + 4.5, length);
        canvas_line(sheet->canvas, at[0] + dx * from / length, at[1] + dy * from / length, at[0] + dx * to / length,
                    at[1] + dy * to / length, 1.2, color);
    }
}

static void draw_arrow(const Sheet *sheet, const VectorPlotArrow *arrow)
{
    const double head = 11;
    double at[4] = { x_of(sheet, arrow->x0), y_of(sheet, arrow->y0), x_of(sheet, arrow->x), y_of(sheet, arrow->y) };
    double dx = at[2] - at[0], dy = at[3] - at[1], length = sqrt(dx * dx + dy * dy);
    if (!(length > 0)) return;
    if (arrow->stroke == VECTOR_PLOT_DASHES) {
        draw_dashes(sheet, at, arrow->color);
        return;
    }
    if (arrow->stroke == VECTOR_PLOT_BAR) {
        canvas_line(sheet->canvas, at[0], at[1], at[2], at[3], 3 * THICK, arrow->color);
        return;
    }
    double head_length = fmin(head, length), ux = dx / length, uy = dy / length;
    double neck_x = at[2] - head_length * ux, neck_y = at[3] - head_length * uy, half = 0.42 * head_length;
    canvas_line(sheet->canvas, at[0], at[1], neck_x, neck_y, THICK, arrow->color);
    canvas_polygon(sheet->canvas,
                   (double[]){ at[2], at[3], neck_x - half * uy, neck_y + half * ux, neck_x + half * uy,
                               neck_y - half * ux },
                   3, arrow->color);
}

static void draw_point(const Sheet *sheet, const VectorPlotPoint *point)
{
    canvas_disc(sheet->canvas, x_of(sheet, point->x), y_of(sheet, point->y), 4.6, COLOR_PAPER);
    canvas_disc(sheet->canvas, x_of(sheet, point->x), y_of(sheet, point->y), 3.6, point->color);
}

static void draw_words(const Sheet *sheet)
{
    const VectorPlot *plane = sheet->plane;
    for (int a = 0; a < plane->arrow_count; a++) {
        const VectorPlotArrow *arrow = &plane->arrows[a];
        CanvasText style = { .size = 13,
                             .face = arrow->stroke == VECTOR_PLOT_ARROW ? CANVAS_SANS_BOLD : CANVAS_SANS,
                             .color = arrow->color };
        if (arrow->label)
            draw_label(sheet, x_of(sheet, arrow->x), y_of(sheet, arrow->y), arrow->side, style, arrow->label);
    }
    for (int p = 0; p < plane->point_count; p++) {
        const VectorPlotPoint *point = &plane->points[p];
        if (point->label)
            draw_label(sheet, x_of(sheet, point->x), y_of(sheet, point->y), point->side,
                       (CanvasText){ .size = 13, .color = point->color }, point->label);
    }
    if (plane->title)
        canvas_text(sheet->canvas, MARGIN, MARGIN + 13,
                    (CanvasText){ .size = 15, .face = CANVAS_SANS_BOLD, .color = COLOR_INK }, plane->title);
    if (plane->y_title)
        canvas_text(sheet->canvas, MARGIN, y_of(sheet, plane->y_high) - 13, label_style(CANVAS_AT_START),
                    plane->y_title);
    if (plane->x_title)
        canvas_text(sheet->canvas, (sheet->left + x_of(sheet, plane->x_high)) / 2, sheet->bottom + 34,
                    label_style(CANVAS_AT_MIDDLE), plane->x_title);
}

Canvas *vector_plot_draw(Arena *arena, const VectorPlot *plane, RenderTarget paper)
{
    double across = plane->x_high - plane->x_low, up = plane->y_high - plane->y_low;
    REQUIRE(across > 0 && up > 0 && isfinite(across) && isfinite(up), "a plane of %g by %g", across, up);
    double width = plane->width > 0 ? plane->width : 640;
    double top = MARGIN + (plane->title ? 15 + 14 : 6) + (plane->y_title ? 22 : 6);
    Sheet sheet = { .arena = arena, .plane = plane, .left = MARGIN + SCALE_ROOM };
    sheet.x_unit = (width - MARGIN - sheet.left) / across;
    sheet.y_unit = plane->height > 0 ? plane->height / up : sheet.x_unit;
    sheet.bottom = top + up * sheet.y_unit;
    sheet.canvas = canvas_new(arena, width, ceil(sheet.bottom + UNDER + 6), paper.scale);
    canvas_record(sheet.canvas, paper.record);

    draw_grid(&sheet);
    draw_area(&sheet);
    for (int a = 0; a < plane->angle_count; a++) draw_angle(&sheet, &plane->angles[a]);
    for (int a = 0; a < plane->arrow_count; a++) draw_arrow(&sheet, &plane->arrows[a]);
    for (int p = 0; p < plane->point_count; p++) draw_point(&sheet, &plane->points[p]);
    draw_words(&sheet);
    return sheet.canvas;
}
