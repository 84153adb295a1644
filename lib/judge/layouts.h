// Layouts: the orders of axes in which arrays are accepted.
#ifndef JUDGE_LAYOUTS_H
#define JUDGE_LAYOUTS_H

#include "io/npy.h"

// A merged axis is the concatenation of all heads: H·d columns.
typedef struct {
    const char *name;      // as in --layout
    const char *axes;      // b, h, t, d for its axes; m for a merged one
    const char *head_axes; // the order of t, h and d in memory
} ArrayLayout;

enum { ARRAY_LAYOUTS = 6 };

// One array of the command line; its sizes are set when its layout is known.
typedef struct {
    const char *flag, *path;
    NpyDoubles raw;
    int heads, B, T, d;
} ArrayLayoutOf;

// false with a message: the layout does not exist; the array's axes do not fit it; q, k and v are inconsistent in it.
bool array_layout_named(const ArrayLayout **layout, const char *name, Error *error);
bool array_layout_measure(ArrayLayoutOf *array, const ArrayLayout *layout, Arena *arena, Error *error);
bool array_layout_fits(ArrayLayoutOf *arrays, const ArrayLayout *layout, Arena *arena, Error *error);

// array_layouts_of: layouts with this number of axes. array_layouts_fitting: layouts that q, k and v fit, without
// duplicates that give the same arrays. Both return their number; if none fits, the message is about the first.
int array_layouts_of(const ArrayLayout **found, int axes);
int array_layouts_fitting(const ArrayLayout **found, ArrayLayoutOf *arrays, Arena *arena, Error *error);

// `from` (B, heads, T, width) in the order of `layout`; `shape` has 4 places. Returns the number of axes.
int array_layout_shape(int64_t *shape, const ArrayLayout *layout, int B, int heads, int T, int width);
void array_layout_arrange(double *to, const double *from, const ArrayLayout *layout, int B, int heads, int T,
                          int width);

// Reinterprets memory that was written in the axis order `was` as if in the order `taken`; both begin with a
// permutation of "htd". Applied to every sequence of from (B, H, T, d).
void array_layout_reread(double *to, const double *from, int B, int H, int T, int d, const char *was,
                         const char *taken);

// Splits rows of H·d columns into `heads` heads, each H·d / heads wide.
void array_layout_resplit(double *to, const double *from, int B, int H, int T, int d, int heads);

#endif
