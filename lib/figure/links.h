// Weights as arrows between two columns of words, from those who look to those who are looked at: of one word only, as
// all of them at once are a tangle.
#ifndef FIGURE_LINKS_H
#define FIGURE_LINKS_H

#include "base/mat.h"
#include "figure/canvas.h"

typedef struct {
    const char *title;
    Mat weights;                // (T, S)
    const char *const *queries; // T words, on the left
    const char *const *keys;    // S words, on the right
    int row, col;               // from 1: the arrows that leave this query, or that reach this key; 0: none
} Links;

// Panels side by side. The arrows are as thick as their weights, which stand at their other end, with their sum below.
Canvas *links_draw(Arena *arena, const char *title, const Links *panels, int count, RenderTarget paper);

#endif
