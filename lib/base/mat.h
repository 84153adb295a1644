// A matrix is a view: a pointer, a shape and a row stride. It is passed by value and owns no memory.
//
// One head of Q is a range of columns, a partly filled cache a range of rows, a tile is both. Views need no copy, and
// writing through a view writes into the matrix that it was taken from.
//
// Elements are float32 in row-major order: element (i, j) is at[i * stride + j].
#ifndef BASE_MAT_H
#define BASE_MAT_H

#include "base/arena.h"
#include "base/error.h"

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if FLT_EVAL_METHOD != 0
    #error \
        "this compiler keeps more digits of a float than float32 has, so printed ones would differ; for 32-bit x86 \
say: make CC='gcc -m32 -msse2 -mfpmath=sse'"
#endif

typedef struct {
    float *at;
    int rows, cols, stride;
} Mat;

// For messages: REQUIRE(a.cols == b.rows, "a is " MAT_SHAPE ", b is " MAT_SHAPE, MAT_SHAPED(a), MAT_SHAPED(b)).
#define MAT_SHAPE     "(%d, %d)"
#define MAT_SHAPED(m) (m).rows, (m).cols

// Allocation. `mat_new` sets all elements to 0; `mat_of` copies rows · cols values in row-major order. 0 rows or
// columns are allowed.
Mat mat_new(Arena *arena, int rows, int cols);
Mat mat_of(Arena *arena, int rows, int cols, const float *values);
Mat mat_copy(Arena *arena, Mat m);

// Views. A block outside of the matrix aborts the program.
Mat mat_block(Mat m, int row, int rows, int col, int cols);
Mat mat_rows(Mat m, int first, int count);
Mat mat_cols(Mat m, int first, int count);

// Is `at` NULL? Callers pass an empty matrix for an optional argument or output.
bool mat_empty(Mat m);

// Number of elements.
static inline int64_t mat_numbers(Mat m) { return (int64_t)m.rows * m.cols; }

// Row i as an array of m.cols floats, and a pointer to element (i, j). Bounds are checked unless NDEBUG is defined.
static inline float *mat_row(Mat m, int i)
{
#ifndef NDEBUG
    REQUIRE(0 <= i && i < m.rows, "row %d of a matrix " MAT_SHAPE, i, MAT_SHAPED(m));
#endif
    return m.at + (ptrdiff_t)i * m.stride;
}

static inline float *mat_ref(Mat m, int i, int j)
{
#ifndef NDEBUG
    REQUIRE(0 <= i && i < m.rows && 0 <= j && j < m.cols, "element (%d, %d) of a matrix " MAT_SHAPE, i, j,
            MAT_SHAPED(m));
#endif
    return m.at + (ptrdiff_t)i * m.stride + j;
}

void mat_set(Mat to, Mat from); // to = from, shapes equal
void mat_fill(Mat m, float value);

Mat mat_mean_rows(Arena *arena, Mat m); // same shape; every row is the mean row, summed in float64

double mat_sum(Mat m);                   // summed in float64
bool mat_equal(Mat a, Mat b);            // the same shape and the same bits, NaN and −0 included
double mat_max_difference(Mat a, Mat b); // max |a − b|; NaN when any difference is NaN; 0 for empty shapes

#endif
