// Chapter 15, step 11: how fast the kernel was, and is, with numbers that a processor leaves to its microcode.
#ifndef BENCH_ASSISTS_H
#define BENCH_ASSISTS_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>

// Prints it, and leaves it as a table of GFLOP/s. Errors: no AVX-512.
bool assists_measure(char **table, Arena *arena, Error *error);

#endif
