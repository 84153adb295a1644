// Parses the desktop's scale settings.
#include "viz/display_scale.h"

#include "base/portable_math.h"

#include <stdlib.h>

static double factor(const char *word, double one)
{
    char *end = NULL;
    double value = word ? strtod(word, &end) : 0;
    return end && end > word && value > 0 && isfinite(value) ? value / one : 1;
}

double display_scale(const char *gdk_scale, const char *gdk_dpi_scale, const char *xft_dpi)
{
    double scale = factor(gdk_scale, 1) * factor(gdk_dpi_scale, 1) * factor(xft_dpi, 96);
    return fmin(fmax(scale, 0.5), 4);
}
