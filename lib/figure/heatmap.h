// Heat maps: a matrix as coloured cells, with labels, titles, values and a colour bar.
#ifndef FIGURE_HEATMAP_H
#define FIGURE_HEATMAP_H

#include "base/mat.h"
#include "figure/canvas.h"
#include "figure/ramp.h"

typedef struct {
    const char *title;        // above the map; may be NULL
    Mat values;               // rows are queries, columns are keys
    Mat hidden;               // same shape, or empty: cells that are not 0 here are hatched and do not affect the scale
    const char *hidden_title; // legend of the hatching; NULL: "masked"
    const char *const *row_labels; // may be NULL: no labels
    const char *const *col_labels;
    const char *row_title; // "query (attends from)", vertical, on the left; may be NULL
    const char *col_title; // "key (attended to)", above the labels; may be NULL
    ColorMap colors;
    RampKind ramp;         // all but RAMP_LINEAR need low and high
    double low, high;      // the scale; low = high = 0: from the visible values (DIVERGING: symmetric around 0)
    int decimals;          // of the values in the cells; −1: no values
    bool zeros_count;      // values are categories, including 0; false: 0 is written pale
    double cell;           // cell size in points; 0: automatic
    const char *bar_title; // title of the colour bar, the quantity ("weight"); may be NULL
    bool no_bar;           // for maps of two values: the title explains the two colours, or
    const char *low_name, *high_name; // swatches with these names do; NULL: none
    int mark_row, mark_col;           // one cell framed in MARK when both are set from 1; 0, 0 marks nothing
    int mark_rows, mark_cols;         // size of a marked block that starts at that cell; 0: one cell
} Heatmap;

// One map; or several in a grid, `across` per row, with one shared scale and colour bar.
Canvas *heatmap_draw(Arena *arena, const Heatmap *map, RenderTarget paper);
Canvas *heatmaps_draw(Arena *arena, const char *title, const Heatmap *maps, int count, int across, RenderTarget paper);

#endif
