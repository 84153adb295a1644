// Does a kernel's speed hang on its numbers? Scores that are sharp, tiny, equal; subnormal inputs; against Gaussians.
#ifndef BENCH_NUMBERS_H
#define BENCH_NUMBERS_H

#include "attention/attention.h"
#include "base/measure.h"

enum { NUMBERS = 8 };
extern const char *const numbers_names[NUMBERS]; // the first: Gaussian

// How fast `kernel` is with each of these numbers (T = S = `length`, d = 64), against its speed with the first, of
// `rounds` turns each by this thread's own time.
void numbers_time(MeasureSpread speeds[NUMBERS], AttentionKernel *kernel, int length, Mask mask, int rounds);

// One query of 8 heads over one key head, against `length` keys.
AttentionKernel numbers_decode;

// All kernels that make such a promise, in all versions that this processor can run, as a table: T = 256, or, `full`,
// from 16 to 1024, and to 4096 in the version that is best.
void numbers_measure(bool full);

#endif
