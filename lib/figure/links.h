// Attention weights as lines between two columns of words, from queries to keys. Only one word's lines are shown, since
// all of them at once are unreadable.
#ifndef FIGURE_LINKS_H
#define FIGURE_LINKS_H

#include "base/mat.h"
#include "figure/canvas.h"

typedef struct {
    const char *title;
    Mat weights;                // (T, S)
    const char *const *queries; // T words, on the left
    const char *const *keys;    // S words, on the right
    int row, col;               // from 1: the query whose lines are drawn, or the key; 0: none
} Links;

// Panels side by side. Line width is proportional to the weight, which is written at the far end; the sum is below.
Canvas *links_draw(Arena *arena, const char *title, const Links *panels, int count, RenderTarget paper);

#endif
