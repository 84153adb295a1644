// One map on the canvas: cells, words, numbers, colour bar. What the views have in common.
#ifndef VIZ_MAP_H
#define VIZ_MAP_H

#include "figure/canvas.h"
#include "viz/view.h"

// How numbers become colours: evenly from low to high; by their logarithm to base 10; or, signed, by their logarithm to
// base 2, with 1 in the middle (low = 1 / high).
typedef enum { RAMP_LINEAR, RAMP_LOG, RAMP_RATIO } RampKind;
typedef struct {
    RampKind kind;
    ColorMap colors;
    double   low, high;            // low < high
    bool     below, above;         // values beyond an end are coloured like it
    const char *title;             // "weight", "weight × allowed keys"
} Ramp;

double ramp_place(const Ramp *ramp, double value);   // 0 … 1; NaN stays
Color  ramp_color(const Ramp *ramp, double value);

// What is seen of a map: values (n, m) of the drawn cells, the first being row first_row, column first_col in drawn
// cells.
typedef enum { SHOWN, MASKED, LEFT_OUT } Shown;      // hatched; of the first keys, which are not shown
typedef struct { Mat values, kind; int first_row, first_col; } Seen;

typedef struct {
    MapPlace    place;
    Seen        seen;
    Ramp        ramp;
    const Document *document;      // words
    bool        row_words;         // words, or positions, stand left of the map
    bool        keys;              // columns are keys, not plain columns
    bool        no_bar;
    const char *title;             // over the map; NULL: none
    const char *hidden_title;      // what the hatching means; NULL: "masked"
    Cell        mark;              // framed, its words stand out; −1, −1: none
    bool        pinned;
    Rect        frame;             // in cells: a tile that is framed (x, y: column, row); width 0: none
    int         decimals;          // of the numbers in cells, where they fit
} MapPicture;

// The part of a head's map that a place shows, as sums or largest values (state->largest) where cells are folded.
Seen seen_of_head(Arena *arena, const View *view, const Document *d, int layer, int head, const MapPlace *place);
Seen seen_of_mat(Arena *arena, Mat m, const MapPlace *place);          // −∞ is masked

Ramp ramp_of_head(const View *view, const Document *d, const Seen *seen);
Ramp ramp_of_seen(const Seen *seen, ColorMap colors, const char *title);       // from its values; signed: around 0

void map_draw(Canvas *canvas, const State *state, const MapPicture *picture);
void ramp_draw(Canvas *canvas, const Ramp *ramp, double x, double y, double length);   // a standing bar and its numbers
void ramp_draw_lying(Canvas *canvas, const Ramp *ramp, double x, double y, double length);     // its title below it

// Swatches for what is no number, one under the other or, lying, side by side; what is absent has none.
typedef struct {
    bool masked, left_out, nan;
    const char *hidden;            // what masked means here; NULL: "masked"
    bool plain;                    // masked is a plain colour, as in small thumbnails
} Legend;
Legend legend_of_seen(const Seen *seen);
double legend_draw(Canvas *canvas, const Legend *legend, double x, double y, bool lying);      // its height
Color  masked_plain(void);

// Text in the viewer's few styles.
// As ticks_text; what rounds to 0 is written as 0, not as 5.34e-06.
const char *number_text(Arena *arena, double value, int decimals);
void write_at(Canvas *canvas, double x, double y, Face face, double size, Color color, Anchor anchor, const char *text);

#endif
