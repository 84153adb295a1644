// Chapter 01. Dot products, one at a time and as a table. Plain loops, in order: chapter 15 makes them fast.
#include "attention/dot_product.h"

#include "base/cost.h"
#include "base/portable_math.h"

// How alike two lists of n numbers are: multiply what stands in the same place, add it all up. From one number of b to
// the next it is b_step floats.
float dot_product(const float *a, const float *b, int b_step, int n)
{
    float sum = 0.0f;
    for (int k = 0; k < n; k++) sum += a[k] * b[(ptrdiff_t)k * b_step];
    cost_counted.multiplies += n;
    return sum;
}

// |a| = √(a · a): Pythagoras, with a square for each of the n numbers.
float vector_norm(const float *a, int n) { return sqrtf(dot_product(a, a, 1, n)); }

// The dot product with both norms divided away: the cosine of the angle between a and b. A vector of norm 0 has no
// direction, so there is no angle: the answer is then 0.
float cosine_similarity(const float *a, const float *b, int n)
{
    float norms = vector_norm(a, n) * vector_norm(b, n);
    return norms == 0.0f ? 0.0f : dot_product(a, b, 1, n) / norms;
}

// out[i][j] = row i of a · column j of b. Down a column the next number is a whole row on: b.stride floats.
void matmul(Mat out, Mat a, Mat b)
{
    REQUIRE(a.cols == b.rows && out.rows == a.rows && out.cols == b.cols,
            "out is " MAT_SHAPE ", a is " MAT_SHAPE ", b is " MAT_SHAPE, MAT_SHAPED(out), MAT_SHAPED(a), MAT_SHAPED(b));
    for (int i = 0; i < out.rows; i++)
        for (int j = 0; j < out.cols; j++) *mat_ref(out, i, j) = dot_product(mat_row(a, i), b.at + j, b.stride, a.cols);
}

// out[i][j] = row i of a · row j of b: every row of a compared with every row of b.
void matmul_transposed(Mat out, Mat a, Mat b)
{
    REQUIRE(a.cols == b.cols && out.rows == a.rows && out.cols == b.rows,
            "out is " MAT_SHAPE ", a is " MAT_SHAPE ", b is " MAT_SHAPE, MAT_SHAPED(out), MAT_SHAPED(a), MAT_SHAPED(b));
    for (int i = 0; i < out.rows; i++)
        for (int j = 0; j < out.cols; j++) *mat_ref(out, i, j) = dot_product(mat_row(a, i), mat_row(b, j), 1, a.cols);
}
