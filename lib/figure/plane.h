// A plane with two named axes: vectors as arrows, points, angles between directions, a shaded area. Both axes have the
// same unit, unless a height is given.
#ifndef FIGURE_PLANE_H
#define FIGURE_PLANE_H

#include "figure/canvas.h"

// An arrow; a help line, thin and without a head; a bar: as thick as three arrows, without a head, to lie under one.
typedef enum { PLANE_ARROW, PLANE_DASHES, PLANE_BAR } PlaneStroke;

// `side` is where a label stands, seen from the arrow's end or the point: degrees, counter-clockwise from the right.
typedef struct {
    double x0, y0, x, y; // from, to
    const char *label;   // may be NULL
    double side;
    Color color;
    PlaneStroke stroke;
} PlaneArrow;

typedef struct {
    double x, y;
    const char *label; // may be NULL
    double side;
    Color color;
} PlanePoint;

// Between two directions from the origin, in degrees; the radius counts as the axes do.
typedef struct {
    double from, to, radius;
    const char *label;
    Color color;
} PlaneAngle;

typedef struct {
    const char *title, *x_title, *y_title;
    double x_low, x_high, y_low, y_high;
    const double *area; // x, y of each corner, in order; shaded
    int corners;
    const PlaneAngle *angles;
    int angle_count;
    const PlaneArrow *arrows;
    int arrow_count;
    const PlanePoint *points;
    int point_count;
    double width;  // points; 0: 640
    double height; // of the axes; 0: as the unit has it. With another unit angles are not to scale
} Plane;

Canvas *plane_draw(Arena *arena, const Plane *plane, Paper paper);

#endif
