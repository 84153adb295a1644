// One map drawn into a place that is given: cells, the numbers in them, what is framed, and words on two edges. Where
// maps stand, and what is written around them, is for those who ask: heatmap.h, the viewer.
#ifndef FIGURE_MAP_H
#define FIGURE_MAP_H

#include "base/mat.h"
#include "figure/ramp.h"

// Where a map stands, or the part of it that is seen through `frame`. A drawn cell may stand for several of the map's.
typedef struct {
    CanvasRect frame;
    double cell_width, cell_height; // points a cell; a large map has less than a pixel
    double row, col;                // the cell at the top left of the frame; with a fraction
    int rows, cols;                 // of the whole map
    int fold_rows, fold_cols;       // cells that are drawn as one
} MapPlace;

// What is seen of it: values and kinds (n, m) of the drawn cells, the first of them being row first_row, column
// first_col in drawn cells. Masked cells are hatched. What is left out is plain: keys that are not to count. What is
// absent has no cell there, as where two maps of other words are laid side by side: a few thin lines the other way.
typedef enum { MAP_SHOWN, MAP_MASKED, MAP_LEFT_OUT, MAP_ABSENT } MapKind;
typedef struct {
    Mat values, kind;
    int first_row, first_col;
} MapCells;

// The words of one axis: every step-th, and the one that stands out, which no other may be near.
typedef struct {
    const char *const *words; // one for each of the map's rows (columns); NULL: positions
    const char *marked;       // said in the place of the marked one; NULL: that one itself
    double size;              // of the letters; 0: there are no words
    double most;              // points; a longer word is cut
    int step;
    bool turned; // columns alone: aslant
    int mark;    // the one that stands out, from 1; 0: none
    Color mark_color;
    const bool *found; // for each of the map's rows (columns): its word has found_color; NULL: none
    Color found_color;
} MapLabels;

typedef struct {
    int row, col, rows, cols;
    Color color;
} MapMark; // cells that are framed; rows 0: none

typedef struct MapKept MapKept; // what the cells looked like in the last picture: map_kept.h

typedef struct {
    MapPlace place;
    MapCells cells;
    Ramp ramp;
    MapLabels rows, cols;
    MapMark mark;
    double number_size; // of the numbers in the cells; 0: none are written
    int decimals;
    bool zeros;       // what would be written as 0 stands back; false: it is not written
    bool zeros_count; // … and not standing back: the numbers are names, and 0 is one of them
    bool plain;       // for thumbnails: masked cells are of one grey, and no lines stand between cells
    MapKept *kept;    // NULL: all is drawn
} Map;

void map_draw(Canvas *canvas, const Map *map);

// A number as it stands in a cell: what rounds to 0 is written as 0, not as 5.34e-06.
const char *map_number(Arena *arena, double value, int decimals);
CanvasText map_number_style(double size);
double map_widest_number(Arena *arena, const MapCells *cells, int decimals, bool zeros); // in points at size 1

// Labels, for those who measure them: `i` counts the map's rows (columns).
bool map_label_shown(const MapLabels *labels, int i);
CanvasText map_label_style(const MapLabels *labels, int i);
const char *map_label(Arena *arena, const MapLabels *labels, int i);
int map_label_step(const MapLabels *labels, double cell, double least); // they stand `least` points apart

// Swatches for what is no number, a line of MAP_LINE points each; what is absent has none. With `lies` they stand side
// by side.
typedef struct {
    const char *names[2]; // of a map of two values: what the two colours mean; NULL: nothing
    Color colors[2];
    const char *masked; // what the hatching means: "masked"; NULL: nothing is
    bool left_out, nan, absent;
    bool plain; // masked is of one grey
} MapLegend;
MapLegend map_legend(const MapCells *cells, const char *masked);
int map_legend_count(const MapLegend *legend);
double map_legend_room(const MapLegend *legend); // how wide it is when it lies
void map_legend_draw(Canvas *canvas, const MapLegend *legend, double x, double y, bool lies);

enum { MAP_GAP = 8, MAP_LINE = 20, MAP_SLANT = 55 }; // between words and cells; of a line; degrees of turned words
#define MAP_SINE   0.819152044288992
#define MAP_COSINE 0.573576436351046

#endif
