// Chapter 01. Similarity as a number: the dot product, and a matrix product as a table of dot products.
#ifndef ATTENTION_DOT_PRODUCT_H
#define ATTENTION_DOT_PRODUCT_H

#include "base/mat.h"

// a (n) and b (n). b_step is the distance in floats between elements of b: 1 for a row, the stride for a column.
float dot_product(const float *a, const float *b, int b_step, int n); // Σ aₖ bₖ; 0 for n = 0
float vector_norm(const float *a, int n);                             // |a| = √(a · a)
float cosine_similarity(const float *a, const float *b,
                        int n); // a · b / (|a| |b|), in −1 … 1 up to rounding; 0 if a norm is 0

// out (m, n) = a (m, k) b (k, n): row i of a against column j of b.
void matmul(Mat out, Mat a, Mat b);

// out (m, n) = a (m, k) bᵀ with b (n, k): row i of a against row j of b. Attention scores: queries against keys.
void matmul_transposed(Mat out, Mat a, Mat b);

#endif
