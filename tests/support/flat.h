// Models of the tests whose parameters stand in one vector, in the order of the table: for definitions in float64 and
// for vectors that PyTorch wrote.
#ifndef SUPPORT_FLAT_H
#define SUPPORT_FLAT_H

#include "model/transformer.h"

Transformer flat_model(Arena *arena, Config config); // all zeros
// As at the start of a training, with `noise` on every number, so that no gradient is 0 by accident.
Transformer flat_random(Arena *arena, Config config, Random *random, float noise);
Mat flat_vector(Transformer flat); // (1, n) the vector of a flat model, a view

Mat flat_copy(Arena *arena, Transformer model); // (1, n) the numbers of any model
void flat_set(Transformer model, Mat vector);   // … and back

#endif
