// Chapter 09. The step down the slope: AdamW, with a limit on the length of the gradient.
// Loshchilov and Hutter 2019, arXiv:1711.05101. Clipping: Pascanu, Mikolov and Bengio 2013, arXiv:1211.5063.
#ifndef TRAIN_ADAMW_H
#define TRAIN_ADAMW_H

#include "model/transformer.h"

typedef struct {
    double beta1, beta2; // how much of the running means of gradient and gradient² is kept in a step
    double epsilon;      // keeps the quotient finite where a gradient was always 0
    double decay;        // weight decay: every step takes lr · decay of each parameter away
} AdamW;

// Step t = 1, 2, … of one matrix. All four matrices have the shape of the parameters; m and v start at 0.
//     m = β₁ m + (1 − β₁) g        v = β₂ v + (1 − β₂) g²
//     p = p (1 − lr · decay) − lr · (m / (1 − β₁ᵗ)) / (√(v / (1 − β₂ᵗ)) + ε)
void adamw_step(Mat p, Mat m, Mat v, Mat gradient, AdamW adamw, double lr, int t);

// Makes the gradient, `count` matrices that are one vector here, no longer than `most`, in its own direction; 0 leaves
// it as it is. Returns its length as it came.
double adamw_clip(const TransformerParameter *gradient, int count, double most);

#endif
