// Colour scales: from numbers to colours, and the colour bar.
#ifndef FIGURE_RAMP_H
#define FIGURE_RAMP_H

#include "figure/canvas.h"

// LINEAR: evenly from low to high. LOG: logarithmic, with powers of ten on the bar. RATIO: diverging, logarithmic to
// base 2 with 1 in the middle (low = 1 / high). LOG and RATIO need low > 0. NAMES: categories; 1 + n has the n-th
// colour of SERIES, a paler one if 0.5 is added; low is 0, high the number of categories.
typedef enum { RAMP_LINEAR, RAMP_LOG, RAMP_RATIO, RAMP_NAMES } RampKind;

typedef struct {
    RampKind kind;
    ColorMap colors;
    double low, high;  // low < high
    bool below, above; // values beyond that end exist: they get its colour, and the bar marks the end with ≤ or ≥
    const char *title; // the quantity: "weight"; may be NULL
} Ramp;

Color ramp_color(const Ramp *ramp, double value); // values beyond an end get its colour, NaN gets MARK
void ramp_colors(const Ramp *ramp, Color *to, const float *values, int count); // for an array

// Draws the bar, RAMP_BAR points thick: vertical with numbers on its right, or horizontal with numbers below. The caller
// draws the title.
enum { RAMP_BAR = 12 };
void ramp_draw(Canvas *canvas, const Ramp *ramp, double x, double y, double length, bool horizontal);
double ramp_room(Arena *arena, const Ramp *ramp, double length); // width of a vertical bar with its numbers

#endif
