// Chapter 09. The forward pass of a transformer, from tokens to logits, with all stages kept. Backward: model/gradient.h.
//
// The same layer code processes whole sequences and, in a decoder (model/decode.h), new tokens whose past is in a KV
// cache.
#ifndef MODEL_RUN_H
#define MODEL_RUN_H

#include "attention/kv_cache.h"
#include "attention/positions.h"
#include "attention/self_attention.h"
#include "model/patch.h"
#include "model/transformer.h"

// Sequences of any lengths ≥ 0, concatenated: sequence b is rows start[b] … start[b + 1] − 1.
typedef struct {
    int count;          // sequences
    const int *start;   // (count + 1), start[0] = 0
    const int *tokens;  // (start[count])
    const int *targets; // the correct output at each position, −1 to ignore it; NULL: none
} RunBatch;

RunBatch run_batch_part(Arena *arena, RunBatch batch, int first, int count); // `count` of its sequences
RunBatch run_batch_of_one(Arena *arena, const int *tokens, int T);
Mat run_batch_rows(RunBatch batch, Mat all, int b); // the rows of sequence b in a matrix with one row per position

// Activations of one layer, kept for inspection and the backward pass. N is the number of positions of the batch.
typedef struct {
    Mat in;         // (N, D)   input of the layer
    Mat normed;     // (N, D)
    Mat qkv;        // (N, (H + 2G) d)  q | k | v; with RoPE, q and k are rotated. A layer that shares keys and
                    //   values has a copy of them
    Mat *weights;   // of sequence b, if kept: (H · T, T), the map of head h is rows h · T …
    Mat lse;        // (N, H)   log-sum-exp of the scores, including a sink's
    Mat left;       // (N, H)   with a sink or gate: the fraction by which it scales the output; else empty
    Mat heads;      // (N, D)   weights · v of every head, concatenated; (N, 2D) with differential attention
    Mat mixed;      // (N, D)   the same; with differential attention, the difference
    Mat given;      // (N, D)   after the head-wise norm; before the gates
    Mat gated;      // (N, D)   after the gates, with the stand-ins of heads that are off
    Mat middle;     // (N, D)   the stream between attention and MLP: `in` + gated Wo
    Mat mlp_normed; // (N, D)
    Mat opened, up; // (N, mlp) SwiGLU: normed Wgate, and normed Wup
    Mat hidden;     // (N, mlp) after the ReLU; or silu(opened) ⊙ up
} RunLayer;

// One forward pass. Attention maps are computed from q and k on request, unless they were kept.
typedef struct Run {
    Transformer model;
    RunBatch batch;
    Mat gates;                // (L, H); empty in a decoder: all 1
    const Mat *instead;       // (L) of (N, D): output of heads that are off; NULL: zeros
    const StreamPatch *patch; // while running: replaces rows of the stream; NULL: none
    const struct Run *before; // while running: a run whose lower layers are reused; NULL: none
    int first;                // the first layer whose input differs from that of `before`
    RopeTable turns;          // RoPE rotations up to the last position
    const KvStore *caches;    // (L) keys and values before the batch, which is then one sequence; NULL: none. Layers
                              //   that share keys and values have the same cache
    AttentionKernel *kernel;
    bool keep;        // keep the attention weights of every head
    RunLayer *layers; // (L)
    Mat last, normed; // (N, D) before and after the last norm
    Mat logits;       // (N, outputs)
} Run;

// gates (L, H) scale the heads' outputs: 1 is on, 0 is off; empty: all 1. Everything lives in `arena`. With differential
// attention a pair has two gates, each for d of its 2d columns.
Run run_transformer(Arena *arena, Transformer model, RunBatch batch, Mat gates);

// The same, keeping all attention weights: H · T² floats per layer and sequence, for a faster backward pass.
Run run_keeping_transformer(Arena *arena, Transformer model, RunBatch batch, Mat gates);

// Mean or resample ablation: a head that is off outputs its mean over other sentences, or its output in another run.
// gated = gate · heads + (1 − gate) · instead[layer], row by row. Has no backward pass.
Run run_instead_transformer(Arena *arena, Transformer model, RunBatch batch, Mat gates, const Mat *instead);

// Repeats `before` with other gates and stand-ins (NULL: none) from `layer` on. Lower layers, and this layer's heads
// before their gates, are reused: `before` must have the same gates and stand-ins below `layer`, and must live as long
// as the result. Has no backward pass.
Run run_after_transformer(Arena *arena, const Run *before, int layer, Mat gates, const Mat *instead);

// Activation patching: repeats `before` with rows of the stream replaced. Everything before the patch is reused, as
// above.
Run run_patched_transformer(Arena *arena, const Run *before, const StreamPatch *patch);

// Stand-ins for mean ablation: (L) of (N, D), every row of a layer the mean of its head outputs over all rows. In `arena`.
Mat *run_mean_heads(Arena *arena, const Run *run);

// y (N, D) = x / √(mean x² + ε) · gain, row by row; gain (1, D), ε = 1e-6; y = x if gain is empty.
// [Zhang and Sennrich 2019]
void run_rms_norm(Mat y, Mat x, Mat gain);

// RoPE rotations for positions 0 … T − 1; empty for a model without RoPE.
RopeTable run_turns(Arena *arena, const Config *config, int T);

// The layers, for run_transformer and decoders. Model, batch, gates, turns, caches, kernel and keep are inputs; the rest
// is filled. `logits` is allocated if empty.
//
// Memory traffic in counted.reads and counted.writes: attention as its kernel or kv_cache.h counts it; each product with
// a weight matrix reads its input and the matrix once and writes its result once. Norms, RoPE, sums and the embedding
// lookup are not counted: they can be fused with a product.
void run_layers(Arena *arena, Run *run);

// Columns (N, d) of query, key or value head `head` in qkv (N, (H + 2G) d).
typedef enum { RUN_QKV_Q, RUN_QKV_K, RUN_QKV_V } RunQkv;
// With differential attention, map h reads the key head at its own place in the KV pair, and the values of both.
Mat run_qkv_head(const Config *config, Mat qkv, RunQkv part, int head);
HeadProjections run_qkv_of_head(const Config *config, Mat qkv,
                                int h); // q of query head h, k and v of its KV head

// All stages of one head for sequence b. q, k, v and head are views; scores and weights are computed, in `arena`.
typedef struct {
    Mat q, k, v; // (T, d) each; with RoPE q and k are rotated. v and `head` are 2d wide with differential
                 //   attention
    Mat scores;  // (T, T)   −INFINITY where a key is masked
    Mat weights; // (T, T)
    Mat head;    // (T, d)   weights v: before the gate and Wo, and before differential attention and head norms
} RunHeadStages;
RunHeadStages run_head(Arena *arena, const Run *run, int b, int layer, int h);

// (T, T): the map of a head, computed in `arena`, or a view if it was kept.
Mat run_weights(Arena *arena, const Run *run, int b, int layer, int h);

Mat run_logits(const Run *run, int b);        // (T, outputs)
int run_answer(const Run *run, int b, int t); // the output with the largest logit

#endif
