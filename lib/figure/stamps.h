// Cache of rasterised glyphs, since a window draws the same few hundred sixty times a second. Internal to this folder
// and its tests. Only one thread at a time may draw (glyphs.h).
#ifndef FIGURE_STAMPS_H
#define FIGURE_STAMPS_H

#include "figure/canvas.h"

// Everything that a glyph's pixels depend on, except its whole-pixel position.
typedef struct {
    int font; // a CanvasFace, or a font number of shaping.h
    uint32_t code;
    double em, along_x, along_y; // size in pixels; the direction of the baseline
    double pen;                  // for rotated text: pixels from its start to the glyph
    int x, y;                    // fractional part of the position, in 1/256 pixel
} StampKey;

typedef struct {
    StampKey key;
    CanvasBox box;   // bounding box in pixels, relative to the whole-pixel position
    uint8_t *alphas; // (height, width)
} Stamp;

// A cached glyph, or NULL. It is valid until the next stamp_add.
const Stamp *stamp_find(const StampKey *key);
// Adds an entry with zeroed alphas, which the caller fills; NULL if it is too large to cache. The size of the cache is
// bounded: when it is full, it is emptied first.
Stamp *stamp_add(const StampKey *key, CanvasBox box);
void stamps_forget(void);
int stamps_count(void);

#endif
