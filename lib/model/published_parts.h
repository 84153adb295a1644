// Chapter 25. What published_run.c, which runs the forward, and published_look.c, which looks at a run, share.
#ifndef MODEL_PUBLISHED_PARTS_H
#define MODEL_PUBLISHED_PARTS_H

#include "attention/mask.h"
#include "model/published_run.h"

// y = x normed row by row: LayerNorm is (x − mean) / √(variance + ε) · gain + bias, RMSNorm x / √(mean x² + ε) · gain.
// Sums are float64. y = x where there is no gain. The two may be the same.
void published_norm(Mat y, Mat x, Norm norm, const Architecture *is);

// y (T, n): one of the terms of which `whole` is the sum, through a norm whose divisor is that of the whole; its bias
// is not the term's.
void published_norm_share(Mat y, Mat whole, Norm norm, const Architecture *is);

// out (n, outs) = x (n, ins) W + b.
void published_linear(Mat out, Mat x, const Linear *l, WeightSums sums);

// How the products of a run are made.
static inline WeightSums published_sums(const PublishedInput *in)
{
    return in->plain ? WEIGHT_PLAIN : in->rounded ? WEIGHT_ROUNDED : WEIGHT_FAST;
}

// x = f(x), in place.
void published_activate(Mat x, Activation f, bool plain);

// What head h of a layer may see, and how its scores are scaled.
Mask published_mask(const Architecture *is, int layer, int h, int padding);

// Scores (n, T) of queries first … of a head, with the cap; the keys are all.
void published_head_scores(Mat scores, const PublishedRun *run, int layer, int h, int first);

#endif
