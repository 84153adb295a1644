// A display list: a canvas's operations with their arguments, in order. canvas.c and draw_text.c call record_… when
// they paint; these do nothing if the canvas does not record. svg.c reads the list. Internal to this folder.
// Coordinates and widths are in points.
#ifndef FIGURE_RECORD_H
#define FIGURE_RECORD_H

#include "figure/canvas.h"

typedef enum {
    RECORD_RECT,     // a box, filled
    RECORD_FRAME,    // a box, its inside border
    RECORD_HATCH,    // a box, hatched
    RECORD_LINE,     // a path of two points
    RECORD_POLYLINE, // a path
    RECORD_CURVE,    // a path of the four points of a cubic Bézier
    RECORD_POLYGON,  // a path, closed and filled
    RECORD_DISC,
    RECORD_TEXT,
    RECORD_CELLS,
    RECORD_CLIP, // a box: operations up to the matching RECORD_UNCLIP are clipped to it
    RECORD_UNCLIP,
} RecordKind;

typedef struct {
    double x, y, width, height;
} RecordRect;

// Cells between `columns` (cols + 1) and `lines` (rows + 1), in pixels. colors (rows, cols)
typedef struct {
    const int *columns, *lines;
    int rows, cols;
    const Color *colors;
} RecordedCells;

typedef struct RecordOperation RecordOperation;
struct RecordOperation {
    RecordOperation *next;
    RecordKind kind;
    Color color;    // not of hatches, cells and clips
    double opacity; // rect
    double thick;   // frame, line, polyline, curve
    union {
        RecordRect box; // rect, frame, hatch, clip
        struct {
            const double *xy;
            int points;
        } path;
        struct {
            double x, y, radius;
        } disc;
        struct {
            double x, y, width;
            CanvasText style;
            const char *words;
        } text;
        RecordedCells cells;
    };
};

struct Record {
    Arena *arena;
    RecordOperation *first, *last;
    int open; // clips that are not closed yet
};

void record_rect(Canvas *canvas, double x, double y, double width, double height, Color color, double opacity);
void record_frame(Canvas *canvas, double x, double y, double width, double height, double thick, Color color);
void record_hatch(Canvas *canvas, double x, double y, double width, double height);
void record_line(Canvas *canvas, const double xy[4], double thick, Color color);
void record_polyline(Canvas *canvas, const double *xy, int points, double thick, Color color);
void record_curve(Canvas *canvas, const double xy[8], double thick, Color color);
void record_disc(Canvas *canvas, double x, double y, double radius, Color color);
void record_polygon(Canvas *canvas, const double *xy, int points, Color color);
void record_text(Canvas *canvas, double x, double y, CanvasText style, double width, const char *words);
void record_clip(Canvas *canvas, double x, double y, double width, double height);
void record_unclip(Canvas *canvas);

// Cells as painted, only the visible ones: columns and rows of pixels between `columns` (cols + 1) and `lines` (rows +
// 1). `colors` has `stride` cells per row.
void record_cells(Canvas *canvas, const int *columns, const int *lines, int rows, int cols, const Color *colors,
                  int stride);

#endif
