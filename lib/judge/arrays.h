// The arrays of the command line: read, told apart by their shapes, and laid out in one order.
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
    const ArrayLayout *layout;         // of q, k and v, and of the output
    bool has_batch;                    // the layout has the axis B
    const double *out, *weights, *lse; // theirs; NULL: nothing to compare
    const ArrayLayout *out_layout;     // of theirs
    Dtype out_stored, weights_stored, lse_stored;
    ArraysRead read[6]; // as they were in the files
    int read_count;
} Arrays;

// Everything that the options name. false: one sentence, with both shapes where two do not fit; also where two layouts
// fit q, k and v, and none was named.
bool arrays_read(Arrays *out, Arena *arena, const AttendOptions *options, Error *error);

// Warnings about NaN, Inf and sequences without keys, on stderr.
void arrays_warn(const Arrays *arrays, Arena *arena);

// The layouts that q, k and v fit; returns how many. And the sentence that asks which of several it is; false.
int arrays_layouts(const ArrayLayout **found, Arena *arena, const AttendOptions *options);
bool arrays_alike(const ArrayLayout **found, Arena *arena, const AttendOptions *options, const char *then,
                  Error *error);

#endif
