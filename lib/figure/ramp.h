// How numbers become colours, and the bar that says so.
#ifndef FIGURE_RAMP_H
#define FIGURE_RAMP_H

#include "figure/canvas.h"

// Evenly from low to high; by the logarithm, with powers of ten at the bar; or, signed, by the logarithm to base 2,
// with 1 in the middle (low = 1 / high). These two need low > 0. RAMP_NAMES is for numbers that are names: 1 + n has
// the n-th colour of SERIES, and paler with a half added to it; low 0, high: how many there are.
typedef enum { RAMP_LINEAR, RAMP_LOG, RAMP_RATIO, RAMP_NAMES } RampKind;

typedef struct {
    RampKind kind;
    ColorMap colors;
    double low, high;  // low < high
    bool below, above; // there are values beyond that end: they are coloured like it, and the bar says so
    const char *title; // what the number is: "weight"; may be NULL
} Ramp;

Color ramp_color(const Ramp *ramp, double value); // beyond an end that of the end; of NaN: MARK
void ramp_colors(const Ramp *ramp, Color *to, const float *values, int count); // the same of many

// The bar, RAMP_BAR points broad, and its numbers: right of it, with `lies` below it. The title is the caller's.
enum { RAMP_BAR = 12 };
void ramp_draw(Canvas *canvas, const Ramp *ramp, double x, double y, double length, bool lies);
double ramp_room(Arena *arena, const Ramp *ramp, double length); // how wide a standing bar is with its numbers

#endif
