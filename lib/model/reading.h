// Chapter 26. Reading a transformer: what its parts add to an answer, and what of a run must change for the answer to
// change.
//
// A run that differs in one piece is computed from where it differs; below, it is the run that is given, and must not
// outlive it. Everything here is of a model without sinks, subtracted maps, or keys of other layers (config_beyond):
// others stop the program. Where two runs are given, their batches have the same shape, and gates of the first are 0 or
// 1.
#ifndef MODEL_READING_H
#define MODEL_READING_H

#include "model/run.h"

// ---- what is added

// (N, D): what head h adds to the stream in this run, at every position: its columns of `gated` times its rows of Wo.
// Together the heads of a layer, the MLP, and what came before are the stream that goes on.
Mat reading_writes(Arena *arena, const Run *run, int layer, int h);
Mat reading_mlp_writes(Arena *arena, const Run *run, int layer); // (N, D); zeros where there is none

// (N, outputs): the logits of the stream as it stands before a layer; of layer L the run's own. What the model would
// say if nothing came after. [nostalgebraist 2020, the logit lens]
Mat reading_lens(Arena *arena, const Run *run, int layer);

// The logit of `word` at a row, less that of `other` (−1: less nothing), as a sum of what every part adds: the last
// norm divides a whole row by one number, which is held as it was, so each part can go through it by itself. Direct:
// what a part changes in later parts counts as theirs. [Elhage et al. 2021]
typedef struct {
    double embedding;
    Mat heads;    // (L, H)
    Mat mlps;     // (1, L)
    double whole; // from the run's logits: the sum of all, up to rounding
} ReadingAttribution;
ReadingAttribution reading_attribution(Arena *arena, const Run *run, int row, int word, int other);

// ---- what moves

// The run once more, but head h of a layer gives at `row` (−1: everywhere) what it gave in `from`. What comes after it
// is computed anew.
Run reading_head_patched(Arena *arena, const Run *run, const Run *from, int layer, int h, int row);

// … but at `row` the stream before `layer`, 0 … L, is what it was in `from`. [Meng et al. 2022, arXiv:2202.05262]
Run reading_stream_patched(Arena *arena, const Run *run, const Run *from, int layer, int row);

// What goes from one head to another, and nothing else, in two steps, so that the first serves all receivers.
typedef struct {
    int layer, h;
} ReadingHead;

// 1. What `sender` sends: the run once more, where it gives what it gave in `from`, and all other heads give what they
// gave. MLPs are computed anew.
Run reading_sent(Arena *arena, const Run *run, const Run *from, ReadingHead sender);

// … but before `layer`, above the sender's, MLPs between them, too, give what they gave: only what the sender itself
// has written comes there, the way that reading_composition scores.
Run reading_sent_direct(Arena *arena, const Run *run, const Run *from, ReadingHead sender, int layer);

// 2. The run once more, but `receiver`, of a layer above the sender's, makes its queries (or keys, or values) of the
// stream in `sent`. Queries are those of the one head; keys and values, those that it reads. [Wang et al. 2022,
// arXiv:2211.00593]
Run reading_received(Arena *arena, const Run *run, const Run *sent, ReadingHead receiver, RunQkv part);

// ---- from the matrices alone

// How much of what `sender` may write is what `receiver` may read: |OV₁ M| / (|OV₁| |M|) with |·| the root of the sum
// of squares, where M is what the receiver multiplies its query side, its key side or its values by: QK, QKᵀ or OV.
// Gains of norms are in them. With RoPE QK is that of a key `distance` before the query. Between 0 and 1; two matrices
// that know nothing of each other: about 1 / √D. [Elhage et al. 2021, composition scores]
double reading_composition(Transformer model, ReadingHead sender, ReadingHead receiver, RunQkv part, int distance);

#endif
