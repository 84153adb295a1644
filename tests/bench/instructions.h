// How many instructions each rung of the ladder takes: counted, not timed.
#ifndef BENCH_INSTRUCTIONS_H
#define BENCH_INSTRUCTIONS_H

#include "base/arena.h"
#include "base/error.h"

// One head, d = 64: what `keys` keys more take, for each rung. Prints the table and answers it as text: kernel, and
// instructions for 1,000 multiply-adds. Takes minutes at 64 keys; two rungs, the first and the fast one, with two keys
// take seconds. false: this system does not let itself be watched.
bool instructions_count(char **table, Arena *arena, int keys, bool two_rungs, Error *error);

#endif
