// Reads the arrays named on the command line, determines their layout by their shapes, and converts them to one order
// of axes.
#ifndef JUDGE_ARRAYS_H
#define JUDGE_ARRAYS_H

#include "judge/judge.h"
#include "judge/layouts.h"
#include "judge/options.h"

typedef struct {
    const char *path;
    NpyDoubles raw;
    bool is_theirs;
} ArraysRead;

typedef struct {
    JudgeProblem problem;
    const ArrayLayout *layout;         // of q, k, v and of the output
    bool has_batch;                    // does the layout have the axis B?
    const double *out, *weights, *lse; // of the tested program; NULL: not given
    const ArrayLayout *out_layout;     // of `out`
    Dtype out_stored, weights_stored, lse_stored;
    ArraysRead read[6]; // unchanged contents of the files
    int read_count;
} Arrays;

// Reads the arrays named in the options. Fails with a message when shapes disagree (it prints both), or when q, k and v
// fit two layouts and none was chosen.
bool arrays_read(Arrays *out, Arena *arena, const AttendOptions *options, Error *error);

// Prints warnings on stderr about NaN, Inf and sequences without keys.
void arrays_warn(const Arrays *arrays, Arena *arena);

// arrays_layouts finds the layouts that q, k and v fit and returns their number. arrays_alike sets the message that
// they are ambiguous, and returns false.
int arrays_layouts(const ArrayLayout **found, Arena *arena, const AttendOptions *options);
bool arrays_alike(const ArrayLayout **found, Arena *arena, const AttendOptions *options, const char *then,
                  Error *error);

#endif
