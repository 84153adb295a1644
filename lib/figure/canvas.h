// A canvas: RGBA pixels, and the drawing operations of every figure. Needs no display and no library except for glyphs.
//
// Coordinates are in points from the top left; `scale` converts points to pixels (2 for a sharp screen or print), so
// the layout does not depend on the resolution. Text layout uses a fixed table of widths (canvas_text_width), not the
// installed font: a machine with another font, or none, has the same layout with other glyphs. Only a program that
// shapes text (shaping.h) uses the font's widths, for letters that are not in the table. Fonts and glyphs are cached
// globally, so only one thread at a time may draw.
#ifndef FIGURE_CANVAS_H
#define FIGURE_CANVAS_H

#include "base/arena.h"
#include "figure/color.h"

#include <stdbool.h>

typedef struct {
    int x, y, width, height;
} CanvasBox; // in pixels
typedef struct {
    double x, y, width, height;
} CanvasRect; // in points
typedef struct Record Record;

typedef struct {
    uint8_t *rgba;     // width · height · 4 bytes, row by row
    int width, height; // in pixels
    double scale;      // pixels per point
    CanvasBox clip;    // pixels outside are not painted
    uint32_t *hatch;   // the hatch colour for each diagonal x + y
    CanvasBox *text;   // bounding boxes of drawn text, which a comparison under another font ignores
    int text_count, text_room;
    Record *record; // recorded operations, for svg.h; NULL: pixels only
    Arena *arena;
} Canvas;

typedef enum { CANVAS_AT_START, CANVAS_AT_MIDDLE, CANVAS_AT_END } CanvasAnchor;
typedef enum { CANVAS_SANS, CANVAS_SANS_BOLD, CANVAS_MONO } CanvasFace;

typedef struct {
    double size; // points; 0 means 13
    CanvasFace face;
    Color color;
    CanvasAnchor anchor;
    double angle; // degrees, counter-clockwise: 90 reads upwards
} CanvasText;

Canvas *canvas_new(Arena *arena, double width, double height, double scale); // filled with COLOR_PAPER
double canvas_crisp(const Canvas *canvas, double at); // rounds a coordinate to the nearest pixel edge

// The target that a figure is drawn on.
typedef struct {
    double scale;  // pixels per point
    Arena *record; // where operations are recorded, as by canvas_record; NULL: pixels only
} RenderTarget;

// Records all further operations in `arena`, for svg_encode. It must not be the canvas's own arena, and nothing may be
// released from it while the canvas is in use. NULL: pixels only.
void canvas_record(Canvas *canvas, Arena *arena);

// Restricts painting to the rectangle, rounded to pixel edges, and to the clip already set. Clipping never changes
// pixels inside. Returns the previous clip, to be passed to canvas_unclip.
CanvasBox canvas_clip(Canvas *canvas, double x, double y, double width, double height);
void canvas_unclip(Canvas *canvas, CanvasBox before);

void canvas_rect(Canvas *canvas, double x, double y, double width, double height, Color color);
void canvas_tint(Canvas *canvas, double x, double y, double width, double height, Color color, double opacity);
void canvas_frame(Canvas *canvas, double x, double y, double width, double height, double thick, Color color);
void canvas_hatch(Canvas *canvas, double x, double y, double width, double height); // "masked": grey diagonal lines
// A grid of cells without gaps, edges rounded to pixels. `colors` (rows, cols) from the top left. Cells smaller than a
// pixel may not be visible.
void canvas_cells(Canvas *canvas, double x, double y, double cell_width, double cell_height, int rows, int cols,
                  const Color *colors);
void canvas_line(Canvas *canvas, double x0, double y0, double x1, double y1, double thick, Color color);
void canvas_polyline(Canvas *canvas, const double *xy, int points, double thick, Color color); // round joins and ends
void canvas_curve(Canvas *canvas, const double xy[8], double thick, Color color);              // cubic Bézier
void canvas_curve_point(const double xy[8], double t, double *x,
                        double *y); // point at parameter t, 0 to 1, of that curve
void canvas_disc(Canvas *canvas, double x, double y, double radius, Color color);
void canvas_polygon(Canvas *canvas, const double *xy, int points, Color color); // must not cross itself

// Text (UTF-8) with the start, middle or end of its baseline at (x, y). Draws nothing if no font is available.
void canvas_text(Canvas *canvas, double x, double y, CanvasText style, const char *text);
double canvas_text_width(CanvasText style, const char *text); // points; the same on every machine
const char *canvas_text_fit(Arena *arena, CanvasText style, const char *text,
                            double width); // shortened with "…" to fit

// Carets. A letter is a grapheme cluster: e with a combining accent, a flag. Byte offsets are in logical order, points
// are from the left.
int canvas_text_letter(const char *text);                // bytes of the first letter; 0: end of text
int canvas_text_letter_before(const char *text, int at); // start of the letter before byte `at`
double canvas_text_caret(CanvasText style, const char *text,
                         int at); // position of a caret before byte `at`, in points from the left end
int canvas_text_caret_moved(CanvasText style, const char *text, int at,
                            int step); // the next caret position to the right (1) or left (−1)

// Isolates a word so that it does not change the direction of text around it, by invisible marks where needed.
const char *canvas_text_apart(Arena *arena, const char *word);

// Bounding boxes of drawn text, one per line, "x y width height" in pixels: a comparison under another font ignores
// them.
const char *canvas_text_boxes(Arena *arena, const Canvas *canvas);

// The text of a recorded canvas, in drawing order, one line per baseline; for screen readers.
const char *canvas_text_words(Arena *arena, const Canvas *canvas);

// The font in use, such as "DejaVu Sans 2.37"; NULL: none.
const char *canvas_font_name(void);

// Sets the font of a face from memory, for a program that cannot search for fonts. The bytes must stay valid until the
// program ends or glyphs_forget is called (glyphs.h). false: not a font, or damaged.
bool canvas_font_from(CanvasFace face, const void *bytes, size_t size);

#endif
