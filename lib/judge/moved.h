// What can be seen without computing anything: numbers that are all alike, and parts of ours in other places.
#ifndef JUDGE_MOVED_H
#define JUDGE_MOVED_H

#include "judge/trial.h"

// "your output is all zero", or all NaN, or one number everywhere; NULL.
const char *moved_alike(Arena *arena, const Case *c);

// Is each of their heads one of ours (or each sequence, query, channel)? `name` says which moved: "heads_moved". NULL:
// none.
const char *moved_slices(Arena *arena, const Case *c, const char **name);

#endif
