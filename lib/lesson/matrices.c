// Small matrix functions for lessons.
#include "lesson/matrices.h"

#include "base/portable_math.h"

double mat_magnitude(Mat m)
{
    double most = 0.0;
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++) most = fmax(most, fabs(mat_value(m, i, j)));
    return most;
}

int mat_argmax(Mat m, int row)
{
    int best = 0;
    for (int j = 1; j < m.cols; j++)
        if (*mat_ref(m, row, j) > *mat_ref(m, row, best)) best = j;
    return best;
}

Mat mat_hidden(Arena *arena, Mask mask, int T, int S)
{
    Mat hidden = mat_new(arena, T, S);
    for (int i = 0; i < T; i++)
        for (int j = 0; j < S; j++) *mat_ref(hidden, i, j) = !mask_sees(mask, i, j, T, S);
    return hidden;
}
