// Chapter 09. Matrix products with register blocking: an 8 × 8 tile of 64 sums stays in registers over all terms.
#include "attention/product.h"

#include "base/cost.h"
#include "base/multiversion.h"

#include <string.h>

enum { ROWS = 8, COLS = 8, TERMS = 256 }; // TERMS: rows of b that are packed at a time for a narrow tile

// Eight consecutive floats, unaligned.
typedef float Float8Vector __attribute__((vector_size(COLS * sizeof(float)), aligned(sizeof(float)), may_alias));
#define VECTOR(pointer) (*(Float8Vector *)(pointer))

#define INLINE          static inline __attribute__((always_inline))

// Row i of the left operand starts at data + i · row; its terms are `term` floats apart. aᵀ is a with row and term
// exchanged.
typedef struct {
    const float *at;
    ptrdiff_t row, term;
} LeftOperand;

// out[r][0 … 7] += Σₗ a[r][l] · b[l][0 … 7] for 8 rows. out[r] and rows[r] point to row r of out and of a.
INLINE void add_tile(float *const out[ROWS], const float *const rows[ROWS], ptrdiff_t term, const float *b,
                     ptrdiff_t stride, int terms)
{
    Float8Vector s0 = VECTOR(out[0]), s1 = VECTOR(out[1]), s2 = VECTOR(out[2]), s3 = VECTOR(out[3]);
    Float8Vector s4 = VECTOR(out[4]), s5 = VECTOR(out[5]), s6 = VECTOR(out[6]), s7 = VECTOR(out[7]);
    for (ptrdiff_t l = 0, offset = 0; l < terms; l++, offset += term) {
        Float8Vector b_row = *(const Float8Vector *)(b + l * stride);
        s0 += rows[0][offset] * b_row;
        s1 += rows[1][offset] * b_row;
        s2 += rows[2][offset] * b_row;
        s3 += rows[3][offset] * b_row;
        s4 += rows[4][offset] * b_row;
        s5 += rows[5][offset] * b_row;
        s6 += rows[6][offset] * b_row;
        s7 += rows[7][offset] * b_row;
    }
    VECTOR(out[0]) = s0;
    VECTOR(out[1]) = s1;
    VECTOR(out[2]) = s2;
    VECTOR(out[3]) = s3;
    VECTOR(out[4]) = s4;
    VECTOR(out[5]) = s5;
    VECTOR(out[6]) = s6;
    VECTOR(out[7]) = s7;
}

// Rows i … i + count − 1 and `cols` columns of out. At the edges, the tile is completed in `padded`: missing rows
// repeat the first row of a, missing columns are 0.
INLINE void add_tile_clipped(Mat out, int i, int count, int col, int cols, LeftOperand a, int first, const float *b,
                             ptrdiff_t stride, int terms)
{
    float padded[ROWS][COLS] = { { 0 } }, *to[ROWS], *tile = out.at + (ptrdiff_t)i * out.stride + col;
    const float *rows[ROWS];
    size_t bytes = (size_t)cols * sizeof(float);
    bool whole = cols == COLS;
    for (int r = 0; r < ROWS; r++) {
        bool valid = r < count;
        rows[r] = a.at + (i + (valid ? r : 0)) * a.row + first * a.term;
        to[r] = valid && whole ? tile + r * (ptrdiff_t)out.stride : padded[r];
        if (valid && !whole) memcpy(padded[r], tile + r * (ptrdiff_t)out.stride, bytes);
    }
    add_tile(to, rows, a.term, b, stride, terms);
    if (whole) return;
    for (int r = 0; r < count; r++) memcpy(tile + r * (ptrdiff_t)out.stride, padded[r], bytes);
}

// The last columns, fewer than 8: b's columns are packed into zero-padded rows of 8 first.
INLINE void add_narrow(Mat out, int col, int cols, LeftOperand a, Mat b)
{
    float packed[TERMS * COLS];
    memset(packed, 0, sizeof packed);
    for (int first = 0; first < b.rows; first += TERMS) {
        int terms = b.rows - first < TERMS ? b.rows - first : TERMS;
        for (int l = 0; l < terms; l++)
            memcpy(packed + l * COLS, b.at + (ptrdiff_t)(first + l) * b.stride + col, (size_t)cols * sizeof(float));
        for (int i = 0; i < out.rows; i += ROWS)
            add_tile_clipped(out, i, out.rows - i < ROWS ? out.rows - i : ROWS, col, cols, a, first, packed, COLS,
                             terms);
    }
}

// Eight columns of b at a time: they stay in cache while all rows of a are processed.
MULTIVERSION static void add_all(Mat out, LeftOperand a, Mat b)
{
    int col = 0;
    for (; col + COLS <= out.cols; col += COLS)
        for (int i = 0; i < out.rows; i += ROWS)
            add_tile_clipped(out, i, out.rows - i < ROWS ? out.rows - i : ROWS, col, COLS, a, 0, b.at + col, b.stride,
                             b.rows);
    if (col < out.cols) add_narrow(out, col, out.cols - col, a, b);
}

static void count_work(Mat out, int terms) { cost_counted.multiplies += (int64_t)out.rows * out.cols * terms; }

void product_add(Mat out, Mat a, Mat b)
{
    REQUIRE(a.cols == b.rows && out.rows == a.rows && out.cols == b.cols,
            "out is " MAT_SHAPE ", a is " MAT_SHAPE ", b is " MAT_SHAPE, MAT_SHAPED(out), MAT_SHAPED(a), MAT_SHAPED(b));
    add_all(out, (LeftOperand){ a.at, a.stride, 1 }, b);
    count_work(out, a.cols);
}

// Transposes b once, so that eight consecutive columns are contiguous.
void product_add_transposed(Mat out, Mat a, Mat b)
{
    REQUIRE(a.cols == b.cols && out.rows == a.rows && out.cols == b.rows,
            "out is " MAT_SHAPE ", a is " MAT_SHAPE ", b is " MAT_SHAPE, MAT_SHAPED(out), MAT_SHAPED(a), MAT_SHAPED(b));
    Arena *scratch = arena_open();
    Mat transposed = mat_new(scratch, b.cols, b.rows);
    for (int i = 0; i < b.rows; i++)
        for (int j = 0; j < b.cols; j++) *mat_ref(transposed, j, i) = *mat_ref(b, i, j);
    add_all(out, (LeftOperand){ a.at, a.stride, 1 }, transposed);
    count_work(out, a.cols);
    cost_scratch((int64_t)arena_peak(scratch));
    arena_close(scratch);
}

void product_add_transposed_left(Mat out, Mat a, Mat b)
{
    REQUIRE(a.rows == b.rows && out.rows == a.cols && out.cols == b.cols,
            "out is " MAT_SHAPE ", a is " MAT_SHAPE ", b is " MAT_SHAPE, MAT_SHAPED(out), MAT_SHAPED(a), MAT_SHAPED(b));
    add_all(out, (LeftOperand){ a.at, 1, a.stride }, b);
    count_work(out, a.rows);
}
