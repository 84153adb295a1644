// What the system says of how large things are to be. For the shell alone.
#ifndef VIZ_DISPLAY_SCALE_H
#define VIZ_DISPLAY_SCALE_H

// Pixels a point, as GTK counts them under X11: GDK_SCALE · GDK_DPI_SCALE · Xft.dpi / 96. What is NULL, or no number
// above 0, counts as 1; the answer is 0.5 … 4.
double display_scale(const char *gdk_scale, const char *gdk_dpi_scale, const char *xft_dpi);

#endif
