// Drawing operations of the canvas. Text is in draw_text.c.
#include "figure/canvas.h"

#include "base/error.h"
#include "base/portable_math.h"
#include "figure/raster.h"
#include "figure/record.h"

#include <string.h>

// The hatch colour for each diagonal of pixels, x + y = n. The colours repeat if the period is a whole number of
// pixels.
static uint32_t *hatch_new(const Canvas *canvas)
{
    Color ground = color_mix(COLOR_PAPER, COLOR_RULE, 0.5), line = color_mix(COLOR_RULE, COLOR_QUIET, 0.4);
    double period = 6 * canvas->scale, half = 0.6 * canvas->scale, reach = 0.7;
    int diagonals = canvas->width + canvas->height;
    int repeat = period == floor(period) && period < diagonals ? (int)period : diagonals;
    uint32_t *hatch = arena_alloc(canvas->arena, (size_t)diagonals * sizeof *hatch);
    for (int n = 0; n < repeat; n++) {
        double distance = fabs(fmod(n + 1, period) - period / 2);
        double low = fmax(distance - reach, -half), high = fmin(distance + reach, half);
        hatch[n] = word_mix(color_word(ground), color_word(line), alpha_of(fmax(high - low, 0) / (2 * reach)));
    }
    for (int n = repeat; n < diagonals; n++) hatch[n] = hatch[n - repeat];
    return hatch;
}

Canvas *canvas_new(Arena *arena, double width, double height, double scale)
{
    REQUIRE(scale > 0 && width * scale < 32768 && height * scale < 32768 && width >= 0 && height >= 0,
            "a canvas cannot have %g × %g points at %g pixels a point", width, height, scale);
    Canvas *canvas = arena_alloc(arena, sizeof *canvas);
    *canvas = (Canvas){ .scale = scale, .arena = arena };
    canvas->width = (int)fmax(1, ceil(width * scale - 1e-6));
    canvas->height = (int)fmax(1, ceil(height * scale - 1e-6));
    canvas->clip = raster_canvas_box(canvas);
    size_t count = (size_t)canvas->width * (size_t)canvas->height;
    canvas->rgba = arena_alloc(arena, count * 4);
    uint32_t *words = canvas_words(canvas, 0, 0), paper = color_word(COLOR_PAPER);
    for (int x = 0; x < canvas->width; x++) words[x] = paper;
    for (int y = 1; y < canvas->height; y++) // copying rows is four times as fast as setting single pixels
        memcpy(canvas_words(canvas, 0, y), words, (size_t)canvas->width * sizeof *words);
    canvas->hatch = hatch_new(canvas);
    return canvas;
}

double canvas_crisp(const Canvas *canvas, double at) { return floor(at * canvas->scale + 0.5) / canvas->scale; }

// The nearest pixel edge.
static int nearest_edge(const Canvas *canvas, double points)
{
    double at = points * canvas->scale;
    return !(at > -1e6) ? -1000000 : at > 1e6 ? 1000000 : (int)floor(at + 0.5);
}

CanvasBox canvas_clip(Canvas *canvas, double x, double y, double width, double height)
{
    CanvasBox before = canvas->clip;
    int x0 = nearest_edge(canvas, x), y0 = nearest_edge(canvas, y);
    CanvasBox box = { x0, y0, nearest_edge(canvas, x + width) - x0, nearest_edge(canvas, y + height) - y0 };
    canvas->clip = raster_box_meet(box, before);
    record_clip(canvas, box.x / canvas->scale, box.y / canvas->scale, box.width / canvas->scale,
                box.height / canvas->scale);
    return before;
}

void canvas_unclip(Canvas *canvas, CanvasBox before)
{
    canvas->clip = before;
    record_unclip(canvas);
}

// The fraction of pixel k between `from` and `to`.
static double overlap(int k, double from, double to)
{
    double low = from > k ? from : k, high = to < k + 1 ? to : k + 1;
    return high > low ? high - low : 0;
}

static void paint_tint(Canvas *canvas, double x, double y, double width, double height, Color color, double opacity)
{
    double x0 = raster_canvas_pixels(canvas, x), x1 = raster_canvas_pixels(canvas, x + width);
    double y0 = raster_canvas_pixels(canvas, y), y1 = raster_canvas_pixels(canvas, y + height);
    CanvasBox box = { (int)floor(x0), (int)floor(y0), (int)ceil(x1) - (int)floor(x0), (int)ceil(y1) - (int)floor(y0) };
    box = raster_box_clip(box, canvas);
    uint32_t word = color_word(color);
    if (box.width <= 0) return;
    for (int row = box.y; row < box.y + box.height; row++) {
        double amount = overlap(row, y0, y1) * opacity;
        int last = box.x + box.width - 1;
        uint32_t *words = canvas_words(canvas, 0, row);
        raster_word_run(words + box.x, 1, word, alpha_of(overlap(box.x, x0, x1) * amount));
        raster_word_run(words + box.x + 1, box.width - 2, word, alpha_of(amount));
        if (last > box.x) raster_word_run(words + last, 1, word, alpha_of(overlap(last, x0, x1) * amount));
    }
}

void canvas_tint(Canvas *canvas, double x, double y, double width, double height, Color color, double opacity)
{
    record_rect(canvas, x, y, width, height, color, opacity);
    paint_tint(canvas, x, y, width, height, color, opacity);
}

void canvas_rect(Canvas *canvas, double x, double y, double width, double height, Color color)
{
    canvas_tint(canvas, x, y, width, height, color, 1);
}

void canvas_frame(Canvas *canvas, double x, double y, double width, double height, double thick, Color color)
{
    record_frame(canvas, x, y, width, height, thick, color);
    paint_tint(canvas, x, y, width, thick, color, 1);
    paint_tint(canvas, x, y + height - thick, width, thick, color, 1);
    paint_tint(canvas, x, y + thick, thick, height - 2 * thick, color, 1);
    paint_tint(canvas, x + width - thick, y + thick, thick, height - 2 * thick, color, 1);
}

// The lines run along x + y = const, measured from the canvas's corner, so adjacent hatched areas join.
void canvas_hatch(Canvas *canvas, double x, double y, double width, double height)
{
    int x0 = (int)floor(raster_canvas_pixels(canvas, x) + 0.5),
        x1 = (int)floor(raster_canvas_pixels(canvas, x + width) + 0.5);
    int y0 = (int)floor(raster_canvas_pixels(canvas, y) + 0.5),
        y1 = (int)floor(raster_canvas_pixels(canvas, y + height) + 0.5);
    double scale = canvas->scale;
    record_hatch(canvas, x0 / scale, y0 / scale, (x1 - x0) / scale, (y1 - y0) / scale);
    CanvasBox box = raster_box_clip((CanvasBox){ x0, y0, x1 - x0, y1 - y0 }, canvas);
    for (int row = box.y; row < box.y + box.height; row++)
        memcpy(canvas_words(canvas, box.x, row), canvas->hatch + box.x + row, (size_t)box.width * 4);
}

// The edges of `count` cells, rounded to pixels (count + 1).
static int *cell_edges(Canvas *canvas, double start, double cell, int count)
{
    int *edges = arena_alloc(canvas->arena, ((size_t)count + 1) * sizeof *edges);
    for (int k = 0; k <= count; k++) edges[k] = nearest_edge(canvas, start + k * cell);
    return edges;
}

// One row of cells.
static void paint_cells(Canvas *canvas, const int *columns, int top, int bottom, int cols, const Color *colors)
{
    CanvasBox row = raster_box_clip((CanvasBox){ columns[0], top, columns[cols] - columns[0], bottom - top }, canvas);
    if (row.width == 0 || row.height == 0) return;
    uint32_t *words = canvas_words(canvas, 0, row.y);
    int end = row.x + row.width;
    for (int j = 0; j < cols; j++) {
        uint32_t word = color_word(colors[j]);
        int from = columns[j] > row.x ? columns[j] : row.x, to = columns[j + 1] < end ? columns[j + 1] : end;
        if (from >= to) continue;
        words[from] = word; // in large maps a cell is one pixel wide, so the loop below is rarely entered
        for (int k = from + 1; k < to; k++) words[k] = word;
    }
    for (int k = 1; k < row.height; k++)
        memcpy(canvas_words(canvas, row.x, row.y + k), words + row.x, (size_t)row.width * sizeof *words);
}

// The cells between `edges` that intersect from … to: first … last − 1.
static void visible_cells(const int *edges, int count, int from, int to, int *first, int *last)
{
    *first = 0;
    *last = count;
    while (*first < *last && edges[*first + 1] <= from) ++*first;
    while (*last > *first && edges[*last - 1] >= to) --*last;
}

void canvas_cells(Canvas *canvas, double x, double y, double cell_width, double cell_height, int rows, int cols,
                  const Color *colors)
{
    ArenaMark mark = arena_mark(canvas->arena);
    CanvasBox clip = canvas->clip;
    const int *columns = cell_edges(canvas, x, cell_width, cols), *lines = cell_edges(canvas, y, cell_height, rows);
    int left, right, top, bottom;
    visible_cells(columns, cols, clip.x, clip.x + clip.width, &left, &right);
    visible_cells(lines, rows, clip.y, clip.y + clip.height, &top, &bottom);
    const Color *seen = colors + (size_t)top * (size_t)cols + left;
    record_cells(canvas, columns + left, lines + top, bottom - top, right - left, seen, cols);
    if (left < right)
        for (int i = top; i < bottom; i++, seen += cols)
            paint_cells(canvas, columns + left, lines[i], lines[i + 1], right - left, seen);
    arena_release(canvas->arena, mark);
}

// The smallest box of whole pixels around the points, enlarged by `margin` pixels.
static CanvasBox box_around(const double *xy, int points, double margin)
{
    double x0 = xy[0], x1 = xy[0], y0 = xy[1], y1 = xy[1];
    for (int p = 1; p < points; p++) {
        x0 = fmin(x0, xy[2 * p]);
        x1 = fmax(x1, xy[2 * p]);
        y0 = fmin(y0, xy[2 * p + 1]);
        y1 = fmax(y1, xy[2 * p + 1]);
    }
    int left = (int)floor(x0 - margin), top = (int)floor(y0 - margin);
    return (CanvasBox){ left, top, (int)ceil(x1 + margin) - left, (int)ceil(y1 + margin) - top };
}

// The points of an outline in pixels, in the canvas's arena.
static double *to_pixels(Canvas *canvas, const double *xy, int points)
{
    double *at = arena_alloc(canvas->arena, (size_t)points * 2 * sizeof *at);
    for (int i = 0; i < 2 * points; i++) at[i] = raster_canvas_pixels(canvas, xy[i]);
    return at;
}

static void paint_polygon(Canvas *canvas, const double *xy, int points, Color color)
{
    ArenaMark mark = arena_mark(canvas->arena);
    const double *at = to_pixels(canvas, xy, points);
    CanvasBox box = raster_box_meet(box_around(at, points, 0), raster_canvas_box(canvas)),
              rows = raster_box_clip(box, canvas);
    box.height = rows.height < RASTER_BAND ? rows.height : RASTER_BAND;
    RasterCover cover = raster_cover_open(canvas->arena, box);
    for (int top = rows.y; top < rows.y + rows.height; top += RASTER_BAND) {
        cover.box.y = top;
        cover.box.height = rows.y + rows.height - top < RASTER_BAND ? rows.y + rows.height - top : RASTER_BAND;
        for (int p = 0; p < points; p++) {
            const double *a = at + 2 * p, *b = at + 2 * ((p + 1) % points);
            raster_cover_edge(&cover, a[0], a[1], b[0], b[1]);
        }
        raster_cover_paint(canvas, &cover, color);
    }
    arena_release(canvas->arena, mark);
}

void canvas_polygon(Canvas *canvas, const double *xy, int points, Color color)
{
    if (points < 3) return;
    record_polygon(canvas, xy, points, color);
    paint_polygon(canvas, xy, points, color);
}

void canvas_line(Canvas *canvas, double x0, double y0, double x1, double y1, double thick, Color color)
{
    double dx = x1 - x0, dy = y1 - y0, length = sqrt(dx * dx + dy * dy);
    if (!(length > 0)) return;
    record_line(canvas, (double[]){ x0, y0, x1, y1 }, thick, color);
    double nx = -dy / length * thick / 2, ny = dx / length * thick / 2;
    const double corners[] = { x0 + nx, y0 + ny, x1 + nx, y1 + ny, x1 - nx, y1 - ny, x0 - nx, y0 - ny };
    paint_polygon(canvas, corners, 4, color);
}

// The coverage of a pixel whose centre is `distance` pixels from the stroke's centre line.
static double stroke_coverage(double distance, double half)
{
    double low = distance - 0.5 > -half ? distance - 0.5 : -half, high = distance + 0.5 < half ? distance + 0.5 : half;
    return high > low ? high - low : 0;
}

// Coverage of a stroke for a band of rows. Outside of columns from … to − 1 a row is 0.
typedef struct {
    CanvasBox box;
    float *coverage;
    int from[RASTER_BAND], to[RASTER_BAND];
} Stroke;

// Limits from … to of a row to the columns whose centres may be within `reach` of the segment: a strip along its line,
// one pixel wider than necessary. `py` is the row's centre; all in pixels from the segment's start.
static void clip_to_strip(double dx, double dy, double reach, double py, double start, int *from, int *to)
{
    if (dy == 0) return;
    double middle = start + py * dx / dy, half_width = reach * sqrt(dx * dx + dy * dy) / fabs(dy) + 1;
    if (middle - half_width > *from) *from = middle - half_width < *to ? (int)(middle - half_width) : *to;
    if (middle + half_width < *to) *to = middle + half_width > *from ? (int)(middle + half_width) + 1 : *from;
}

// Raises the coverage of every pixel near the segment from a to b. Where segments meet, the maximum is taken: joins are
// round, and no pixel is blended twice.
static void stroke_segment(Stroke *stroke, const double *a, const double *b, double half)
{
    double dx = b[0] - a[0], dy = b[1] - a[1], length2 = dx * dx + dy * dy, reach = half + 0.5;
    double xy[4] = { a[0] - stroke->box.x, a[1] - stroke->box.y, b[0] - stroke->box.x, b[1] - stroke->box.y };
    CanvasBox near =
        raster_box_meet(box_around(xy, 2, half + 1), (CanvasBox){ 0, 0, stroke->box.width, stroke->box.height });
    for (int row = near.y; row < near.y + near.height; row++) {
        double py = row + 0.5 - xy[1];
        int from = near.x, to = near.x + near.width;
        clip_to_strip(dx, dy, reach, py, xy[0], &from, &to);
        float *coverage = stroke->coverage + (size_t)row * (size_t)stroke->box.width;
        for (int k = from; k < to; k++) {
            double px = k + 0.5 - xy[0], t = length2 > 0 ? (px * dx + py * dy) / length2 : 0;
            t = t < 0 ? 0 : t > 1 ? 1 : t;
            double ex = px - t * dx, ey = py - t * dy, distance2 = ex * ex + ey * ey;
            if (distance2 >= reach * reach) continue;
            float covered = (float)stroke_coverage(sqrt(distance2), half);
            if (covered > coverage[k]) coverage[k] = covered;
        }
        if (from < stroke->from[row]) stroke->from[row] = from;
        if (to > stroke->to[row]) stroke->to[row] = to;
    }
}

// Paints the band and clears it for the next one.
static void stroke_paint(Canvas *canvas, Stroke *stroke, Color color)
{
    uint32_t word = color_word(color);
    for (int row = 0; row < stroke->box.height; row++) {
        float *coverage = stroke->coverage + (size_t)row * (size_t)stroke->box.width;
        uint32_t *words = canvas_words(canvas, stroke->box.x, stroke->box.y + row);
        for (int k = stroke->from[row]; k < stroke->to[row]; k++) {
            unsigned alpha = alpha_of((double)coverage[k]);
            if (alpha) words[k] = word_mix(words[k], word, alpha);
            coverage[k] = 0;
        }
        stroke->from[row] = stroke->box.width;
        stroke->to[row] = 0;
    }
}

static void paint_polyline(Canvas *canvas, const double *xy, int points, double thick, Color color)
{
    ArenaMark mark = arena_mark(canvas->arena);
    const double *at = to_pixels(canvas, xy, points);
    double half = thick * canvas->scale / 2;
    CanvasBox box = raster_box_clip(box_around(at, points, half + 1), canvas);
    Stroke stroke = { .box = box };
    stroke.coverage = arena_alloc(canvas->arena, (size_t)box.width * RASTER_BAND * sizeof *stroke.coverage);
    for (int row = 0; row < RASTER_BAND; row++) stroke.from[row] = box.width;
    for (int top = box.y; top < box.y + box.height; top += RASTER_BAND) {
        stroke.box.y = top;
        stroke.box.height = box.y + box.height - top < RASTER_BAND ? box.y + box.height - top : RASTER_BAND;
        if (points == 1) stroke_segment(&stroke, at, at, half);
        for (int p = 0; p + 1 < points; p++) stroke_segment(&stroke, at + 2 * p, at + 2 * p + 2, half);
        stroke_paint(canvas, &stroke, color);
    }
    arena_release(canvas->arena, mark);
}

void canvas_polyline(Canvas *canvas, const double *xy, int points, double thick, Color color)
{
    if (points < 1) return;
    record_polyline(canvas, xy, points, thick, color);
    paint_polyline(canvas, xy, points, thick, color);
}

// One coordinate of the curve at t, by de Casteljau: repeated linear interpolation.
static double casteljau(double a, double b, double c, double d, double t)
{
    double ab = a + (b - a) * t, bc = b + (c - b) * t, cd = c + (d - c) * t;
    double abc = ab + (bc - ab) * t, bcd = bc + (cd - bc) * t;
    return abc + (bcd - abc) * t;
}

void canvas_curve_point(const double xy[8], double t, double *x, double *y)
{
    *x = casteljau(xy[0], xy[2], xy[4], xy[6], t);
    *y = casteljau(xy[1], xy[3], xy[5], xy[7], t);
}

void canvas_curve(Canvas *canvas, const double xy[8], double thick, Color color)
{
    enum { PIECES = 48 };
    double points[2 * (PIECES + 1)];
    for (int i = 0; i <= PIECES; i++) canvas_curve_point(xy, i / (double)PIECES, &points[2 * i], &points[2 * i + 1]);
    record_curve(canvas, xy, thick, color);
    paint_polyline(canvas, points, PIECES + 1, thick, color);
}

void canvas_disc(Canvas *canvas, double x, double y, double radius, Color color)
{
    record_disc(canvas, x, y, radius, color);
    paint_polyline(canvas, (double[]){ x, y }, 1, 2 * radius, color);
}
