// Exercise 01a, solved with the library's own functions.
#include "attention/dot_product.h"

float my_dot(const float *a, const float *b, int n);
float my_dot(const float *a, const float *b, int n) { return dot_product(a, b, 1, n); }

void my_scores(Mat scores, Mat q, Mat k);
void my_scores(Mat scores, Mat q, Mat k) { matmul_transposed(scores, q, k); }
