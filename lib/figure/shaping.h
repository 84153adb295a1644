// Words of every script: in which order letters are seen, which forms they take beside each other, where marks stand
// over them, and which of the system's fonts has them. HarfBuzz, FriBidi and fontconfig know all that; this asks them,
// and only for text with a letter that the book's own table of widths (letter_widths.c) does not know: what the book writes
// looks the same with and without it. A program that shows what others have written calls shaping_use() once.
//
// Of a text that is shaped, widths are the font's. A letter that no font has is a box with its number in it.
#ifndef FIGURE_SHAPING_H
#define FIGURE_SHAPING_H

#include "figure/glyphs.h"

// From now on text is shaped. false: this build has no library for it, and all stays as it is.
bool shaping_use(void);

// ---- for draw_text.c, svg.c and tests

// Fonts by number: a Face, whose letters are code points; from SHAPING_FONT_BOOK on the same three, and from SHAPING_FONT_SYSTEM on
// those of the system, whose letters are the font's own numbers; and boxes with the code point in them.
enum {
    SHAPING_FONT_BOOK = CANVAS_MONO + 1,
    SHAPING_FONT_OTHERS = 2 * SHAPING_FONT_BOOK,
    SHAPING_FONT_BOXES = SHAPING_FONT_OTHERS,
    SHAPING_FONT_SYSTEM
};

// A letter in its place. In ems; y upwards.
typedef struct {
    int font;
    uint32_t code;
    double x, y;
} ShapedGlyph;

// A place where a caret may stand: before that byte, at that x.
typedef struct {
    int at;
    double x;
} ShapedStop;

// A text as it is seen, from left to right. In ems.
typedef struct {
    double width, low, high; // low, high: what its letters reach below and above the baseline
    bool leftwards;          // it is read from right to left as a whole
    int count, stops;
    ShapedGlyph *glyphs; // (count)
    ShapedStop *stop;    // (stops) in the order of reading; the last one is the end of the text
} ShapedText;

typedef struct {
    const ShapedText *(*lay)(CanvasFace face, const char *text); // stands until the next call
    const Glyph *(*glyph)(int font, uint32_t code);              // of a font that is no Face; stands until `forget`
    int (*letter)(const char *text);                             // bytes of the first letter as a reader counts them
    void (*forget)(void);
} Shaping;

void shaping_shape_by(const Shaping *shaping); // NULL: widths from the table, letters in reading order
const Shaping *shaping_current(void);          // NULL: none was chosen
void shaping_forget_texts(void);               // empties the caches of letters
const ShapedText *shaping_text(CanvasFace face, const char *text); // NULL: the table knows all of it, or nothing shapes
const Glyph *shaping_outline(ShapedGlyph at);                      // of either kind of font; NULL: there is none

#endif
