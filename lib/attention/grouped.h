// Chapter 12. Grouped-query attention: query heads share KV heads. MHA (G = H), GQA (1 < G < H), MQA (G = 1).
// [Shazeer 2019, arXiv:1911.02150; Ainslie et al. 2023, arXiv:2305.13245]
#ifndef ATTENTION_GROUPED_H
#define ATTENTION_GROUPED_H

#include "attention/attention.h"

// q (T, H d)  k (S, G d)  v (S, G dv)  →  to.out (T, H dv); optional: to.lse (T, H), to.weights (H T, S), where head
// h's map is rows h T … h T + T − 1. G follows from the width of k and must divide H. masks: one per head.
void grouped_attend(Attended to, Mat q, Mat k, Mat v, int H, const Mask *masks, AttentionKernel *kernel);

// The same for one query per head, T = 1: a decoding step over a KV cache. Every row of k and v is loaded once for the
// H / G query heads that share it, and these loads are counted: S G (d + dv) + H d reads if every key is visible. The
// order of summation differs from attention_naive.
void grouped_decode(Attended to, Mat q, Mat k, Mat v, int H, const Mask *masks);

// Shape check: exits with a message if the shapes do not match. Called first by functions with the same arguments.
void grouped_require(Attended to, Mat q, Mat k, Mat v, int H);

// masks[h] = mask for every head; with `alibi`, each head gets its own slope (positions.h).
void grouped_masks(Mask *masks, int H, Mask mask, bool alibi);

#endif
