// Chapter 26. Rollout: maps of layers multiplied into one, as if words were mixed by weights alone. [Abnar and Zuidema
// 2020, arXiv:2005.00928]
//
//     R(0) = A(0),  R(l) = A(l) R(l − 1)        A(l) = ½ I + ½ mean of the layer's maps, every row divided by its sum
//
// What it leaves out is what a head reads and writes: values, Wo, MLPs, norms.
#ifndef ATTENTION_ROLLOUT_H
#define ATTENTION_ROLLOUT_H

#include "base/mat.h"

// A (T, T) of a layer, from the mean (T, T) of its maps. Where `mean` is −∞ a mask hides the key: weight 0. They may be
// the same matrix.
void rollout_step(Mat step, Mat mean);

// R(l) = step · before, (T, T) each, summed in float64. `out` is neither of them.
void rollout_join(Mat out, Mat step, Mat before);

#endif
