// Exercise 07a, solved with the library's own functions.
#include "attention/positions.h"

// The columns are dealt so that each pair stands side by side, turned by the library, and put back.
void my_rope_halves(Mat m, int first);
void my_rope_halves(Mat m, int first)
{
    Arena *scratch = arena_open();
    Mat dealt = mat_new(scratch, m.rows, m.cols);
    int half = m.cols / 2;
    for (int p = 0; p < half; p++) {
        mat_set(mat_cols(dealt, 2 * p, 1), mat_cols(m, p, 1));
        mat_set(mat_cols(dealt, 2 * p + 1, 1), mat_cols(m, p + half, 1));
    }
    rope_apply(dealt, rope_table(scratch, first, m.rows, m.cols));
    for (int p = 0; p < half; p++) {
        mat_set(mat_cols(m, p, 1), mat_cols(dealt, 2 * p, 1));
        mat_set(mat_cols(m, p + half, 1), mat_cols(dealt, 2 * p + 1, 1));
    }
    arena_close(scratch);
}

void my_key(Mat key, Mat q, int n, Arena *arena);
void my_key(Mat key, Mat q, int n, Arena *arena)
{
    mat_set(key, q);
    rope_apply(key, rope_table(arena, n, 1, q.cols));
}
