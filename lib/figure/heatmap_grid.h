// What the passes of a heat map hand to one another. For heatmap.c, heatmap_layout.c and heatmap_draw.c only.
#ifndef FIGURE_HEATMAP_GRID_H
#define FIGURE_HEATMAP_GRID_H

#include "figure/heatmap.h"

static const double MARGIN = 24, GAP = 8, SLANT = 55, SINE = 0.819152044288992, COSINE = 0.573576436351046;
static const double BAR_WIDTH = 12, LINE = 20;       // a line of text that stands alone

typedef struct {
    const char *const *text;                         // NULL: not shown
    int    count, step, mark;                        // every step-th is shown; mark from 1
    bool   turned;
    double size, room;                               // of the letters; of the space that the labels take
} Labels;

typedef struct {
    const HeatMap *map;
    Mat         values, hidden;                      // as drawn: smaller than the map's when that has too many cells
    int         fold;                                // a drawn cell stands for fold × fold of the map's
    const char *row_title, *col_title;               // NULL: not shown
    Labels      rows, cols;
    double      cell_width, cell_height, x, y, width, height, above;   // x, y: top left of the cells
} Panel;

typedef struct {
    Arena  *arena;
    const char *title;
    Panel  *panels;
    int     count, across;
    double  low, high;
    bool    any, any_hidden, any_nan, below, above;  // what the legend shows, and values outside low … high
    double  value_size;                              // of the numbers in the cells; 0: none are written
    bool    bar_lies;                                // under the maps, where those are low
    const char *row_title, *col_title;               // said once for all panels; NULL: each says its own
    double  left, top, right, bottom, overhang;      // around all cells; overhang: how far right words reach
    double  width, height;
} Grid;

static inline Text label_style(double size) { return (Text){ .size = size, .color = INK }; }
static inline Text number_style(double size) { return (Text){ .size = size, .face = MONO, .color = QUIET }; }
static inline Text title_style(void) { return (Text){ .size = 12, .color = QUIET }; }

// Cells, as drawn.
bool        cell_hidden(const Panel *panel, int i, int j);
const char *cell_number(Grid *grid, const Panel *panel, int i, int j);

// Labels: whether the one of drawn cell i is shown, how, and its words, shortened where they are very long.
bool        label_shown(const Labels *labels, int i);
Text        label_text(const Labels *labels, int i);
const char *label_at(Arena *arena, const Panel *panel, const Labels *labels, int i);

// Layout. The side that the cells of one panel may fill together; the cells; titles and labels, each said once; places.
double grid_budget(const Grid *grid, int rows, int cols);
void   grid_cells(Grid *grid);
void   grid_titles(Grid *grid);
void   grid_labels(Grid *grid);
void   grid_place(Grid *grid);
bool   panel_title_lies(const Panel *panel);         // a short row title over the labels instead of up their side

// The legend: the bar's numbers (the answer is their count) and their words, the room that it takes, what is hatched.
int         grid_bar_ticks(const Grid *grid, double *at, double length, double apart);
const char *grid_bar_text(const Grid *grid, const double *at, int count, int k);
double      grid_bar_room(const Grid *grid);
double      grid_legend_height(const Grid *grid);
double      grid_hidden_room(const Grid *grid);
const char *grid_hidden_title(const Grid *grid);

void grid_draw(Canvas *canvas, Grid *grid);

#endif
