// Data passed between the passes of heatmap.c, heatmap_layout.c and heatmap_draw.c. Internal to these.
#ifndef FIGURE_HEATMAP_GRID_H
#define FIGURE_HEATMAP_GRID_H

#include "figure/heatmap.h"
#include "figure/map.h"

enum { HEATMAP_MARGIN = 24 };

typedef struct {
    const Heatmap *asked;
    Map map;                           // as drawn: with cells merged if there are too many
    int fold;                          // a drawn cell covers fold × fold cells
    const char *row_title, *col_title; // NULL: not shown
    double rows_room, cols_room;       // width (height) of the labels
    double above;                      // space above the cells, in their row of panels
} HeatmapPanel;

typedef struct {
    Arena *arena;
    const char *title;
    HeatmapPanel *panels;
    int count, across;
    Ramp ramp; // shared by all panels
    MapLegend legend;
    bool any;                                  // a finite visible value exists: the bar is needed
    bool bar_lies;                             // horizontal, under the maps, if those are low
    const char *row_title, *col_title;         // shared by all panels; NULL: each panel has its own
    double left, top, right, bottom, overhang; // bounds of all cells; overhang: right end of the labels
    double width, height;
} HeatmapGrid;

static inline CanvasText heatmap_grid_title_style(void) { return (CanvasText){ .size = 12, .color = COLOR_QUIET }; }

// Layout: the maximal side of the cells of one panel; cell and number sizes; titles and labels, shared ones drawn once;
// positions.
double heatmap_grid_budget(const HeatmapGrid *grid, int rows, int cols);
void heatmap_grid_cells(HeatmapGrid *grid);
void heatmap_grid_titles(HeatmapGrid *grid);
void heatmap_grid_labels(HeatmapGrid *grid);
void heatmap_grid_place(HeatmapGrid *grid);
bool heatmap_grid_title_lies(
    const HeatmapPanel *panel); // a short row title above the labels, horizontal, instead of vertical

// The legend is under the bar, in the same column: the width of both, and the height of the legend.
double heatmap_grid_bar_room(const HeatmapGrid *grid);
double heatmap_grid_legend_height(const HeatmapGrid *grid);

void heatmap_grid_draw(Canvas *canvas, const HeatmapGrid *grid);

#endif
