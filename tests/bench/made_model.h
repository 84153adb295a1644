// Models of random numbers, made as folders that other programs open, too: of a published one's shape, and no more.
#ifndef BENCH_MADE_MODEL_H
#define BENCH_MADE_MODEL_H

#include "base/error.h"
#include "base/dtype.h"

// H query heads, G for keys and values, of D / H channels.
typedef struct {
    const char *family;
    int L, D, H, G, mlp, words, positions;
} MadeShape;

// The shapes of GPT-2 (L layers; its own are 12) and of Qwen2-0.5B.
MadeShape made_gpt2(int L);
MadeShape made_qwen2(void);

// config.json and model.safetensors in `folder`: bfloat16, or float32 with the same numbers before they are rounded.
bool made_model(const char *folder, MadeShape shape, Dtype stored, Error *error);

// Numbers of a layer's matrices; keys and values of one token in all layers.
double made_layer_numbers(MadeShape shape);
double made_cache_numbers(MadeShape shape);

#endif
