// Chapter 25. What pretrained_run.c, which runs the forward, and pretrained_look.c, which looks at a run, share.
#ifndef MODEL_PRETRAINED_INTERNAL_H
#define MODEL_PRETRAINED_INTERNAL_H

#include "attention/mask.h"
#include "model/pretrained_run.h"

// y = x normed row by row: LayerNorm is (x − mean) / √(variance + ε) · gain + bias, RMSNorm x / √(mean x² + ε) · gain.
// Sums are float64. y = x where there is no gain. The two may be the same.
void pretrained_norm(Mat y, Mat x, PretrainedNorm norm, const Architecture *is);

// y (T, n): one of the terms of which `whole` is the sum, through a norm whose divisor is that of the whole; its bias
// is not the term's.
void pretrained_norm_share(Mat y, Mat whole, PretrainedNorm norm, const Architecture *is);

// out (n, outs) = x (n, ins) W + b.
void pretrained_linear(Mat out, Mat x, const PretrainedLinear *l, WeightSums sums);

// How the products of a run are made.
static inline WeightSums pretrained_sums(const PretrainedInput *in)
{
    return in->plain ? WEIGHT_PLAIN : in->rounded ? WEIGHT_ROUNDED : WEIGHT_FAST;
}

// x = f(x), in place.
void pretrained_activate(Mat x, Activation f, bool plain);

// What head h of a layer may see, and how its scores are scaled.
Mask pretrained_mask(const Architecture *is, int layer, int h, int padding);

// Scores (n, T) of queries first … of a head, with the cap; the keys are all.
void pretrained_head_scores(Mat scores, const PretrainedRun *run, int layer, int h, int first);

#endif
