// Chapter 09. A transformer of the attention of chapters 01 to 07: its parameters. From tokens to logits: model/run.h.
//
//     x = embedding of the tokens
//     for every layer:  x += gate · attention(norm(x)) Wo          chapters 03 to 07, H heads, G key heads
//                       x += relu(norm(x) W1 + b1) W2 + b2         if there is an MLP, of either kind
//                       x += (silu(norm(x) Wgate) ⊙ (norm(x) Wup)) Wdown
//     logits = norm(x) Wout
//
// Layers may share keys and values (Config.share): the others of a group make queries only, and read the keys and
// values of the group's first layer. [Brandon et al. 2024, arXiv:2405.12981]
//
// Maps may be subtracted two by two, and heads have a norm (Config.differ, Config.head_norm; chapter 22).
//
// Heads may have a sink of their own or a gate (Config.sink; chapter 18), and norms may be left out (Config.bare).
//
// What is not here: dropout, biases outside the MLP and the heads' gates.
// Norm: Zhang and Sennrich 2019 (RMSNorm), arXiv:1910.07467. Norms before the layers: Xiong et al. 2020,
// arXiv:2002.04745.
#ifndef MODEL_TRANSFORMER_H
#define MODEL_TRANSFORMER_H

#include "base/mat.h"
#include "base/random.h"
#include "model/config.h"

// One layer. The MLP's matrices are empty when there is none; norms, where there are none; so are sinks and gates.
typedef struct {
    Mat norm;      // (1, D)
    Mat wqkv;      // (D, (H + 2G) d)  Wq | Wk | Wv; where the keys of another layer are read: Wq alone, "wq"
    Mat wo;        // (D, D)
    Mat sink;      // (1, H)   of CONFIG_SINK_LOGIT: a score for each head
    Mat lambda;    // (4, d)   of CONFIG_DIFFER_LEARNED: λq1, λk1, λq2, λk2, for all pairs of the layer
    Mat head_norm; // (1, D / config_head_outputs)  gains of every head's, or pair's, norm: the same for all of the layer
    Mat shut, shut_bias; // (D, H) (1, H) of CONFIG_SINK_GATE: what a sigmoid makes of norm(x) shut + shut_bias
    Mat mlp_norm;        // (1, D)
    Mat w1, b1;          // (D, mlp) (1, mlp)
    Mat w2, b2;          // (mlp, D) (1, D)
    Mat gate, up;        // (D, mlp) each, of SwiGLU, which has no W1, W2 and no biases
    Mat down;            // (mlp, D)
} TransformerLayer;

typedef struct {
    const char *name;
    Mat at;
} TransformerParameter; // "layers.0.wqkv"

// Every matrix is a view, in the table by its name and beside it by its place. An optimiser, a checkpoint and a sum of
// gradients are one loop over the table. Gradients are a Transformer of the same Config: dWo stands where Wo stands.
typedef struct {
    Config config;
    TransformerParameter *table; // embedding, layer after layer, norm, output
    int count;
    Mat embedding;            // (words, D)
    TransformerLayer *layers; // (L)
    Mat norm;                 // (1, D)
    Mat output;               // (D, outputs)
} Transformer;

// The matrices may stand anywhere: `place` is asked for one after the other, in the order of the table. What it gives
// has this shape, any stride, and outlives the model. `config` is copied with its windows.
typedef Mat TransformerPlace(void *context, const char *name, int rows, int cols);
Transformer transformer_placed(Arena *arena, Config config, TransformerPlace *place, void *context);

Transformer transformer_new(Arena *arena, Config config); // in memory of its own, all zeros

// Norms 1, biases 0. Matrices are normal with variance 1 / rows, so that what comes out is as large as what goes in;
// Wo and W2 (Wdown), which write into x, are smaller by √(2L), as x adds up 2L of them (Radford et al. 2019).
// Embeddings: 1 / D. The vectors of λ have a deviation of 0.1, so that λ begins near λ_init.
void transformer_init(Transformer model, Random *random);

void transformer_fill(Transformer model, float value);  // every number
void transformer_set(Transformer to, Transformer from); // to = from, of one Config
int64_t transformer_numbers(Transformer model);         // how many there are, counted in the table

#endif
