// A trace: the intermediate results of attention in one run, as named tensors in a safetensors file. Chapters write it
// (--dump), and so may any other program; the viewer reads it (viz/document_dump.c). Names, and shapes for H heads, T
// queries, S keys:
//
//     x         (T, D)                        input
//     q k v     (T, H·d) (S, G·d) (S, G·dv)   as used in the scores (after RoPE), heads concatenated; G divides H
//     scores    (H, T, S)                     q · k / √d plus mask and ALiBi: −∞ for hidden keys
//     weights   (H, T, S)                     softmax of the scores
//     heads     (T, H·dv)                     weights · v, heads concatenated, before Wo
//     out       (T, D) or (H, T, D)           after Wo: the sum over heads, or the contribution of each head
//
// For one head (T, S) is accepted. (H, T, d) is the same as (T, H·d). A model of several layers has the layer as a
// prefix: "layers.0.q". The steps of a tiled kernel have one frame per tile:
//
//     walk.weights (n, T, S)   walk.state (n, T, 3)   walk.tiles (n, 4)
//
// with m, l and the rescaling factor of every query, and first query, queries, first key, keys of every tile. If
// several ranks compute one map in parallel, a frame is a step of all ranks:
//
//     walk.weights (n, T, S)   walk.ranks (n, T, S)
//
// with 1 + the rank that computed the score in this step; 0: none. A prefix distinguishes kinds of attention:
// "encoder.layers.0.weights", "decoder.weights", "cross.weights"; their tokens are in the notes "encoder.tokens" and
// "decoder.tokens". Other names are allowed.
//
// The notes "tokens" and "key_tokens" (of the keys) hold JSON arrays of strings; "head_names" may name the heads, layer
// by layer. A file in this format has the note "format". In files without it, "out" may be weights · v.
#ifndef IO_TRACE_H
#define IO_TRACE_H

#include "io/safetensors.h"

typedef enum { TRACE_WEIGHTS, TRACE_SCORES, TRACE_Q, TRACE_K, TRACE_V, TRACE_HEADS, TRACE_OUT, TRACE_KINDS } TraceKind;

const char *trace_name(TraceKind kind); // "weights", …
// Parses the name of a tensor. false: none of the names above. layer: −1 without a layer.
bool trace_kind(TraceKind *kind, int *layer, const char *name);
bool trace_format(const TensorNote *notes, int count); // do the notes declare the format above?

// ---- writing

typedef struct Trace Trace;

// Opens a trace in `arena`. Everything passed to it is copied.
Trace *trace_open(Arena *arena);

void trace_mat(Trace *trace, const char *name, Mat m);              // (rows, cols)
void trace_stack(Trace *trace, const char *name, Mat m, int count); // (count, rows / count, cols)
void trace_note(Trace *trace, const char *key, const char *value);  // replaces a note of the same key
void trace_words(Trace *trace, const char *const *queries, int T, const char *const *keys, int S);
void trace_head_names(Trace *trace, const char *const *called, int heads); // names of the heads of all layers

// Results of the heads of one layer. Empty matrices are omitted.
typedef struct {
    int H;
    Mat x;               // (T, D)
    Mat q, k, v;         // (T, H·d) (S, G·d) (S, G·dv)
    Mat scores, weights; // (H·T, S): rows h·T … h·T + T − 1 are head h
    Mat heads;           // (T, H·dv)
    Mat out;             // (T, D)
} TraceHeads;
void trace_heads(Trace *trace, TraceHeads heads); // a model of one layer
void trace_layer(Trace *trace, int layer, TraceHeads heads);

typedef struct {
    int first_query, queries, first_key, keys;
    Mat weights, state;
} TraceTile; // (T, S)  (T, 3)
void trace_walk(Trace *trace, const TraceTile *tiles, int count);

typedef struct {
    Mat ranks, weights;
} TraceStep; // (T, S) each; weights: over the keys processed so far
void trace_steps(Trace *trace, const TraceStep *steps, int count);

bool trace_write(const Trace *trace, const char *path, Error *error);

#endif
