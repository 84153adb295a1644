// Where errors lie, in words.
#ifndef JUDGE_ERROR_LOCATION_H
#define JUDGE_ERROR_LOCATION_H

#include "judge/hypothesis.h"

// The rows (B, H, T) with one of these marks, such as "head 3, queries 0–4". `of` is their number.
const char *error_location_rows(Arena *arena, JudgeShape is, const unsigned char *marks, int any_of, size_t *of);

// What is out of tolerance in theirs: how many rows, which, which channels or keys, and whether all of it is too large
// or too small. Lines of at most 60 columns, joined by '\n'.
const char *error_location_print(Arena *arena, const HypothesisCase *c);

#endif
