// Text shaping for all scripts: visual order, contextual forms, mark placement and font fallback, by HarfBuzz, FriBidi
// and fontconfig. It applies only to texts with a letter that the built-in table of widths (letter_widths.c) lacks, so
// the book's own figures look the same with and without it. A program that shows other people's texts calls
// shaping_use() once.
//
// Shaped text has the font's widths. A letter that no font has is a box with its code point.
#ifndef FIGURE_SHAPING_H
#define FIGURE_SHAPING_H

#include "figure/glyphs.h"

// Shapes text from now on. false: built without the libraries, and nothing changes.
bool shaping_use(void);

// ---- for draw_text.c, svg.c and tests

// Font numbers: a CanvasFace, with code points as glyph ids; from SHAPING_FONT_BOOK on the same three fonts, and from
// SHAPING_FONT_SYSTEM on system fonts, with the font's own glyph ids; SHAPING_FONT_BOXES draws boxes with the code
// point.
enum {
    SHAPING_FONT_BOOK = CANVAS_MONO + 1,
    SHAPING_FONT_OTHERS = 2 * SHAPING_FONT_BOOK,
    SHAPING_FONT_BOXES = SHAPING_FONT_OTHERS,
    SHAPING_FONT_SYSTEM
};

// A positioned glyph, in ems; y grows upwards.
typedef struct {
    int font;
    uint32_t code;
    double x, y;
} ShapedGlyph;

// A caret position: before that byte, at that x.
typedef struct {
    int at;
    double x;
} ShapedStop;

// A shaped text from left to right, in ems.
typedef struct {
    double width, low, high; // low, high: vertical extent relative to the baseline
    bool leftwards;          // its base direction is right to left
    int count, stops;
    ShapedGlyph *glyphs; // (count)
    ShapedStop *stop;    // (stops) in logical order; the last one is the end of the text
} ShapedText;

typedef struct {
    const ShapedText *(*lay)(CanvasFace face, const char *text); // valid until the next call
    const Glyph *(*glyph)(int font, uint32_t code);              // of a system font; valid until `forget`
    int (*letter)(const char *text);                             // bytes of the first grapheme cluster
    void (*forget)(void);
} Shaping;

void shaping_shape_by(const Shaping *shaping); // NULL: widths from the table, letters in logical order
const Shaping *shaping_current(void);          // NULL: none is set
void shaping_forget_texts(void);               // empties the glyph caches
const ShapedText *shaping_text(CanvasFace face,
                               const char *text); // NULL: the table has all letters, or no shaper is set
const Glyph *shaping_outline(ShapedGlyph at);     // of any font number; NULL: none

#endif
