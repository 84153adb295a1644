// What can be seen without computing anything: numbers that are all alike, and parts of ours in other places.
#ifndef JUDGE_PERMUTATION_H
#define JUDGE_PERMUTATION_H

#include "judge/hypothesis.h"

// "your output is all zero", or all NaN, or one number everywhere; NULL.
const char *permutation_alike(Arena *arena, const HypothesisCase *c);

// Is each of their heads one of ours (or each sequence, query, channel)? `name` says which moved: "heads_moved". NULL:
// none.
const char *permutation_slices(Arena *arena, const HypothesisCase *c, const char **name);

#endif
