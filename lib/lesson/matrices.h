// What several chapters ask of a matrix: one number, how large it is, where a row is largest, what a mask hides.
#ifndef LESSON_MATRICES_H
#define LESSON_MATRICES_H

#include "attention/mask.h"
#include "base/mat.h"

static inline double mat_value(Mat m, int i, int j) { return (double)*mat_ref(m, i, j); } // as printf and fabs want it

double mat_magnitude(Mat m);    // max |m|, for tolerances; 0 when m has no elements
int mat_argmax(Mat m, int row); // the first of the row's largest

// (T, S), 1 where a key is out of sight of a query, else 0: the cells that Table and Heatmap call hidden.
Mat mat_hidden(Arena *arena, Mask mask, int T, int S);

#endif
