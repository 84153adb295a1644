// Matrix views: creation, sub-views, copies and comparisons.
#include "base/mat.h"

#include "base/portable_math.h"

#include <string.h>

Mat mat_new(Arena *arena, int rows, int cols)
{
    REQUIRE(rows >= 0 && cols >= 0, "a matrix cannot have the shape " MAT_SHAPE, rows, cols);
    float *at = arena_alloc(arena, (size_t)rows * (size_t)cols * sizeof *at);
    return (Mat){ at, rows, cols, cols };
}

Mat mat_of(Arena *arena, int rows, int cols, const float *values)
{
    Mat m = mat_new(arena, rows, cols);
    size_t bytes = (size_t)rows * (size_t)cols * sizeof *values;
    if (bytes) memcpy(m.at, values, bytes);
    return m;
}

Mat mat_copy(Arena *arena, Mat m)
{
    Mat copy = mat_new(arena, m.rows, m.cols);
    mat_set(copy, m);
    return copy;
}

Mat mat_block(Mat m, int row, int rows, int col, int cols)
{
    REQUIRE(row >= 0 && rows >= 0 && row <= m.rows - rows && col >= 0 && cols >= 0 && col <= m.cols - cols,
            "%d rows from row %d, %d columns from column %d leave the matrix " MAT_SHAPE, rows, row, cols, col,
            MAT_SHAPED(m));
    return (Mat){ m.at + (ptrdiff_t)row * m.stride + col, rows, cols, m.stride };
}

Mat mat_rows(Mat m, int first, int count) { return mat_block(m, first, count, 0, m.cols); }
Mat mat_cols(Mat m, int first, int count) { return mat_block(m, 0, m.rows, first, count); }

bool mat_empty(Mat m) { return m.at == NULL; }

void mat_set(Mat to, Mat from)
{
    REQUIRE(to.rows == from.rows && to.cols == from.cols, "to is " MAT_SHAPE ", from is " MAT_SHAPE, MAT_SHAPED(to),
            MAT_SHAPED(from));
    if (to.cols == 0) return;
    for (int i = 0; i < to.rows; i++) memmove(mat_row(to, i), mat_row(from, i), (size_t)to.cols * sizeof(float));
}

void mat_fill(Mat m, float value)
{
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++) *mat_ref(m, i, j) = value;
}

Mat mat_mean_rows(Arena *arena, Mat m)
{
    Mat mean = mat_new(arena, m.rows, m.cols);
    for (int c = 0; c < m.cols; c++) {
        double sum = 0.0;
        for (int i = 0; i < m.rows; i++) sum += (double)*mat_ref(m, i, c);
        mat_fill(mat_cols(mean, c, 1), (float)(sum / m.rows));
    }
    return mean;
}

double mat_sum(Mat m)
{
    double sum = 0;
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++) sum += (double)*mat_ref(m, i, j);
    return sum;
}

bool mat_equal(Mat a, Mat b)
{
    if (a.rows != b.rows || a.cols != b.cols) return false;
    if (a.cols == 0) return true;
    for (int i = 0; i < a.rows; i++)
        if (memcmp(mat_row(a, i), mat_row(b, i), (size_t)a.cols * sizeof(float))) return false;
    return true;
}

double mat_max_difference(Mat a, Mat b)
{
    REQUIRE(a.rows == b.rows && a.cols == b.cols, "a is " MAT_SHAPE ", b is " MAT_SHAPE, MAT_SHAPED(a), MAT_SHAPED(b));
    double worst = 0;
    for (int i = 0; i < a.rows; i++)
        for (int j = 0; j < a.cols; j++) {
            double difference = fabs((double)*mat_ref(a, i, j) - (double)*mat_ref(b, i, j));
            if (isnan(difference)) return difference;
            if (difference > worst) worst = difference;
        }
    return worst;
}
