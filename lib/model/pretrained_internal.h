// Chapter 25. Shared by pretrained_run.c, the forward pass, and pretrained_look.c, which inspects a run.
#ifndef MODEL_PRETRAINED_INTERNAL_H
#define MODEL_PRETRAINED_INTERNAL_H

#include "attention/mask.h"
#include "model/pretrained_run.h"

// Normalizes x row by row. LayerNorm: (x − mean) / √(variance + ε) · gain + bias; RMSNorm: x / √(mean x² + ε) · gain.
// Sums are float64. Without a gain, y = x. y and x can be the same.
void pretrained_norm(Mat y, Mat x, PretrainedNorm norm, const Architecture *is);

// Applies the norm of the sum `whole` to one of its terms y (T, n), in place: with the divisor of the whole, and without
// the bias.
void pretrained_norm_share(Mat y, Mat whole, PretrainedNorm norm, const Architecture *is);

// out (n, outs) = x (n, ins) W + b.
void pretrained_linear(Mat out, Mat x, const PretrainedLinear *l, WeightSums sums);

// How dot products are accumulated in a run.
static inline WeightSums pretrained_sums(const PretrainedInput *in)
{
    return in->plain ? WEIGHT_PLAIN : in->rounded ? WEIGHT_ROUNDED : WEIGHT_FAST;
}

// x = f(x), in place.
void pretrained_activate(Mat x, Activation f, bool plain);

// The mask of head h of a layer, with the scale of its scores.
Mask pretrained_mask(const Architecture *is, int layer, int h, int padding);

// Scores (n, T) of n queries from `first` on against all keys, after soft-capping.
void pretrained_head_scores(Mat scores, const PretrainedRun *run, int layer, int h, int first);

#endif
