// Chapter 09. A transformer's forward pass, from tokens to logits, with all its stages. Backward: model/gradient.h.
//
// A layer is the same whether its sequences are whole or their newest tokens come alone, with the keys and values of
// the others in a cache (chapter 11, model/decode.h).
#ifndef MODEL_RUN_H
#define MODEL_RUN_H

#include "attention/kv_cache.h"
#include "attention/positions.h"
#include "attention/self_attention.h"
#include "model/patch.h"
#include "model/transformer.h"

// Sequences of any lengths ≥ 0, one behind the other: sequence b is start[b] … start[b + 1] − 1.
typedef struct {
    int count;          // sequences
    const int *start;   // (count + 1), start[0] = 0
    const int *tokens;  // (start[count])
    const int *targets; // the answer at each position, −1 where none is asked for; NULL when there are none
} RunBatch;

RunBatch run_batch_part(Arena *arena, RunBatch batch, int first, int count); // some of its sequences, as a batch
RunBatch run_batch_of_one(Arena *arena, const int *tokens, int T);
Mat run_batch_rows(RunBatch batch, Mat all, int b); // the rows of sequence b in a matrix of one row a position

// What one layer computed, and what the backward pass needs of it. N rows are all positions of the batch.
typedef struct {
    Mat in;         // (N, D)   x as it came
    Mat normed;     // (N, D)
    Mat qkv;        // (N, (H + 2G) d)  q | k | v; with RoPE, q and k are turned already. A layer that shares has
                    //   a copy of the k and v that it reads
    Mat *weights;   // for sequence b, if they are kept: (H · T, T), head h's map is rows h · T …
    Mat lse;        // (N, H)   with a sink: the logsumexp of the keys' scores and the sink's
    Mat left;       // (N, H)   with a sink or a gate of a head: the share of its output that is left; else empty
    Mat heads;      // (N, D)   weights · v of every head, side by side; (N, 2D) of maps that are subtracted
    Mat mixed;      // (N, D)   the same; of such maps the difference
    Mat given;      // (N, D)   the same, with the norm of each head after it; before the gates
    Mat gated;      // (N, D)   … times the gates, and what stands in for heads that are off
    Mat middle;     // (N, D)   x between attention and MLP: `in` + gated Wo
    Mat mlp_normed; // (N, D)
    Mat opened, up; // (N, mlp) of SwiGLU: normed Wgate, and normed Wup
    Mat hidden;     // (N, mlp) after the ReLU; or silu(opened) ⊙ up
} RunLayer;

// One forward pass. A map is made of q and k when it is looked at, unless all were kept.
typedef struct Run {
    Transformer model;
    RunBatch batch;
    Mat gates;                // (L, H); of a decoder empty: all 1
    const Mat *instead;       // (L) of (N, D): what heads that are off give in their place; NULL: nothing
    const StreamPatch *patch; // while it is made: what stands in place of some rows of the stream; NULL: nothing
    const struct Run *before; // … and the run that it begins like; NULL: none
    int first;                // before this layer the stream is another than that run's, below it is the same
    RopeTable turns;          // of RoPE, for every position up to the last
    const KvStore *caches;    // (L) what stands before the batch, which is one sequence then; NULL: nothing does.
                              //   Layers that share have the same
    AttentionKernel *kernel;
    bool keep;        // the weights of every head
    RunLayer *layers; // (L)
    Mat last, normed; // (N, D) before and after the last norm
    Mat logits;       // (N, outputs)
} Run;

// gates (L, H) scale the heads' outputs: 1 is on, 0 is off. Left empty, all are 1. Everything lives in `arena`. A pair
// whose maps are subtracted has two gates: each is for d of its 2d columns.
Run run_transformer(Arena *arena, Transformer model, RunBatch batch, Mat gates);

// The same, with the weights of every head kept: H · T² floats a layer and sequence, and less to do on the way back.
Run run_keeping_transformer(Arena *arena, Transformer model, RunBatch batch, Mat gates);

// Heads that are off give something else in their place (chapter 10): their mean over other sentences, or what they
// gave in another run. gated = gate · heads + (1 − gate) · instead[layer], row by row. There is no way back through it.
Run run_instead_transformer(Arena *arena, Transformer model, RunBatch batch, Mat gates, const Mat *instead);

// A run once more, with other gates and stand-ins (NULL: none) from `layer` on. What is below that layer, and what its
// heads give before their gates, is not computed again: it is that of `before`, whose gates and stand-ins were the same
// there, and which must live as long. No way back, either.
Run run_after_transformer(Arena *arena, const Run *before, int layer, Mat gates, const Mat *instead);

// A run once more, but a piece of the stream is what stood there in another run (chapter 26). What comes after it is
// computed from it; the rest is that of `before`, as above.
Run run_patched_transformer(Arena *arena, const Run *before, const StreamPatch *patch);

// What to give there: (L) of (N, D), every row of a layer the mean of its heads over all rows of the run. In `arena`.
Mat *run_mean_heads(Arena *arena, const Run *run);

// y (N, D) = x / √(mean x² + ε) · gain, row by row; gain (1, D), ε = 1e-6; y = x where there is no gain.
// [Zhang and Sennrich 2019]
void run_rms_norm(Mat y, Mat x, Mat gain);

// RoPE's turns for positions 0 … T − 1, by the Config's base; empty for a model without RoPE.
RopeTable run_turns(Arena *arena, const Config *config, int T);

// What run_transformer and a decoder share. Model, batch, gates, turns, caches, kernel and keep are set; the rest is
// filled. `logits` may be room that is given; empty, it is made.
//
// Traffic in counted.reads and counted.writes: attention as its kernel or kv_cache.h counts it; every product with a
// matrix of the model reads its rows and the matrix once and writes its result once. Norms, turns, sums and the look-up
// of the embedding are left out: they can be done on the way, beside a product.
void run_layers(Arena *arena, Run *run);

// Columns (N, d) of the queries of head `head`, or of key or value head `head`, in qkv (N, (H + 2G) d).
typedef enum { RUN_QKV_Q, RUN_QKV_K, RUN_QKV_V } RunQkv;
// Where maps are subtracted, map h reads the key head of its place in the key heads' pair, and the values of both.
Mat run_qkv_head(const Config *config, Mat qkv, RunQkv part, int head);
HeadProjections run_qkv_of_head(const Config *config, Mat qkv,
                                int h); // q of query head h, k and v of the head that it reads

// Every stage of one head, for sequence b. q, k, v and head are views; scores and weights are computed anew, in
// `arena`.
typedef struct {
    Mat q, k, v; // (T, d) each, as the scores are made of them: with RoPE q and k are turned. v and `head` are 2d
                 //   wide where maps are subtracted
    Mat scores;  // (T, T)   −INFINITY where the mask hides a key
    Mat weights; // (T, T)
    Mat head;    // (T, d)   weights v, before the gate and Wo; and before maps are subtracted, and norms of heads
} RunHeadStages;
RunHeadStages run_head(Arena *arena, const Run *run, int b, int layer, int h);

// (T, T): only the map of a head, in `arena`; a view of what was kept.
Mat run_weights(Arena *arena, const Run *run, int b, int layer, int h);

Mat run_logits(const Run *run, int b);        // (T, outputs)
int run_answer(const Run *run, int b, int t); // the output with the largest logit

#endif
