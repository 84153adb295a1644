// What the files that draw share.
#ifndef VIZ_DRAW_INTERNAL_H
#define VIZ_DRAW_INTERNAL_H

#include "viz/cells.h"
#include "viz/views.h"

void draw_thumbs(Canvas *canvas, const View *view, const PageLayout *layout); // at layout->thumbs
Ramp draw_thumb_ramp(Arena *arena, const View *view, const HeadSummary *summary, const ThumbLayout *t);
void draw_head(Canvas *canvas, const View *view, const PageLayout *layout);  // the map of one head
void draw_panel(Canvas *canvas, const View *view, const PageLayout *layout); // the cell and the head at hand

// A map of the document at hand with its words, titles, bar and legend.
typedef struct {
    int place; // which of the layout's maps
    MapCells cells;
    Ramp ramp;
    const Document *of;                                  // whose words these are; NULL: the document at hand
    const char *const *row_list, *const *col_list;       // words of its own, one for each row and column; NULL: of's
    const int *row_places, *col_places;                  // then: which of of's queries and keys these are; −1: none
    const char *const *row_numbers, *const *col_numbers; // and positions, where words do not fit
    bool row_words;                                      // words, or positions, stand left of the map
    bool keys;                                           // columns are keys, not plain columns
    bool no_bar;
    const char *title;  // over the map; NULL: what its columns are
    const char *masked; // what the hatching means; NULL: "masked"
    HeadCell cell;      // framed, its words stand out; −1, −1: none
    MapMark block;      // framed, where no cell is
} MapPart;
void draw_map(Canvas *canvas, const View *view, const PageLayout *layout, const MapPart *part);
void draw_bar(Canvas *canvas, const Ramp *ramp, double x, double y, double length, bool lies); // with its title

Color draw_head_color(int head); // of Lines of several heads

void draw_text(Canvas *canvas, double x, double y, CanvasFace face, double size, Color color, CanvasAnchor anchor,
               const char *text);

// "animal → it", which stays in this order whatever the direction of its words.
const char *draw_cell_words(Arena *arena, const Document *d, HeadCell cell);

// A name for a head: "layer 1 head 2", without the layer where there is but one, and its role where that is known.
const char *draw_head_name(Arena *arena, const Document *d, int layer, int head);

// For the status line: the head or the map; the colours; and of a map which part of it is shown.
const char *draw_map_name(Arena *arena, const State *state);
const char *draw_colors_text(Arena *arena, const State *state, bool may_be_signed);
const char *draw_map_status(Arena *arena, const View *view, const PageLayout *layout);

#endif
