// Chapter 26. Attention rollout: the maps of all layers multiplied into one, as if information flowed by attention
// weights alone. [Abnar and Zuidema 2020, arXiv:2005.00928]
//
//     R(0) = A(0),  R(l) = A(l) R(l − 1)        A(l) = ½ I + ½ mean of the layer's maps, every row divided by its sum
//
// ½ I stands for the residual connection. Rollout ignores values, Wo, MLPs and norms.
#ifndef ATTENTION_ROLLOUT_H
#define ATTENTION_ROLLOUT_H

#include "base/mat.h"

// step = A (T, T) of a layer, from the mean (T, T) of its maps. −∞ in `mean` marks a masked key: weight 0. step and
// mean may be the same matrix.
void rollout_step(Mat step, Mat mean);

// out = R(l) = step · before, (T, T) each, summed in float64. `out` must differ from both.
void rollout_join(Mat out, Mat step, Mat before);

#endif
