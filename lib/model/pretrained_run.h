// Chapters 25 and 26. Forward pass of pretrained models of all families, their attention maps, and direct attribution.
//
// Queries and keys of every layer are kept; a map is computed from them when it is requested.
#ifndef MODEL_PRETRAINED_RUN_H
#define MODEL_PRETRAINED_RUN_H

#include "model/patch.h"
#include "model/pretrained.h"

typedef struct {
    const int *tokens; // (T)
    int T;
    const int *kinds;         // (T) token types, 0 or 1, for models that have them; NULL: all 0
    int padding;              // number of padding tokens at the end; they are masked
    Mat gates;                // (L, H) head mask, multiplied with the heads' outputs: 1 on, 0 off; empty: all on
    const Mat *instead;       // (L) of (T, H d): output of heads that are off; NULL: zeros (model/run.h)
    const StreamPatch *patch; // activation patch: replaces rows of the residual stream; NULL: none
    bool plain;   // reproducible: the same order of summation on every machine; otherwise as fast as possible
    bool rounded; // round inputs of bf16 weights to bf16 (WEIGHT_ROUNDED): faster; ignored if plain
} PretrainedInput;

typedef struct {
    Mat in;       // (T, D)    input of the layer
    Mat q, k, v;  // (T, H d) (T, G d) (T, G d)  after their norms and RoPE, as the scores use them
    Mat heads;    // (T, H d)  head outputs, weights · v, concatenated, before the gates
    Mat gated;    // (T, H d)  after the gates: the input of Wo. With all gates on, the same memory as `heads`
    Mat attended; // (T, D)    attention's addition to the stream
    Mat mlp;      // (T, D)    the MLP's addition to the stream. With a norm on the sum, see `out`
    Mat out;      // (T, D)    output of the layer, after patching
} PretrainedStages;

typedef struct PretrainedRows PretrainedRows; // memory of the matrices, with capacity for more than T rows

typedef struct {
    const PretrainedModel *model;
    PretrainedInput input;    // tokens, kinds and gates are copied; `instead` and `patch` belong to the caller
    PretrainedStages *layers; // (L)
    Mat frequencies;          // (1, pairs) RoPE; otherwise empty
    Mat last;                 // (T, D) after the last norm
    PretrainedRows *rows;     // memory of all of these except frequencies
} PretrainedRun;

// Maximum input length, given by learned positions; 0: unlimited.
int pretrained_longest(const PretrainedModel *model);

// Everything lives in `arena`. Tokens out of range and inputs that are too long stop the program. `tell` (NULL: none) is
// called after each layer with the number of finished layers, for a progress bar.
typedef void PretrainedProgress(void *context, int layers_done);
PretrainedRun pretrained_run(Arena *arena, const PretrainedModel *model, PretrainedInput input,
                             PretrainedProgress *tell, void *context);

// The same, reusing `before`, a run without a patch. For a causal model, only rows from the first token, gate, stand-in
// or patched row that differs are computed. With `plain` the result is bit-equal to pretrained_run's.
//
// Memory: if all rows of the shorter text are unchanged, as when a text is extended by a token, nothing is copied: both
// runs are views of one memory and new rows are appended to it. Both arenas hold the memory (arena_hold) and may be
// closed in any order. Neither run changes the other. The new run gets its own memory, and copies the unchanged rows,
// when another live run has already appended rows after `before`, when something earlier differs, when the capacity
// (half more than needed) is exhausted, or when the text is less than half as long. So treat rows as read-only, and
// extend the same run from one thread at a time.
PretrainedRun pretrained_run_after(Arena *arena, const PretrainedRun *before, PretrainedInput input,
                                   PretrainedProgress *tell, void *context);

// (1, words): the logits at position t, soft-capped if the model does so; empty for a model without a head.
Mat pretrained_logits(Arena *arena, const PretrainedRun *run, int t);

// (T, T) each: map and scores of a head as in the run, in `arena`; scores are −INFINITY where a key is masked.
Mat pretrained_weights(Arena *arena, const PretrainedRun *run, int layer, int h);
Mat pretrained_scores(Arena *arena, const PretrainedRun *run, int layer, int h);
bool pretrained_sees(const PretrainedRun *run, int layer, int query, int key);

// (T, D): what head h writes to the stream: its columns of `gated` times its rows of Wo (without Wo's bias). If the
// branch ends with a norm, it is applied with the divisor of the whole branch.
Mat pretrained_writes(Arena *arena, const PretrainedRun *run, int layer, int h);

// Direct logit attribution: (L, H), the contribution of each head at position t to the logit of `word`, minus that of
// `other` unless −1, with the divisor of the last norm frozen, before soft-capping. Embedding, MLPs and biases
// contribute the rest of the logit. false with an error for post-norm models, whose stream is not a sum.
bool pretrained_attribution(Mat *out, Arena *arena, const PretrainedRun *run, int t, int word, int other, Error *error);

#endif
