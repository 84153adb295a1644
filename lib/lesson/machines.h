// Machines as two numbers: what they compute and what they fetch in a second. The roofline of Williams et al. [2009].
// Chapters 11 and 12.
#ifndef LESSON_MACHINES_H
#define LESSON_MACHINES_H

#include "base/arena.h"

typedef struct {
    const char *name;
    double gflops; // 10⁹ additions and multiplications a second, at most
    double gbytes; // 10⁹ bytes a second from memory, at most
    double memory; // 10⁹ bytes that it has; 0: not said
} Machine;

// From its data sheet (SXM): 16-bit numbers on tensor cores, without sparsity, 80 GB.
extern const Machine MACHINE_H100;

// The core on which data/bench/cpu-amd-epyc.tsv was measured: float32, what the probe computes and four streams read.
Machine machine_core(void);

// What chapter 15's kernels reached there: the share of its arithmetic for attention over 1,024 tokens at once; and the
// share of its bandwidth for one query in each of 32 heads against a cache of 32,768 keys in 8, those of each key head
// in memory of their own, or all as columns of one wide matrix.
double machine_core_prefill(void);
double machine_core_decode(void);
double machine_core_decode_views(void);

double machine_ridge(Machine machine);                        // FLOPs a byte where it computes as fast as it fetches
double machine_reaches(Machine machine, double flops_a_byte); // GFLOP/s: the lower of its two roofs

// Tokens a second of `users` sequences that are decoded together, at most: for each step all weights are fetched once,
// and the cache of each sequence. Both in bytes.
double machine_tokens(Machine machine, double weights, double cache, double users);

// For tables that are measured: what the system calls this machine's processor, or "unknown"; and the day, 2026-11-23.
const char *machine_here(Arena *arena);
const char *machine_today(Arena *arena);

#endif
