// What the passes of a heat map hand to one another. For heatmap.c, heatmap_layout.c and heatmap_draw.c only.
#ifndef FIGURE_HEATMAP_GRID_H
#define FIGURE_HEATMAP_GRID_H

#include "figure/heatmap.h"
#include "figure/map.h"

enum { HEATMAP_MARGIN = 24 };

typedef struct {
    const Heatmap *asked;
    Map map;                           // as drawn: of fewer cells than asked for when these are too many
    int fold;                          // a drawn cell stands for fold × fold of those asked for
    const char *row_title, *col_title; // NULL: not shown
    double rows_room, cols_room;       // that the labels take
    double above;                      // room over the cells, in their row of panels
} HeatmapPanel;

typedef struct {
    Arena *arena;
    const char *title;
    HeatmapPanel *panels;
    int count, across;
    Ramp ramp; // of all panels
    MapLegend legend;
    bool any;                                  // there is something to read off a bar
    bool bar_lies;                             // under the maps, where those are low
    const char *row_title, *col_title;         // said once for all panels; NULL: each says its own
    double left, top, right, bottom, overhang; // around all cells; overhang: how far right words reach
    double width, height;
} HeatmapGrid;

static inline CanvasText heatmap_grid_title_style(void) { return (CanvasText){ .size = 12, .color = COLOR_QUIET }; }

// Layout. The side that the cells of one panel may fill together; the cells and their numbers; titles and labels, each
// said once; places.
double heatmap_grid_budget(const HeatmapGrid *grid, int rows, int cols);
void heatmap_grid_cells(HeatmapGrid *grid);
void heatmap_grid_titles(HeatmapGrid *grid);
void heatmap_grid_labels(HeatmapGrid *grid);
void heatmap_grid_place(HeatmapGrid *grid);
bool heatmap_grid_title_lies(const HeatmapPanel *panel); // a short row title over the labels instead of up their side

// The legend stands under the bar, in its column: the room of both, and the height of the legend alone.
double heatmap_grid_bar_room(const HeatmapGrid *grid);
double heatmap_grid_legend_height(const HeatmapGrid *grid);

void heatmap_grid_draw(Canvas *canvas, const HeatmapGrid *grid);

#endif
