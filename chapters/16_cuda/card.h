// The card: what it is, memory on it, and the rungs that run there. A CUDA call that fails ends the program with a
// sentence.
#ifndef CUDA_CARD_H
#define CUDA_CARD_H

#include "kernels.h"

#include "base/arena.h"
#include "base/random.h"

#include <stddef.h>

#define CUDA(call) cuda_require((call), #call, __FILE__, __LINE__)
void cuda_require(cudaError_t error, const char *call, const char *file, int line);

typedef struct {
    char name[256];
    int major, minor, multiprocessors;
    int driver, runtime;  // 13000 is 13.0
    size_t cache, shared; // bytes: of the second level; of shared memory for one block
} Card;

bool card_find(Card *card, char *why, int room); // false: there is none, and why

typedef struct {
    const char *name;
    GpuKernel *run;
    int least, most;      // major versions of the card
    bool decodes, tabled; // one query only; keeps a table of all scores
    int (*shared)(int d); // bytes that a block must ask for; NULL: what all have is enough
} Rung;

extern const Rung rungs[];
extern const int rungs_count;

bool rung_runs(const Rung *rung, const Card *card, int T, int d);  // false: not this problem, not on this card
int64_t rung_scratch(const Rung *rung, const GpuProblem *problem); // floats

// A problem on the card and what went into it here. Outputs are poisoned, and so is a margin behind them.
typedef struct {
    GpuProblem here, there; // pointers into this memory; into the card's
    size_t queries, keys;   // numbers of q and out; of k, and of v
} OnCard;

enum { MARGIN = 4096 }; // numbers behind out

OnCard on_card(Arena *arena, Random *random, GpuProblem shape); // of this shape, causal and kind; Gaussians
void on_card_poison(OnCard *problem);
void on_card_fetch(OnCard *problem); // out and lse come back
void on_card_free(OnCard *problem);
bool on_card_margin(const OnCard *problem); // nobody has written behind the outputs

// ‖out − want‖ / ‖want‖ over some queries of one head, want in float64; the largest |out − want| and |want|; lse.
typedef struct {
    double relative, worst, largest, lse;
} Off;
Off on_card_error(const OnCard *problem, int b, int h, int step); // every step-th query

// One query in float64, by the definition: want (d) of q (d), k and v (seen, d); its logsumexp is returned, −INFINITY
// where nothing is seen. scores: room for `seen` numbers.
double exact_row(double *want, double *scores, const double *q, const double *k, const double *v, int seen, int d,
                 double scale);

// What check_main tries, in the emulator, too: shapes 0 … CHECK_CASES − 1. Tails, causal bottom-right, fewer key heads,
// both widths, both kinds of number.
enum { CHECK_CASES = 544 };
GpuProblem check_case(int n);

// Seconds between two events on the default stream, around `calls` calls; and how fast the multiprocessors' clock went
// meanwhile, in cycles a second.
typedef struct {
    double seconds, clock;
} Took;
typedef struct Watch Watch;
Watch *watch_new(Arena *arena, const Card *card);
void watch_start(Watch *watch);
Took watch_stop(Watch *watch, int calls); // waits for the card
void watch_free(Watch *watch);

char *card_facts(Arena *arena, const Card *card); // "# card: …" and "# date: …", the first lines of a table

// Exit statuses. One case in so many; every rung once, for a profiler, at the first large shape and the last; timings;
// what the memories give.
int check_main(const Card *card, int each);
int once_main(const Card *card);
int bench_main(const Card *card, const char *folder);
int memory_main(const Card *card, const char *folder);

// read.cu. `sums`: room for one number.
// Reading sums up what it reads, 16 bytes a thread and step. `again`: bytes, a power of two, that the L2 cache holds;
// so many rounds; *read: how many bytes that are in all.
// `follow` goes from number to number, each the address of the next: `warm` steps, then `steps` that are counted:
// cycles[0] for all of them, cycles[1] where it has got to. near: the L1 cache may keep them. In shared memory the
// numbers are 0 … nodes − 1, times 4.
// `look` writes down two numbers for each multiprocessor: its cycles so far, and nanoseconds; or leaves them out.
#ifdef __cplusplus
extern "C" {
#endif
cudaError_t gpu_read(const void *from, size_t bytes, float *sums);
cudaError_t gpu_read_again(const void *from, size_t bytes, int rounds, float *sums, double *read);
cudaError_t gpu_follow(const uint64_t *first, bool near, int warm, int steps, int64_t *cycles);
cudaError_t gpu_follow_shared(const uint32_t *next, int nodes, int steps, int64_t *cycles);
cudaError_t gpu_look(int64_t *clocks);
#ifdef __cplusplus
}
#endif

#endif
