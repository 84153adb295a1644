// Heat maps: a matrix as coloured cells, with labels, titles, values and an honest colour bar.
#ifndef FIGURE_HEATMAP_H
#define FIGURE_HEATMAP_H

#include "base/mat.h"
#include "figure/canvas.h"
#include "figure/ramp.h"

typedef struct {
    const char *title;             // above the map; may be NULL
    Mat values;                    // rows are queries, columns are keys
    Mat hidden;                    // same shape or empty: where it is not 0, the cell is hatched and out of the scale
    const char *hidden_title;      // what the hatching means; NULL: "masked"
    const char *const *row_labels; // may be NULL: no labels
    const char *const *col_labels;
    const char *row_title; // "query (attends from)", written upwards on the left; may be NULL
    const char *col_title; // "key (attended to)", above the labels; may be NULL
    ColorMap colors;
    RampKind ramp;         // RAMP_LINEAR, unless said otherwise; the others need low and high
    double low, high;      // the scale; low = high = 0: from the visible values (DIVERGING: symmetric around 0)
    int decimals;          // of the values written into the cells; −1 writes none
    bool zeros_count;      // numbers are names, and 0 is one of them; false: 0 stands back
    double cell;           // points a cell; 0 lets the map choose
    const char *bar_title; // beside the colour bar: what the number is ("weight"); may be NULL
    bool no_bar;           // for maps of two values: a title says what the two colours are, or
    const char *low_name, *high_name; // a swatch of each does; NULL: none
    int mark_row, mark_col;           // one cell framed in MARK when both are set from 1; 0, 0 marks nothing
    int mark_rows, mark_cols;         // more than one cell: a block whose first cell is that one; 0: one
} Heatmap;

// One map; or several on one grid, `across` side by side, on one shared scale and with one colour bar.
Canvas *heatmap_draw(Arena *arena, const Heatmap *map, RenderTarget paper);
Canvas *heatmaps_draw(Arena *arena, const char *title, const Heatmap *maps, int count, int across, RenderTarget paper);

#endif
