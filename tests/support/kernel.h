// What every AttentionKernel has to pass: chapter 03's naive one, and each rung of the ladder above it.
#ifndef SUPPORT_KERNEL_H
#define SUPPORT_KERNEL_H

#include "attention/attention.h"
#include "support/kernel_masks.h"

// The tolerances are for scores of normal size; `rtol` serves for weights and lse, `atol` in addition for outputs.
typedef struct {
    AttentionKernel *run;
    const char *name;
    double rtol, atol;
} Kernel;

// For a kernel in fewer bits, until it is said anew: `with` makes inputs numbers of its own, in place, and outputs and
// lse may be off by `error` more. NULL and 0: inputs are taken as they are.
void kernel_rounding(void (*with)(Mat inputs), double error);

// kernel_checks[0 … kernel_check_count − 1], for tcase_add_loop_test.
typedef void KernelCheck(Kernel kernel);
extern KernelCheck *const kernel_checks[];
extern const int kernel_check_count;

// Every `step`th case, from `first` on, of sizes and masks whose edges are near those of a fast kernel's blocks and tiles.
void kernel_around_blocks(Kernel kernel, int first, int step);
// Maxima that grow with every key, at one key far behind, and after keys that are much larger.
void kernel_scores_that_grow(Kernel kernel);

// Shapes that do not fit: wrong_shapes(kernel, i) for i in 0 … wrong_shape_count − 1 must stop the program.
enum { wrong_shape_count = 8 };
void kernel_wrong_shapes(Kernel kernel, int which);

#endif
