// Chapter 09. Matrix products for training: the sums of matmul and backward_matmul with register blocking.
//
// Every element is still one sum, added from the first term to the last; an 8 × 8 tile of elements is computed at once.
// So results are bit-identical to matmul on every machine, whatever the register width. That forbids FMA and split
// sums, which kernels/ uses for speed.
//
// All three ADD to `out`. 0 · NaN is NaN here, as in matmul. Matrices may be views of any stride; `out` must not
// overlap a or b.
#ifndef ATTENTION_PRODUCT_H
#define ATTENTION_PRODUCT_H

#include "base/mat.h"

void product_add(Mat out, Mat a, Mat b);                 // out (m, n) += a (m, k) b (k, n)
void product_add_transposed(Mat out, Mat a, Mat b);      // out (m, n) += a (m, k) bᵀ with b (n, k)
void product_add_transposed_left(Mat out, Mat a, Mat b); // out (m, n) += aᵀ b with a (k, m), b (k, n)

#endif
