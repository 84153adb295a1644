// Chapter 19, step 5: decoding over codes, against what their bytes allow.
#ifndef BENCH_CODES_H
#define BENCH_CODES_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>

// One thread, `length` tokens (0: 131,072), about `seconds` in all. Prints a table, and leaves it with tabs between:
//   format  MB  ms and its quartiles  share of four-stream reading and its quartiles  × float32  ms near  error
// where "ms near" is what as many tokens take when they are 1,024 in the processor's own cache, looked at again and
// again: what is left when nothing comes from memory.
void codes_measure(char **table, Arena *arena, int length, double seconds);

#endif
