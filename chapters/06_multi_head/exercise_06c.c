// Exercise 06c. A Wo that reaches a goal.
//
// Fill the matrix, then run: make exercise-06c
#include "base/mat.h"

// Task. A layer has three heads of width 2, so D = 6 and the heads' outputs stand side by side: head 0 in columns 0 and
// 1, head 1 in columns 2 and 3, head 2 in columns 4 and 5. Choose wo (6, 6), which is all zeros now, so that of
// out = heads Wo
//   - columns 0 and 1 are what head 2 found,
//   - columns 2 and 3 are the average of what heads 0 and 1 found,
//   - column 4 is by how much head 0's first number is larger than head 1's first number,
//   - column 5 is 0, whatever the heads found.
// Hint: *mat_ref(wo, i, j) = … sets one element. Which head's numbers does row i of wo meet?
void my_wo(Mat wo) { (void)wo; }
