// Chapter 16's kernels on a CPU, from their own sources: what can be asked of the emulator, and what it answers.
//
// The .cu files are compiled as C++ (cuda.sed, runtime.h) and every load and store of theirs is watched. The threads of
// a block run one at a time, from one barrier to the next; blocks run one after the other. Memory is NaN until somebody
// writes it, asynchronous copies land as late as they may, and whatever a kernel must not do is a finding: a sentence.
// Left out: clusters, textures, streams that overlap, more than one card, what atomics and fences order between blocks.
// It counts; it does not time.
#ifndef EMULATOR_H
#define EMULATOR_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { EMULATOR_FORWARD, EMULATOR_REVERSE, EMULATOR_RANDOM } EmulatorOrder;

typedef struct {
    EmulatorOrder order;       // in which blocks and threads run, and copies land
    uint64_t seed;             // of EMULATOR_RANDOM
    bool truncating;           // tensor cores cut what lies below their sum's last bit
    bool unchecked, uncounted; // no findings about memory, no counts: several times as fast
    bool places;               // findings name the line of the source: some 50 ms each
    int multiprocessors;       // that the card says it has; 0: 132, an H100's
} EmulatorOptions;

// Everywhere but in browsers that cannot leave a function half way and come back to it.
bool emulator_runs(void);

// For all launches from here on. In the beginning all are 0: forward, exact sums, checked, counted.
void emulator_configure(EmulatorOptions options);

// Global memory: what a warp's lanes ask for in one instruction is a request; it moves pieces of 32 bytes.
typedef struct {
    int64_t requests, pieces, bytes;
} EmulatorGlobal;

// Shared memory: a request takes so many turns of the 32 banks. One of 16 bytes a lane takes four at the least.
typedef struct {
    int64_t requests, turns;
} EmulatorShared;

typedef struct {
    int64_t launches, blocks, threads;
    int64_t barriers;                           // __syncthreads, once a block
    int64_t warp_barriers, shuffles;            // once a warp
    EmulatorGlobal loads, stores, copies;       // copies: cp.async, and what the copy engine fetches
    EmulatorShared shared_loads, shared_stores; // by ordinary instructions
    EmulatorShared matrices, copied;            // ldmatrix; cp.async as it writes
    int64_t products, group_products;           // mma.sync, by a warp; wgmma, by four
    int64_t multiply_adds;                      // of both
} EmulatorCounts;

EmulatorCounts emulator_counts(void); // of all launches since the last reset
void emulator_reset(void);            // counts and findings

// How many findings since the last reset, and the first one of each kind and kernel, NULL when there are no more:
// sentences such as "race in mma_kernel: a store of thread 64 (warp 2) writes shared byte 4096, which thread 0 (warp 0)
// reads; no barrier lies between (mma.cu:63)". A kernel with findings runs on; one that cannot go on is given up.
int64_t emulator_findings(void);
const char *emulator_finding(int n);

#ifdef __cplusplus
}
#endif

#endif
