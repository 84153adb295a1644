// Chapter 09. Matrix products for training: the sums of chapter 01 and chapter 08, in an order that a processor likes.
//
// Every element of a result is still one sum, added up from the first term to the last; only, eight neighbours of a
// row and eight rows are worked on together. So the bits are those of matmul, on every machine: they do not depend
// on how wide its registers are. No fused multiply-add, no sum split in two: chapter 15 gives that up for speed, and
// says what it costs.
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
