// Chapter 12. Merges the key and value heads of each group. [Ainslie et al. 2023, arXiv:2305.13245]
#include "model/pooling.h"

// Keys are x Wk, so averaging n heads' columns of Wk averages their keys. The same holds for values.
void pool_heads(Mat to, Mat from, int G, int d, Pooling pooling)
{
    REQUIRE(G >= 1 && d >= 1 && to.cols == G * d && to.rows == from.rows && from.cols >= to.cols &&
                from.cols % to.cols == 0,
            "to is " MAT_SHAPE ", from is " MAT_SHAPE ": they must be (rows, %d · %d) and a multiple "
            "of its columns",
            MAT_SHAPED(to), MAT_SHAPED(from), G, d);
    int n = from.cols / to.cols, used = pooling == POOL_FIRST ? 1 : n;
    for (int i = 0; i < to.rows; i++)
        for (int g = 0; g < G; g++)
            for (int c = 0; c < d; c++) {
                float sum = 0.0f;
                for (int m = 0; m < used; m++) sum += *mat_ref(from, i, (g * n + m) * d + c);
                *mat_ref(to, i, g * d + c) = sum / (float)used;
            }
}

// Query columns are copied; the key heads of each group are merged, and so are the value heads.
static void pool_layer(Mat to, Mat from, Config few, Config many, Pooling pooling)
{
    int d = few.D / few.H, keys = few.H * d;
    mat_set(mat_cols(to, 0, keys), mat_cols(from, 0, keys));
    for (int part = 0; part < 2; part++)
        pool_heads(mat_cols(to, keys + part * few.G * d, few.G * d),
                   mat_cols(from, keys + part * many.G * d, many.G * d), few.G, d, pooling);
}

// Both models list their parameters in the same order; only wqkv differs in shape.
Transformer pool_transformer(Arena *arena, Transformer model, int G, Pooling pooling)
{
    REQUIRE(G >= 1 && model.config.G % G == 0, "G = %d key heads cannot be pooled to %d", model.config.G, G);
    Config config = model.config;
    config.G = G;
    Transformer pooled = transformer_new(arena, config);
    for (int p = 0; p < model.count; p++)
        if (model.table[p].at.cols == pooled.table[p].at.cols) mat_set(pooled.table[p].at, model.table[p].at);
    for (int l = 0; l < config.L; l++)
        pool_layer(pooled.layers[l].wqkv, model.layers[l].wqkv, config, model.config, pooling);
    return pooled;
}
