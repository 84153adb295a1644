// Chapters 25 and 26. One forward for all families of published models, its maps, and what each head adds.
//
// Maps are not kept: queries and keys of every layer are, and a map is computed when it is looked at.
#ifndef MODEL_PRETRAINED_RUN_H
#define MODEL_PRETRAINED_RUN_H

#include "model/patch.h"
#include "model/pretrained.h"

typedef struct {
    const int *tokens; // (T)
    int T;
    const int *kinds;         // (T) sentence 0 or 1 of those models that have them; NULL: all 0
    int padding;              // the last so many tokens are filler: nobody sees them
    Mat gates;                // (L, H) heads' outputs times this: 1 on, 0 off; empty: all on
    const Mat *instead;       // (L) of (T, H d): what heads that are off give; NULL: nothing (model/run.h)
    const StreamPatch *patch; // what stands in the stream in place of some of its rows; NULL: nothing
    bool plain;               // sums in the same order on every machine; else as fast as it can
    bool rounded;             // what meets weights of bf16 is rounded to it (WEIGHT_ROUNDED): faster; not if plain
} PretrainedInput;

typedef struct {
    Mat in;       // (T, D)    the stream as it came
    Mat q, k, v;  // (T, H d) (T, G d) (T, G d)  normed and turned, as the scores are made of them
    Mat heads;    // (T, H d)  weights · v, side by side, before the gates
    Mat gated;    // (T, H d)  after them: what Wo is applied to. With all gates on, `heads` itself
    Mat attended; // (T, D)    what attention added to the stream
    Mat mlp;      // (T, D)    what the MLP added to it. Where norms stand on the sum, see `out`
    Mat out;      // (T, D)    the stream as it goes on, patched where it is
} PretrainedStages;

typedef struct PretrainedRows PretrainedRows; // memory of matrices, with room for more rows than T

typedef struct {
    const PretrainedModel *model;
    PretrainedInput input;    // tokens, kinds and gates are copies; `instead` and `patch` the caller's
    PretrainedStages *layers; // (L)
    Mat frequencies;          // (1, pairs) of RoPE; else empty
    Mat last;                 // (T, D) after the last norm
    PretrainedRows *rows;     // where all of these stand, but for the frequencies
} PretrainedRun;

// The longest input that this model takes: of one with learned positions, as many as it has. 0: any.
int pretrained_longest(const PretrainedModel *model);

// Everything lives as long as `arena`. Tokens out of range and inputs that are too long stop the program. A progress
// bar of a second or more of work is the caller's: `tell` (NULL: nobody) is called after each layer with how many are
// done.
typedef void PretrainedProgress(void *context, int layers_done);
PretrainedRun pretrained_run(Arena *arena, const PretrainedModel *model, PretrainedInput input,
                             PretrainedProgress *tell, void *context);

// The same for an input that begins as `before` did, which has no patch: of a causal model only what follows the first
// token, gate, stand-in or patched row that differs is computed; the result is equal to pretrained_run's to the bit when
// plain.
//
// Who owns the rows: where every row of the shorter text stands in the other one, as when a text goes on by a token,
// nothing is copied. The matrices of both are views of one memory, and new rows are written behind the old ones. The
// arenas of both hold it (arena_hold) and may be closed in any order. Neither run changes the other: where rows behind
// `before` are another run's that is still held, the new one gets memory of its own, and rows that stand are copied; so
// it does where something earlier differs, where there is no room left (each memory has half as much again), or where
// the text is less than half as long. Rows are therefore for reading only, and runs that go on from the same one are
// made on one thread at a time.
PretrainedRun pretrained_run_after(Arena *arena, const PretrainedRun *before, PretrainedInput input,
                                   PretrainedProgress *tell, void *context);

// (1, words): the logits at position t, with the model's cap. Of a model without a head: empty.
Mat pretrained_logits(Arena *arena, const PretrainedRun *run, int t);

// (T, T) each: map and scores of a head as the run made them, in `arena`; scores −INFINITY where a key is hidden.
Mat pretrained_weights(Arena *arena, const PretrainedRun *run, int layer, int h);
Mat pretrained_scores(Arena *arena, const PretrainedRun *run, int layer, int h);
bool pretrained_sees(const PretrainedRun *run, int layer, int query, int key);

// (T, D): what head h adds to the stream, its columns of `gated` times its rows of Wo (without Wo's bias), and, where
// a norm stands on the branch, through that norm with the divisor of the whole branch.
Mat pretrained_writes(Arena *arena, const PretrainedRun *run, int layer, int h);

// Direct attribution: (L, H), what each head adds at position t to the logit of `word`, less `other`'s unless that is
// −1, with the divisor of the last norm held as it was. Before caps. The shares of embedding, MLPs and biases are what
// is left to the logit. Models whose norms stand on the sum have no such sum: false, with a sentence.
bool pretrained_attribution(Mat *out, Arena *arena, const PretrainedRun *run, int t, int word, int other, Error *error);

#endif
