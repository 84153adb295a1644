// The roofline model: a machine as peak arithmetic and peak memory bandwidth. [Williams et al. 2009]
#ifndef LESSON_MACHINES_H
#define LESSON_MACHINES_H

#include "base/arena.h"

typedef struct {
    const char *name;
    double gflops; // peak, GFLOP/s
    double gbytes; // peak memory bandwidth, GB/s
    double memory; // memory, GB; 0: unknown
} Machine;

// From the data sheet (SXM, 80 GB): 16-bit tensor cores, without sparsity.
extern const Machine MACHINE_H100;

// One core of the machine of data/bench/cpu-amd-epyc.tsv: float32, peak of the arithmetic probe and bandwidth of four
// read streams.
Machine machine_core(void);

// Utilisation that the library's fast CPU kernels reached there: the share of peak arithmetic for attention over 1,024
// tokens at once (prefill); and the share of bandwidth for one query in each of 32 heads against a cache of 32,768 keys
// in 8 heads (decode), with each key head contiguous, or as columns of one wide matrix (views).
double machine_core_prefill(void);
double machine_core_decode(void);
double machine_core_decode_views(void);

double machine_ridge(Machine machine);                        // ridge point in FLOPs per byte
double machine_reaches(Machine machine, double flops_a_byte); // attainable GFLOP/s: the lower of the two roofs

// Upper bound of tokens per second for `users` sequences decoded in one batch: each step reads all weights once, and
// the cache of each sequence. Both in bytes.
double machine_tokens(Machine machine, double weights, double cache, double users);

// For tables of measurements: the name of this machine's processor, or "unknown"; and the date, 2026-11-23.
const char *machine_here(Arena *arena);
const char *machine_today(Arena *arena);

#endif
