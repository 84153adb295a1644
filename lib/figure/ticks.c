// Tick values.
#include "figure/ticks.h"

#include "base/portable_math.h"

#include <stdio.h>
#include <string.h>

// 10ⁿ by multiplication, equal on every machine; n from −300 to 300.
static double power_of_ten(int n)
{
    double power = 1;
    for (int i = 0; i < (n < 0 ? -n : n); i++) power *= 10;
    return n < 0 ? 1 / power : power;
}

static int decade(double x) { return (int)fmin(300, fmax(-300, floor(log10(x) + 1e-9))); }

// The smallest round step that divides the range into at most `want` pieces; not 2.5 in a range of integers.
static double round_step(double range, int want)
{
    double least = range / (want > 0 ? want : 1) * (1 - 1e-9);
    double unit = power_of_ten(decade(least));
    const double steps[] = { 1, 2, 2.5, 5, 10, 20 };
    for (int i = 0; i < 5; i++)
        if (steps[i] * unit >= least && !(steps[i] == 2.5 && unit == 1)) return steps[i] * unit;
    return steps[5] * unit;
}

int ticks_round(double at[TICKS_MOST], double low, double high, int want)
{
    if (!(high > low)) return 0;
    double step = round_step(high - low, want);
    int count = 0;
    for (double k = ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) {
        if (count == TICKS_MOST) break;
        at[count++] = k * step + 0.0; // + 0.0: no −0
    }
    return count;
}

int ticks_doublings(double at[TICKS_MOST], double low, double high)
{
    int count = 0;
    if (!(low > 0)) return 0;
    for (int n = (int)ceil(log2(low) - 1e-9); ldexp(1, n) <= high * (1 + 1e-9); n++) {
        if (count == TICKS_MOST) break;
        at[count++] = ldexp(1, n);
    }
    return count;
}

int ticks_powers(double at[TICKS_MOST], double low, double high, int want)
{
    if (!(low > 0)) return 0;
    int count = 0, first = decade(low), last = decade(high);
    bool between = last - first <= 2;
    int skip = 1 + (last - first) / (want > 0 ? want : 1);
    for (int n = first; n <= last; n += skip)
        for (int k = 0; k < (between ? 3 : 1); k++) {
            if (count == TICKS_MOST) return count;
            double value = (double[]){ 1, 2, 5 }[k] * power_of_ten(n);
            if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) at[count++] = value;
        }
    return count;
}

// The next 1, 2 or 5 · 10ⁿ below (or above) x.
static double log_round(double x, bool up)
{
    double unit = power_of_ten(decade(x)), best = up ? 10 * unit : unit;
    for (int k = 0; k < 3; k++) {
        double value = (double[]){ 1, 2, 5 }[k] * unit;
        if (!up && value <= x * (1 + 1e-9)) best = value;
        if (up && value >= x * (1 - 1e-9)) return value;
    }
    return best;
}

void ticks_widen(double *low, double *high, int want, bool log)
{
    if (log) {
        *low = log_round(*low, false);
        *high = log_round(*high, true);
        if (!(*high > *low)) *high = *low * 10;
        return;
    }
    double step = round_step(*high - *low, want);
    *low = floor(*low / step + 1e-9) * step;
    *high = ceil(*high / step - 1e-9) * step;
}

int ticks_decimals(const double *at, int count, double range)
{
    for (int decimals = 0; decimals < 6; decimals++) {
        double unit = power_of_ten(decimals), worst = 0;
        for (int i = 0; i < count; i++) worst = fmax(worst, fabs(floor(at[i] * unit + 0.5) / unit - at[i]));
        if (worst <= 0.01 * range) return decimals;
    }
    return 6;
}

const char *ticks_text(Arena *arena, double value, int decimals)
{
    if (isnan(value)) return "NaN";
    if (isinf(value)) return value < 0 ? "−∞" : "∞";
    bool plain = value == 0 || (fabs(value) < 1e7 && fabs(value) >= 1e-5);
    char *text = plain ? arena_format(arena, "%.*f", decimals, fabs(value)) : arena_format(arena, "%.3g", fabs(value));
    bool zero = strspn(text, "0.") == strlen(text);
    return value < 0 && !zero ? arena_format(arena, "−%s", text) : text;
}

const char *ticks_power_text(Arena *arena, double value, int base)
{
    static const char *const raised[] = { "⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹" };
    int n = (int)floor((base == 2 ? log2(value) : log10(value)) + 0.5);
    int size = n < 0 ? -n : n;
    return arena_format(arena, "%d%s%s%s", base, n < 0 ? "⁻" : "", size >= 10 ? raised[size / 10 % 10] : "",
                        raised[size % 10]);
}
