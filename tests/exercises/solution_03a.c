// Exercise 03a, solved with the library's own functions.
#include "attention/attention.h"

void my_scaled_scores(Mat scores, Mat q, Mat k);
void my_scaled_scores(Mat scores, Mat q, Mat k) { attention_scores(scores, q, k, (Mask){ 0 }); }

void my_look_up(float *out, float *weights, const float *query, Mat k, Mat v);
void my_look_up(float *out, float *weights, const float *query, Mat k, Mat v)
{
    Arena *arena = arena_open();
    Attended to = { .out = { out, 1, v.cols, v.cols }, .weights = { weights, 1, k.rows, k.rows } };
    attention_naive(to, mat_of(arena, 1, k.cols, query), k, v, (Mask){ 0 });
    arena_close(arena);
}
