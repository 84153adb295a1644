// Tick values for axes and colour bars, and their text. Internal to this folder, its tests and the viewer.
#ifndef FIGURE_TICKS_H
#define FIGURE_TICKS_H

#include "base/arena.h"

#include <stdbool.h>

enum { TICKS_MOST = 64 };

// Tick values. Each of the first three fills `at` with numbers from low to high and returns their number.
int ticks_round(double at[TICKS_MOST], double low, double high, int want); // at most `want` steps: 1, 2, 2.5, 5 · 10ⁿ
int ticks_powers(double at[TICKS_MOST], double low, double high, int want); // powers of ten; with 2 and 5 if few
int ticks_doublings(double at[TICKS_MOST], double low, double high);        // powers of two

// Moves low and high outwards to the next round number (`log`: to the next 1, 2 or 5 · 10ⁿ).
void ticks_widen(double *low, double *high, int want, bool log);

int ticks_decimals(const double *at, int count, double range);      // enough to show 1 % of the range
const char *ticks_text(Arena *arena, double value, int decimals);   // with U+2212 as minus, ∞ and NaN
const char *ticks_power_text(Arena *arena, double value, int base); // 10⁻³, 2²⁰

#endif
