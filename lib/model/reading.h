// Chapter 26. Interpretability of a transformer: logit lens, direct logit attribution, activation and path patching,
// composition scores.
//
// A patched run is computed only from the change on; everything before it is shared with the given run, which must
// outlive it. Models with sinks, differential attention or shared layers (config_beyond) stop the program. Where two
// runs are given, their batches have the same shape, and the gates of the first are 0 or 1.
#ifndef MODEL_READING_H
#define MODEL_READING_H

#include "model/run.h"

// ---- attribution

// (N, D): what head h writes to the stream at every position: its columns of `gated` times its rows of Wo. The layer's
// input plus the writes of its heads and its MLP is the layer's output.
Mat reading_writes(Arena *arena, const Run *run, int layer, int h);
Mat reading_mlp_writes(Arena *arena, const Run *run, int layer); // (N, D); zeros without an MLP

// (N, outputs): the logit lens: the unembedding applied to the stream before a layer; for layer L, the run's logits.
// [nostalgebraist 2020]
Mat reading_lens(Arena *arena, const Run *run, int layer);

// Direct logit attribution: the logit of `word` at a row, minus that of `other` (−1: none), as a sum over components.
// The divisor of the last norm is frozen, so each component passes through it separately. A component's effect on later
// ones is counted as theirs. [Elhage et al. 2021]
typedef struct {
    double embedding;
    Mat heads;    // (L, H)
    Mat mlps;     // (1, L)
    double whole; // from the run's logits: the sum of all components, up to rounding
} ReadingAttribution;
ReadingAttribution reading_attribution(Arena *arena, const Run *run, int row, int word, int other);

// ---- patching

// Activation patching: at `row` (−1: every row) head h of a layer outputs what it did in `from`. Everything after it is
// recomputed.
Run reading_head_patched(Arena *arena, const Run *run, const Run *from, int layer, int h, int row);

// The same for the residual stream before `layer`, 0 … L, at `row`. [Meng et al. 2022, arXiv:2202.05262]
Run reading_stream_patched(Arena *arena, const Run *run, const Run *from, int layer, int row);

// Path patching from one head to another, in two steps, so that the first is shared by all receivers.
typedef struct {
    int layer, h;
} ReadingHead;

// 1. `sender` outputs what it did in `from`; all other heads are frozen to the run. MLPs are recomputed.
Run reading_sent(Arena *arena, const Run *run, const Run *from, ReadingHead sender);

// Variant: MLPs between the sender and `layer` are frozen, too, so the change reaches `layer` only through the sender's
// own write: the path that reading_composition scores.
Run reading_sent_direct(Arena *arena, const Run *run, const Run *from, ReadingHead sender, int layer);

// 2. `receiver`, in a layer above the sender's, computes its queries (or keys, or values) from the stream in `sent`; all
// else is as in the run. Keys and values are those of its KV head. [Wang et al. 2022, arXiv:2211.00593]
Run reading_received(Arena *arena, const Run *run, const Run *sent, ReadingHead receiver, RunQkv part);

// ---- weights

// How strongly `sender` composes with `receiver`: |OV₁ M| / (|OV₁| |M|) with Frobenius norms, where M is QK for
// Q-composition, QKᵀ for K-composition, OV for V-composition. Norm weights are folded in. With RoPE, QK is for a key
// `distance` positions before the query. Between 0 and 1; about 1 / √D for unrelated matrices. [Elhage et al. 2021]
double reading_composition(Transformer model, ReadingHead sender, ReadingHead receiver, RunQkv part, int distance);

#endif
