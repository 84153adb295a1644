// Arrays taken for something else, made once however many trials want them.
#ifndef JUDGE_REINTERPRETATION_H
#define JUDGE_REINTERPRETATION_H

#include "base/arena.h"

typedef struct Reinterpretations Reinterpretations;

Reinterpretations *reinterpretation_open(void);
void reinterpretation_close(Reinterpretations *views);

// `from` (B, H, T, d) as someone takes it who does what `as` says; any thread may ask.
//   "thd>htd"                memory that has its axes in the one order is taken for the other
//   "normed"                 every row is divided by its length
//   "rope-halves", "-pairs"  row t is rotated as at position t + number
//   "heads"                  (T, H·d) columns are split among `number` heads
//   "float16", "bfloat16", "float32"   every number is rounded
const double *reinterpretation_get(Reinterpretations *views, const double *from, int B, int H, int T, int d,
                                   const char *as, int number);

#endif
