// Random inputs of the test that runs, from its `random_state` into its `arena`.
#ifndef SUPPORT_RANDOM_INPUTS_H
#define SUPPORT_RANDOM_INPUTS_H

#include "support/reference.h"

int below(int n);                      // 0 … n − 1
Mat random_rows(int rows, int cols);   // normal numbers, without gaps
Mat framed_random(int rows, int cols); // a column view of a wider matrix, NaN around it
Reference reference_of(Mat q, Mat k, Mat v, Mask mask);

#endif
