// What the suites of attend share: a random problem, and the same computed by a program that makes one mistake.
//
// The mistaken program is written here a second time, in loops of its own, so that a diagnosis is not held against
// itself.
#ifndef SUPPORT_TOY_H
#define SUPPORT_TOY_H

#include "base/random.h"
#include "judge/causes.h"

typedef struct {
    Problem problem;
    Setting setting;
    double *q, *k, *v;             // of the problem, to be changed
    int    *lengths;
} Toy;

// Random sizes, masks and numbers; the layout of the output's memory is "htd" or "thd".
Toy toy_random(Arena *arena, Random *random);

// The output (B, H, T, dv) of a program that has made this mistake: a name of causes.c, "" for none.
double *toy_output(Arena *arena, const Toy *toy, const char *mistake);

#endif
