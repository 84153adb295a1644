// Writes a display list as XML: the header (size in points, paper, hatch pattern), then an element for each operation.
// Numbers do not depend on the locale, so that equal drawings give equal bytes.
#include "figure/svg.h"

#include "base/base64.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/portable_math.h"
#include "figure/glyphs.h"
#include "figure/png.h"
#include "figure/raster.h"
#include "figure/record.h"
#include "figure/shaping.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Grids of more than MOST_RECTS cells are embedded as a picture, as are more than FEW_RECTS cells below SMALL points:
// nobody edits single cells of these, and sixty bytes per cell make megabytes from a few dozen small maps.
enum { MOST_RECTS = 4096, FEW_RECTS = 64, SMALL = 6 };

// The output buffer.
typedef struct {
    char *at;
    size_t size, room;
    const Canvas *canvas;
    int clips;
} Writer;

// ---- writing --------------------------------------------------------------------------------------------------------

static void put_bytes(Writer *to, const char *bytes, size_t count)
{
    if (to->size + count >= to->room) {
        to->room = 2 * (to->size + count) + (1 << 14);
        to->at = memory_resized(to->at, to->room);
    }
    memcpy(to->at + to->size, bytes, count);
    to->size += count;
}

static void put(Writer *to, const char *text) { put_bytes(to, text, strlen(text)); }

// At most three decimals; clamped to ±1e6, NaN too.
static void put_number(Writer *to, double value)
{
    char text[32];
    value = !(value > -1e6) ? -1e6 : value > 1e6 ? 1e6 : value;
    long n = (long)floor(value * 1000 + 0.5), size = n < 0 ? -n : n;
    int length = snprintf(text, sizeof text, "%s%ld.%03ld", n < 0 ? "-" : "", size / 1000, size % 1000);
    while (text[length - 1] == '0') length--;
    if (text[length - 1] == '.') length--;
    put_bytes(to, text, (size_t)length);
}

static void put_attribute(Writer *to, const char *name, double value)
{
    put(to, " ");
    put(to, name);
    put(to, "=\"");
    put_number(to, value);
    put(to, "\"");
}

static void put_color(Writer *to, const char *name, Color color)
{
    char text[64];
    snprintf(text, sizeof text, " %s=\"#%02x%02x%02x\"", name, color.r, color.g, color.b);
    put(to, text);
}

static void put_stroke(Writer *to, const RecordOperation *o)
{
    put_color(to, "stroke", o->color);
    put_attribute(to, "stroke-width", o->thick);
}

static void put_points(Writer *to, const RecordOperation *o)
{
    put(to, " points=\"");
    for (int i = 0; i < 2 * o->path.points; i++) {
        if (i > 0) put(to, i % 2 ? "," : " ");
        put_number(to, o->path.xy[i]);
    }
    put(to, "\"");
}

// Escapes text for XML. Forbidden characters are U+FFFD already.
static void put_escaped(Writer *to, const char *text)
{
    while (*text) {
        const char *from = text;
        uint32_t code = glyph_code_next(&text);
        if (code == '&') put(to, "&amp;");
        else if (code == '<') put(to, "&lt;");
        else if (code == '>') put(to, "&gt;");
        else if (code == 0xfffd) put(to, "\xef\xbf\xbd");
        else put_bytes(to, from, (size_t)(text - from));
    }
}

// ---- elements -------------------------------------------------------------------------------------------------------

static void put_box(Writer *to, RecordRect box)
{
    put(to, "<rect");
    put_attribute(to, "x", box.x);
    put_attribute(to, "y", box.y);
    put_attribute(to, "width", box.width);
    put_attribute(to, "height", box.height);
}

static void put_rect(Writer *to, RecordRect box, Color color, double opacity)
{
    put_box(to, box);
    put_color(to, "fill", color);
    if (opacity < 1) put_attribute(to, "fill-opacity", opacity);
    put(to, "/>\n");
}

static void put_frame(Writer *to, const RecordOperation *o)
{
    double half = o->thick / 2;
    put_box(to, (RecordRect){ o->box.x + half, o->box.y + half, o->box.width - o->thick, o->box.height - o->thick });
    put(to, " fill=\"none\"");
    put_stroke(to, o);
    put(to, "/>\n");
}

static void put_hatch(Writer *to, const RecordOperation *o)
{
    put_box(to, o->box);
    put(to, " fill=\"url(#masked)\"/>\n");
}

static void put_line(Writer *to, const RecordOperation *o)
{
    put(to, "<line");
    put_attribute(to, "x1", o->path.xy[0]);
    put_attribute(to, "y1", o->path.xy[1]);
    put_attribute(to, "x2", o->path.xy[2]);
    put_attribute(to, "y2", o->path.xy[3]);
    put_stroke(to, o);
    put(to, "/>\n");
}

static void put_polyline(Writer *to, const RecordOperation *o)
{
    put(to, "<polyline");
    put_points(to, o);
    put(to, " fill=\"none\" stroke-linecap=\"round\" stroke-linejoin=\"round\"");
    put_stroke(to, o);
    put(to, "/>\n");
}

static void put_curve(Writer *to, const RecordOperation *o)
{
    put(to, "<path d=\"M");
    for (int i = 0; i < 8; i++) {
        if (i > 0) put(to, i == 2 ? " C" : i % 2 ? "," : " ");
        put_number(to, o->path.xy[i]);
    }
    put(to, "\" fill=\"none\" stroke-linecap=\"round\"");
    put_stroke(to, o);
    put(to, "/>\n");
}

static void put_polygon(Writer *to, const RecordOperation *o)
{
    put(to, "<polygon");
    put_points(to, o);
    put_color(to, "fill", o->color);
    put(to, "/>\n");
}

static void put_disc(Writer *to, const RecordOperation *o)
{
    put(to, "<circle");
    put_attribute(to, "cx", o->disc.x);
    put_attribute(to, "cy", o->disc.y);
    put_attribute(to, "r", o->disc.radius);
    put_color(to, "fill", o->color);
    put(to, "/>\n");
}

// textLength keeps the width under another font; the anchor keeps the position if a viewer ignores it. Right-to-left
// text is recognised from its letters: an explicit direction attribute would swap the meaning of the anchor.
static void put_text(Writer *to, const RecordOperation *o)
{
    CanvasText style = o->text.style;
    put(to, "<text");
    put_attribute(to, "x", o->text.x);
    put_attribute(to, "y", o->text.y);
    if (style.face == CANVAS_MONO) put(to, " font-family=\"DejaVu Sans Mono, monospace\"");
    if (style.face == CANVAS_SANS_BOLD) put(to, " font-weight=\"bold\"");
    put_attribute(to, "font-size", style.size > 0 ? style.size : 13);
    if (style.anchor == CANVAS_AT_MIDDLE) put(to, " text-anchor=\"middle\"");
    if (style.anchor == CANVAS_AT_END) put(to, " text-anchor=\"end\"");
    put_color(to, "fill", style.color);
    if (style.angle != 0) {
        put(to, " transform=\"rotate(");
        put_number(to, -style.angle);
        put(to, " ");
        put_number(to, o->text.x);
        put(to, " ");
        put_number(to, o->text.y);
        put(to, ")\"");
    }
    put_attribute(to, "textLength", o->text.width);
    put(to, " lengthAdjust=\"spacingAndGlyphs\">");
    const ShapedText *laid = shaping_text(style.face, o->text.words);
    bool leftwards = laid && laid->leftwards;
    if (leftwards) put(to, "\u2067");
    put_escaped(to, o->text.words);
    if (leftwards) put(to, "\u2069");
    put(to, "</text>\n");
}

static void put_clip(Writer *to, const RecordOperation *o)
{
    char name[32];
    snprintf(name, sizeof name, "clip%d", ++to->clips);
    put(to, "<clipPath id=\"");
    put(to, name);
    put(to, "\">");
    put_box(to, o->box);
    put(to, "/></clipPath>\n<g clip-path=\"url(#");
    put(to, name);
    put(to, ")\">\n");
}

// ---- cells ----------------------------------------------------------------------------------------------------------

// The cells as a PNG with a pixel per cell; free() it. NULL: built without PNG, or the grid is too large.
static unsigned char *picture_of(const RecordedCells *cells, int *size)
{
    if (!png_available() || cells->rows >= 16384 || cells->cols >= 16384) return NULL;
    Arena *scratch = arena_open();
    Canvas *picture = canvas_new(scratch, cells->cols, cells->rows, 1);
    unsigned char *bytes;
    for (int i = 0; i < cells->rows; i++)
        for (int j = 0; j < cells->cols; j++)
            *canvas_words(picture, j, i) = color_word(cells->colors[(size_t)i * (size_t)cells->cols + (size_t)j]);
    bool encoded = png_encode(&bytes, size, picture, NULL);
    arena_close(scratch);
    return encoded ? bytes : NULL;
}

// The picture, stretched over the grid. false: not available.
static bool put_picture(Writer *to, const RecordedCells *cells)
{
    int size;
    double scale = to->canvas->scale;
    const int *columns = cells->columns, *lines = cells->lines;
    unsigned char *bytes = picture_of(cells, &size);
    if (!bytes) return false;
    put(to, "<image");
    put_attribute(to, "x", columns[0] / scale);
    put_attribute(to, "y", lines[0] / scale);
    put_attribute(to, "width", (columns[cells->cols] - columns[0]) / scale);
    put_attribute(to, "height", (lines[cells->rows] - lines[0]) / scale);
    put(to, " preserveAspectRatio=\"none\" image-rendering=\"optimizeSpeed\" style=\"image-rendering:pixelated\"");
    put(to, " xlink:href=\"data:image/png;base64,");
    char *letters = memory_new(base64_length((size_t)size));
    base64_write(letters, bytes, (size_t)size);
    put_bytes(to, letters, base64_length((size_t)size));
    free(letters);
    put(to, "\"/>\n");
    free(bytes);
    return true;
}

static bool same_color(Color a, Color b) { return a.r == b.r && a.g == b.g && a.b == b.b; }

// Row i as one rectangle for each run of equal colours.
static void put_runs(Writer *to, const RecordedCells *cells, int i)
{
    const int *columns = cells->columns, *lines = cells->lines;
    const Color *colors = cells->colors + (size_t)i * (size_t)cells->cols;
    double scale = to->canvas->scale, y = lines[i] / scale, height = (lines[i + 1] - lines[i]) / scale;
    for (int j = 0, next; j < cells->cols; j = next) {
        for (next = j + 1; next < cells->cols && same_color(colors[j], colors[next]);) next++;
        double x = columns[j] / scale, width = (columns[next] - columns[j]) / scale;
        if (width > 0 && height > 0) put_rect(to, (RecordRect){ x, y, width, height }, colors[j], 1);
    }
}

static bool is_picture(const RecordedCells *cells, double scale)
{
    int64_t count = (int64_t)cells->rows * cells->cols;
    double width = (cells->columns[cells->cols] - cells->columns[0]) / scale / cells->cols;
    double height = (cells->lines[cells->rows] - cells->lines[0]) / scale / cells->rows;
    return count > MOST_RECTS || (count > FEW_RECTS && (width < SMALL || height < SMALL));
}

static void put_cells(Writer *to, const RecordedCells *cells)
{
    if (is_picture(cells, to->canvas->scale) && put_picture(to, cells)) return;
    put(to, "<g shape-rendering=\"crispEdges\">\n");
    for (int i = 0; i < cells->rows; i++) put_runs(to, cells, i);
    put(to, "</g>\n");
}

// ---- the file -------------------------------------------------------------------------------------------------------

static void put_operation(Writer *to, const RecordOperation *o)
{
    switch (o->kind) {
    case RECORD_RECT: put_rect(to, o->box, o->color, o->opacity); break;
    case RECORD_FRAME: put_frame(to, o); break;
    case RECORD_HATCH: put_hatch(to, o); break;
    case RECORD_LINE: put_line(to, o); break;
    case RECORD_POLYLINE: put_polyline(to, o); break;
    case RECORD_CURVE: put_curve(to, o); break;
    case RECORD_POLYGON: put_polygon(to, o); break;
    case RECORD_DISC: put_disc(to, o); break;
    case RECORD_TEXT: put_text(to, o); break;
    case RECORD_CELLS: put_cells(to, &o->cells); break;
    case RECORD_CLIP: put_clip(to, o); break;
    case RECORD_UNCLIP: put(to, "</g>\n"); break;
    }
}

// The hatch pattern of canvas.c: lines along x + y = 3, 9, 15, … from the corner, 1.2 wide along an axis.
static void put_pattern(Writer *to)
{
    put(to, "<pattern id=\"masked\" patternUnits=\"userSpaceOnUse\" width=\"6\" height=\"6\">");
    put(to, "<rect width=\"6\" height=\"6\"");
    put_color(to, "fill", color_mix(COLOR_PAPER, COLOR_RULE, 0.5));
    put(to, "/><path d=\"M-1,4 L4,-1 M2,7 L7,2\" stroke-width=\"0.849\"");
    put_color(to, "stroke", color_mix(COLOR_RULE, COLOR_QUIET, 0.4));
    put(to, "/></pattern>\n");
}

static bool is_hatched(const Record *record)
{
    for (const RecordOperation *o = record->first; o; o = o->next)
        if (o->kind == RECORD_HATCH) return true;
    return false;
}

static void put_head(Writer *to)
{
    double width = to->canvas->width / to->canvas->scale, height = to->canvas->height / to->canvas->scale;
    put(to, "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\"");
    put_attribute(to, "width", width);
    put_attribute(to, "height", height);
    put(to, " viewBox=\"0 0 ");
    put_number(to, width);
    put(to, " ");
    put_number(to, height);
    put(to, "\" font-family=\"DejaVu Sans, sans-serif\" xml:space=\"preserve\">\n");
    if (is_hatched(to->canvas->record)) put_pattern(to);
    put(to, "<rect width=\"100%\" height=\"100%\"");
    put_color(to, "fill", COLOR_PAPER);
    put(to, "/>\n");
}

char *svg_encode(size_t *size, const Canvas *canvas)
{
    REQUIRE(canvas->record, "the canvas was not recorded");
    REQUIRE(canvas->record->open == 0, "%d canvas_clip without their canvas_unclip", canvas->record->open);
    Writer to = { .canvas = canvas };
    put_head(&to);
    for (const RecordOperation *o = canvas->record->first; o; o = o->next) put_operation(&to, o);
    put(&to, "</svg>\n");
    to.at[to.size] = 0;
    *size = to.size;
    return to.at;
}
