// Reductions of attention maps: mean or maximum over heads, rollout, weight times the norm of the value. The result is
// a document whose maps are computed when they are read.
#ifndef VIZ_AGGREGATE_H
#define VIZ_AGGREGATE_H

#include "viz/document.h"

// With w of layer l and head h of H, at query i and key j:
//
//     REDUCE_MEAN, REDUCE_MAX           Σ w / H and max w over the heads of each layer
//     REDUCE_MEAN_ALL, REDUCE_MAX_ALL   the same over the heads of all layers
//     REDUCE_ROLLOUT  R(0) = A(0), R(l) = A(l) R(l − 1), where A(l) is ½ I + ½ the mean of layer l, each row divided by
//                     its sum: how much each input word contributes to each position after layer l, if half of
//                     every position is the residual stream [Abnar & Zuidema 2020, arXiv:2005.00928]
//     REDUCE_NORM     w · |v(j)|, the length of the vector that the key adds to the head's output [Kobayashi et al. 2020,
//                     arXiv:2004.10102; there after Wo, here before it, since files have v and seldom Wo]
//
// A cell is hidden if all heads that it is made of hide it; in rollout, if also no path leads there.
typedef enum {
    REDUCE_NONE,
    REDUCE_MEAN,
    REDUCE_MAX,
    REDUCE_MEAN_ALL,
    REDUCE_MAX_ALL,
    REDUCE_ROLLOUT,
    REDUCE_NORM,
    REDUCTIONS
} MapReduction;

const char *reduction_word(MapReduction reduction); // for flags and file names: "heads", "mean", …
const char *reduction_name(MapReduction reduction); // "heads as they are", "mean of the layer's heads", …
const char *reduction_formula(MapReduction reduction);

enum { ROLLOUT_MAX_TOKENS = 512 }; // O(T³)

// Mean and maximum need the weights of several heads or layers; rollout needs T = S ≤ ROLLOUT_MAX_TOKENS; norms need
// values. false also for maps so large that the window would freeze.
bool reduction_possible(const Document *d, MapReduction reduction);

// `of` must outlive the result, which is allocated in `arena`.
Document reduction_document(Arena *arena, const Document *of, MapReduction reduction);

#endif
