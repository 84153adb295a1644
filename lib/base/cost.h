// Operation counters. The code that does the work adds to them as it runs, so costs are counted, not estimated.
//
// Counters are thread-local; threads_parallel_for adds its workers' counts to the caller's. `multiplies` counts
// multiply-adds; one is two floating-point operations (FLOPs). Reads and writes are counted only by kernels whose
// memory traffic is reported: caches, grouped-query and tiled attention.
#ifndef BASE_COST_H
#define BASE_COST_H

#include <stdint.h>

typedef struct {
    int64_t multiplies;    // multiply-adds
    int64_t exps;          // calls of expf
    int64_t reads, writes; // floats read from a kernel's inputs and written to its outputs
    int64_t scratch;       // maximum scratch memory of one kernel call, in bytes
} Cost;

extern _Thread_local Cost cost_counted;

Cost cost_since(Cost before);     // counts of this thread since `before`; scratch: the present maximum
void cost_add(Cost other);        // adds to this thread's counters; scratch: the maximum
void cost_scratch(int64_t bytes); // records the scratch memory of one kernel call

#endif
