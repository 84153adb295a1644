// The outlines of letters, from the font that the machine has. For the files of this folder and their tests only.
#ifndef FIGURE_GLYPHS_H
#define FIGURE_GLYPHS_H

#include "figure/canvas.h"

typedef struct {
    float x0, y0, x1, y1;
} GlyphEdge; // in ems: 1 is the size of the text; y grows upwards
typedef struct {
    uint32_t code;
    int count;
    double advance;
    GlyphEdge edges[];
} Glyph;

// What a small letter is aligned to: the tops of x and of H, and by how much o reaches over its line. In ems.
typedef struct {
    double x_height, cap_height, overshoot;
} GlyphFaceShape;

// NULL: no font. A letter that the font has not is a box with the number of its code point.
const Glyph *glyph_find(CanvasFace face, uint32_t code);
GlyphFaceShape glyph_face_shape(CanvasFace face); // all 0 without a font
void glyphs_forget(void);                         // closes the fonts, forgets all letters; the next call looks anew
Glyph *glyph_box(uint32_t code, double wide);     // that box, in so many ems; free() it
const void *glyphs_font(CanvasFace face, size_t *size); // the font's file, as long as it is open; NULL: no font

// The next letter of UTF-8. A byte that begins none counts as U+FFFD, and so does what is no letter: a control, a
// surrogate.
uint32_t glyph_code_next(const char **text);

// The room of a letter in ems, by the table of letter_widths.c; and whether it stands there, or is only guessed.
double glyph_code_width(CanvasFace face, uint32_t code);
bool glyph_code_known(uint32_t code);

#endif
