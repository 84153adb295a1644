// Chapter 25. A weight matrix of a pretrained model, used as stored in its file.
#ifndef KERNELS_WEIGHT_H
#define KERNELS_WEIGHT_H

#include "base/mat.h"
#include "base/dtype.h"

// x (n, in) → x W (n, out). Stored as (out, in) or (in, out), row by row. A view can select some outputs of a packed
// matrix. Where queries, keys and values are packed group by group, the outputs of one of them form runs: `run`
// contiguous outputs, and the next run starts run_step bytes after the start of this one.
typedef struct {
    const unsigned char *at; // little endian, may be unaligned; NULL: absent
    Dtype stored;
    int in, out;
    ptrdiff_t in_step, out_step; // bytes between neighbours along each dimension; one of them is dtype_size(stored)
    int run;                     // 0: all outputs form one run
    ptrdiff_t run_step;
} Weight;

// Views of some outputs or some inputs. Of a matrix in runs, outputs must be selected in whole runs.
Weight weight_outputs(Weight w, int first, int count);
Weight weight_inputs(Weight w, int first, int count);

// If b's outputs directly follow a's in the same rows of inputs, *both becomes one matrix of the two, which is read
// contiguously where each alone would be read in pieces. Returns whether they do.
bool weight_joined(Weight *both, Weight a, Weight b);

// Row i of a table such as an embedding: (1, in) = W's output i, as float32.
void weight_row(Mat to, Weight w, int i);

// to (ins, outs) = inputs first_in … of outputs first_out …, as float32.
void weight_part(Mat to, Weight w, int first_in, int first_out);

// How the sums of a product are computed; always in float32, and independent of the number of threads.
//   FAST      the fastest order for this processor, on all threads: equal up to rounding
//   PLAIN     from the first term to the last, with the same bits on every machine
//   ROUNDED   as FAST, but if weights are bf16, x is rounded to nearest bf16, too: relative error at most 2⁻⁸, usually
//             about 2⁻⁹. Twice as fast on processors that multiply pairs of bf16 (bf16.h). With more than WEIGHT_FEW rows
//             the bits are the same on every machine: the second term of each pair is added first, as in VDPBF16PS.
//             Exceptions: numbers below 2⁻¹⁰⁰ may be flushed to 0, and big-endian machines do not round
typedef enum { WEIGHT_FAST, WEIGHT_PLAIN, WEIGHT_ROUNDED } WeightSums;
enum { WEIGHT_FEW = 4 };

// out (n, w.out) += x (n, w.in) W
void weight_apply(Mat out, Mat x, Weight w, WeightSums sums);

#endif
