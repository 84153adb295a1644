// Diagnoses that need no computation: constant arrays, and slices of ours at other indices.
#ifndef JUDGE_PERMUTATION_H
#define JUDGE_PERMUTATION_H

#include "judge/hypothesis.h"

// "your output is all zero", or all NaN, or one number everywhere; NULL: none of these.
const char *permutation_alike(Arena *arena, const HypothesisCase *c);

// Is theirs a permutation of our heads (or sequences, queries, channels)? `name` is the axis that moved, as in
// "heads_moved". NULL: no.
const char *permutation_slices(Arena *arena, const HypothesisCase *c, const char **name);

#endif
