// Line plots and bars: numbers against numbers, with axes that say what they are.
#ifndef FIGURE_PLOT_H
#define FIGURE_PLOT_H

#include "figure/canvas.h"

typedef struct {
    const char *name; // written at the end of the line, in its colour
    const double *x, *y;
    int count;
    bool dashed;               // a reference, a prediction: thin, dashed and quiet
    bool dots;                 // a dot at every point: measured, not drawn through
    const char *const *labels; // with dots: one beside each point, clear of lines; NULL leaves one out; may be NULL
} PlotSeries;

typedef struct {
    const char *title, *x_title, *y_title;
    const PlotSeries *series;
    int count;
    int taken;               // colours that a plot above has: its lines take the next ones
    bool in_order;           // the series are steps of one thing: their colours go from blue to red
    bool pairs;              // a dashed series has the colour of the one after it: a mean and its median
    bool log_x, log_y;       // powers of two (log_x) or of ten (log_y) as ticks
    double y_low, y_high;    // both 0: from the data
    double width, height;    // points; 0: 640 × 400
    const PlotSeries *below; // one whose name stands below its end, where that is free; NULL: none
} Plot;

Canvas *plot_draw(Arena *arena, const Plot *plot, RenderTarget paper);

// Plots one below the other: the same x, different numbers.
Canvas *plots_draw(Arena *arena, const Plot *plots, int count, RenderTarget paper);

// Bars side by side in groups: value[g · series + s]. A NaN leaves its place empty. A thin line through a bar's end is
// its interval, from low to high.
typedef struct {
    const char *title, *y_title;
    const char *const *groups;
    const char *const *series;
    int group_count, series_count;
    const double *values;
    const double *low, *high; // as values; NULL: no intervals
    int decimals;             // written on each bar; −1 writes none
    bool log;                 // powers of ten as ticks, and dots for bars; what is not positive has none
    double width, height;
} PlotBars;

Canvas *plot_bars_draw(Arena *arena, const PlotBars *bars, RenderTarget paper);

#endif
