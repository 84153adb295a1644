// The arrays of the command line: read, told apart by their shapes, and laid out in one order.
#ifndef JUDGE_ARRAYS_H
#define JUDGE_ARRAYS_H

#include "io/npy.h"
#include "judge/judge.h"
#include "judge/options.h"

// The orders of axes. A merged axis holds the heads side by side, each with its width: H·d columns.
typedef struct {
    const char *name;              // as --layout says it
    const char *axes;              // b, h, t, d for its axes; m for a merged one
    const char *head_axes;         // the order of t, h and d in memory
} Layout;

typedef struct {
    Problem       problem;
    const Layout *layout;          // of q, k and v, and of the output
    bool          has_batch;       // the layout has the axis B
    const double *out, *weights, *lse;                                 // theirs; NULL: nothing to compare
    const Layout *out_layout;      // of theirs
    Stored        out_stored, weights_stored, lse_stored;
} Arrays;

// Everything that the options name. false: one sentence, with both shapes where two do not fit. Warnings about NaN, Inf
// and sequences without keys go to stderr.
bool arrays_read(Arrays *out, Arena *arena, const Options *options, Error *error);

// `from` (B, heads, T, width) in the order of `layout`; `shape` has 4 places. Returns the number of axes.
int arrays_shape(int64_t *shape, const Layout *layout, int B, int heads, int T, int width);
void arrays_arrange(double *to, const double *from, const Layout *layout, int B, int heads, int T, int width);

// What stands at (h, t, c) when memory that was written in the order `was` is taken for the order `taken`; both are
// permutations of "htd". For every sequence of from (B, H, T, d).
void arrays_reread(double *to, const double *from, int B, int H, int T, int d, const char *was, const char *taken);

#endif
