// Colours: the palette of the figures, and colour maps from numbers to colours.
#ifndef FIGURE_COLOR_H
#define FIGURE_COLOR_H

#include <stdint.h>

typedef struct {
    uint8_t r, g, b;
} Color;

// The palette. `series` are the lines of a plot; they are distinguishable with colour-blindness, too.
typedef struct {
    Color paper, ink, quiet, rule, accent, mark, series[6];
} Colors;
extern const Colors *color_palette; // of the current scheme; on paper #faf9f6 #1f2328 #686d75 #e4e1da #31688e #c93f55
#define COLOR_PAPER  (color_palette->paper)
#define COLOR_INK    (color_palette->ink)
#define COLOR_QUIET  (color_palette->quiet)
#define COLOR_RULE   (color_palette->rule)
#define COLOR_ACCENT (color_palette->accent)
#define COLOR_MARK   (color_palette->mark)
#define COLOR_SERIES (color_palette->series)

// The light or the dark scheme: selects the palette, and the middle of DIVERGING, which is the paper. The other maps do
// not change. Call it before anything is drawn.
typedef enum { COLOR_ON_PAPER, COLOR_ON_DARK } ColorScheme;
void color_scheme(ColorScheme scheme);

#define COLOR_TEXT 4.5 // minimum contrast of text (WCAG 2.1, AA); 3 for large text and lines

// Three sequential maps (dark is low, light is high, perceptually uniform) and a diverging one (0 is the paper).
typedef enum { COLOR_VIRIDIS, COLOR_CIVIDIS, COLOR_MAGMA, COLOR_DIVERGING } ColorMap;

Color color_at(ColorMap map, double t);                              // t from 0 to 1, clamped; NaN gives MARK
void color_row(ColorMap map, Color *to, const double *t, int count); // color_at for an array
Color color_over(Color color);                // a readable text colour on it: INK or PAPER, else black or white
Color color_text(Color wanted, Color ground); // `wanted`, changed as little as needed to be readable on `ground`
Color color_mix(Color a, Color b, double t);  // a at t = 0, b at t = 1
double color_luminance(Color color);          // relative luminance, 0 black to 1 white
double color_contrast(Color a, Color b);      // WCAG 2.1: (lighter + 0.05) / (darker + 0.05)
const char *color_map_name(ColorMap map);

#endif
