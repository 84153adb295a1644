// Exercise 09b, solved: with the library's own forward pass.
#include "model/run.h"

void my_layer(Mat out, Mat x, Mat gain, Mat wqkv, Mat wo, int H);
void my_layer(Mat out, Mat x, Mat gain, Mat wqkv, Mat wo, int H)
{
    Arena *arena = arena_open();
    int T = x.rows, D = x.cols, *tokens = arena_alloc(arena, (size_t)T * sizeof *tokens);
    for (int t = 0; t < T; t++) tokens[t] = t;
    Config config = { .words = T, .outputs = 1, .D = D, .H = H, .G = H, .L = 1, .causal = true };
    Transformer one = transformer_new(arena, config);
    mat_set(one.embedding, x);
    mat_set(one.layers[0].norm, gain);
    mat_set(one.layers[0].wqkv, wqkv);
    mat_set(one.layers[0].wo, wo);
    mat_set(out, run_transformer(arena, one, run_batch_of_one(arena, tokens, T), (Mat){ 0 }).last);
    arena_close(arena);
}
