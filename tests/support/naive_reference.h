// What the suites of attend share: a problem, and the same computed by a program that makes mistakes.
//
// The mistaken program is written here a second time, in passes of its own, so that a diagnosis is not held against
// itself.
#ifndef SUPPORT_TOY_H
#define SUPPORT_TOY_H

#include "base/random.h"
#include "judge/causes.h"

typedef struct {
    JudgeProblem problem;
    CauseSetting setting;
    double *q, *k, *v; // of the problem, to be changed
    int *lengths;
} Toy;

// Random sizes, masks and numbers; the layout of the output's memory is "htd" or "thd".
Toy toy_random(Arena *arena, Random *random);

// Normal numbers in this shape, without masks; d scales. The lengths are S − 1, S − 3 … but not in use.
Toy toy_of(Arena *arena, Random *random, JudgeShape is);

// The output (B, H, T, dv) of a program that has made these mistakes: names of causes_list.h joined by '+', with
// "=number" behind those that have one; "" for none.
double *toy_output(Arena *arena, const Toy *toy, const char *mistakes);

#endif
