// Chapter 09. The optimizer: AdamW, with gradient clipping.
// Loshchilov and Hutter 2019, arXiv:1711.05101. Clipping: Pascanu, Mikolov and Bengio 2013, arXiv:1211.5063.
#ifndef TRAIN_ADAMW_H
#define TRAIN_ADAMW_H

#include "model/transformer.h"

typedef struct {
    double beta1, beta2; // decay of the running means of gradient and gradient²
    double epsilon;      // avoids division by 0
    double decay;        // weight decay: each step subtracts lr · decay of each parameter
} AdamW;

// Step t = 1, 2, … for one matrix. All four matrices have the same shape; m and v start at 0.
//     m = β₁ m + (1 − β₁) g        v = β₂ v + (1 − β₂) g²
//     p = p (1 − lr · decay) − lr · (m / (1 − β₁ᵗ)) / (√(v / (1 − β₂ᵗ)) + ε)
void adamw_step(Mat p, Mat m, Mat v, Mat gradient, AdamW adamw, double lr, int t);

// Clips the gradient, `count` matrices taken as one vector, to the norm `most`; 0: no clipping. Returns the norm before.
double adamw_clip(const TransformerParameter *gradient, int count, double most);

#endif
