// Chapter 12. A model with fewer key heads, made from one that has been trained: GQA and MQA without starting anew.
// [Ainslie et al. 2023, arXiv:2305.13245, §2.1]
#ifndef MODEL_POOLING_H
#define MODEL_POOLING_H

#include "model/transformer.h"

// What becomes of the key heads that a group had: their mean, or the first of them alone. Value heads the same.
typedef enum { POOL_MEAN, POOL_FIRST } Pooling;

// The same model with G key heads; G must divide the G that it has. Key head g is made of the heads that its query
// heads read until now: n g … n g + n − 1, with n the quotient. All else is copied. With the G that it has: a copy.
Transformer pool_transformer(Arena *arena, Transformer model, int G, Pooling pooling);

// Heads of one matrix: from (rows, G n d) to (rows, G d). Shapes that do not fit stop the program.
void pool_heads(Mat to, Mat from, int G, int d, Pooling pooling);

#endif
