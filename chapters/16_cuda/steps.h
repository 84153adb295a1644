// Chapter 16. What its steps share.
#ifndef CHAPTER_16_STEPS_H
#define CHAPTER_16_STEPS_H

#include "gpu_schedule.h"
#include "lesson/verbs.h"

// The card that the numbers are for: an H100 (SXM), of compute capability 9.0. [NVIDIA's data sheet and programming
// guide, "Technical Specifications per Compute Capability"; products and exponentials: Shah et al. 2024,
// arXiv:2407.08608, §3.2]
enum {
    CARD_PROCESSORS = 132,
    CARD_REGISTERS = 65536, // registers of a multiprocessor, four bytes each
    CARD_SHARED_KIB = 228,
    CARD_WARPS = 64,
    CARD_BLOCKS = 32,        // of a multiprocessor, the most
    CARD_NEAR_KIB = 256,     // of a multiprocessor: shared memory and L1 cache
    CARD_BANK_BYTES = 128,   // of shared memory in a cycle: 32 banks of four
    CARD_CYCLE_FLOPS = 4096, // of its tensor cores in a cycle, 16 bits
    CARD_CYCLE_POWERS = 16,  // exponentials in a cycle
};
#define CARD_FLOPS  989e12                                            // 16 bits, tensor cores
#define CARD_CLOCK  (CARD_FLOPS / CARD_PROCESSORS / CARD_CYCLE_FLOPS) // cycles a second
#define CARD_MEMORY 3.35e12                                           // bytes a second, as it is sold

// What its memories have given, measured one by one (steps_0_measured.c).
enum { DECODED = 16 };
typedef struct {
    double shared_wait, l1_wait, l2_wait, memory_wait; // cycles from one load to the next, which needs it
    double l2, memory;                                 // bytes a second
    double clock;                                      // cycles a second of the multiprocessors meanwhile
    const char *card, *date;
    int blocks[DECODED], decoded; // decoding with so many blocks: `decoded` measurements
    double speed[DECODED];        // bytes a second
} CardMeasured;
CardMeasured card_measured(Arena *arena);
double card_bytes(const CardMeasured *measured, double speed); // a cycle and multiprocessor

// What flags ask for: a width, by its place in `widths`, if any is given; the bits of the swizzle.
typedef struct {
    int width, swizzle;
    bool has_width;
} Asked;
int width_or(Asked asked, int usual);

// ---- problems in 16 bits (steps_0_shared.c)

// q (T, H d)  k, v (S, G d), rounded to 16 bits, with out and lse to be filled, B = 1.
GpuProblem problem_of(Arena *arena, Mat q, Mat k, Mat v, int H, int d, bool causal, HalfKind kind);
GpuProblem problem_drawn(Lesson *lesson, int H, int G, int T, int S, int d, bool causal, HalfKind kind);
Mat problem_out(Arena *arena, const GpuProblem *problem); // (T, H d)

// How far out is from the definition in float64 of the very numbers that the kernel was given: |out − want| / |want|.
double problem_error(Arena *arena, const GpuProblem *problem);

// ---- kernels that run in the emulator, from their own sources (steps_0_runs.c)

typedef enum {
    RUN_NAIVE,
    RUN_TILES,
    RUN_ONLINE,
    RUN_MMA,
    RUN_HOPPER,
    RUN_DECODE,
    RUN_TILES_NARROW,
    RUN_TILES_OPEN,
    RUN_MMA_PLAIN, // without: the extra column, a barrier, the swizzle
} Run;

typedef struct {
    int64_t barriers;                                  // __syncthreads, by blocks
    int64_t requests, pieces;                          // of warps to memory; 32 bytes each
    int64_t shared, turns;                             // of warps to shared memory; turns of its banks
    int64_t loads, load_turns, stores, store_turns;    // of these, by ordinary instructions
    int64_t matrices, matrix_turns;                    // of these, by ldmatrix
    int64_t arrivals, arrival_turns;                   // of these, by asynchronous copies
    int64_t warp_products, group_products, operations; // mma.sync; wgmma; two for each multiply-add
    int64_t copies, copied;                            // asynchronous ones, and their bytes
    const char *finding;                               // the first one, in words; NULL: none
} Counted;

bool can_run(void);                                                  // false: there is no emulator
Counted run(Lesson *lesson, Run kernel, GpuProblem *problem);        // out and lse are filled
void run_unwatched(Lesson *lesson, Run kernel, GpuProblem *problem); // the same; nothing is counted or found: fast
Counted run_first(Lesson *lesson, Mat scores, Mat q, Mat k, bool turned, bool backward); // turned: k is (d, S)

// ---- steps

void a_kernel_and_its_launch(Lesson *lesson); // steps_1_launch.c
void where_numbers_live(Lesson *lesson);
void asked_together(Lesson *lesson); // steps_3_memory.c
void tiles_and_banks(Lesson *lesson);
void a_barrier_left_out(Lesson *lesson);
void how_many_warps(Lesson *lesson, int d); // steps_6_warps.c
void no_table(Lesson *lesson, int d);
void one_instruction(Lesson *lesson, int d); // steps_8_tensor_cores.c
void eight_rows(Lesson *lesson, Asked asked);
void which_tiles(Lesson *lesson, int d); // steps_10_tiles.c
void hoppers_own(Lesson *lesson, int d); // steps_11_hopper.c
void what_holds_it_up(Lesson *lesson);
void in_turns(Lesson *lesson);               // steps_12_turns.c, of the same step
void one_query(Lesson *lesson, Asked asked); // steps_13_decode.c
void how_far(Lesson *lesson);
void on_a_card(Lesson *lesson); // steps_15_card.c

#endif
