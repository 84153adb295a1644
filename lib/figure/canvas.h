// A canvas: RGBA pixels and the few strokes that every picture of the book is made of. No display, no library but the
// glyphs.
//
// Coordinates are in points from the top left; `scale` turns points into pixels (2 for a sharp screen or print), so a
// picture is laid out once. Text is laid out by fixed widths (canvas_text_width), never by the font at hand: a machine with
// another font, or with none, draws the same picture with other letters. Only where a program shapes text (shaping.h)
// do letters that the table does not know take the room that their font gives them. Fonts and letters are kept for the
// whole program: one thread at a time may draw.
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
    uint8_t *rgba;     // width · height · 4 bytes, row after row
    int width, height; // in pixels
    double scale;      // pixels a point
    CanvasBox clip;    // what may be painted
    uint32_t *hatch;   // the hatching's pixel on each diagonal x + y
    CanvasBox *text;   // where text was drawn: a comparison under another font leaves these out
    int text_count, text_room;
    Record *record; // what was drawn, for svg.h; NULL: pixels only
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

Canvas *canvas_new(Arena *arena, double width, double height, double scale); // filled with PAPER
double canvas_crisp(const Canvas *canvas, double at);                        // the nearest edge of a pixel

// What a picture is drawn on.
typedef struct {
    double scale;  // pixels a point
    Arena *record; // what is drawn is also kept there, as canvas_record does it; NULL: pixels only
} RenderTarget;

// From now on what is drawn is also kept, in another arena than the canvas's own, for svg_encode. Nothing may be given
// back to that arena while the canvas is in use. NULL: only pixels.
void canvas_record(Canvas *canvas, Arena *arena);

// Until canvas_unclip nothing is painted outside that rectangle, whose edges move to the nearest pixels, nor outside
// one that holds already. Inside, every pixel is what it would be without. The answer is for the matching
// canvas_unclip.
CanvasBox canvas_clip(Canvas *canvas, double x, double y, double width, double height);
void canvas_unclip(Canvas *canvas, CanvasBox before);

void canvas_rect(Canvas *canvas, double x, double y, double width, double height, Color color);
void canvas_tint(Canvas *canvas, double x, double y, double width, double height, Color color, double opacity);
void canvas_frame(Canvas *canvas, double x, double y, double width, double height, double thick, Color color);
void canvas_hatch(Canvas *canvas, double x, double y, double width, double height); // "masked": grey diagonal lines
// A grid of cells, their edges on the nearest pixels: neighbours touch. `colors` (rows, cols) from the top left. A cell
// that is too small for a pixel of its own is not seen.
void canvas_cells(Canvas *canvas, double x, double y, double cell_width, double cell_height, int rows, int cols,
                  const Color *colors);
void canvas_line(Canvas *canvas, double x0, double y0, double x1, double y1, double thick, Color color);
void canvas_polyline(Canvas *canvas, const double *xy, int points, double thick, Color color); // round joins and ends
void canvas_curve(Canvas *canvas, const double xy[8], double thick, Color color);              // cubic Bézier
void canvas_curve_point(const double xy[8], double t, double *x, double *y); // of that curve, t from 0 to 1
void canvas_disc(Canvas *canvas, double x, double y, double radius, Color color);
void canvas_polygon(Canvas *canvas, const double *xy, int points, Color color); // may not cross itself

// Text (UTF-8), its baseline's start, middle or end at (x, y). Draws nothing when the build or the machine has no font.
void canvas_text(Canvas *canvas, double x, double y, CanvasText style, const char *text);
double canvas_text_width(CanvasText style, const char *text); // points; the same on every machine
const char *canvas_text_fit(Arena *arena, CanvasText style, const char *text,
                            double width); // shortened with "…" to fit

// A caret in a text. A letter is what a reader takes for one: e with the accent over it, a flag. Bytes are counted in
// the order of reading, points from the left.
int canvas_text_letter(const char *text);                // bytes of its first letter; 0: there is none
int canvas_text_letter_before(const char *text, int at); // where the letter before byte `at` begins
double canvas_text_caret(CanvasText style, const char *text,
                         int at); // points from the left end, of a caret before byte `at`
int canvas_text_caret_moved(CanvasText style, const char *text, int at,
                            int step); // one place to the right, 1, or left, −1

// A word to be put among others, whose direction it shall not change: itself, or between marks that are not seen.
const char *canvas_text_apart(Arena *arena, const char *word);

// Where letters were drawn, one box a line, "x y width height" in pixels: a comparison under another font leaves them
// out.
const char *canvas_text_boxes(Arena *arena, const Canvas *canvas);

// What was written on a recorded canvas, in its order: what stands on one baseline is a line of its own. For who does
// not see the picture.
const char *canvas_text_words(Arena *arena, const Canvas *canvas);

// The font at hand: "DejaVu Sans 2.37" and the like, or NULL when there is none.
const char *canvas_font_name(void);

// The font of a face, in place of what the machine has: for a program that cannot look for fonts. The bytes of the file
// must stay until the program ends, or glyphs_forget (glyphs.h). false: they are no font, or a damaged one.
bool canvas_font_from(CanvasFace face, const void *bytes, size_t size);

#endif
