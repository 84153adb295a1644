// The canvas and its strokes. Letters are in text.c.
#include "figure/canvas.h"

#include "base/error.h"
#include "figure/raster.h"

#include <math.h>
#include <string.h>

Canvas *canvas_new(Arena *arena, double width, double height, double scale)
{
    REQUIRE(scale > 0 && width * scale < 32768 && height * scale < 32768 && width >= 0 && height >= 0,
            "a canvas cannot have %g × %g points at %g pixels a point", width, height, scale);
    Canvas *canvas = arena_alloc(arena, sizeof *canvas);
    *canvas = (Canvas){ .scale = scale, .arena = arena };
    canvas->width = (int)fmax(1, ceil(width * scale - 1e-6));
    canvas->height = (int)fmax(1, ceil(height * scale - 1e-6));
    size_t count = (size_t)canvas->width * (size_t)canvas->height;
    canvas->rgba = arena_alloc(arena, count * 4);
    for (size_t i = 0; i < count; i++) memcpy(canvas->rgba + i * 4, (uint8_t[]){ PAPER.r, PAPER.g, PAPER.b, 255 }, 4);
    return canvas;
}

// How much of pixel k lies between `from` and `to`.
static double overlap(int k, double from, double to)
{
    double low = from > k ? from : k, high = to < k + 1 ? to : k + 1;
    return high > low ? high - low : 0;
}

void canvas_tint(Canvas *canvas, double x, double y, double width, double height, Color color, double opacity)
{
    double x0 = pixels(canvas, x), x1 = pixels(canvas, x + width);
    double y0 = pixels(canvas, y), y1 = pixels(canvas, y + height);
    Box box = { (int)floor(x0), (int)floor(y0), (int)ceil(x1) - (int)floor(x0), (int)ceil(y1) - (int)floor(y0) };
    box = box_clip(box, canvas);
    for (int row = box.y; row < box.y + box.height; row++) {
        double amount = overlap(row, y0, y1) * opacity;
        for (int k = box.x; k < box.x + box.width; k++) {
            bool inside = k > box.x && k < box.x + box.width - 1;
            canvas_blend(canvas, k, row, color, inside ? amount : overlap(k, x0, x1) * amount);
        }
    }
}

void canvas_rect(Canvas *canvas, double x, double y, double width, double height, Color color)
{
    canvas_tint(canvas, x, y, width, height, color, 1);
}

void canvas_frame(Canvas *canvas, double x, double y, double width, double height, double thick, Color color)
{
    canvas_rect(canvas, x, y, width, thick, color);
    canvas_rect(canvas, x, y + height - thick, width, thick, color);
    canvas_rect(canvas, x, y + thick, thick, height - 2 * thick, color);
    canvas_rect(canvas, x + width - thick, y + thick, thick, height - 2 * thick, color);
}

// The lines run through x + y = const and are counted from the canvas's corner, so the hatches of neighbours join.
void canvas_hatch(Canvas *canvas, double x, double y, double width, double height)
{
    Color ground = color_mix(PAPER, RULE, 0.5), line = color_mix(RULE, QUIET, 0.4);
    double period = 6 * canvas->scale, half = 0.6 * canvas->scale, reach = 0.7;
    int x0 = (int)floor(pixels(canvas, x) + 0.5), x1 = (int)floor(pixels(canvas, x + width) + 0.5);
    int y0 = (int)floor(pixels(canvas, y) + 0.5), y1 = (int)floor(pixels(canvas, y + height) + 0.5);
    Box box = box_clip((Box){ x0, y0, x1 - x0, y1 - y0 }, canvas);
    for (int row = box.y; row < box.y + box.height; row++)
        for (int k = box.x; k < box.x + box.width; k++) {
            double away = fabs(fmod(row + k + 1, period) - period / 2);
            double low = fmax(away - reach, -half), high = fmin(away + reach, half);
            canvas_blend(canvas, k, row, ground, 1);
            canvas_blend(canvas, k, row, line, fmax(high - low, 0) / (2 * reach));
        }
}

// The smallest box of whole pixels around points, with `margin` pixels more on each side.
static Box box_around(const double *xy, int points, double margin)
{
    double x0 = xy[0], x1 = xy[0], y0 = xy[1], y1 = xy[1];
    for (int p = 1; p < points; p++) {
        x0 = fmin(x0, xy[2 * p]), x1 = fmax(x1, xy[2 * p]);
        y0 = fmin(y0, xy[2 * p + 1]), y1 = fmax(y1, xy[2 * p + 1]);
    }
    int left = (int)floor(x0 - margin), top = (int)floor(y0 - margin);
    return (Box){ left, top, (int)ceil(x1 + margin) - left, (int)ceil(y1 + margin) - top };
}

// The points of an outline in pixels, from the arena.
static double *to_pixels(Canvas *canvas, const double *xy, int points)
{
    double *at = arena_alloc(canvas->arena, (size_t)points * 2 * sizeof *at);
    for (int i = 0; i < 2 * points; i++) at[i] = pixels(canvas, xy[i]);
    return at;
}

void canvas_polygon(Canvas *canvas, const double *xy, int points, Color color)
{
    if (points < 3) return;
    ArenaMark mark = arena_mark(canvas->arena);
    const double *at = to_pixels(canvas, xy, points);
    Cover cover = cover_open(canvas, box_around(at, points, 0));
    for (int p = 0; p < points; p++) {
        const double *a = at + 2 * p, *b = at + 2 * ((p + 1) % points);
        cover_edge(&cover, a[0], a[1], b[0], b[1]);
    }
    cover_fill(canvas, &cover, color);
    arena_release(canvas->arena, mark);
}

void canvas_line(Canvas *canvas, double x0, double y0, double x1, double y1, double thick, Color color)
{
    double dx = x1 - x0, dy = y1 - y0, length = sqrt(dx * dx + dy * dy);
    if (!(length > 0)) return;
    double nx = -dy / length * thick / 2, ny = dx / length * thick / 2;
    const double corners[] = { x0 + nx, y0 + ny, x1 + nx, y1 + ny, x1 - nx, y1 - ny, x0 - nx, y0 - ny };
    canvas_polygon(canvas, corners, 4, color);
}

// The share of a pixel that a stroke covers when its middle is `away` pixels from the stroke's middle.
static double stroke_share(double away, double half)
{
    double low = away - 0.5 > -half ? away - 0.5 : -half, high = away + 0.5 < half ? away + 0.5 : half;
    return high > low ? high - low : 0;
}

// Raises the coverage of every pixel near the segment from a to b. The larger coverage stands where segments meet, so
// joins are round and nothing is painted twice.
static void stroke_segment(float *shares, Box box, const double *a, const double *b, double half)
{
    double dx = b[0] - a[0], dy = b[1] - a[1], square = dx * dx + dy * dy;
    double xy[4] = { a[0] - box.x, a[1] - box.y, b[0] - box.x, b[1] - box.y };
    Canvas frame = { .width = box.width, .height = box.height };
    Box near = box_clip(box_around(xy, 2, half + 1), &frame);
    for (int row = near.y; row < near.y + near.height; row++)
        for (int k = near.x; k < near.x + near.width; k++) {
            double px = k + 0.5 - xy[0], py = row + 0.5 - xy[1];
            double t = square > 0 ? (px * dx + py * dy) / square : 0;
            t = t < 0 ? 0 : t > 1 ? 1 : t;
            double ex = px - t * dx, ey = py - t * dy, reach = half + 0.5, away = ex * ex + ey * ey;
            if (away >= reach * reach) continue;
            float share = (float)stroke_share(sqrt(away), half);
            float *at = shares + (size_t)row * (size_t)box.width + (size_t)k;
            if (share > *at) *at = share;
        }
}

void canvas_polyline(Canvas *canvas, const double *xy, int points, double thick, Color color)
{
    if (points < 1) return;
    ArenaMark mark = arena_mark(canvas->arena);
    const double *at = to_pixels(canvas, xy, points);
    double half = thick * canvas->scale / 2;
    Box box = box_clip(box_around(at, points, half + 1), canvas);
    float *shares = arena_alloc(canvas->arena, (size_t)box.width * (size_t)box.height * sizeof *shares);

    if (points == 1) stroke_segment(shares, box, at, at, half);
    for (int p = 0; p + 1 < points; p++) stroke_segment(shares, box, at + 2 * p, at + 2 * p + 2, half);
    for (int row = 0; row < box.height; row++)
        for (int k = 0; k < box.width; k++) {
            double share = (double)shares[(size_t)row * (size_t)box.width + (size_t)k];
            canvas_blend(canvas, box.x + k, box.y + row, color, share);
        }
    arena_release(canvas->arena, mark);
}

// One coordinate of the curve, by de Casteljau: halfway points of halfway points, with t for "half".
static double casteljau(double a, double b, double c, double d, double t)
{
    double ab = a + (b - a) * t, bc = b + (c - b) * t, cd = c + (d - c) * t;
    double abc = ab + (bc - ab) * t, bcd = bc + (cd - bc) * t;
    return abc + (bcd - abc) * t;
}

void curve_point(const double xy[8], double t, double *x, double *y)
{
    *x = casteljau(xy[0], xy[2], xy[4], xy[6], t);
    *y = casteljau(xy[1], xy[3], xy[5], xy[7], t);
}

void canvas_curve(Canvas *canvas, const double xy[8], double thick, Color color)
{
    enum { PIECES = 48 };
    double points[2 * (PIECES + 1)];
    for (int i = 0; i <= PIECES; i++) curve_point(xy, i / (double)PIECES, &points[2 * i], &points[2 * i + 1]);
    canvas_polyline(canvas, points, PIECES + 1, thick, color);
}

void canvas_disc(Canvas *canvas, double x, double y, double radius, Color color)
{
    canvas_polyline(canvas, (double[]){ x, y }, 1, 2 * radius, color);
}
