// Problems for the kernels of chapter 16 as the emulator runs them, and what is right in float64.
#ifndef CUDA_TRIAL_H
#define CUDA_TRIAL_H

#include "chapters/16_cuda/card.h"
#include "chapters/16_cuda/emulator/emulator.h"

// Rows of a head one after the other; heads of a row; and heads of a row with numbers between them that are nobody's.
typedef enum { TRIAL_HEADS_OUTSIDE, TRIAL_HEADS_INSIDE, TRIAL_GAPS, TRIAL_LAYOUTS } TrialLayout;

typedef struct {
    GpuProblem here, there;
    size_t q_count, kv_count;         // numbers of q and of out, of k and of v, gaps included
    double *want, *want_lse, largest; // (B, H, T, d); (B, H, T); of |want|
} Trial;

// Gaussians; all that is nobody's is NaN. The answer is worked out here, once for all kernels.
Trial trial_new(Arena *arena, Random *random, GpuProblem shape, TrialLayout layout);
void trial_free(Trial *problem);

// NULL when this rung is right: outputs and lse near float64, nothing else written, and no finding. Otherwise why not.
const char *trial_run(Arena *arena, Trial *problem, const Rung *rung, EmulatorOptions options);

#endif
