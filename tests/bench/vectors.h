// Loops over vectors, compiled once for each instruction set, as the kernels are: what reader.c and sgemm.c need.
#ifndef BENCH_VECTORS_H
#define BENCH_VECTORS_H

#include <stddef.h>

enum { LINE = 16 }; // floats in a line of the cache

typedef struct {
    // The sum of `streams` parts of `part` floats, a multiple of LINE, that are read side by side; streams: 1 or 4.
    float (*read)(const float *at, ptrdiff_t part, int streams);
    // `count` scores, a multiple of 16, become 2^((score − max) · scale), whose sum is *sum. Answers max, which is that
    // of the scores and `before`.
    float (*weigh_row)(float *scores, int count, float before, float scale, float *sum);
} BenchVectors;

extern const BenchVectors bench_vectors_avx512, bench_vectors_avx2, bench_vectors_neon, bench_vectors_generic;
const BenchVectors *bench_vectors(void); // those of the instruction set in use

#endif
