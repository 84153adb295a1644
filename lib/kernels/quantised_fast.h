// Chapter 19. Decoding over a quantised cache near memory speed, on the CPU.
#ifndef KERNELS_QUANTISED_FAST_H
#define KERNELS_QUANTISED_FAST_H

#include "attention/quantised.h"

// One query per head, T = 1, against a cache of any format, on all processors. Equals attention_fast_decode over
// quantised_segments up to rounding; to.weights must be empty, and masks may differ in their slopes only. Codes are
// scored, weighed and mixed while they are in the L1 cache, and are dequantised in registers only. Each head must fill
// whole bytes. The result does not depend on the number of threads. If a query is not finite, q ∘ scale would lose
// that, so blocks are dequantised one by one instead.
void quantised_fast_decode(Attended to, const QuantisedCache *cache, Mat q, int H, const Mask *masks);

#endif
