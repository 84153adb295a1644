// Random inputs of the test that runs.
#include "support/random_inputs.h"

#include "base/portable_math.h"
#include "support/suite.h"

int below(int n) { return random_below(&random_state, n); }

Mat random_rows(int rows, int cols) { return random_mat(arena, &random_state, rows, cols); }

Mat framed_random(int rows, int cols)
{
    Mat m = framed_mat(arena, rows, cols, NAN).view;
    random_normals(&random_state, m);
    return m;
}

Reference reference_of(Mat q, Mat k, Mat v, Mask mask)
{
    return reference_attention(arena, table_of(arena, q), table_of(arena, k), table_of(arena, v), mask);
}
