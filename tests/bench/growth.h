// How cost grows with T: time and scratch memory of naive, tiled and fast.
#ifndef BENCH_GROWTH_H
#define BENCH_GROWTH_H

#include "io/file.h"

// One head, d = 64, full, T = 128 … longest in doublings. A kernel stops where its next run would take more than
// `patience` seconds. Prints the table and the slopes, draws `picture` (if this build can) and answers the table as
// text.
bool growth_measure(char **table, Arena *arena, int longest, double patience, const char *picture, Error *error);

#endif
