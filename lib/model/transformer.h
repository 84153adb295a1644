// Chapter 09. The parameters of a transformer. From tokens to logits: model/run.h.
//
//     x = embedding of the tokens
//     for every layer:  x += gate · attention(norm(x)) Wo          H query heads, G KV heads
//                       x += relu(norm(x) W1 + b1) W2 + b2         the MLP, if any: ReLU or SwiGLU
//                       x += (silu(norm(x) Wgate) ⊙ (norm(x) Wup)) Wdown
//     logits = norm(x) Wout
//
// Pre-norm [Xiong et al. 2020, arXiv:2002.04745] with RMSNorm [Zhang and Sennrich 2019, arXiv:1910.07467].
//
// Options: cross-layer sharing, where layers of a group have queries only and read the keys and values of the group's
// first layer (Config.share) [Brandon et al. 2024, arXiv:2405.12981]; differential attention and head-wise norms
// (Config.differ, Config.head_norm); sinks and gates of heads (Config.sink); no norms (Config.bare). Not here: dropout,
// biases outside the MLP and the heads' gates.
#ifndef MODEL_TRANSFORMER_H
#define MODEL_TRANSFORMER_H

#include "base/mat.h"
#include "base/random.h"
#include "model/config.h"

// One layer. Matrices that the Config does not have are empty.
typedef struct {
    Mat norm;      // (1, D)
    Mat wqkv;      // (D, (H + 2G) d)  Wq | Wk | Wv; Wq alone, "wq", if the keys are another layer's
    Mat wo;        // (D, D)
    Mat sink;      // (1, H)   CONFIG_SINK_LOGIT: a score per head
    Mat lambda;    // (4, d)   CONFIG_DIFFER_LEARNED: λq1, λk1, λq2, λk2, shared by all pairs of the layer
    Mat head_norm; // (1, D / config_head_outputs)  weights of the head-wise norm, shared by all heads of the layer
    Mat shut, shut_bias; // (D, H) (1, H) CONFIG_SINK_GATE: gate = sigmoid(norm(x) shut + shut_bias)
    Mat mlp_norm;        // (1, D)
    Mat w1, b1;          // (D, mlp) (1, mlp)
    Mat w2, b2;          // (mlp, D) (1, D)
    Mat gate, up;        // (D, mlp) each, SwiGLU
    Mat down;            // (mlp, D)
} TransformerLayer;

typedef struct {
    const char *name;
    Mat at;
} TransformerParameter; // "layers.0.wqkv"

// Every matrix is a view, listed in `table` by name and accessible by field. An optimizer, a checkpoint and a sum of
// gradients are one loop over the table. Gradients are a Transformer of the same Config: `wo` then holds dWo.
typedef struct {
    Config config;
    TransformerParameter *table; // embedding, layer after layer, norm, output
    int count;
    Mat embedding;            // (words, D)
    TransformerLayer *layers; // (L)
    Mat norm;                 // (1, D)
    Mat output;               // (D, outputs)
} Transformer;

// Builds a model over existing memory: `place` is called for each matrix, in the order of the table. It returns a matrix
// of this shape, any stride, that outlives the model. `config` is copied with its windows.
typedef Mat TransformerPlace(void *context, const char *name, int rows, int cols);
Transformer transformer_placed(Arena *arena, Config config, TransformerPlace *place, void *context);

Transformer transformer_new(Arena *arena, Config config); // allocates the matrices, all zeros

// Norms 1, biases 0. Matrices are normal with variance 1 / rows, so that outputs are as large as inputs; Wo and W2
// (Wdown) are divided by √(2L), since x sums 2L of their outputs (Radford et al. 2019). Embeddings: 1 / D. The vectors
// of λ have standard deviation 0.1, so that λ starts near λ_init.
void transformer_init(Transformer model, Random *random);

void transformer_fill(Transformer model, float value);  // every parameter
void transformer_set(Transformer to, Transformer from); // copies parameters; the Configs must be equal
int64_t transformer_numbers(Transformer model);         // number of parameters, counted in the table

#endif
