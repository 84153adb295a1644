// Chapter 09. Products in tiles of 8 × 8. A tile stays in registers while the terms of its 64 sums go by.
#include "attention/product.h"

#include "base/cost.h"
#include "base/multiversion.h"

#include <string.h>

enum { ROWS = 8, COLS = 8, TERMS = 256 }; // TERMS: how many terms of a narrow tile are packed at a time

// Eight neighbours of a row, wherever it starts.
typedef float Eight __attribute__((vector_size(COLS * sizeof(float)), aligned(sizeof(float)), may_alias));
#define EIGHT(at) (*(Eight *)(at))

#define INLINE    static inline __attribute__((always_inline))

// Row i of `a` starts at at + i · row; its terms are `term` floats apart. So aᵀ is a with the two exchanged.
typedef struct {
    const float *at;
    ptrdiff_t row, term;
} Left;

// out[r][0 … 7] += Σₗ a[r][l] · b[l][0 … 7] for 8 rows, whose places are given. Row r of `a` is rows[r].
INLINE void add_tile(float *const out[ROWS], const float *const rows[ROWS], ptrdiff_t term, const float *b,
                     ptrdiff_t stride, int terms)
{
    Eight s0 = EIGHT(out[0]), s1 = EIGHT(out[1]), s2 = EIGHT(out[2]), s3 = EIGHT(out[3]);
    Eight s4 = EIGHT(out[4]), s5 = EIGHT(out[5]), s6 = EIGHT(out[6]), s7 = EIGHT(out[7]);
    for (ptrdiff_t l = 0, at = 0; l < terms; l++, at += term) {
        Eight eight = *(const Eight *)(b + l * stride);
        s0 += rows[0][at] * eight;
        s1 += rows[1][at] * eight;
        s2 += rows[2][at] * eight;
        s3 += rows[3][at] * eight;
        s4 += rows[4][at] * eight;
        s5 += rows[5][at] * eight;
        s6 += rows[6][at] * eight;
        s7 += rows[7][at] * eight;
    }
    EIGHT(out[0]) = s0;
    EIGHT(out[1]) = s1;
    EIGHT(out[2]) = s2;
    EIGHT(out[3]) = s3;
    EIGHT(out[4]) = s4;
    EIGHT(out[5]) = s5;
    EIGHT(out[6]) = s6;
    EIGHT(out[7]) = s7;
}

// Rows i … i + count − 1 and `cols` columns of out. What is missing of the 8 × 8 is worked on beside the matrix: a
// missing row repeats the first one, into `spare`; missing columns are filled up there.
INLINE void add_rows(Mat out, int i, int count, int col, int cols, Left a, int first, const float *b, ptrdiff_t stride,
                     int terms)
{
    float spare[ROWS][COLS] = { { 0 } }, *to[ROWS], *at = out.at + (ptrdiff_t)i * out.stride + col;
    const float *rows[ROWS];
    size_t bytes = (size_t)cols * sizeof(float);
    bool whole = cols == COLS;
    for (int r = 0; r < ROWS; r++) {
        bool there = r < count;
        rows[r] = a.at + (i + (there ? r : 0)) * a.row + first * a.term;
        to[r] = there && whole ? at + r * (ptrdiff_t)out.stride : spare[r];
        if (there && !whole) memcpy(spare[r], at + r * (ptrdiff_t)out.stride, bytes);
    }
    add_tile(to, rows, a.term, b, stride, terms);
    if (whole) return;
    for (int r = 0; r < count; r++) memcpy(at + r * (ptrdiff_t)out.stride, spare[r], bytes);
}

// The last columns, fewer than 8: b's share of them is packed into rows of 8 first.
INLINE void add_narrow(Mat out, int col, int cols, Left a, Mat b)
{
    float packed[TERMS * COLS];
    memset(packed, 0, sizeof packed);
    for (int first = 0; first < b.rows; first += TERMS) {
        int terms = b.rows - first < TERMS ? b.rows - first : TERMS;
        for (int l = 0; l < terms; l++)
            memcpy(packed + l * COLS, b.at + (ptrdiff_t)(first + l) * b.stride + col, (size_t)cols * sizeof(float));
        for (int i = 0; i < out.rows; i += ROWS)
            add_rows(out, i, out.rows - i < ROWS ? out.rows - i : ROWS, col, cols, a, first, packed, COLS, terms);
    }
}

// Eight columns of b at a time, so that they stay near the processor while all rows of a go by.
MULTIVERSION static void add_all(Mat out, Left a, Mat b)
{
    int col = 0;
    for (; col + COLS <= out.cols; col += COLS)
        for (int i = 0; i < out.rows; i += ROWS)
            add_rows(out, i, out.rows - i < ROWS ? out.rows - i : ROWS, col, COLS, a, 0, b.at + col, b.stride, b.rows);
    if (col < out.cols) add_narrow(out, col, out.cols - col, a, b);
}

static void count_work(Mat out, int terms) { cost_counted.multiplies += (int64_t)out.rows * out.cols * terms; }

void product_add(Mat out, Mat a, Mat b)
{
    REQUIRE(a.cols == b.rows && out.rows == a.rows && out.cols == b.cols,
            "out is " MAT_SHAPE ", a is " MAT_SHAPE ", b is " MAT_SHAPE, MAT_SHAPED(out), MAT_SHAPED(a), MAT_SHAPED(b));
    add_all(out, (Left){ a.at, a.stride, 1 }, b);
    count_work(out, a.cols);
}

// The rows of b become columns first: a copy, paid for once, and the eight neighbours stand side by side.
void product_add_transposed(Mat out, Mat a, Mat b)
{
    REQUIRE(a.cols == b.cols && out.rows == a.rows && out.cols == b.rows,
            "out is " MAT_SHAPE ", a is " MAT_SHAPE ", b is " MAT_SHAPE, MAT_SHAPED(out), MAT_SHAPED(a), MAT_SHAPED(b));
    Arena *scratch = arena_open();
    Mat turned = mat_new(scratch, b.cols, b.rows);
    for (int i = 0; i < b.rows; i++)
        for (int j = 0; j < b.cols; j++) *mat_ref(turned, j, i) = *mat_ref(b, i, j);
    add_all(out, (Left){ a.at, a.stride, 1 }, turned);
    count_work(out, a.cols);
    cost_scratch((int64_t)arena_peak(scratch));
    arena_close(scratch);
}

void product_add_transposed_left(Mat out, Mat a, Mat b)
{
    REQUIRE(a.rows == b.rows && out.rows == a.cols && out.cols == b.cols,
            "out is " MAT_SHAPE ", a is " MAT_SHAPE ", b is " MAT_SHAPE, MAT_SHAPED(out), MAT_SHAPED(a), MAT_SHAPED(b));
    add_all(out, (Left){ a.at, 1, a.stride }, b);
    count_work(out, a.rows);
}
