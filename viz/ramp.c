// How numbers become colours, and the bars and swatches that say so.
#include "viz/map.h"

#include "figure/ticks.h"

#include <math.h>

double ramp_place(const Ramp *ramp, double value)
{
    if (isnan(value)) return value;
    if (ramp->kind == RAMP_LINEAR) return fmin(1, fmax(0, (value - ramp->low) / (ramp->high - ramp->low)));
    if (!(value > 0)) return 0;
    double t = (log2(value) - log2(ramp->low)) / (log2(ramp->high) - log2(ramp->low));
    return fmin(1, fmax(0, t));
}

Color ramp_color(const Ramp *ramp, double value) { return color_at(ramp->colors, ramp_place(ramp, value)); }

static void range_of(const Seen *seen, double *least, double *most)
{
    *least = INFINITY, *most = -INFINITY;
    for (int i = 0; i < seen->values.rows; i++)
        for (int j = 0; j < seen->values.cols; j++) {
            double value = (double)*mat_ref(seen->values, i, j);
            if (*mat_ref(seen->kind, i, j) != SHOWN || !isfinite(value)) continue;
            *least = fmin(*least, value);
            *most = fmax(*most, value);
        }
}

Ramp ramp_of_seen(const Seen *seen, ColorMap colors, const char *title)
{
    double least, most;
    range_of(seen, &least, &most);
    Ramp ramp = { RAMP_LINEAR, colors, least, most, .title = title };
    if (!(most >= least)) ramp.low = 0, ramp.high = 1;
    else if (least < 0) ramp.colors = DIVERGING, ramp.high = fmax(-least, most), ramp.low = -ramp.high;
    else if (least == most) ramp.low = fmin(0, least), ramp.high = fmax(1e-30, most);
    return ramp;
}

static bool are_weights(const Document *d)
{
    return d->of[FIELD_WEIGHTS] >= 0 && d->maps == d->of[FIELD_WEIGHTS] && !d->doubt;
}

// The range of all heads, as far as they have been looked at.
static void shared_range(const View *view, const Document *d, double *least, double *most)
{
    for (int l = 0; l < d->layers; l++)
        for (int h = 0; h < d->heads; h++) {
            const HeadLook *look = view_look(view, d, l, h);
            if (!look) continue;
            *least = fmin(*least, look->least);
            *most = fmax(*most, look->most);
        }
}

Ramp ramp_of_head(const View *view, const Document *d, const Seen *seen)
{
    const State *state = view->state;
    bool weights = are_weights(d);
    double least, most, n = d->S;
    range_of(seen, &least, &most);
    if (weights && state->scale == SCALE_LOG)
        return (Ramp){ RAMP_LOG, state->colors, 1e-4, 1, least < 1e-4, false, "weight, log" };
    if (weights && state->scale == SCALE_UNIFORM)
        return (Ramp){ RAMP_RATIO, DIVERGING, 1 / fmax(n, 2), fmax(n, 2), true, false, "weight × allowed keys" };
    if (weights && state->scale == SCALE_LINEAR)
        return (Ramp){ RAMP_LINEAR, state->colors, 0, 1, false, most > 1.0005, "weight" };
    if (state->scale != SCALE_HEAD && d == state->document) shared_range(view, d, &least, &most);
    if (!(most > least)) least = fmin(0, least), most = fmax(isfinite(most) ? most : 1, least + 1e-30);
    if (!isfinite(least)) least = 0;
    if (least < 0) {
        double reach = fmax(-least, most);
        return (Ramp){ RAMP_LINEAR, DIVERGING, -reach, reach, .title = weights ? "weight" : "value" };
    }
    const char *title = weights ? "weight, this head" : "value";
    return (Ramp){ RAMP_LINEAR, state->colors, weights ? 0 : least, most, .title = title };
}

// ---- the bar --------------------------------------------------------------------------------------------------------

static const char *tick_text(Canvas *canvas, const Ramp *ramp, double at, int decimals)
{
    if (ramp->kind == RAMP_LINEAR) return ticks_text(canvas->arena, at, decimals);
    if (ramp->kind == RAMP_LOG) return at >= 0.999 ? "1" : ticks_power_text(canvas->arena, at, 10);
    return at < 0.999 ? arena_format(canvas->arena, "1/%.0f", 1 / at) : arena_format(canvas->arena, "%.0f", at);
}

static int bar_ticks(const Ramp *ramp, double at[MOST_TICKS], double length)
{
    if (ramp->kind == RAMP_LINEAR) return ticks_round(at, ramp->low, ramp->high, (int)fmax(2, fmin(5, length / 50)));
    if (ramp->kind == RAMP_LOG) {
        int count = 0;
        for (double tick = ramp->high; tick >= ramp->low * 0.999 && count < MOST_TICKS; tick /= 10) at[count++] = tick;
        return count;
    }
    int count = 0, step = (int)fmax(1, ceil(log2(ramp->high) / fmax(2, length / 60)));
    for (int n = 0; n <= log2(ramp->high) + 1e-9 && count + 2 < MOST_TICKS; n += step) {
        at[count++] = ldexp(1, n);
        if (n) at[count++] = ldexp(1, -n);
    }
    return count;
}

// The numbers at a bar. A linear one names its ends, too, where no other number is near.
static int bar_numbers(Canvas *canvas, const Ramp *ramp, double length, double apart, double at[MOST_TICKS],
                       const char *text[MOST_TICKS])
{
    int count = bar_ticks(ramp, at, length), decimals = ticks_decimals(at, count, ramp->high - ramp->low);
    for (int k = 0; k < count; k++) text[k] = tick_text(canvas, ramp, at[k], decimals);
    for (int end = 0; end < 2 && ramp->kind == RAMP_LINEAR && count < MOST_TICKS; end++) {
        double value = end ? ramp->high : ramp->low, nearest = INFINITY;
        for (int k = 0; k < count; k++)
            nearest = fmin(nearest, fabs(ramp_place(ramp, at[k]) - ramp_place(ramp, value)) * length);
        if (nearest < apart) continue;
        at[count] = value, text[count++] = number_text(canvas->arena, value, decimals + 1);
    }
    for (int k = 0; k < count; k++) {
        double t = ramp_place(ramp, at[k]);
        bool cut = (ramp->below && t <= 0) || (ramp->above && t >= 1);
        if (cut) text[k] = arena_format(canvas->arena, "%s %s", t <= 0 ? "≤" : "≥", text[k]);
    }
    return count;
}

static void bar_colors(Canvas *canvas, const Ramp *ramp, double x, double y, double length, bool lying)
{
    int steps = (int)fmax(1, floor(length * canvas->scale));
    ArenaMark mark = arena_mark(canvas->arena);
    Color *colors = arena_alloc(canvas->arena, (size_t)steps * sizeof *colors);
    for (int s = 0; s < steps; s++) {
        double t = (s + 0.5) / steps;
        colors[s] = color_at(ramp->colors, lying ? t : 1 - t);
    }
    if (lying) canvas_cells(canvas, x, y, length / steps, 12, 1, steps, colors);
    else canvas_cells(canvas, x, y, 12, length / steps, steps, 1, colors);
    arena_release(canvas->arena, mark);
}

void ramp_draw(Canvas *canvas, const Ramp *ramp, double x, double y, double length)
{
    double at[MOST_TICKS];
    const char *text[MOST_TICKS];
    bar_colors(canvas, ramp, x, y, length, false);
    int count = bar_numbers(canvas, ramp, length, 16, at, text);
    for (int k = 0; k < count; k++) {
        double tick_y = y + (1 - ramp_place(ramp, at[k])) * length;
        write_at(canvas, x + 18, fmin(fmax(tick_y + 4, y + 8), y + length), MONO, 11, QUIET, AT_START, text[k]);
    }
    Text style = { .size = 12, .color = QUIET, .anchor = AT_MIDDLE, .angle = 90 };
    if (ramp->title && text_width(style, ramp->title) <= length)
        canvas_text(canvas, x + 62, y + length / 2, style, ramp->title);
}

void ramp_draw_lying(Canvas *canvas, const Ramp *ramp, double x, double y, double length)
{
    double at[MOST_TICKS];
    const char *text[MOST_TICKS];
    bar_colors(canvas, ramp, x, y, length, true);
    int count = bar_numbers(canvas, ramp, length, 48, at, text);
    for (int k = 0; k < count; k++) {
        double t = ramp_place(ramp, at[k]), half = text_width((Text){ .size = 11, .face = MONO }, text[k]) / 2;
        double middle = fmin(fmax(x + t * length, x + half), x + length - half);
        write_at(canvas, middle, y + 26, MONO, 11, QUIET, AT_MIDDLE, text[k]);
    }
    Text style = { .size = 12, .color = QUIET, .anchor = AT_MIDDLE };
    if (ramp->title && text_width(style, ramp->title) <= length + 16)
        canvas_text(canvas, x + length / 2, y + 43, style, ramp->title);
}

Color masked_plain(void) { return color_mix(PAPER, RULE, 0.6); }

Legend legend_of_seen(const Seen *seen)
{
    Legend legend = { .masked = false };
    for (int i = 0; i < seen->kind.rows; i++) {
        const float *kinds = mat_row(seen->kind, i), *values = mat_row(seen->values, i);
        for (int j = 0; j < seen->kind.cols; j++) {
            legend.masked |= kinds[j] == MASKED;
            legend.left_out |= kinds[j] == LEFT_OUT;
            legend.nan |= kinds[j] == SHOWN && isnan(values[j]);
        }
    }
    return legend;
}

double legend_draw(Canvas *canvas, const Legend *legend, double x, double y, bool lying)
{
    const char *const names[] = { legend->hidden ? legend->hidden : "masked", "left out", "NaN" };
    const bool there[] = { legend->masked, legend->left_out, legend->nan };
    const Color colors[] = { masked_plain(), RULE, MARK };
    double top = y;
    for (int k = 0; k < 3; k++) {
        if (!there[k]) continue;
        if (k == 0 && !legend->plain) canvas_hatch(canvas, x, y, 12, 12);
        else canvas_rect(canvas, x, y, 12, 12, colors[k]);
        write_at(canvas, x + 18, y + 10, SANS, 11, QUIET, AT_START, names[k]);
        if (lying) x += 18 + text_width((Text){ .size = 11 }, names[k]) + 16;
        else y += 20;
    }
    return y - top;
}
