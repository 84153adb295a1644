// Letters as alphas, kept: a picture that is drawn sixty times a second is made of the same few hundred of them. For
// the files of this folder and their tests only. One thread at a time may draw (glyphs.h).
#ifndef FIGURE_STAMPS_H
#define FIGURE_STAMPS_H

#include "figure/canvas.h"

// All that a letter's pixels depend on, but for whole pixels.
typedef struct {
    int font; // a Face, or a font of shaping.c, whose letters have its own numbers
    uint32_t code;
    double em, along_x, along_y; // pixels; the direction in which it is read
    double pen;                  // of turned text: pixels from its start to the letter
    int x, y;                    // 1/256 pixel: the part of its place that is not whole
} StampKey;

typedef struct {
    StampKey key;
    CanvasBox box;   // around the letter, from the whole part of its place; in pixels
    uint8_t *alphas; // (height, width)
} Stamp;

// A kept letter, or NULL. It stays until the next stamp_add.
const Stamp *stamp_find(const StampKey *key);
// Room for a new one, its alphas zeroed, for the caller to fill; NULL when it is too large to be kept. What is kept is
// bounded: where there is no room, all is forgotten first.
Stamp *stamp_add(const StampKey *key, CanvasBox box);
void stamps_forget(void);
int stamps_count(void);

#endif
