// Mistakes of students, for attend to find: a table, and what each gives on three problems.
#ifndef SUPPORT_MISTAKES_H
#define SUPPORT_MISTAKES_H

#include "support/naive_reference.h"

typedef struct {
    const char *made;  // names of causes_list.h, joined by '+', or one of the words of mistakes.c
    const char *needs; // letters: which shapes, which masks
    const char *right; // what may be said, joined by '|'; NULL: what was made
} Mistake;

extern const Mistake mistakes[];
extern const int mistakes_count;

// The problem number n of 0 … 2 that a mistake is made on, and its output in float32.
Toy mistakes_toy(Arena *arena, const Mistake *mistake, int n);
double *mistakes_output(Arena *arena, const Mistake *mistake, const Toy *toy);

#endif
