// Chapter 09. From the loss back to every parameter of the transformer, and to the gates of its heads.
#ifndef MODEL_GRADIENT_H
#define MODEL_GRADIENT_H

#include "model/run.h"

// Σ −log softmax(logits)[target] over the positions whose target is not −1: the surprise at the answers, in nats,
// added up. dlogits (N, outputs), if asked for, becomes its gradient times `scale`: scale · (p − 1 at the target), 0
// where ignored.
double cross_entropy(Mat logits, const int *targets, float scale, Mat dlogits);

// The loss is  what dlogits (N, outputs) is the gradient of  −  bonus · Σ P²  over all weights of all heads.
// ADDS to gradient (a Transformer of the same Config) and, unless it is left empty, to dgates (L, H).
// At gates of 1, |dgates| is the importance of a head in Michel et al. 2019, arXiv:1905.10650.
void transformer_backward(Transformer gradient, Mat dgates, const Run *run, Mat dlogits, float bonus);

#endif
