// Chapter 09. What a head looks for and what it writes, told from its matrices alone, without any text. [Elhage et al.
// 2021, "A Mathematical Framework for Transformer Circuits"]
//
// A head is two circuits. QK decides where it looks: for what is in the stream here and there, a score. OV decides what
// it writes when it looks there. Both are functions of the stream alone, so a piece of the stream can be followed from
// one head into another: an embedding, or what an earlier head wrote.
//
// Every row of a piece goes through the norm on its own, as if nothing else stood in the stream. In the first layer
// that is what happens; later it is not, as other pieces change the divisor of the row. What is not here: the slopes
// of ALiBi, masks, the MLP.
#ifndef MODEL_CIRCUITS_H
#define MODEL_CIRCUITS_H

#include "model/transformer.h"

// (n, m): the score q · k / √d of a query made of row i of x (n, D) that stands `distance` after a key made of row j of
// y (m, D).
Mat circuit_scores(Arena *arena, Transformer model, int layer, int h, Mat x, Mat y, int distance);

// The mean of these over the keys, (n, farthest + 1), by how far back they stand; and their mean over distances 1 …
// farthest, (n, m).
Mat circuit_by_distance(Arena *arena, Transformer model, int layer, int h, Mat x, Mat y, int farthest);
Mat circuit_over_distances(Arena *arena, Transformer model, int layer, int h, Mat x, Mat y, int farthest);

// (n, D): what head h adds to the stream where it gives all its weight to row i of x (n, D).
Mat circuit_writes(Arena *arena, Transformer model, int layer, int h, Mat x);

// (n, outputs): the logits of a stream that holds x (n, D) alone.
Mat circuit_logits(Arena *arena, Transformer model, Mat x);

#endif
