// A weight matrix as a weighted directed graph: tokens on a circle, an arrow from query to key, as thick as its weight.
#ifndef FIGURE_GRAPH_H
#define FIGURE_GRAPH_H

#include "base/mat.h"
#include "figure/canvas.h"

typedef struct {
    const char        *title;
    Mat                weights;    // (n, n); row i sends arrows to columns j
    const char *const *labels;     // n
    double             least;      // arrows below this weight are left out
    int                mark;       // node whose arrows are drawn in MARK, from 1; 0 marks nothing
    double             size;       // points; 0: 560
} Graph;

Canvas *graph_draw(Arena *arena, const Graph *graph, Paper paper);

#endif
