// A matrix is a view: a pointer, a shape, the step from one row to the next. It is passed by value and owns nothing.
//
// One head of Q is a column view, a cache that is part full is a row view, a tile is both. A view of a view is a view,
// so nothing is reshaped and nothing is copied. Writing through a view writes into the matrix it looks at.
//
// Elements are float32, row after row: element (i, j) stands at at[i * stride + j].
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

// For messages: REQUIRE(a.cols == b.rows, "a is " SHAPE ", b is " SHAPE, SHAPED(a), SHAPED(b)).
#define MAT_SHAPE     "(%d, %d)"
#define MAT_SHAPED(m) (m).rows, (m).cols

// New matrices. `mat_new` is all zeros; `mat_of` copies rows · cols values, row by row. There may be 0 rows or columns.
Mat mat_new(Arena *arena, int rows, int cols);
Mat mat_of(Arena *arena, int rows, int cols, const float *values);
Mat mat_copy(Arena *arena, Mat m);

// Views. A block that leaves its matrix stops the program.
Mat mat_block(Mat m, int row, int rows, int col, int cols);
Mat mat_rows(Mat m, int first, int count);
Mat mat_cols(Mat m, int first, int count);

// A matrix that a caller leaves out: `at` is NULL. Outputs that may be left empty are tested with this.
bool mat_empty(Mat m);

// How many numbers it has: rows · cols.
static inline int64_t mat_numbers(Mat m) { return (int64_t)m.rows * m.cols; }

// Row i as a plain array of m.cols floats, and element (i, j). Both check their bounds unless NDEBUG is set: a shape
// comment that runs.
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

Mat mat_mean_rows(Arena *arena, Mat m); // of the same shape: every row the mean of all, in float64

double mat_sum(Mat m);                   // added up in float64
bool mat_equal(Mat a, Mat b);            // the same shape and the same bits, NaN and −0 included
double mat_max_difference(Mat a, Mat b); // max |a − b|; NaN when any difference is NaN; 0 for empty shapes

#endif
