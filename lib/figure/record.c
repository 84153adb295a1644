// The elements of an SVG file, one for each call. Numbers are written without the locale, so that the same drawing
// gives the same bytes.
#include "figure/record.h"

#include "base/error.h"
#include "figure/glyphs.h"
#include "figure/png.h"
#include "figure/raster.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RECTS = 4096 };                          // more cells than these become a picture

void canvas_record(Canvas *canvas, Arena *arena)
{
    if (!arena) return;
    REQUIRE(arena != canvas->arena, "a record needs an arena of its own: the canvas gives memory of its arena back");
    canvas->record = arena_alloc(arena, sizeof *canvas->record);
    canvas->record->arena = arena;
}

// ---- writing --------------------------------------------------------------------------------------------------------

static void put_bytes(Record *record, const char *bytes, size_t count)
{
    while (count > 0) {
        if (!record->last || record->last->used == sizeof record->last->at) {
            Piece *piece = arena_alloc(record->arena, sizeof *piece);
            *(record->last ? &record->last->next : &record->first) = piece;
            record->last = piece;
        }
        Piece *piece = record->last;
        size_t room = sizeof piece->at - piece->used, part = count < room ? count : room;
        memcpy(piece->at + piece->used, bytes, part);
        piece->used += part;
        record->size += part;
        bytes += part;
        count -= part;
    }
}

void put(Record *record, const char *text) { put_bytes(record, text, strlen(text)); }

void put_number(Record *record, double value)
{
    char text[32];
    value = !(value > -1e6) ? -1e6 : value > 1e6 ? 1e6 : value;
    long n = (long)floor(value * 1000 + 0.5), size = n < 0 ? -n : n;
    int length = snprintf(text, sizeof text, "%s%ld.%03ld", n < 0 ? "-" : "", size / 1000, size % 1000);
    while (text[length - 1] == '0') length--;
    if (text[length - 1] == '.') length--;
    put_bytes(record, text, (size_t)length);
}

void put_attribute(Record *record, const char *name, double value)
{
    put(record, " ");
    put(record, name);
    put(record, "=\"");
    put_number(record, value);
    put(record, "\"");
}

void put_color(Record *record, const char *name, Color color)
{
    char text[64];
    snprintf(text, sizeof text, " %s=\"#%02x%02x%02x\"", name, color.r, color.g, color.b);
    put(record, text);
}

static void put_points(Record *record, const double *xy, int points)
{
    put(record, " points=\"");
    for (int i = 0; i < 2 * points; i++) {
        if (i > 0) put(record, i % 2 ? "," : " ");
        put_number(record, xy[i]);
    }
    put(record, "\"");
}

// Text for XML. What may not stand there is U+FFFD already.
static void put_escaped(Record *record, const char *text)
{
    while (*text) {
        const char *from = text;
        uint32_t code = code_next(&text);
        if (code == '&') put(record, "&amp;");
        else if (code == '<') put(record, "&lt;");
        else if (code == '>') put(record, "&gt;");
        else if (code == 0xfffd) put(record, "\xef\xbf\xbd");
        else put_bytes(record, from, (size_t)(text - from));
    }
}

// ---- elements -------------------------------------------------------------------------------------------------------

static void put_box(Record *record, double x, double y, double width, double height)
{
    put(record, "<rect");
    put_attribute(record, "x", x);
    put_attribute(record, "y", y);
    put_attribute(record, "width", width);
    put_attribute(record, "height", height);
}

static void put_stroke(Record *record, double thick, Color color)
{
    put_color(record, "stroke", color);
    put_attribute(record, "stroke-width", thick);
}

void record_rect(Canvas *canvas, double x, double y, double width, double height, Color color, double opacity)
{
    Record *record = canvas->record;
    if (!record || !(width > 0 && height > 0)) return;
    put_box(record, x, y, width, height);
    put_color(record, "fill", color);
    if (opacity < 1) put_attribute(record, "fill-opacity", opacity);
    put(record, "/>\n");
}

void record_frame(Canvas *canvas, double x, double y, double width, double height, double thick, Color color)
{
    Record *record = canvas->record;
    if (!record || !(width > thick && height > thick)) return;
    put_box(record, x + thick / 2, y + thick / 2, width - thick, height - thick);
    put(record, " fill=\"none\"");
    put_stroke(record, thick, color);
    put(record, "/>\n");
}

void record_hatch(Canvas *canvas, double x, double y, double width, double height)
{
    Record *record = canvas->record;
    if (!record || !(width > 0 && height > 0)) return;
    record->hatched = true;
    put_box(record, x, y, width, height);
    put(record, " fill=\"url(#masked)\"/>\n");
}

void record_line(Canvas *canvas, const double xy[4], double thick, Color color)
{
    Record *record = canvas->record;
    if (!record) return;
    put(record, "<line");
    put_attribute(record, "x1", xy[0]);
    put_attribute(record, "y1", xy[1]);
    put_attribute(record, "x2", xy[2]);
    put_attribute(record, "y2", xy[3]);
    put_stroke(record, thick, color);
    put(record, "/>\n");
}

void record_polyline(Canvas *canvas, const double *xy, int points, double thick, Color color)
{
    Record *record = canvas->record;
    if (!record) return;
    put(record, "<polyline");
    put_points(record, xy, points);
    put(record, " fill=\"none\" stroke-linecap=\"round\" stroke-linejoin=\"round\"");
    put_stroke(record, thick, color);
    put(record, "/>\n");
}

void record_curve(Canvas *canvas, const double xy[8], double thick, Color color)
{
    Record *record = canvas->record;
    if (!record) return;
    put(record, "<path d=\"M");
    for (int i = 0; i < 8; i++) {
        if (i > 0) put(record, i == 2 ? " C" : i % 2 ? "," : " ");
        put_number(record, xy[i]);
    }
    put(record, "\" fill=\"none\" stroke-linecap=\"round\"");
    put_stroke(record, thick, color);
    put(record, "/>\n");
}

void record_disc(Canvas *canvas, double x, double y, double radius, Color color)
{
    Record *record = canvas->record;
    if (!record || !(radius > 0)) return;
    put(record, "<circle");
    put_attribute(record, "cx", x);
    put_attribute(record, "cy", y);
    put_attribute(record, "r", radius);
    put_color(record, "fill", color);
    put(record, "/>\n");
}

void record_polygon(Canvas *canvas, const double *xy, int points, Color color)
{
    Record *record = canvas->record;
    if (!record) return;
    put(record, "<polygon");
    put_points(record, xy, points);
    put_color(record, "fill", color);
    put(record, "/>\n");
}

// textLength holds the width where another font stands in; the anchor keeps the place where that is not understood.
void record_text(Canvas *canvas, double x, double y, Text style, double width, const char *text)
{
    Record *record = canvas->record;
    if (!record) return;
    put(record, "<text");
    put_attribute(record, "x", x);
    put_attribute(record, "y", y);
    if (style.face == MONO) put(record, " font-family=\"DejaVu Sans Mono, monospace\"");
    if (style.face == SANS_BOLD) put(record, " font-weight=\"bold\"");
    put_attribute(record, "font-size", style.size > 0 ? style.size : 13);
    if (style.anchor == AT_MIDDLE) put(record, " text-anchor=\"middle\"");
    if (style.anchor == AT_END) put(record, " text-anchor=\"end\"");
    put_color(record, "fill", style.color);
    if (style.angle != 0) {
        put(record, " transform=\"rotate(");
        put_number(record, -style.angle);
        put(record, " ");
        put_number(record, x);
        put(record, " ");
        put_number(record, y);
        put(record, ")\"");
    }
    put_attribute(record, "textLength", width);
    put(record, " lengthAdjust=\"spacingAndGlyphs\">");
    put_escaped(record, text);
    put(record, "</text>\n");
}

void record_clip(Canvas *canvas, double x, double y, double width, double height)
{
    Record *record = canvas->record;
    if (!record) return;
    char name[32];
    snprintf(name, sizeof name, "clip%d", ++record->clips);
    put(record, "<clipPath id=\"");
    put(record, name);
    put(record, "\">");
    put_box(record, x, y, fmax(width, 0), fmax(height, 0));
    put(record, "/></clipPath>\n<g clip-path=\"url(#");
    put(record, name);
    put(record, ")\">\n");
    record->open++;
}

void record_unclip(Canvas *canvas)
{
    Record *record = canvas->record;
    if (!record) return;
    REQUIRE(record->open > 0, "canvas_unclip without a canvas_clip");
    put(record, "</g>\n");
    record->open--;
}

// ---- cells ----------------------------------------------------------------------------------------------------------

static void put_base64(Record *record, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        uint32_t three = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                         (left > 2 ? bytes[i + 2] : 0u);
        char four[4] = { digits[three >> 18], digits[three >> 12 & 63], digits[three >> 6 & 63], digits[three & 63] };
        if (left < 3) four[3] = '=';
        if (left < 2) four[2] = '=';
        put_bytes(record, four, 4);
    }
}

// One pixel a cell, stretched over the grid. false: this build writes no PNG, or the grid is too large for one.
static bool put_picture(Canvas *canvas, const int *columns, const int *lines, int rows, int cols, const Color *colors,
                        int stride)
{
    Record *record = canvas->record;
    if (!png_available() || rows >= 16384 || cols >= 16384) return false;
    ArenaMark mark = arena_mark(canvas->arena);
    Canvas *cells = canvas_new(canvas->arena, cols, rows, 1);
    unsigned char *bytes;
    int size;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            *canvas_words(cells, j, i) = color_word(colors[(size_t)i * (size_t)stride + (size_t)j]);
    bool encoded = png_encode(&bytes, &size, cells, NULL);
    arena_release(canvas->arena, mark);
    if (!encoded) return false;

    put(record, "<image");
    put_attribute(record, "x", columns[0] / canvas->scale);
    put_attribute(record, "y", lines[0] / canvas->scale);
    put_attribute(record, "width", (columns[cols] - columns[0]) / canvas->scale);
    put_attribute(record, "height", (lines[rows] - lines[0]) / canvas->scale);
    put(record, " preserveAspectRatio=\"none\" image-rendering=\"optimizeSpeed\" style=\"image-rendering:pixelated\"");
    put(record, " xlink:href=\"data:image/png;base64,");
    put_base64(record, bytes, (size_t)size);
    put(record, "\"/>\n");
    free(bytes);
    return true;
}

static bool same_color(Color a, Color b) { return a.r == b.r && a.g == b.g && a.b == b.b; }

// A rectangle for each run of cells of one colour.
static void put_runs(Canvas *canvas, const int *columns, int top, int bottom, int cols, const Color *colors)
{
    for (int j = 0, next; j < cols; j = next) {
        for (next = j + 1; next < cols && same_color(colors[j], colors[next]);) next++;
        double x = columns[j] / canvas->scale, width = (columns[next] - columns[j]) / canvas->scale;
        record_rect(canvas, x, top / canvas->scale, width, (bottom - top) / canvas->scale, colors[j], 1);
    }
}

void record_cells(Canvas *canvas, const int *columns, const int *lines, int rows, int cols, const Color *colors,
                  int stride)
{
    Record *record = canvas->record;
    if (!record || rows < 1 || cols < 1 || columns[cols] <= columns[0] || lines[rows] <= lines[0]) return;
    bool many = (int64_t)rows * cols > MOST_RECTS;
    if (many && put_picture(canvas, columns, lines, rows, cols, colors, stride)) return;
    put(record, "<g shape-rendering=\"crispEdges\">\n");
    for (int i = 0; i < rows; i++)
        put_runs(canvas, columns, lines[i], lines[i + 1], cols, colors + (size_t)i * (size_t)stride);
    put(record, "</g>\n");
}
