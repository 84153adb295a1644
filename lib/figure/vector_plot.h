// A plane with two named axes: vectors as arrows, points, angles between directions, a shaded area. The axes have the
// same unit, unless a height is given.
#ifndef FIGURE_VECTOR_PLOT_H
#define FIGURE_VECTOR_PLOT_H

#include "figure/canvas.h"

// An arrow; a thin dashed auxiliary line; a thick bar, drawn under an arrow.
typedef enum { VECTOR_PLOT_ARROW, VECTOR_PLOT_DASHES, VECTOR_PLOT_BAR } VectorPlotStroke;

// `side` is the direction of the label from the arrow's end or the point: degrees, counter-clockwise from the right.
typedef struct {
    double x0, y0, x, y; // from, to
    const char *label;   // may be NULL
    double side;
    Color color;
    VectorPlotStroke stroke;
} VectorPlotArrow;

typedef struct {
    double x, y;
    const char *label; // may be NULL
    double side;
    Color color;
} VectorPlotPoint;

// Between two directions from the origin, in degrees; the radius is in units of the axes.
typedef struct {
    double from, to, radius;
    const char *label;
    Color color;
} VectorPlotAngle;

typedef struct {
    const char *title, *x_title, *y_title;
    double x_low, x_high, y_low, y_high;
    const double *area; // x, y of each corner, in order; shaded
    int corners;
    const VectorPlotAngle *angles;
    int angle_count;
    const VectorPlotArrow *arrows;
    int arrow_count;
    const VectorPlotPoint *points;
    int point_count;
    double width;  // points; 0: 640
    double height; // of the plot area; 0: from the common unit. Otherwise angles are not to scale
} VectorPlot;

Canvas *vector_plot_draw(Arena *arena, const VectorPlot *plane, RenderTarget paper);

#endif
