// Chapter 09. Backpropagation through the transformer: gradients of all parameters and of the head gates.
#ifndef MODEL_GRADIENT_H
#define MODEL_GRADIENT_H

#include "model/run.h"

// Cross-entropy Σ −log softmax(logits)[target], in nats, over the positions whose target is not −1. If dlogits
// (N, outputs) is not empty, it receives scale · gradient: scale · (p − 1 at the target), 0 where ignored.
double cross_entropy(Mat logits, const int *targets, float scale, Mat dlogits);

// Backward pass of the loss whose gradient at the logits is dlogits (N, outputs), minus bonus · Σ P² over all attention
// weights of all heads. ADDS to gradient (a Transformer of the same Config) and, unless empty, to dgates (L, H).
// At gates of 1, |dgates| is the head importance of Michel et al. 2019, arXiv:1905.10650.
void transformer_backward(Transformer gradient, Mat dgates, const Run *run, Mat dlogits, float bonus);

#endif
