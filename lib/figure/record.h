// What is drawn, kept as the elements of an SVG file. canvas.c and text.c call these as they paint; a canvas without a
// record is left alone. For the files of this folder only. Coordinates and widths are in points.
#ifndef FIGURE_RECORD_H
#define FIGURE_RECORD_H

#include "figure/canvas.h"

// The elements so far, in pieces; `hatched` when one of them uses the pattern, `open` clips have not been closed.
typedef struct Piece { struct Piece *next; size_t used; char at[1 << 14]; } Piece;
struct Record {
    Arena *arena;
    Piece *first, *last;
    size_t size;
    int    clips, open;
    bool   hatched;
};

void record_rect(Canvas *canvas, double x, double y, double width, double height, Color color, double opacity);
void record_frame(Canvas *canvas, double x, double y, double width, double height, double thick, Color color);
void record_hatch(Canvas *canvas, double x, double y, double width, double height);
void record_line(Canvas *canvas, const double xy[4], double thick, Color color);
void record_polyline(Canvas *canvas, const double *xy, int points, double thick, Color color);
void record_curve(Canvas *canvas, const double xy[8], double thick, Color color);
void record_disc(Canvas *canvas, double x, double y, double radius, Color color);
void record_polygon(Canvas *canvas, const double *xy, int points, Color color);
void record_text(Canvas *canvas, double x, double y, Text style, double width, const char *text);
void record_clip(Canvas *canvas, double x, double y, double width, double height);
void record_unclip(Canvas *canvas);

// Cells as they were painted, those that can be seen: columns and rows of pixels between `columns` (cols + 1) and
// `lines` (rows + 1). `colors` has `stride` cells a row. More than 4096 cells become a picture, fewer become
// rectangles.
void record_cells(Canvas *canvas, const int *columns, const int *lines, int rows, int cols, const Color *colors,
                  int stride);

// How an element is written, also by svg.c.
void put(Record *record, const char *text);
void put_number(Record *record, double value);       // at most three decimals; NaN and what is far away are cut to ±1e6
void put_attribute(Record *record, const char *name, double value);
void put_color(Record *record, const char *name, Color color);

#endif
