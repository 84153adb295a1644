// Colour scales. The bar is coloured pixel by pixel by the same function as the cells.
#include "figure/ramp.h"
#include "base/portable_math.h"
#include "figure/ticks.h"

#include <limits.h>

// The relative position of a value on the scale, 0 … 1; NaN stays NaN.
static double fraction_of(const Ramp *ramp, double value)
{
    if (isnan(value)) return value;
    bool even = ramp->kind == RAMP_LINEAR || ramp->kind == RAMP_NAMES;
    if (even) return fmin(1, fmax(0, (value - ramp->low) / (ramp->high - ramp->low)));
    if (!(value > 0)) return 0;
    double t = (log2(value) - log2(ramp->low)) / (log2(ramp->high) - log2(ramp->low));
    return fmin(1, fmax(0, t));
}

enum { NAMES = sizeof((Colors *)0)->series / sizeof(Color) };

static Color category_color(double value)
{
    if (!(value >= 1 && value <= INT_MAX)) return COLOR_PAPER;
    Color color = COLOR_SERIES[((int)value - 1) % NAMES];
    return value > floor(value) ? color_mix(color, COLOR_PAPER, 0.6) : color;
}

Color ramp_color(const Ramp *ramp, double value)
{
    if (ramp->kind == RAMP_NAMES) return category_color(value);
    return color_at(ramp->colors, fraction_of(ramp, value));
}

// fraction_of for an array. Invariants are computed once, and a value equal to its predecessor, often 0, reuses the
// result.
static void fractions_of(const Ramp *ramp, double *fractions, const float *values, int count)
{
    bool even = ramp->kind == RAMP_LINEAR;
    double low = even ? ramp->low : log2(ramp->low), range = (even ? ramp->high : log2(ramp->high)) - low;
    for (int k = 0; k < count; k++) {
        double value = (double)values[k];
        if (k && values[k] == values[k - 1]) {
            fractions[k] = fractions[k - 1];
            continue;
        }
        double t = ((even ? value : log2(value)) - low) / range;
        t = t < 0 || (!even && !(value > 0)) ? 0 : t > 1 ? 1 : t;
        fractions[k] = isnan(value) ? value : t;
    }
}

void ramp_colors(const Ramp *ramp, Color *to, const float *values, int count)
{
    enum { PIECE = 256 };
    double fractions[PIECE];
    bool names = ramp->kind == RAMP_NAMES;
    for (int k = 0; names && k < count; k++) to[k] = category_color((double)values[k]);
    for (int at = 0; !names && at < count; at += PIECE) {
        int piece = count - at < PIECE ? count - at : PIECE;
        fractions_of(ramp, fractions, values + at, piece);
        color_row(ramp->colors, to + at, fractions, piece);
    }
}

// ---- numbers on the bar ---------------------------------------------------------------------------------------------

enum { WHOLE_RANGE = 12 }; // up to this range, integers get equal whole steps

typedef struct {
    double at[TICKS_MOST + 2];
    const char *text[TICKS_MOST + 2];
    int count;
} Numbers;

static CanvasText number_style(void) { return (CanvasText){ .size = 11, .face = CANVAS_MONO, .color = COLOR_QUIET }; }

static bool is_integer(double x) { return floor(x) == x && fabs(x) < 1e9; }

// The smallest integer step that divides an integer range into at most `most` steps. 0: none.
static double integer_step(double range, double most)
{
    enum { PIECES = 10 };
    for (int pieces = (int)fmin(fmin(PIECES, most), range); pieces > 1; pieces--)
        if (fmod(range, pieces) == 0) return range / pieces;
    return 0;
}

// Both ends, and round numbers that do not overlap them; for a small integer range, equal steps.
static void linear_numbers(Arena *arena, Numbers *n, const Ramp *ramp, double length, double apart)
{
    double round[TICKS_MOST], range = ramp->high - ramp->low, clear = apart / length * range;
    int rounds = ticks_round(round, ramp->low, ramp->high, (int)fmax(2, fmin(6, length / 50)));
    bool meets = rounds > 1 && round[0] == ramp->low && round[rounds - 1] == ramp->high;
    double step = is_integer(ramp->low) && is_integer(ramp->high) && range <= WHOLE_RANGE && !meets
                      ? integer_step(range, length / (0.86 * apart))
                      : 0;
    n->at[n->count++] = ramp->low;
    for (double at = ramp->low + step; step > 0 && at < ramp->high; at += step) n->at[n->count++] = at;
    for (int k = 0; k < rounds && !(step > 0); k++)
        if (round[k] - ramp->low >= clear && ramp->high - round[k] >= clear) n->at[n->count++] = round[k];
    n->at[n->count++] = ramp->high;
    int decimals = ticks_decimals(n->at, n->count, range);
    for (int k = 0; k < n->count; k++) n->text[k] = ticks_text(arena, n->at[k], decimals);
}

static void log_numbers(Arena *arena, Numbers *n, const Ramp *ramp)
{
    int first = (int)ceil(log10(ramp->low) - 1e-9), last = (int)floor(log10(ramp->high) + 1e-9);
    if (last - first >= TICKS_MOST) first = last - TICKS_MOST + 1;
    for (int power = first; power <= last; power++) {
        n->at[n->count] = pow(10, power);
        n->text[n->count++] = power ? ticks_power_text(arena, pow(10, power), 10) : "1";
    }
}

// 1, and as many doublings and halvings as fit. On a horizontal bar the numbers of the ends are aligned inwards.
static void ratio_numbers(Arena *arena, Numbers *n, const Ramp *ramp, double length, bool horizontal)
{
    double doublings = log2(ramp->high);
    double apart =
        horizontal ? 1.5 * canvas_text_width(number_style(), arena_format(arena, "≤ 1/%.0f", ramp->high)) : 30;
    int step = (int)fmax(1, ceil(2 * doublings * apart / fmax(length, 1)));
    for (int power = 0; power <= fmin(doublings + 1e-9, TICKS_MOST / 2); power += step) {
        n->at[n->count] = ldexp(1, power);
        n->text[n->count++] = arena_format(arena, "%.0f", ldexp(1, power));
        if (!power) continue;
        n->at[n->count] = ldexp(1, -power);
        n->text[n->count++] = arena_format(arena, "1/%.0f", ldexp(1, power));
    }
}

// Each category in the middle of its colour, as many as fit.
static void category_numbers(Arena *arena, Numbers *n, const Ramp *ramp, double length, double apart)
{
    int step = (int)fmax(1, ceil(ramp->high * fmax(apart / length, 1.0 / TICKS_MOST)));
    for (int k = 0; k < (int)ramp->high; k += step) {
        n->at[n->count] = k + 0.5;
        n->text[n->count++] = arena_format(arena, "%d", k);
    }
}

// Marks an end with ≤ or ≥ if values beyond it exist.
static Numbers numbers_of(Arena *arena, const Ramp *ramp, double length, bool horizontal)
{
    Numbers n = { .count = 0 };
    if (ramp->kind == RAMP_LINEAR) linear_numbers(arena, &n, ramp, length, horizontal ? 44 : 22);
    else if (ramp->kind == RAMP_LOG) log_numbers(arena, &n, ramp);
    else if (ramp->kind == RAMP_NAMES) category_numbers(arena, &n, ramp, length, horizontal ? 24 : 16);
    else ratio_numbers(arena, &n, ramp, length, horizontal);
    for (int k = 0; k < n.count; k++) {
        double t = fraction_of(ramp, n.at[k]);
        bool cut = (ramp->below && t <= 0) || (ramp->above && t >= 1);
        if (cut) n.text[k] = arena_format(arena, "%s %s", t <= 0 ? "≤" : "≥", n.text[k]);
    }
    return n;
}

double ramp_room(Arena *arena, const Ramp *ramp, double length)
{
    double widest = 0;
    Numbers n = numbers_of(arena, ramp, length, false);
    for (int k = 0; k < n.count; k++) widest = fmax(widest, canvas_text_width(number_style(), n.text[k]));
    return RAMP_BAR + 6 + widest;
}

// ---- the bar --------------------------------------------------------------------------------------------------------

static void draw_colors(Canvas *canvas, const Ramp *ramp, double x, double y, double length, bool horizontal)
{
    double pixel = 1 / canvas->scale, start = horizontal ? x : y;
    int steps = (int)fmax(1, floor((canvas_crisp(canvas, start + length) - canvas_crisp(canvas, start)) / pixel + 0.5));
    ArenaMark mark = arena_mark(canvas->arena);
    Color *colors = arena_alloc(canvas->arena, (size_t)steps * sizeof *colors);
    for (int s = 0; s < steps; s++) {
        double t = horizontal ? (s + 0.5) / steps : 1 - (s + 0.5) / steps;
        colors[s] = ramp->kind == RAMP_NAMES ? category_color(floor(1 + t * ramp->high)) : color_at(ramp->colors, t);
    }
    if (horizontal) canvas_cells(canvas, x, y, pixel, RAMP_BAR, 1, steps, colors);
    else canvas_cells(canvas, x, y, RAMP_BAR, pixel, steps, 1, colors);
    arena_release(canvas->arena, mark);
}

// Numbers near an end stay within the bar's length.
static void draw_numbers(Canvas *canvas, const Ramp *ramp, double x, double y, double length, bool horizontal)
{
    Numbers n = numbers_of(canvas->arena, ramp, length, horizontal);
    for (int k = 0; k < n.count; k++) {
        CanvasText style = number_style();
        double t = fraction_of(ramp, n.at[k]), half = canvas_text_width(style, n.text[k]) / 2;
        if (!horizontal) {
            double baseline = fmin(fmax(y + (1 - t) * length + 4, y + 8), y + length);
            canvas_text(canvas, x + RAMP_BAR + 6, baseline, style, n.text[k]);
            continue;
        }
        bool first = t * length<half, last = t * length> length - half;
        style.anchor = first ? CANVAS_AT_START : last ? CANVAS_AT_END : CANVAS_AT_MIDDLE;
        double at = first ? x : last ? x + length : x + t * length;
        canvas_text(canvas, at, y + RAMP_BAR + 14, style, n.text[k]);
    }
}

void ramp_draw(Canvas *canvas, const Ramp *ramp, double x, double y, double length, bool horizontal)
{
    draw_colors(canvas, ramp, x, y, length, horizontal);
    draw_numbers(canvas, ramp, x, y, length, horizontal);
}
