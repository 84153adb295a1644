// Line plots and bar charts with labelled axes.
#ifndef FIGURE_PLOT_H
#define FIGURE_PLOT_H

#include "figure/canvas.h"

typedef struct {
    const char *name; // written at the end of the line, in its colour
    const double *x, *y;
    int count;
    bool dashed; // a reference or a prediction: thin, dashed and pale
    bool dots;   // measured points: dots without a line
    const char *const
        *labels; // with dots: one label per point, placed clear of lines; entries may be NULL; may be NULL
} PlotSeries;

typedef struct {
    const char *title, *x_title, *y_title;
    const PlotSeries *series;
    int count;
    int taken;               // colours used by a plot above: these lines continue after them
    bool in_order;           // the series are ordered: their colours go from blue to red
    bool pairs;              // a dashed series has the colour of the next one: for example mean and median
    bool log_x, log_y;       // powers of two (log_x) or of ten (log_y) as ticks
    double y_low, y_high;    // both 0: from the data
    double width, height;    // points; 0: 640 × 400
    const PlotSeries *below; // series whose name is placed below its end, if there is space; NULL: none
} Plot;

Canvas *plot_draw(Arena *arena, const Plot *plot, RenderTarget paper);

// Plots stacked vertically with a common x axis.
Canvas *plots_draw(Arena *arena, const Plot *plots, int count, RenderTarget paper);

// Bars side by side in groups: value[g · series + s]. NaN leaves a gap. A thin line through a bar's end is its
// confidence interval, from low to high.
typedef struct {
    const char *title, *y_title;
    const char *const *groups;
    const char *const *series;
    int group_count, series_count;
    const double *values;
    const double *low, *high; // as values; NULL: no intervals
    int decimals;             // of the number on each bar; −1: none
    bool log;                 // log axis with powers of ten, and dots instead of bars; values ≤ 0 are not drawn
    double width, height;
} PlotBars;

Canvas *plot_bars_draw(Arena *arena, const PlotBars *bars, RenderTarget paper);

#endif
