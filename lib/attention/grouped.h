// Chapter 12. Query heads that share their keys and values: MHA (G = H), GQA (1 < G < H), MQA (G = 1).
#ifndef ATTENTION_GROUPED_H
#define ATTENTION_GROUPED_H

#include "attention/attention.h"

// q (T, H d)  k (S, G d)  v (S, G dv)  →  to.out (T, H dv); asked for, to.lse (T, H) and to.weights (H T, S), where
// head h's map is rows h T … h T + T − 1. G follows from the width of k and must divide H. masks has one mask a head.
// [Shazeer 2019, arXiv:1911.02150; Ainslie et al. 2023, arXiv:2305.13245]
void grouped_attend(Attended to, Mat q, Mat k, Mat v, int H, const Mask *masks, AttentionKernel *kernel);

// The same for one query a head, T = 1: what a step of generation asks of the cache (chapter 11). Every row of k and v
// is fetched once for all the H / G query heads that read it, and these fetches are counted: S G (d + dv) + H d reads
// where every key is in sight. Sums are added up in another order than in attention_naive.
void grouped_decode(Attended to, Mat q, Mat k, Mat v, int H, const Mask *masks);

// Stops the program when the shapes do not fit together; for the first line of whatever takes the same arguments.
void grouped_require(Attended to, Mat q, Mat k, Mat v, int H);

// masks[h] = mask for every head; with `alibi`, each gets its own slope (chapter 07).
void grouped_masks(Mask *masks, int H, Mask mask, bool alibi);

#endif
