// Costs that are counted, not estimated: the code that does the work adds to these counters as it goes.
//
// A counter belongs to its thread; threads_parallel_for adds its workers' counts to the caller's. A multiplication is counted
// with the addition that follows it, as hardware does them together; one such pair is two floating-point operations
// (FLOPs). Reads and writes are counted only by kernels whose memory traffic a chapter is about (11 to 14).
#ifndef BASE_COST_H
#define BASE_COST_H

#include <stdint.h>

typedef struct {
    int64_t multiplies;    // multiply-adds
    int64_t exps;          // calls of expf
    int64_t reads, writes; // floats fetched from a kernel's inputs and put into its outputs
    int64_t scratch;       // the most bytes of scratch memory that one kernel call held
} Cost;

extern _Thread_local Cost cost_counted;

Cost cost_since(Cost before);     // what this thread has counted since then; scratch as it stands
void cost_add(Cost other);        // into this thread's counters: sums, and the larger scratch
void cost_scratch(int64_t bytes); // a kernel call that held this much

#endif
