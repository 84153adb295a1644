// Shared by the files that draw.
#ifndef VIZ_DRAW_INTERNAL_H
#define VIZ_DRAW_INTERNAL_H

#include "viz/cells.h"
#include "viz/views.h"

void draw_thumbs(Canvas *canvas, const View *view, const PageLayout *layout); // at layout->thumbs
Ramp draw_thumb_ramp(Arena *arena, const View *view, const HeadSummary *summary, const ThumbLayout *t);
void draw_head(Canvas *canvas, const View *view, const PageLayout *layout);  // the map of one head
void draw_panel(Canvas *canvas, const View *view, const PageLayout *layout); // the cell and the head at hand

// A map with its labels, titles, bar and legend.
typedef struct {
    int place; // index in layout->maps
    MapCells cells;
    Ramp ramp;
    const Document *of;                            // document whose words label it; NULL: the shown one
    const char *const *row_list, *const *col_list; // labels for each row and column; NULL: those of the document `of`
    const int *row_places, *col_places;            // with own labels: their indices in `of`; −1: none
    const char *const *row_numbers, *const *col_numbers; // used where words do not fit
    bool row_words;                                      // labels on the left
    bool keys;                                           // columns are keys
    bool no_bar;
    const char *title;  // above the map; NULL: the axis
    const char *masked; // meaning of the hatching; NULL: "masked"
    HeadCell cell;      // framed, its labels emphasised; NO_CELL: none
    MapMark block;      // framed if there is no cell
} MapPart;
void draw_map(Canvas *canvas, const View *view, const PageLayout *layout, const MapPart *part);
void draw_bar(Canvas *canvas, const Ramp *ramp, double x, double y, double length, bool lies); // with title

Color draw_head_color(int head); // of Lines of several heads

void draw_text(Canvas *canvas, double x, double y, CanvasFace face, double size, Color color, CanvasAnchor anchor,
               const char *text);

// "animal → it", in this order even for right-to-left words.
const char *draw_cell_words(Arena *arena, const Document *d, HeadCell cell);

// "layer 1 head 2", without the layer if there is only one; with its role if known.
const char *draw_head_name(Arena *arena, const Document *d, int layer, int head);

// For the status line: name of the head or map; colours; which part of a map is shown.
const char *draw_map_name(Arena *arena, const State *state);
const char *draw_colors_text(Arena *arena, const State *state, bool may_be_signed);
const char *draw_map_status(Arena *arena, const View *view, const PageLayout *layout);

#endif
