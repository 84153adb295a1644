// The orders of axes in which arrays may come.
#ifndef JUDGE_LAYOUTS_H
#define JUDGE_LAYOUTS_H

#include "io/npy.h"

// A merged axis holds the heads side by side, each with its width: H·d columns.
typedef struct {
    const char *name;      // as --layout says it
    const char *axes;      // b, h, t, d for its axes; m for a merged one
    const char *head_axes; // the order of t, h and d in memory
} ArrayLayout;

enum { ARRAY_LAYOUTS = 6 };

// One array of the command line, and its sizes once its layout is known.
typedef struct {
    const char *flag, *path;
    NpyDoubles raw;
    int heads, B, T, d;
} ArrayLayoutOf;

// false with a sentence: there is no layout of this name; the array's axes do not allow it; q, k and v do not fit
// together in it.
bool array_layout_named(const ArrayLayout **layout, const char *name, Error *error);
bool array_layout_measure(ArrayLayoutOf *array, const ArrayLayout *layout, Arena *arena, Error *error);
bool array_layout_fits(ArrayLayoutOf *arrays, const ArrayLayout *layout, Arena *arena, Error *error);

// Those of so many axes, in their order; those that q, k and v fit, without two that give the same arrays. Returns how
// many; if none fits, a sentence says what is wrong with the first.
int array_layouts_of(const ArrayLayout **found, int axes);
int array_layouts_fitting(const ArrayLayout **found, ArrayLayoutOf *arrays, Arena *arena, Error *error);

// `from` (B, heads, T, width) in the order of `layout`; `shape` has 4 places. Returns the number of axes.
int array_layout_shape(int64_t *shape, const ArrayLayout *layout, int B, int heads, int T, int width);
void array_layout_arrange(double *to, const double *from, const ArrayLayout *layout, int B, int heads, int T,
                          int width);

// What stands at (h, t, c) when memory that was written in the order `was` is taken for the order `taken`; both begin
// with a permutation of "htd". For every sequence of from (B, H, T, d).
void array_layout_reread(double *to, const double *from, int B, int H, int T, int d, const char *was,
                         const char *taken);

// Rows of H·d columns, split among `heads` heads, each H·d / heads wide.
void array_layout_resplit(double *to, const double *from, int B, int H, int T, int d, int heads);

#endif
