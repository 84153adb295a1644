// Chapter 16. The kernels of mma.cu and decode.cu on the CPU: warps of 32 lanes as plain loops.
//
// Every lane gives the address that it would give, every 8 × 8 matrix goes through a shared memory with banks, and
// operands are 16-bit numbers in registers. What a product of the hardware does not say, the order in which it adds up
// its sixteen terms, is here the order of the channels, in float32.
#ifndef ATTENTION_GPU_EMULATION_H
#define ATTENTION_GPU_EMULATION_H

#include "attention/gpu_schedule.h"
#include "base/mat.h"

typedef struct {
    int64_t read, written;         // bytes of global memory, scratch of decoding included
    int64_t tiles;                 // key tiles that some warp worked on, warp by warp
    int64_t cut;                   // of these, how many needed a mask
    int64_t products;              // mma instructions
    int64_t matrices, turns;       // 8 × 8 matrices loaded, and how many turns of the banks that took: 1 each at best
    int64_t copies, copy_turns;    // groups of eight 16-byte copies, and their turns
    int64_t blocks, loaded;        // blocks, and key tiles that they have copied
} GpuCounts;

// What to run, and what came of it. Where they are not NULL, q_copied (B, T, H), k_copied and v_copied (B, S, G) count
// how many chunks of each row were copied, and out_written (B, T, H, d) how often each output was written.
typedef struct {
    GpuProblem problem;            // its scratch is not used
    bool       no_swizzle;
    int       *q_copied, *k_copied, *v_copied, *out_written;
    GpuCounts  counts;
} GpuEmulation;

// d is 64 or 128, G divides H. Decoding: T = 1, splits ≥ 1 is the number of warps that share the keys of a group.
void gpu_emulate_mma(GpuEmulation *run);
void gpu_emulate_decode(GpuEmulation *run, int splits);

// q (T, H d)  k, v (S, G d), rounded to 16 bits, with out and lse to be filled, B = 1. All of it lives in the arena.
GpuProblem gpu_problem_of(Arena *arena, Mat q, Mat k, Mat v, int H, int d, bool causal, HalfKind kind);
Mat        gpu_out(Arena *arena, const GpuProblem *problem);   // (T, H d)
Mat        gpu_rounded(Arena *arena, Mat m, HalfKind kind);    // every number as 16 bits hold it

// Turns that 32 banks of four bytes need for eight chunks: how many of them lie in the same banks, at worst.
int gpu_turns(const int *at);      // eight places, in 16-bit numbers

#endif
