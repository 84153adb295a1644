// Chapter 12. Converts a trained model to fewer KV heads (GQA, MQA) by mean pooling. [Ainslie et al. 2023,
// arXiv:2305.13245, §2.1]
#ifndef MODEL_POOLING_H
#define MODEL_POOLING_H

#include "model/transformer.h"

// The new KV head is the mean of the KV heads of its group, or the first of them.
typedef enum { POOL_MEAN, POOL_FIRST } Pooling;

// The same model with G KV heads; G must divide the present number. New KV head g combines the n old ones that its
// query heads read: n g … n g + n − 1. Everything else is copied.
Transformer pool_transformer(Arena *arena, Transformer model, int G, Pooling pooling);

// Pools the heads of one matrix: from (rows, G n d) to (rows, G d). Shapes that do not fit stop the program.
void pool_heads(Mat to, Mat from, int G, int d, Pooling pooling);

#endif
