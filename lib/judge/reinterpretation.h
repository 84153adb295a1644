// Reinterpreted arrays, cached: each is made once for all trials.
#ifndef JUDGE_REINTERPRETATION_H
#define JUDGE_REINTERPRETATION_H

#include "base/arena.h"

typedef struct Reinterpretations Reinterpretations;

Reinterpretations *reinterpretation_open(void);
void reinterpretation_close(Reinterpretations *views);

// `from` (B, H, T, d) reinterpreted or transformed as `as` says; thread-safe.
//   "thd>htd"                memory in one order of axes is read in another
//   "normed"                 every row is divided by its norm
//   "rope-halves", "-pairs"  RoPE: row t is rotated as at position t + number
//   "heads"                  (T, H·d) columns are split into `number` heads
//   "float16", "bfloat16", "float32"   every number is rounded
const double *reinterpretation_get(Reinterpretations *views, const double *from, int B, int H, int T, int d,
                                   const char *as, int number);

#endif
