// Small matrix functions for lessons.
#ifndef LESSON_MATRICES_H
#define LESSON_MATRICES_H

#include "attention/mask.h"
#include "base/mat.h"

static inline double mat_value(Mat m, int i, int j) { return (double)*mat_ref(m, i, j); }

double mat_magnitude(Mat m);    // max |m|, for tolerances; 0 when m has no elements
int mat_argmax(Mat m, int row); // index of the first maximum of the row

// (T, S): 1 if the mask hides a key from a query, else 0; for `hidden` of LessonTable and Heatmap.
Mat mat_hidden(Arena *arena, Mask mask, int T, int S);

#endif
