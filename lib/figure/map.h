// Draws one attention map at a given place: cells, numbers, frames, and labels on two edges. Layout of several maps,
// titles and bars are the caller's (heatmap.h, the viewer).
#ifndef FIGURE_MAP_H
#define FIGURE_MAP_H

#include "base/mat.h"
#include "figure/ramp.h"

// Placement of a map, or of the part of it visible in `frame`. A drawn cell may cover several of the map's.
typedef struct {
    CanvasRect frame;
    double cell_width, cell_height; // in points; large maps have less than a pixel
    double row, col;                // the cell at the frame's top left, fractional
    int rows, cols;                 // of the whole map
    int fold_rows, fold_cols;       // cells merged into one drawn cell
} MapPlace;

// The visible cells: values and kinds (n, m) of the drawn cells, starting at drawn row first_row and column first_col.
// MAP_MASKED: hatched. MAP_LEFT_OUT: blank, for keys that are excluded. MAP_ABSENT: no such cell (aligned maps with
// different words); sparse hatching in the opposite direction.
typedef enum { MAP_SHOWN, MAP_MASKED, MAP_LEFT_OUT, MAP_ABSENT } MapKind;
typedef struct {
    Mat values, kind;
    int first_row, first_col;
} MapCells;

// Labels of one axis: every step-th, and the marked one, which keeps its neighbours away.
typedef struct {
    const char *const *words; // one per row (column) of the map; NULL: positions
    const char *marked;       // text that replaces the marked label; NULL: its own
    double size;              // font size; 0: no labels
    double most;              // maximal width in points; longer labels are shortened
    int step;
    bool turned; // columns only: rotated by MAP_SLANT
    int mark;    // the marked label, from 1; 0: none
    Color mark_color;
    const bool *found; // per row (column): draw the label in found_color, as a search result; NULL: none
    Color found_color;
} MapLabels;

typedef struct {
    int row, col, rows, cols;
    Color color;
} MapMark; // framed cells; rows 0: none

typedef struct MapKept MapKept; // cached pixels of the cells: map_kept.h

typedef struct {
    MapPlace place;
    MapCells cells;
    Ramp ramp;
    MapLabels rows, cols;
    MapMark mark;
    double number_size; // font size of the numbers in the cells; 0: none
    int decimals;
    bool zeros;       // numbers that round to 0 are written pale; false: not written
    bool zeros_count; // … and not pale: numbers are categories, including 0
    bool plain;       // for thumbnails: masked cells are plain grey, without grid lines
    MapKept *kept;    // NULL: no cache
} Map;

void map_draw(Canvas *canvas, const Map *map);

// The text of a number in a cell: what rounds to 0 is written as 0, not as 5.34e-06.
const char *map_number(Arena *arena, double value, int decimals);
CanvasText map_number_style(double size);
double map_widest_number(Arena *arena, const MapCells *cells, int decimals, bool zeros); // in points at font size 1

// Label metrics: `i` counts the map's rows (columns).
bool map_label_shown(const MapLabels *labels, int i);
CanvasText map_label_style(const MapLabels *labels, int i);
const char *map_label(Arena *arena, const MapLabels *labels, int i);
int map_label_step(const MapLabels *labels, double cell,
                   double least); // smallest step with labels `least` points apart

// Legend swatches for cells without a number: a column with MAP_LINE points per line, or a row if `horizontal`.
// MAP_ABSENT has none.
typedef struct {
    const char *names[2]; // of a map of two values: meaning of the two colours; NULL: none
    Color colors[2];
    const char *masked; // meaning of the hatching: "masked"; NULL: nothing is hatched
    bool left_out, nan, absent;
    bool plain; // masked cells are plain grey
} MapLegend;
MapLegend map_legend(const MapCells *cells, const char *masked);
int map_legend_count(const MapLegend *legend);
double map_legend_room(const MapLegend *legend); // its width if horizontal
void map_legend_draw(Canvas *canvas, const MapLegend *legend, double x, double y, bool horizontal);

enum {
    MAP_GAP = 8,
    MAP_LINE = 20,
    MAP_SLANT = 55
}; // points between labels and cells; points per line; degrees of rotated labels
#define MAP_SINE   0.819152044288992
#define MAP_COSINE 0.573576436351046

#endif
