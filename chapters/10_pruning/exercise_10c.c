// Exercise 10c. Write the test that catches the fault.
//
// A gate function multiplies what every head gives by its gate: heads (T, H · d), gates (H), and in gated (T, H · d)
// the columns of head h, h · d … h · d + d − 1, become gates[h] times those of heads. It leaves heads as they were, and
// both matrices may be views of any stride.
//
// Write a test of such functions: it answers true for a right one and false for a wrong one. It is tried on right ones
// and on several wrong ones. Then run: make exercise-10c
#include "base/mat.h"

typedef void GateHeads(Mat gated, Mat heads, const float *gates, int H);

// Call gate_heads as often as you like, on matrices of your own: mat_new(arena, rows, cols) is one of zeros,
// *mat_ref(m, i, j) an element, mat_cols(m, first, count) a view of some of its columns.
bool my_test(GateHeads *gate_heads, Arena *arena)
{
    (void)gate_heads;
    (void)arena;
    // your code goes here
    return true;
}
