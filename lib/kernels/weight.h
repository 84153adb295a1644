// Chapter 25. A matrix of a published model where it stands in its file.
#ifndef KERNELS_WEIGHT_H
#define KERNELS_WEIGHT_H

#include "base/mat.h"
#include "base/dtype.h"

// x (n, in) → x W (n, out). Stored row by row with one row an output, (out, in), or with one row an input. A part of a
// packed matrix is a view: some of its outputs. Where queries, keys and values are packed group by group, the outputs
// of one of them stand in runs: `run` of them side by side, and the next run run_step bytes after this one.
typedef struct {
    const unsigned char *at; // NULL: there is none. Little endian, aligned or not
    Dtype stored;
    int in, out;
    ptrdiff_t in_step, out_step; // bytes from one number to the next along each; one of them is dtype_size(stored)
    int run;                     // 0: all outputs in one
    ptrdiff_t run_step;
} Weight;

// Views: some of its outputs, of a matrix in runs whole runs; some of its inputs.
Weight weight_outputs(Weight w, int first, int count);
Weight weight_inputs(Weight w, int first, int count);

// Do b's outputs stand right behind a's, in the same rows of inputs? Then *both is one matrix of the two, which is read
// from end to end where each alone would be read in pieces.
bool weight_joined(Weight *both, Weight a, Weight b);

// Row i of a table, as an embedding is: (1, in) = W's output i, as float32.
void weight_row(Mat to, Weight w, int i);

// to (ins, outs) = inputs first_in … of outputs first_out …, as float32.
void weight_part(Mat to, Weight w, int first_in, int first_out);

// How the sums of a product are made. In all of them they are float32 and do not hang on how many threads there are.
//   FAST      as this processor can, on all of them: in other orders, the same up to rounding
//   PLAIN     from the first term to the last, with the same bits on every machine
//   ROUNDED   as FAST; but where weights are bf16, so is x, rounded to the nearest: by at most 2⁻⁸ of itself, by about
//             2⁻⁹ as a rule. Processors that multiply such numbers in pairs are twice as fast with them
//             (attention/bf16.h). Of more than WEIGHT_FEW rows, every machine has the same bits: of each pair of terms
//             the second is added first, as VDPBF16PS does. Only numbers below 2⁻¹⁰⁰ may differ: some count as 0; and
//             where numbers are big endian, nothing is rounded.
typedef enum { WEIGHT_FAST, WEIGHT_PLAIN, WEIGHT_ROUNDED } WeightSums;
enum { WEIGHT_FEW = 4 };

// out (n, w.out) += x (n, w.in) W
void weight_apply(Mat out, Mat x, Weight w, WeightSums sums);

#endif
