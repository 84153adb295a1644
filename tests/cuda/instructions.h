// Small kernels for the tests of chapter 16's emulator, one for each instruction and each mistake with it.
#ifndef CUDA_INSTRUCTIONS_H
#define CUDA_INSTRUCTIONS_H

#include "chapters/16_cuda/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

// All pointers are into the card's memory. `fault` 0: as it should be; others are said in instructions.cu.
typedef cudaError_t Instruction(float *out, const void *in, int fault);

Instruction run_places;                              // out (2, 64): who I am
Instruction run_exchange, run_exchange_warp;         // out (64), (32): the neighbour's number, through shared memory
Instruction run_shuffles;                            // out (32)
Instruction run_reads;                               // out (32): of in (64) float
Instruction run_copies;                              // out (256): of in (256) halves
Instruction run_matrices;                            // out (2, 32, 8): of in (16, 16) halves; then transposed
Instruction run_product;                             // out (16, 8): of in (16, 16) and (8, 16) halves
Instruction run_banks;                               // fault: the stride
Instruction run_strides;                             // fault: the stride
Instruction run_phases;                              // out (32): what one warp gives another, three times over
Instruction run_numbered;                            // out (32): by barriers with numbers
Instruction run_box;                                 // out (128, 64): a box of in (3, 100, 64) that begins at row 90
Instruction run_box_out;                             // out: (40, 64) halves, of which 24 rows become 0 … 1535
Instruction run_group;                               // out (64, 64): in (64, 64) times in (64, 64)ᵀ
Instruction run_group_registers;                     // out (64, 64): the same, the second not transposed

#ifdef __cplusplus
}
#endif

#endif
