// Describes which elements are wrong.
#ifndef JUDGE_ERROR_LOCATION_H
#define JUDGE_ERROR_LOCATION_H

#include "judge/hypothesis.h"

// Describes the rows (B, H, T) whose mark matches `any_of`, such as "head 3, queries 0–4". *of is their number.
const char *error_location_rows(Arena *arena, JudgeShape is, const unsigned char *marks, int any_of, size_t *of);

// Describes the wrong elements: number of rows, which rows, which channels or keys, and whether all are too large or
// too small. Lines of at most 60 columns, separated by '\n'.
const char *error_location_print(Arena *arena, const HypothesisCase *c);

#endif
