// What is timed: queries, keys and values of H heads, and what comes out of them, held against float64.
#ifndef BENCH_PROBLEM_H
#define BENCH_PROBLEM_H

#include "attention/attention.h"

typedef struct {
    int H, G, T, S, d, dv;
    bool causal;
    Mat *q, *k, *v;          // [H], [G], [G]: each head contiguous, (H, T, d), or all as views of (T, H · d)
    Mat all_q, all_k, all_v; // (T, H · d), (S, G · d), for what takes all heads at once; empty when contiguous
    Mat out;                 // (T, dv) of the head at work, or (T, H · dv)
} Problem;

// Unit Gaussians. The arena owns them.
Problem problem_new(Arena *arena, int H, int G, int T, int S, int d, bool causal, bool views);

// Chapter 17: one query of H heads against S rows of c + dr numbers, of which the first c are the values. As views.
Problem problem_latent(Arena *arena, int H, int S, int c, int dr);

double problem_flops(const Problem *problem); // of one head: 2 · T · S · (d + dv), half of it when causal
double problem_bytes(const Problem *problem); // of one head: its part of q, k, v and out, once each

// ‖out − want‖ / ‖want‖ over some rows of one head, want in float64.
double problem_error(const Problem *problem, int head, Mat out);

#endif
