// Chapter 09. The QK and OV circuits of a head, computed from its weight matrices alone. [Elhage et al. 2021, "A
// Mathematical Framework for Transformer Circuits"]
//
// The QK circuit scores a pair of residual-stream vectors, one at the query and one at the key. The OV circuit maps the
// vector at the key to what the head writes. Both take any component of the residual stream: a token embedding, or what
// an earlier head wrote. So a component can be followed from one head into another (path expansion).
//
// Each row passes through the norm on its own, as if it were the whole stream. This is exact in the first layer only;
// in later layers the other components change the norm's divisor. Not implemented: ALiBi's bias, masks, the MLP.
#ifndef MODEL_CIRCUITS_H
#define MODEL_CIRCUITS_H

#include "model/transformer.h"

// (n, m): the score q · k / √d, where row i of x (n, D) is the query and row j of y (m, D) is a key `distance` positions
// before it.
Mat circuit_scores(Arena *arena, Transformer model, int layer, int h, Mat x, Mat y, int distance);

// Mean score over the keys, per distance: (n, farthest + 1); and mean score over distances 1 … farthest: (n, m).
Mat circuit_by_distance(Arena *arena, Transformer model, int layer, int h, Mat x, Mat y, int farthest);
Mat circuit_over_distances(Arena *arena, Transformer model, int layer, int h, Mat x, Mat y, int farthest);

// (n, D): what head h adds to the stream when all its attention weight is on row i of x (n, D).
Mat circuit_writes(Arena *arena, Transformer model, int layer, int h, Mat x);

// (n, outputs): the logits when the residual stream is x (n, D) and nothing else.
Mat circuit_logits(Arena *arena, Transformer model, Mat x);

#endif
