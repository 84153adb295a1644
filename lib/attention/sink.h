// Chapter 18. Learned attention sinks: one learned score per head takes part in the softmax, with value 0.
//
// The sink absorbs a share of every row of weights and adds nothing to the output, so the weights of a row may sum to
// less than 1. [Miller 2023, "Attention is off by one", with score 0; Xiao et al. 2024, §3.3, arXiv:2309.17453; OpenAI
// 2025, gpt-oss, arXiv:2508.10925, with one learned score per head]
#ifndef ATTENTION_SINK_H
#define ATTENTION_SINK_H

#include "attention/attention.h"

// Applied after any kernel. The results of H heads, out (T, H dv) and lse (T, H), become what they would be with one
// more key per head, of score s = sinks[h] and value 0:
//     out · exp(lse) / (exp(lse) + exp(s))        lse = log(exp(lse) + exp(s))
// A row without visible keys stays 0. Bit-identical to attention_merge with such a key; its accuracy is that of lse
// (online.h). weights (H T, S), if present, are scaled by the same factor.
void sink_apply(Attended to, const float *sinks, int H);

// That factor for one row, in 0 … 1: the share of the weight that remains for the tokens.
float sink_left(float lse, float sink);

#endif
