// Chapter 25. A pretrained model in a folder as Hugging Face's transformers saves it: config.json, and model.safetensors
// or its shards with their index. Weights are used where they are mapped, as float32, float16 or bfloat16, without a
// copy of the file.
#ifndef MODEL_PRETRAINED_H
#define MODEL_PRETRAINED_H

#include "model/family.h"
#include "model/shards.h"
#include "kernels/weight.h"

typedef struct {
    Weight weight;
    Mat bias;
} PretrainedLinear; // bias (1, out) or empty. `weight.at` NULL: the model has none
typedef struct {
    Mat gain, bias;
} PretrainedNorm; // (1, n) each; gain empty: no norm

typedef struct {
    PretrainedNorm before_attention, after_attention,
        sum_attention; // on the input of a branch; on its output; on the sum (post-norm)
    PretrainedNorm before_mlp, after_mlp, sum_mlp;
    PretrainedLinear q, k, v, o;     // q (D → H d), k, v (D → G d), o (H d → D); views if packed
    PretrainedNorm q_norm, k_norm;   // of one head (d), or of all heads side by side
    PretrainedLinear gate, up, down; // gate: only of a gated MLP
} PretrainedLayer;

typedef struct {
    Architecture is;
    const char *folder;
    Weight embedding, places, kinds; // token, position and token-type embeddings: (words, D) (positions, D) (types, D)
    PretrainedNorm embedding_norm, last_norm;
    PretrainedLayer *layers;     // (L)
    PretrainedLinear head_dense; // of masked language models: dense, activation and norm before the unembedding
    PretrainedNorm head_norm;
    PretrainedLinear output; // the unembedding, D → words; with tied weights the embedding
    int64_t bytes;           // of all tensors in use, as stored
    Shards shards;           // the mapped files
} PretrainedModel;

// Does this folder contain a config.json? Everything else is checked by pretrained_open.
bool pretrained_here(const char *folder);

// Tensors stay mapped until pretrained_close; after that only the Architecture is valid. Errors name the file, the
// tensor, what was found and what was expected.
bool pretrained_open(PretrainedModel **out, Arena *arena, const char *folder, Error *error);
void pretrained_close(PretrainedModel *model);

// The same with another Architecture than config.json's: for tests and experiments.
bool pretrained_open_as(PretrainedModel **out, Arena *arena, const char *folder, const Architecture *is, Error *error);

// The Architecture alone.
bool pretrained_config(Architecture *out, Arena *arena, const char *folder, Error *error);

#endif
