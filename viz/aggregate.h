// Reductions of attention maps: mean or maximum over heads, rollout, weight times the norm of the value. The result is
// a document whose maps are computed when they are read.
#ifndef VIZ_MADE_H
#define VIZ_MADE_H

#include "viz/document.h"

// With w of layer l and head h of H, at query i and key j:
//
//     MADE_MEAN, MADE_MOST            Σ w / H and max w over the heads of each layer
//     MADE_MEAN_ALL, MADE_MOST_ALL    the same over the heads of all layers
//     MADE_ROLLOUT    R(0) = A(0), R(l) = A(l) R(l − 1), where A(l) is ½ I + ½ the mean of layer l, each row divided by
//                     its sum: which word of the input reaches which place behind layer l, if every stream keeps half
//                     of itself [Abnar & Zuidema 2020, arXiv:2005.00928]
//     MADE_NORM       w · |v(j)|, how long the vector is that the key adds to the head's output [Kobayashi et al. 2020,
//                     arXiv:2004.10102; there behind Wo, here before it, as files have v and seldom Wo]
//
// A cell is hidden where every head that goes into it hides it; of rollout, where besides no way leads there.
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
