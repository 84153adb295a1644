// Exercise 04a, solved with the library's own functions.
#include "attention/dot_product.h"
#include "attention/self_attention.h"

void my_self_attention(Mat out, Mat x, HeadWeights w, Arena *arena);
void my_self_attention(Mat out, Mat x, HeadWeights w, Arena *arena)
{
    (void)arena;
    self_attention((Attended){ .out = out }, x, w, (Mask){ 0 });
}

void my_received(float *received, Mat weights);
void my_received(float *received, Mat weights)
{
    Arena *arena = arena_open();
    Mat ones = mat_new(arena, 1, weights.rows);
    mat_fill(ones, 1.0f);
    matmul((Mat){ received, 1, weights.cols, weights.cols }, ones, weights);
    arena_close(arena);
}
