// Colours: the book's own few, and the maps that turn a number into one.
#ifndef FIGURE_COLOR_H
#define FIGURE_COLOR_H

#include <stdint.h>

typedef struct { uint8_t r, g, b; } Color;

extern const Color PAPER, INK, QUIET, RULE, ACCENT, MARK;      // #faf9f6 #1f2328 #7a7f87 #e4e1da #31688e #d1495b
extern const Color SERIES[6];                                  // for a plot's lines; told apart by the colour-blind too

// Three maps for amounts (dark is little, light is much, evenly to the eye) and one for signed values (0 is the paper).
typedef enum { VIRIDIS, CIVIDIS, MAGMA, DIVERGING } ColorMap;

Color       color_at(ColorMap map, double t);                  // t from 0 to 1; outside is clamped, NaN gives MARK
Color       color_over(Color color);                           // INK or PAPER, whichever reads better on it
Color       color_mix(Color a, Color b, double t);             // a at t = 0, b at t = 1
double      color_luminance(Color color);                      // of its light, 0 black to 1 white
const char *color_map_name(ColorMap map);

#endif
