// Chapter 01. Dot products, one at a time and as a table. Plain loops, in order; the fast ones are in kernels/.
#include "attention/dot_product.h"

#include "base/cost.h"
#include "base/portable_math.h"

// Similarity of two vectors of n numbers: the sum of the products of corresponding elements. b_step is the distance in
// floats between elements of b.
float dot_product(const float *a, const float *b, int b_step, int n)
{
    float sum = 0.0f;
    for (int k = 0; k < n; k++) sum += a[k] * b[(ptrdiff_t)k * b_step];
    cost_counted.multiplies += n;
    return sum;
}

// a| = √(a · a): Pythagoras in n dimensions.
float vector_norm(const float *a, int n) { return sqrtf(dot_product(a, a, 1, n)); }

// The dot product divided by both norms: the cosine of the angle between a and b. A vector of norm 0 has no direction;
// the result is then 0.
float cosine_similarity(const float *a, const float *b, int n)
{
    float norms = vector_norm(a, n) * vector_norm(b, n);
    return norms == 0.0f ? 0.0f : dot_product(a, b, 1, n) / norms;
}

// out[i][j] = row i of a · column j of b. Consecutive elements of a column are b.stride floats apart.
void matmul(Mat out, Mat a, Mat b)
{
    REQUIRE(a.cols == b.rows && out.rows == a.rows && out.cols == b.cols,
            "out is " MAT_SHAPE ", a is " MAT_SHAPE ", b is " MAT_SHAPE, MAT_SHAPED(out), MAT_SHAPED(a), MAT_SHAPED(b));
    for (int i = 0; i < out.rows; i++)
        for (int j = 0; j < out.cols; j++) *mat_ref(out, i, j) = dot_product(mat_row(a, i), b.at + j, b.stride, a.cols);
}

// out[i][j] = row i of a · row j of b.
void matmul_transposed(Mat out, Mat a, Mat b)
{
    REQUIRE(a.cols == b.cols && out.rows == a.rows && out.cols == b.rows,
            "out is " MAT_SHAPE ", a is " MAT_SHAPE ", b is " MAT_SHAPE, MAT_SHAPED(out), MAT_SHAPED(a), MAT_SHAPED(b));
    for (int i = 0; i < out.rows; i++)
        for (int j = 0; j < out.cols; j++) *mat_ref(out, i, j) = dot_product(mat_row(a, i), mat_row(b, j), 1, a.cols);
}
