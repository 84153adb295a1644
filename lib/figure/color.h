// Colours: the book's own few, and the maps that turn a number into one.
#ifndef FIGURE_COLOR_H
#define FIGURE_COLOR_H

#include <stdint.h>

typedef struct {
    uint8_t r, g, b;
} Color;

// The book's own colours. SERIES are for a plot's lines; told apart by the colour-blind too.
typedef struct {
    Color paper, ink, quiet, rule, accent, mark, series[6];
} Colors;
extern const Colors *color_palette; // of the scheme; on paper #faf9f6 #1f2328 #686d75 #e4e1da #31688e #c93f55
#define COLOR_PAPER  (color_palette->paper)
#define COLOR_INK    (color_palette->ink)
#define COLOR_QUIET  (color_palette->quiet)
#define COLOR_RULE   (color_palette->rule)
#define COLOR_ACCENT (color_palette->accent)
#define COLOR_MARK   (color_palette->mark)
#define COLOR_SERIES (color_palette->series)

// On paper, or for a dark wall: these colours, and the middle of DIVERGING, which is the paper. The other maps stay
// what they are. To be said before anything is drawn.
typedef enum { COLOR_ON_PAPER, COLOR_ON_DARK } ColorScheme;
void color_scheme(ColorScheme scheme);

#define COLOR_TEXT 4.5 // the contrast that text needs (WCAG 2.1, AA); large text, and lines, 3

// Three maps for amounts (dark is little, light is much, evenly to the eye) and one for signed values (0 is the paper).
typedef enum { COLOR_VIRIDIS, COLOR_CIVIDIS, COLOR_MAGMA, COLOR_DIVERGING } ColorMap;

Color color_at(ColorMap map, double t); // t from 0 to 1; outside is clamped, NaN gives MARK
void color_row(ColorMap map, Color *to, const double *t, int count); // color_at of many
Color color_over(Color color);                // what reads on it: INK or PAPER, else black or white
Color color_text(Color wanted, Color ground); // as much of a colour as reads on that ground
Color color_mix(Color a, Color b, double t);  // a at t = 0, b at t = 1
double color_luminance(Color color);          // of its light, 0 black to 1 white
double color_contrast(Color a, Color b);      // of WCAG 2.1: (lighter + 0.05) / (darker + 0.05)
const char *color_map_name(ColorMap map);

#endif
