// Line plots and bar charts. A Frame holds the axes of both: the plot area, and the map from numbers to points.
#include "figure/plot.h"

#include "base/error.h"
#include "base/portable_math.h"
#include "figure/ticks.h"

#include <string.h>

static const double MARGIN = 24, LINE = 20, NAME_GAP = 15, INSET = 8;

typedef struct {
    double low, high;
    bool log;
} Axis;

typedef struct {
    Canvas *canvas;
    Arena *arena;
    Axis x, y;
    double above;                    // height of plots above, in points
    double left, top, right, bottom; // plot area, in points
    double y_at[TICKS_MOST];
    int y_count;
} Frame;

static CanvasText tick_style(CanvasAnchor anchor)
{
    return (CanvasText){ .size = 11, .face = CANVAS_MONO, .color = COLOR_QUIET, .anchor = anchor };
}
static CanvasText small_style(void) { return (CanvasText){ .size = 12, .color = COLOR_QUIET }; }
static CanvasText title_style(void) { return (CanvasText){ .size = 15, .face = CANVAS_SANS_BOLD, .color = COLOR_INK }; }

// ---- axes -----------------------------------------------------------------------------------------------------------

// Is the value drawable: not NaN, not so large that a difference overflows, and positive on a log axis?
static bool fits_axis(const Axis *axis, double value) { return fabs(value) < 1e300 && (!axis->log || value > 1e-300); }

// The relative position of a number on the axis: 0 … 1.
static double axis_fraction(const Axis *axis, double value)
{
    if (axis->log) return (log2(value) - log2(axis->low)) / (log2(axis->high) - log2(axis->low));
    return (value - axis->low) / (axis->high - axis->low);
}

static double x_of(const Frame *frame, double value)
{
    return frame->left + INSET + axis_fraction(&frame->x, value) * (frame->right - frame->left - 2 * INSET);
}

static double y_of(const Frame *frame, double value)
{
    return frame->bottom - axis_fraction(&frame->y, value) * (frame->bottom - frame->top);
}

// Extends the axis to include the value; ignores NaN, infinities and, on a log axis, numbers that are not positive.
static void axis_include(Axis *axis, double value)
{
    if (!fits_axis(axis, value)) return;
    axis->low = fmin(axis->low, value);
    axis->high = fmax(axis->high, value);
}

// Widens an axis of length zero around its only value.
static void axis_widen(Axis *axis)
{
    if (axis->high > axis->low) return;
    double at = axis->high >= axis->low ? axis->low : 1;
    axis->low = axis->log ? at / 2 : at - (at == 0 ? 1 : fabs(at) / 2);
    axis->high = axis->log ? at * 2 : at + (at == 0 ? 1 : fabs(at) / 2);
}

// The y axis: the given range, or that of the data, extended to 0 if 0 is near, and to round numbers.
static void y_axis(Axis *axis, double asked_low, double asked_high)
{
    if (asked_high > asked_low && (!axis->log || asked_low > 0)) {
        axis->low = asked_low;
        axis->high = asked_high;
        return;
    }
    axis_widen(axis);
    if (!axis->log && axis->low > 0 && axis->low < 0.5 * axis->high) axis->low = 0;
    if (!axis->log && axis->high < 0 && axis->high > 0.5 * axis->low) axis->high = 0;
    double low = axis->low, high = axis->high, air = 0.04 * (high - low);
    ticks_widen(&axis->low, &axis->high, 6, axis->log);
    if (axis->log) return;
    if (low - axis->low > 5 * air) axis->low = low - air; // do not extend to a round number that is far off
    if (axis->high - high > 2.5 * air) axis->high = high + air;
}

// Plain numbers if they are short, else 10ⁿ or 2ⁿ.
static const char *tick_label(Arena *arena, const Axis *axis, const double *at, int count, int k, int base)
{
    bool powers = axis->log && (axis->high > (base == 2 ? 200000 : 20000) || axis->low < 0.0009);
    double n = base == 2 ? log2(at[k]) : log10(at[k]);
    if (powers && fabs(n - floor(n + 0.5)) > 1e-6) return arena_format(arena, "%.0e", at[k]);
    if (powers) return ticks_power_text(arena, at[k], base);
    if (!axis->log) return ticks_text(arena, at[k], ticks_decimals(at, count, axis->high - axis->low));
    return ticks_text(arena, at[k], ticks_decimals(&at[k], 1, at[k]));
}

static const char *y_label(const Frame *frame, int k)
{
    return tick_label(frame->arena, &frame->y, frame->y_at, frame->y_count, k, 10);
}

// Places the plot area: margins for the titles above and the numbers on the left.
static void frame_place(Frame *frame, const char *title, const char *y_title, double width, double height)
{
    frame->y_count = frame->y.log ? ticks_powers(frame->y_at, frame->y.low, frame->y.high, 7)
                                  : ticks_round(frame->y_at, frame->y.low, frame->y.high, 6);
    double widest = 0;
    for (int k = 0; k < frame->y_count; k++)
        widest = fmax(widest, canvas_text_width(tick_style(CANVAS_AT_END), y_label(frame, k)));
    frame->left = MARGIN + ceil(widest) + 8;
    frame->top = frame->above + MARGIN + (title ? 15 + 14 : 6) + (y_title ? LINE + 2 : 6);
    frame->right = width - MARGIN;
    frame->bottom = frame->above + height - MARGIN - LINE;
}

static void draw_titles(const Frame *frame, const char *title, const char *y_title)
{
    double top = frame->above + MARGIN;
    if (title) canvas_text(frame->canvas, MARGIN, top + 13, title_style(), title);
    if (y_title) canvas_text(frame->canvas, MARGIN, top + (title ? 15 + 14 : 6) + 7, small_style(), y_title);
}

static void draw_y_axis(const Frame *frame)
{
    Canvas *canvas = frame->canvas;
    for (int k = 0; k < frame->y_count; k++) {
        double y = y_of(frame, frame->y_at[k]);
        canvas_rect(canvas, frame->left, canvas_crisp(canvas, y - 0.5), frame->right - frame->left, 1, COLOR_RULE);
        canvas_text(canvas, frame->left - 8, y + 4, tick_style(CANVAS_AT_END), y_label(frame, k));
    }
}

// The horizontal base line, at 0 if that is visible.
static void draw_base(const Frame *frame)
{
    bool zero = !frame->y.log && frame->y.low < 0 && frame->y.high > 0;
    double y = zero ? y_of(frame, 0) : frame->bottom;
    Color color = color_mix(COLOR_RULE, COLOR_QUIET, 0.7);
    canvas_rect(frame->canvas, frame->left, canvas_crisp(frame->canvas, y - 0.5), frame->right - frame->left, 1, color);
}

// Tick labels under the base line, as many as fit without overlap.
static void draw_x_axis(const Frame *frame)
{
    double at[TICKS_MOST], widest = 0;
    int want = (int)((frame->right - frame->left) / 70);
    int count = frame->x.log ? ticks_doublings(at, frame->x.low, frame->x.high)
                             : ticks_round(at, frame->x.low, frame->x.high, want > 1 ? want : 1);
    for (int k = 0; k < count; k++)
        widest = fmax(widest, canvas_text_width(tick_style(CANVAS_AT_MIDDLE),
                                                tick_label(frame->arena, &frame->x, at, count, k, 2)));
    int step = 1;
    while (step < count && step * (x_of(frame, at[1]) - x_of(frame, at[0])) < widest + 14) step++;
    for (int k = 0; k < count; k += step) {
        double x = x_of(frame, at[k]);
        Color color = color_mix(COLOR_RULE, COLOR_QUIET, 0.7);
        double left = canvas_crisp(frame->canvas, x - 0.5), top = canvas_crisp(frame->canvas, frame->bottom + 0.5);
        canvas_rect(frame->canvas, left, top, 1, 4, color);
        canvas_text(frame->canvas, x, frame->bottom + 17, tick_style(CANVAS_AT_MIDDLE),
                    tick_label(frame->arena, &frame->x, at, count, k, 2));
    }
}

// ---- lines ----------------------------------------------------------------------------------------------------------

static bool is_visible(const Frame *frame, double x, double y)
{
    return fits_axis(&frame->x, x) && fits_axis(&frame->y, y);
}

// A dashed reference is pale; the others take the colours in turn, or from a gradient if ordered.
static Color color_of(const Plot *plot, int s)
{
    enum { BLUE = 0, RED = 4 };
    int turn = 0, last = -1;
    if (plot->series[s].dashed) return plot->pairs && s + 1 < plot->count ? color_of(plot, s + 1) : COLOR_QUIET;
    for (int k = 0; k < s; k++) turn += !plot->series[k].dashed;
    for (int k = 0; k < plot->count; k++) last += !plot->series[k].dashed;
    if (plot->in_order) return color_mix(COLOR_SERIES[BLUE], COLOR_SERIES[RED], last > 0 ? (double)turn / last : 0.0);
    return COLOR_SERIES[(plot->taken + turn) % 6];
}

// A dashed polyline: 5 points drawn, 4 omitted.
static void draw_dashed(Canvas *canvas, Arena *arena, const double *xy, int points, double thick, Color color)
{
    double *dash = arena_alloc(arena, ((size_t)points + 2) * 2 * sizeof *dash);
    double left = 5; // length left in this dash or gap
    bool drawn = true;
    int n = 0;
    dash[n++] = xy[0];
    dash[n++] = xy[1];
    for (int p = 0; p + 1 < points;) {
        const double *b = xy + 2 * p + 2, *a = n ? dash + n - 2 : b;
        double dx = b[0] - a[0], dy = b[1] - a[1], length = sqrt(dx * dx + dy * dy);
        double t = length > left ? left / length : 1;
        double x = a[0] + t * dx, y = a[1] + t * dy;
        if (!drawn) n = 0;
        dash[n++] = x;
        dash[n++] = y;
        left -= t * length;
        if (t >= 1) p++;
        if (left > 1e-9) continue;
        if (drawn) canvas_polyline(canvas, dash, n / 2, thick, color);
        dash[0] = x;
        dash[1] = y;
        n = 2;
        drawn = !drawn;
        left = drawn ? 5 : 4;
    }
    if (drawn && n > 2) canvas_polyline(canvas, dash, n / 2, thick, color);
}

static void draw_run(const Frame *frame, const PlotSeries *series, const double *xy, int points, Color color)
{
    if (points < 2) return;
    if (series->dashed) draw_dashed(frame->canvas, frame->arena, xy, points, 1.3, color);
    else canvas_polyline(frame->canvas, xy, points, 2, color);
}

// Clips the segment a b to the frame's top and bottom; false if nothing remains.
static bool clip(const Frame *frame, double a[2], double b[2])
{
    double top = frame->top - 0.5, bottom = frame->bottom + 0.5;
    double *high = a[1] < b[1] ? a : b, *low = high == a ? b : a;
    if (low[1] < top || high[1] > bottom) return false;
    double slope = low[1] > high[1] ? (low[0] - high[0]) / (low[1] - high[1]) : 0;
    if (high[1] < top) {
        high[0] += slope * (top - high[1]);
        high[1] = top;
    }
    if (low[1] > bottom) {
        low[0] -= slope * (low[1] - bottom);
        low[1] = bottom;
    }
    return true;
}

// The line, in runs: a missing or clipped number ends one run, and the next visible number starts another.
static void draw_line(const Frame *frame, const PlotSeries *series, Color color)
{
    double *run = arena_alloc(frame->arena, ((size_t)series->count + 2) * 2 * sizeof *run);
    int n = 0;
    for (int i = 0; i + 1 < series->count; i++) {
        const double *x = series->x + i, *y = series->y + i;
        bool both = is_visible(frame, x[0], y[0]) && is_visible(frame, x[1], y[1]);
        double a[2] = { 0 }, b[2] = { 0 };
        if (both) {
            a[0] = x_of(frame, x[0]);
            a[1] = y_of(frame, y[0]);
            b[0] = x_of(frame, x[1]);
            b[1] = y_of(frame, y[1]);
            both = clip(frame, a, b);
        }
        bool joined = both && n > 0 && run[n - 2] == a[0] && run[n - 1] == a[1];
        if (n > 0 && !joined) {
            draw_run(frame, series, run, n / 2, color);
            n = 0;
        }
        if (both && n == 0) {
            run[n++] = a[0];
            run[n++] = a[1];
        }
        if (both) {
            run[n++] = b[0];
            run[n++] = b[1];
        }
    }
    if (n > 0) draw_run(frame, series, run, n / 2, color);
}

// Does the segment from point a on pass through the box from (left, y − half) to (right, y + half)? Tested at steps.
static bool line_passes(const Frame *frame, const PlotSeries *series, int a, double left, double right, double y,
                        double half)
{
    if (!is_visible(frame, series->x[a], series->y[a])) return false;
    int b = a + 1 < series->count && is_visible(frame, series->x[a + 1], series->y[a + 1]) ? a + 1 : a;
    double from[] = { x_of(frame, series->x[a]), y_of(frame, series->y[a]) };
    double to[] = { x_of(frame, series->x[b]), y_of(frame, series->y[b]) };
    for (int step = 0; step <= 512; step++) {
        double part = step / 512.0, px = from[0] + part * (to[0] - from[0]), py = from[1] + part * (to[1] - from[1]);
        if (px > left && px < right && fabs(py - y) < half) return true;
    }
    return false;
}

// Is the box from (left, y − half) to (left + width, y + half) inside the frame and clear of all lines?
static bool is_free(const Frame *frame, const Plot *plot, double left, double width, double y, double half)
{
    if (left < frame->left || left + width > frame->right) return false;
    for (int s = 0; s < plot->count; s++)
        for (int i = 0; i < plot->series[s].count && !plot->series[s].dots; i++)
            if (line_passes(frame, &plot->series[s], i, left, left + width, y, half)) return false;
    return true;
}

// A label right of its dot, on paper, or above it if there is no space at the right. If a line passes there, at another
// free corner.
static void draw_dot_label(const Frame *frame, const Plot *plot, double x, double y, const char *label, Color color)
{
    enum { HALF = 6, CORNERS = 4 };
    CanvasText style = { .size = 11, .color = color_text(color, COLOR_PAPER) };
    double width = canvas_text_width(style, label), left = x + 8, base = y - 4;
    if (left + width > frame->right) {
        left = frame->right - width;
        base = y - 9;
    }
    const double lefts[CORNERS] = { left, x + 6, x - 8 - width, x - 6 - width };
    const double bases[CORNERS] = { base, y + 15, y - 4, y + 15 };
    for (int c = CORNERS - 1; c >= 0; c--)
        if (is_free(frame, plot, lefts[c], width, bases[c] - 4, HALF)) {
            left = lefts[c];
            base = bases[c];
        }
    canvas_rect(frame->canvas, left - 2, base - 10, width + 4, 13, COLOR_PAPER);
    canvas_text(frame->canvas, left, base, style, label);
}

static void draw_dots(const Frame *frame, const Plot *plot, const PlotSeries *series, Color color)
{
    for (int i = 0; i < series->count; i++) {
        if (!is_visible(frame, series->x[i], series->y[i])) continue;
        double x = x_of(frame, series->x[i]), y = y_of(frame, series->y[i]);
        if (y < frame->top - 1 || y > frame->bottom + 1) continue;
        canvas_disc(frame->canvas, x, y, 4.6, COLOR_PAPER);
        canvas_disc(frame->canvas, x, y, 3.4, color);
        if (series->labels && series->labels[i]) draw_dot_label(frame, plot, x, y, series->labels[i], color);
    }
}

// The name of a series: the end of its line, and `label_y`, the name's y after overlaps are resolved.
typedef struct {
    double x, y, label_y;
    int series;
} Name;

static int names_find(const Frame *frame, const Plot *plot, Name *names)
{
    int count = 0;
    for (int s = 0; s < plot->count; s++) {
        const PlotSeries *series = &plot->series[s];
        int last = series->count - 1;
        while (last >= 0 && !is_visible(frame, series->x[last], series->y[last])) last--;
        if (last < 0 || !series->name) continue;
        double y = fmin(fmax(y_of(frame, series->y[last]), frame->top), frame->bottom);
        Name name = { x_of(frame, series->x[last]), y, y, s };
        int k = count++;
        for (; k > 0 && names[k - 1].y > y; k--) names[k] = names[k - 1];
        names[k] = name;
    }
    return count;
}

static CanvasText name_style(Color color)
{
    return (CanvasText){ .size = 12, .color = color_text(color, COLOR_PAPER) };
}

static const char *name_text(const Frame *frame, const Plot *plot, const Name *name)
{
    return canvas_text_fit(frame->arena, name_style(COLOR_INK), plot->series[name->series].name, 180);
}

static bool ends_early(const Frame *frame, const Name *name)
{
    enum { FAR = 60 };
    return name->x <= frame->right - FAR;
}

// A line that ends well before the right edge has its name directly after its end, if no other line passes there: a
// leader line to the edge would look like part of the line.
static bool fits_beside(const Frame *frame, const Plot *plot, const Name *name)
{
    enum { BEHIND = 8, HALF = 11 };
    double left = name->x + BEHIND,
           right = left + canvas_text_width(name_style(COLOR_INK), name_text(frame, plot, name));
    if (!ends_early(frame, name) || right > frame->right) return false;
    for (int s = 0; s < plot->count; s++)
        for (int i = 0; i < plot->series[s].count; i++)
            if (s != name->series && line_passes(frame, &plot->series[s], i, left, right, name->y, HALF)) return false;
    return true;
}

static void draw_name_at(const Frame *frame, const Plot *plot, const Name *name, double x, double y)
{
    const char *text = name_text(frame, plot, name);
    CanvasText style = name_style(color_of(plot, name->series));
    canvas_rect(frame->canvas, x - 2, y - 8, canvas_text_width(style, text) + 4, 16, COLOR_PAPER);
    canvas_text(frame->canvas, x, y + 4.2, style, text);
}

// Draws the name above or below the end of its line if the space is free, since a leader line to the edge would cross
// another line: below if the plot requests that, above if the line ends well before the edge. Returns whether it did.
static bool draw_name_at_end(const Frame *frame, const Plot *plot, const Name *name)
{
    enum { AWAY = 14, HALF = 8 };
    const PlotSeries *series = &plot->series[name->series];
    double width = canvas_text_width(name_style(COLOR_INK), name_text(frame, plot, name)), left = name->x - width / 2;
    double y = name->y + (series == plot->below ? AWAY : -AWAY);
    if (series != plot->below && (series->dashed || series->dots || !ends_early(frame, name))) return false;
    if (y - HALF < frame->top || y + HALF > frame->bottom) return false;
    if (!is_free(frame, plot, left, width, y, HALF)) return false;
    draw_name_at(frame, plot, name, left, y);
    return true;
}

static bool end_together(const Name *a, const Name *b)
{
    return fabs(a->y - b->y) < NAME_GAP && fabs(a->x - b->x) < 100;
}

// Draws names next to their lines and returns the number of names that remain for the right edge.
static int draw_names_beside(const Frame *frame, const Plot *plot, Name *names, int count)
{
    int left = 0;
    for (int k = 0; k < count; k++) {
        const PlotSeries *series = &plot->series[names[k].series];
        if (series == plot->below && draw_name_at_end(frame, plot, &names[k])) continue;
        bool near = k > 0 && end_together(&names[k - 1], &names[k]); // draw neither of two lines that end together
        near = near || (k + 1 < count && end_together(&names[k], &names[k + 1]));
        if (near || series->dashed || series->dots || !fits_beside(frame, plot, &names[k])) {
            if (near || !draw_name_at_end(frame, plot, &names[k])) names[left++] = names[k];
            continue;
        }
        draw_name_at(frame, plot, &names[k], names[k].x + 8, names[k].y);
    }
    return left;
}

// Resolves overlaps: names that are too close repel each other iteratively; then all are clamped to the frame.
static void names_spread(const Frame *frame, Name *names, int count)
{
    for (int round = 0; round < 200; round++)
        for (int k = 0; k + 1 < count; k++) {
            double overlap = NAME_GAP - (names[k + 1].label_y - names[k].label_y);
            if (overlap <= 0) continue;
            names[k].label_y -= overlap / 2;
            names[k + 1].label_y += overlap / 2;
        }
    for (int k = 0; k < count; k++) {
        double least = k ? names[k - 1].label_y + NAME_GAP : frame->top;
        names[k].label_y = fmax(names[k].label_y, least);
    }
    for (int k = count - 1; k >= 0; k--) {
        double most = k + 1 < count ? names[k + 1].label_y - NAME_GAP : frame->bottom;
        names[k].label_y = fmin(names[k].label_y, most);
    }
}

static void draw_names(const Frame *frame, const Plot *plot)
{
    Name *names = arena_alloc(frame->arena, ((size_t)plot->count + 1) * sizeof *names);
    int count = draw_names_beside(frame, plot, names, names_find(frame, plot, names));
    names_spread(frame, names, count);
    for (int k = 0; k < count; k++) {
        Color color = color_of(plot, names[k].series);
        double x = frame->right + 6, gap = plot->series[names[k].series].dots ? 7 : 4;
        if (fabs(names[k].label_y - names[k].y) > 5 || names[k].x < frame->right - INSET - 3)
            canvas_line(frame->canvas, names[k].x + gap, names[k].y, x - 3, names[k].label_y, 0.8,
                        color_mix(COLOR_PAPER, color, 0.5));
        canvas_text(frame->canvas, x, names[k].label_y + 4.2, name_style(color), name_text(frame, plot, &names[k]));
    }
}

static double names_room(const Plot *plot)
{
    double widest = 0;
    for (int s = 0; s < plot->count; s++)
        if (plot->series[s].name)
            widest = fmax(widest, fmin(180, canvas_text_width(name_style(COLOR_INK), plot->series[s].name)));
    return widest > 0 ? ceil(widest) + 6 : 0;
}

static double width_of(const Plot *plot) { return plot->width > 0 ? plot->width : 640; }
static double height_of(const Plot *plot) { return plot->height > 0 ? plot->height : 400; }

// Fits both axes to the drawable data.
static void frame_measure(Frame *frame, const Plot *plot)
{
    frame->x = (Axis){ INFINITY, -INFINITY, plot->log_x };
    frame->y = (Axis){ INFINITY, -INFINITY, plot->log_y };
    for (int s = 0; s < plot->count; s++)
        for (int i = 0; i < plot->series[s].count; i++)
            if (is_visible(frame, plot->series[s].x[i], plot->series[s].y[i])) {
                axis_include(&frame->x, plot->series[s].x[i]);
                axis_include(&frame->y, plot->series[s].y[i]);
            }
    axis_widen(&frame->x);
    y_axis(&frame->y, plot->y_low, plot->y_high);
}

static Frame frame_of(Canvas *canvas, Arena *arena, const Plot *plot, double above)
{
    Frame frame = { .arena = arena, .canvas = canvas, .above = above };
    frame_measure(&frame, plot);
    frame_place(&frame, plot->title, plot->y_title, width_of(plot), height_of(plot));
    if (plot->x_title) frame.bottom -= LINE;
    return frame;
}

// One plot of a stack, from `left` on, with `room` points for the names on the right.
static void draw_plot(Canvas *canvas, Arena *arena, const Plot *plot, double above, double left, double room)
{
    Frame frame = frame_of(canvas, arena, plot, above);
    frame.left = left;
    frame.right -= room;

    draw_titles(&frame, plot->title, plot->y_title);
    draw_y_axis(&frame);
    draw_base(&frame);
    draw_x_axis(&frame);
    for (int pass = 0; pass < 2; pass++) // references below measured lines
        for (int s = 0; s < plot->count; s++)
            if (plot->series[s].dashed == (pass == 0) && (plot->series[s].dashed || !plot->series[s].dots))
                draw_line(&frame, &plot->series[s], color_of(plot, s));
    for (int s = 0; s < plot->count; s++)
        if (plot->series[s].dots) draw_dots(&frame, plot, &plot->series[s], color_of(plot, s));
    draw_names(&frame, plot);
    if (!plot->x_title) return;
    CanvasText style = small_style();
    style.anchor = CANVAS_AT_MIDDLE;
    double base = above + height_of(plot) - MARGIN - 1;
    canvas_text(canvas, (frame.left + frame.right) / 2, base, style, plot->x_title);
}

Canvas *plots_draw(Arena *arena, const Plot *plots, int count, RenderTarget paper)
{
    double width = 0, height = 0, left = 0, room = 0, above = 0;
    for (int p = 0; p < count; p++) {
        width = fmax(width, width_of(&plots[p]));
        height += height_of(&plots[p]);
        left = fmax(left, frame_of(NULL, arena, &plots[p], 0).left);
        room = fmax(room, names_room(&plots[p]));
    }
    Canvas *canvas = canvas_new(arena, width, height, paper.scale);
    canvas_record(canvas, paper.record);
    for (int p = 0; p < count; p++) {
        draw_plot(canvas, arena, &plots[p], above, left, room);
        above += height_of(&plots[p]);
    }
    return canvas;
}

Canvas *plot_draw(Arena *arena, const Plot *plot, RenderTarget paper) { return plots_draw(arena, plot, 1, paper); }

// ---- bars -----------------------------------------------------------------------------------------------------------

// The legend: names in a row from x on, each after a swatch of its colour.
static void draw_legend(const Frame *frame, const PlotBars *bars, double x, double y)
{
    for (int s = 0; s < bars->series_count; s++) {
        CanvasText style = name_style(COLOR_INK);
        double left = canvas_crisp(frame->canvas, x), top = canvas_crisp(frame->canvas, y - 9);
        canvas_rect(frame->canvas, left, top, 10, 10, COLOR_SERIES[s % 6]);
        canvas_text(frame->canvas, x + 16, y, style, bars->series[s]);
        x += 16 + canvas_text_width(style, bars->series[s]) + LINE;
    }
}

static double legend_width(const PlotBars *bars)
{
    if (!bars->series || bars->series_count < 2) return 0;
    double width = -LINE;
    for (int s = 0; s < bars->series_count; s++)
        width += 16 + canvas_text_width(name_style(COLOR_INK), bars->series[s]) + LINE;
    return width;
}

// Font size of the numbers over the bars, from the narrowest bar; 0: too narrow for numbers.
static double value_size(Arena *arena, const PlotBars *bars, double room)
{
    CanvasText one = { .size = 1, .face = CANVAS_MONO };
    double widest = 0;
    if (bars->decimals < 0) return 0;
    for (int k = 0; k < bars->group_count * bars->series_count; k++)
        widest = fmax(widest, canvas_text_width(one, ticks_text(arena, bars->values[k], bars->decimals)));
    if (!(widest > 0)) return 0;
    for (double size = 11; size >= 8; size--)
        if (size * widest + 2 <= room) return size;
    return 0;
}

// On a log axis a bar has no base and its length means nothing, so the value is drawn as a dot.
static void draw_bar(const Frame *frame, double x, double width, double value, Color color)
{
    if (!fits_axis(&frame->y, value)) return;
    if (frame->y.log) {
        canvas_disc(frame->canvas, x + width / 2, y_of(frame, value), 5, color);
        return;
    }
    double zero = canvas_crisp(frame->canvas, y_of(frame, fmin(fmax(0, frame->y.low), frame->y.high)));
    double top = canvas_crisp(frame->canvas, y_of(frame, value)), left = canvas_crisp(frame->canvas, x);
    double right = canvas_crisp(frame->canvas, x + width);
    canvas_rect(frame->canvas, left, fmin(top, zero), right - left, fabs(zero - top), color);
}

static void draw_interval(const Frame *frame, double x, double low, double high)
{
    if (!fits_axis(&frame->y, low) || !fits_axis(&frame->y, high)) return;
    double top = y_of(frame, high);
    canvas_rect(frame->canvas, canvas_crisp(frame->canvas, x - 0.5), top, 1, y_of(frame, low) - top, COLOR_INK);
}

static void draw_group(const Frame *frame, const PlotBars *bars, int g, double slot, double bar, double size)
{
    double middle = frame->left + (g + 0.5) * slot, x = middle - bar * bars->series_count / 2;
    for (int s = 0; s < bars->series_count; s++) {
        int k = g * bars->series_count + s;
        double value = bars->values[k], left = x + s * bar, wide = bar - (bars->series_count > 1 ? 2 : 0);
        if (isnan(value)) continue;
        draw_bar(frame, left, wide, value, COLOR_SERIES[s % 6]);
        if (bars->low) draw_interval(frame, left + wide / 2, bars->low[k], bars->high[k]);
        if (size == 0) continue;
        double end = !bars->low ? value : value < 0 ? fmin(value, bars->low[k]) : fmax(value, bars->high[k]);
        double base = fits_axis(&frame->y, end) ? end : 0;
        double y = y_of(frame, base) + (base < 0 ? size + 3 : frame->y.log ? -9 : -5);
        CanvasText style = { .size = size, .face = CANVAS_MONO, .color = COLOR_INK, .anchor = CANVAS_AT_MIDDLE };
        canvas_text(frame->canvas, left + bar / 2 - (bars->series_count > 1 ? 1 : 0), y, style,
                    ticks_text(frame->arena, value, bars->decimals));
    }
}

// Group names are rotated if one does not fit its slot.
static bool groups_rotated(const PlotBars *bars, double slot)
{
    if (!bars->groups) return false;
    for (int g = 0; g < bars->group_count; g++)
        if (canvas_text_width(name_style(COLOR_INK), bars->groups[g]) > slot - 6) return true;
    return false;
}

static double groups_height(const PlotBars *bars, double slot)
{
    double widest = 0;
    if (!groups_rotated(bars, slot)) return 0;
    for (int g = 0; g < bars->group_count; g++)
        widest = fmax(widest, canvas_text_width(name_style(COLOR_INK), bars->groups[g]));
    return fmin(widest, 120) * 0.64 + 4;
}

static void draw_group_names(const Frame *frame, const PlotBars *bars, double slot)
{
    bool turned = groups_rotated(bars, slot);
    if (!bars->groups) return;
    for (int g = 0; g < bars->group_count; g++) {
        CanvasText style = { .size = 12,
                             .color = COLOR_INK,
                             .anchor = turned ? CANVAS_AT_END : CANVAS_AT_MIDDLE,
                             .angle = turned ? 40 : 0 };
        double x = frame->left + (g + 0.5) * slot;
        const char *text = turned ? canvas_text_fit(frame->arena, style, bars->groups[g], 120) : bars->groups[g];
        canvas_text(frame->canvas, x + (turned ? 5 : 0), frame->bottom + (turned ? 14 : 18), style, text);
    }
}

// From 0, or the power of ten below the minimum, to the longest bar, plus space for the numbers above the bars.
static Axis bars_axis(const PlotBars *bars)
{
    Axis axis = bars->log ? (Axis){ INFINITY, -INFINITY, true } : (Axis){ 0, 0, false };
    for (int k = 0; k < bars->group_count * bars->series_count; k++) {
        axis_include(&axis, bars->values[k]);
        if (!bars->low) continue;
        axis_include(&axis, bars->low[k]);
        axis_include(&axis, bars->high[k]);
    }
    if (bars->log) {
        axis_widen(&axis);
        double low = pow(10, ceil(log10(axis.low)) - 1);
        return (Axis){ low, axis.high * pow(axis.high / low, 0.1), true };
    }
    if (!(axis.high > axis.low)) axis.high = axis.low + 1;
    double low = axis.low, high = axis.high, air = 0.1 * (high - low);
    return (Axis){ low < 0 ? low - air : 0, high > 0 ? high + air : 0, false };
}

Canvas *plot_bars_draw(Arena *arena, const PlotBars *bars, RenderTarget paper)
{
    double width = bars->width > 0 ? bars->width : 640, height = bars->height > 0 ? bars->height : 400;
    Frame frame = { .arena = arena, .canvas = canvas_new(arena, width, height, paper.scale) };
    canvas_record(frame.canvas, paper.record);
    frame.y = bars_axis(bars);

    double legend = legend_width(bars), titled = bars->y_title ? canvas_text_width(small_style(), bars->y_title) : 0;
    bool apart = legend > 0 && titled > 0 && MARGIN + titled + 2 * LINE + legend > width - MARGIN;
    frame_place(&frame, bars->title, bars->y_title || legend > 0 ? "" : NULL, width, height);
    if (apart) frame.top += LINE;
    int groups = bars->group_count > 0 ? bars->group_count : 1;
    int series = bars->series_count > 0 ? bars->series_count : 1;
    double slot = (frame.right - frame.left) / groups, bar = fmin(56, slot * 0.76 / series);
    frame.bottom -= groups_height(bars, slot);
    double size = value_size(arena, bars, series > 1 ? bar : slot - 4);

    draw_titles(&frame, bars->title, bars->y_title);
    double row = MARGIN + (bars->title ? 15 + 14 : 6) + 7 + (apart ? LINE : 0);
    if (legend > 0) draw_legend(&frame, bars, apart || titled == 0 ? MARGIN : width - MARGIN - legend, row);
    draw_y_axis(&frame);
    for (int g = 0; g < bars->group_count; g++) draw_group(&frame, bars, g, slot, bar, size);
    draw_base(&frame);
    draw_group_names(&frame, bars, slot);
    return frame.canvas;
}
