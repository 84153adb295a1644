// The desktop's scale, for the window.
#ifndef VIZ_DISPLAY_SCALE_H
#define VIZ_DISPLAY_SCALE_H

// Pixels per point as GTK computes it under X11: GDK_SCALE · GDK_DPI_SCALE · Xft.dpi / 96. Values that are NULL or not
// above 0 count as 1. Clamped to 0.5 … 4.
double display_scale(const char *gdk_scale, const char *gdk_dpi_scale, const char *xft_dpi);

#endif
