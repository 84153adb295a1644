// Chapter 09. A transformer of the attention of chapters 01 to 07: its parameters, and from tokens to logits.
//
//     x = embedding of the tokens
//     for every layer:  x += gate · attention(norm(x)) Wo          chapters 03 to 07, H heads, G key heads
//                       x += relu(norm(x) W1 + b1) W2 + b2         if there is an MLP
//     logits = norm(x) Wout
//
// What is not here: dropout, biases outside the MLP, a cache (model/decode.h). Backward: model/gradient.h.
// Norm: Zhang and Sennrich 2019 (RMSNorm), arXiv:1910.07467. Norms before the layers: Xiong et al. 2020,
// arXiv:2002.04745.
#ifndef MODEL_TRANSFORMER_H
#define MODEL_TRANSFORMER_H

#include "attention/mask.h"
#include "attention/positions.h"
#include "base/random.h"

enum { LAYERS_MOST = 8, PARAMETERS_MOST = 1 << 28 };

typedef enum { POSITIONS_NONE, POSITIONS_ROPE, POSITIONS_ALIBI, POSITIONS_KINDS } Positions;

typedef struct {
    int       words, outputs;      // tokens in: 0 … words − 1; logits out
    int       D, H, G;             // width; query heads; key heads. d = D / H; head h reads key head h / (H / G)
    int       L;                   // layers, 1 … LAYERS_MOST
    int       mlp;                 // hidden neurons of the MLP; 0: no MLP
    Positions positions;
    bool      causal;
    int       window[LAYERS_MOST]; // as in Mask: W > 0 for keys nearer than W only; 0: all keys
} Config;

const char *positions_name(Positions positions);     // "none", "rope", "alibi"

// false, with a sentence that says what does not fit. A Config that comes from a file is tested with it.
bool    config_fits(const Config *config, Error *error);
int64_t config_parameters(const Config *config);     // how many numbers it has

// One layer. The MLP's matrices are empty when there is none.
typedef struct {
    Mat norm;          // (1, D)
    Mat wqkv;          // (D, (H + 2G) d)  Wq | Wk | Wv
    Mat wo;            // (D, D)
    Mat mlp_norm;      // (1, D)
    Mat w1, b1;        // (D, mlp) (1, mlp)
    Mat w2, b2;        // (mlp, D) (1, D)
} Layer;

typedef struct { const char *name; Mat at; } Parameter;          // "layers.0.wqkv"

// All parameters stand in one vector; everything else here is a view of it. So an optimiser, a checkpoint and a sum of
// gradients are one loop each. Gradients are a Transformer of the same Config: dWo stands where Wo stands.
typedef struct {
    Config     config;
    Mat        all;                // (1, n) every parameter
    Parameter *table;              // their names, in the order in which they stand in `all`
    int        count;
    Mat        embedding;          // (words, D)
    Layer      layers[LAYERS_MOST];
    Mat        norm;               // (1, D)
    Mat        output;             // (D, outputs)
} Transformer;

Transformer transformer_new(Arena *arena, Config config);        // all zeros

// Norms 1, biases 0. Matrices are normal with variance 1 / rows, so that what comes out is as large as what goes in;
// Wo and W2, which write into x, are smaller by √(2L), as x adds up 2L of them (Radford et al. 2019). Embeddings: 1
// / D.
void transformer_init(Transformer model, Random *random);

// Sequences of any lengths ≥ 0, one behind the other: sequence b is start[b] … start[b + 1] − 1.
typedef struct {
    int        count;              // sequences
    const int *start;              // (count + 1), start[0] = 0
    const int *tokens;             // (start[count])
    const int *targets;            // the answer at each position, −1 where none is asked for; NULL when there are none
} Batch;

Batch batch_part(Arena *arena, Batch batch, int first, int count);        // some of its sequences, as a batch
Batch batch_of_one(Arena *arena, const int *tokens, int T);
Mat   batch_rows(Batch batch, Mat all, int b);       // the rows of sequence b in a matrix of one row a position

// Columns (N, d) of the queries of head `head`, or of key or value head `head`, in qkv (N, (H + 2G) d).
typedef enum { QKV_Q, QKV_K, QKV_V } QkvPart;
Mat   qkv_head(const Config *config, Mat qkv, QkvPart part, int head);

// What one layer computed, and what the backward pass needs of it. N rows are all positions of the batch.
typedef struct {
    Mat  in;           // (N, D)   x as it came
    Mat  normed;       // (N, D)
    Mat  qkv;          // (N, (H + 2G) d)  q | k | v; with RoPE, q and k are turned already
    Mat *weights;      // for sequence b: (H · T, T), head h's map is rows h · T …
    Mat  heads;        // (N, D)   the heads' outputs side by side, before the gates
    Mat  gated;        // (N, D)   … times the gates
    Mat  middle;       // (N, D)   x between attention and MLP
    Mat  mlp_normed;   // (N, D)
    Mat  hidden;       // (N, mlp) after the ReLU
} LayerRun;

// One forward pass, with all its stages.
typedef struct {
    Transformer model;
    Batch       batch;
    Mat         gates;             // (L, H)
    Mat         cosine, sine;      // the turns of RoPE for the longest sequence
    LayerRun    layers[LAYERS_MOST];
    Mat         last, normed;      // (N, D) before and after the last norm
    Mat         logits;            // (N, outputs)
} Run;

// gates (L, H) scale the heads' outputs: 1 is on, 0 is off. Left empty, all are 1. Everything lives in `arena`.
Run transformer_run(Arena *arena, Transformer model, Batch batch, Mat gates);

// Every stage of one head, for sequence b. Views, but for the scores, which are computed anew from q and k.
typedef struct {
    Mat q, k, v;       // (T, d) each, as the scores are made of them: with RoPE q and k are turned
    Mat scores;        // (T, T)   −INFINITY where the mask hides a key
    Mat weights;       // (T, T)
    Mat out;           // (T, d)   weights v, before the gate and Wo
} HeadStages;
HeadStages run_head(Arena *arena, const Run *run, int b, int layer, int h);

Mat  run_weights(const Run *run, int b, int layer, int h);       // (T, T): only the map of a head
Mat  run_logits(const Run *run, int b);                          // (T, outputs)
int  run_answer(const Run *run, int b, int t);                   // the output with the largest logit
Mask layer_mask(const Config *config, int layer, int h);

// The pieces of a forward pass that do not look at other positions. x and what is returned have one row a token.
Mat  transformer_embed(Arena *arena, Transformer model, const int *tokens, int n);      // (n, D)
void rms_norm(Mat y, Mat x, Mat gain);               // y = x / √(mean x² + 10⁻⁶) · gain, row by row; gain (1, D)
void qkv_turn(const Config *config, Mat qkv, Turns turns);       // RoPE: all queries and keys, in place
Mat  layer_mlp(Arena *arena, LayerRun *at, Layer w, Mat x);      // x + relu(norm(x) W1 + b1) W2 + b2; keeps its stages

#endif
