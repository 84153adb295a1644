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
    Problem problem;
    const Layout *layout;              // of q, k and v, and of the output
    bool has_batch;                    // the layout has the axis B
    const double *out, *weights, *lse; // theirs; NULL: nothing to compare
    const Layout *out_layout;          // of theirs
    Stored out_stored, weights_stored, lse_stored;
    ArraysRead read[6]; // as they were in the files
    int read_count;
} Arrays;

// Everything that the options name. false: one sentence, with both shapes where two do not fit; also where two layouts
// fit q, k and v, and none was named.
bool arrays_read(Arrays *out, Arena *arena, const Options *options, Error *error);

// Warnings about NaN, Inf and sequences without keys, on stderr.
void arrays_warn(const Arrays *arrays, Arena *arena);

// The layouts that q, k and v fit; returns how many. And the sentence that asks which of several it is; false.
int arrays_layouts(const Layout **found, Arena *arena, const Options *options);
bool arrays_alike(const Layout **found, Arena *arena, const Options *options, const char *then, Error *error);

#endif
