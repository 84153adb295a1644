// Glyph outlines from the installed font. Internal to this folder and its tests.
#ifndef FIGURE_GLYPHS_H
#define FIGURE_GLYPHS_H

#include "figure/canvas.h"

typedef struct {
    float x0, y0, x1, y1;
} GlyphEdge; // in ems: 1 is the font size; y grows upwards
typedef struct {
    uint32_t code;
    int count;
    double advance;
    GlyphEdge edges[];
} Glyph;

// Alignment heights of small letters, in ems: the top of x, the top of H, and how far o overshoots the baseline.
typedef struct {
    double x_height, cap_height, overshoot;
} GlyphFaceShape;

// NULL: no font. If the font lacks the letter, a box that contains the code point.
const Glyph *glyph_find(CanvasFace face, uint32_t code);
GlyphFaceShape glyph_face_shape(CanvasFace face); // all 0 without a font
void glyphs_forget(void);                     // closes the fonts and empties the cache; the next call searches again
Glyph *glyph_box(uint32_t code, double wide); // that box, `wide` ems wide; free() it
const void *glyphs_font(CanvasFace face, size_t *size); // the font file, valid while it is open; NULL: no font

// Decodes the next code point of UTF-8. Invalid bytes, controls and surrogates give U+FFFD.
uint32_t glyph_code_next(const char **text);

// The width of a letter in ems from the table of letter_widths.c, and whether the table has it; if not, it is
// estimated.
double glyph_code_width(CanvasFace face, uint32_t code);
bool glyph_code_known(uint32_t code);

#endif
