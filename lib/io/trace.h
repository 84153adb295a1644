// A trace: what attention computed in one run, as named tensors in a safetensors file. Chapters write it (--dump), and
// so may any other program; the viewer reads it (viz/document_dump.c). Names, and shapes for H heads, T queries, S
// keys:
//
//     x         (T, D)                        what went in
//     q k v     (T, H·d) (S, G·d) (S, G·dv)   as the scores are made of them, the heads side by side; G divides H
//     scores    (H, T, S)                     q · k / √d with what mask or ALiBi added: −∞ where a key is hidden
//     weights   (H, T, S)                     their softmax
//     heads     (T, H·dv)                     weights · v, the heads side by side: before Wo
//     out       (T, D) or (H, T, D)           after Wo: all heads together, or each head's share of that
//
// For one head (T, S) will do. (H, T, d) is the same as (T, H·d). Of a model of many layers each name has its layer
// before it, "layers.0.q". A tiled kernel's walk (chapter 14) has a frame a tile:
//
//     walk.weights (n, T, S)   walk.state (n, T, 3)   walk.tiles (n, 4)
//
// with m, l and rescale of every query, and first query, queries, first key, keys of every tile. Where many ranks work
// on one map at a time (chapters 23 and 24), a frame is a step of them all:
//
//     walk.weights (n, T, S)   walk.ranks (n, T, S)
//
// with 1 + the rank that computed the score in this step; 0: none did. Attention of several kinds has the kind before
// all of that: "encoder.layers.0.weights", "decoder.weights", "cross.weights"; the words then stand in the notes
// "encoder.tokens" and "decoder.tokens". Other names are free.
// The words stand in the notes "tokens" and, of the keys, "key_tokens", as JSON arrays of strings; what the heads are
// called, layer after layer, may stand in "head_names". A file that holds to all this says so in the note "format".
// Files without that note are of other programs, or of this one before it knew "heads": what is called "out" there may
// be weights · v.
#ifndef IO_TRACE_H
#define IO_TRACE_H

#include "io/safetensors.h"

typedef enum { TRACE_WEIGHTS, TRACE_SCORES, TRACE_Q, TRACE_K, TRACE_V, TRACE_HEADS, TRACE_OUT, TRACE_KINDS } TraceKind;

const char *trace_name(TraceKind kind); // "weights", …
// What a tensor of this name is: false when it is none of these. layer: −1 for a name without one.
bool trace_kind(TraceKind *kind, int *layer, const char *name);
bool trace_format(const TensorNote *notes, int count); // these notes say that the names mean what is said above

// ---- writing

typedef struct Trace Trace;

// The trace lives in `arena`. What is given to it is copied.
Trace *trace_open(Arena *arena);

void trace_mat(Trace *trace, const char *name, Mat m);              // (rows, cols)
void trace_stack(Trace *trace, const char *name, Mat m, int count); // (count, rows / count, cols)
void trace_note(Trace *trace, const char *key, const char *value);  // of the same key the last one counts
void trace_words(Trace *trace, const char *const *queries, int T, const char *const *keys, int S);
void trace_head_names(Trace *trace, const char *const *called, int heads); // of all layers

// What a layer's heads computed. What is empty is left out.
typedef struct {
    int H;
    Mat x;               // (T, D)
    Mat q, k, v;         // (T, H·d) (S, G·d) (S, G·dv)
    Mat scores, weights; // (H·T, S): head h's map is rows h·T …
    Mat heads;           // (T, H·dv)
    Mat out;             // (T, D)
} TraceHeads;
void trace_heads(Trace *trace, TraceHeads heads); // of the only layer
void trace_layer(Trace *trace, int layer, TraceHeads heads);

typedef struct {
    int first_query, queries, first_key, keys;
    Mat weights, state;
} TraceTile; // (T, S)  (T, 3)
void trace_walk(Trace *trace, const TraceTile *tiles, int count);

typedef struct {
    Mat ranks, weights;
} TraceStep; // (T, S) each; weights: over the keys met so far
void trace_steps(Trace *trace, const TraceStep *steps, int count);

bool trace_write(const Trace *trace, const char *path, Error *error);

#endif
