// Small kernels for the tests of chapter 16's emulator, one for each instruction and each mistake with it.
#ifndef CUDA_INSTRUCTIONS_H
#define CUDA_INSTRUCTIONS_H

#include "chapters/16_cuda/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

// All pointers are into the card's memory. `fault` 0: as it should be; others are said in instructions.cu.
typedef cudaError_t Instruction(float *out, const void *in, int fault);

Instruction small_places;                        // out (2, 64): who I am
Instruction small_turns;                         // out (8): the how-manieth each block was
Instruction small_exchange, small_exchange_warp; // out (64), (32): the neighbour's number, through shared memory
Instruction small_one_way;                       // out (32)
Instruction small_shuffles;                      // out (32)
Instruction small_reads;                         // out (32): of in (64) float
Instruction small_copies;                        // out (256): of in (256) halves
Instruction small_matrices;                      // out (2, 32, 8): of in (16, 16) halves; then transposed
Instruction small_product;                       // out (16, 8): of in (16, 16) and (8, 16) halves
Instruction small_banks;                         // fault: the stride
Instruction small_strides;                       // fault: the stride
Instruction small_phases;                        // out (32): what one warp gives another, three times over
Instruction small_numbered;                      // out (32): by barriers with numbers
Instruction small_box;                           // out (128, 64): a box of in (3, 100, 64) that begins at row 90
Instruction small_box_out;                       // out: (40, 64) halves, of which 24 rows become 0 … 1535
Instruction small_group;                         // out (64, 64): in (64, 64) times in (64, 64)ᵀ
Instruction small_group_registers;               // out (64, 64): the same, the second not transposed

#ifdef __cplusplus
}
#endif

#endif
