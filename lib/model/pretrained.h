// Chapter 25. A published model in a folder as Hugging Face's transformers saves it: config.json, and
// model.safetensors or its shards with their index. Numbers are read where they stand: float32, float16 or bfloat16,
// mapped, never copied whole.
#ifndef MODEL_PRETRAINED_H
#define MODEL_PRETRAINED_H

#include "model/family.h"
#include "model/shards.h"
#include "kernels/weight.h"

typedef struct {
    Weight weight;
    Mat bias;
} PretrainedLinear; // bias (1, out) or empty. No `at`: the model has none
typedef struct {
    Mat gain, bias;
} PretrainedNorm; // (1, n) each; gain empty: there is no norm here

typedef struct {
    PretrainedNorm before_attention, after_attention, sum_attention; // x → branch; branch → stream; the sum (post-norm)
    PretrainedNorm before_mlp, after_mlp, sum_mlp;
    PretrainedLinear q, k, v, o;     // q (D → H d), k, v (D → G d), o (H d → D); packed ones are views
    PretrainedNorm q_norm, k_norm;   // of a head (d), or of all heads side by side
    PretrainedLinear gate, up, down; // gate: of a gated MLP alone
} PretrainedLayer;

typedef struct {
    Architecture is;
    const char *folder;
    Weight embedding, places, kinds; // (words, D) (positions, D) (types, D)
    PretrainedNorm embedding_norm, last_norm;
    PretrainedLayer *layers;     // (L)
    PretrainedLinear head_dense; // of masked language models: dense, activation, norm before the words
    PretrainedNorm head_norm;
    PretrainedLinear output; // D → words; with tied embeddings their rows
    int64_t bytes;           // of all tensors that are used, as stored
    Shards shards;           // where they all stand
} PretrainedModel;

// Is there a config.json in this folder? (What else is wrong, pretrained_open says.)
bool pretrained_here(const char *folder);

// What it maps stays until pretrained_close; nothing of the model but its Architecture may be looked at after that.
// false, with one sentence that names the file, the tensor, what was found and what would be right.
bool pretrained_open(PretrainedModel **out, Arena *arena, const char *folder, Error *error);
void pretrained_close(PretrainedModel *model);

// The same for a folder whose config.json is to say something else: for tests, and for trying a switch.
bool pretrained_open_as(PretrainedModel **out, Arena *arena, const char *folder, const Architecture *is, Error *error);

// The Architecture alone.
bool pretrained_config(Architecture *out, Arena *arena, const char *folder, Error *error);

#endif
