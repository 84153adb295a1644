// Chapter 19. Decoding over a cache of codes at the machine's speed, on the CPU.
#ifndef KERNELS_QUANTISED_FAST_H
#define KERNELS_QUANTISED_FAST_H

#include "attention/quantised.h"

// One query a head against a cache of any format, T = 1, on all processors: as attention_fast_decode over what
// quantised_segments gives, within rounding, with to.weights left empty and masks that differ in their slopes only. Some
// tokens are scored, weighed and mixed while their codes are in the first cache; a code becomes a float in a register
// and nowhere else. Heads must fill whole bytes. The bits do not depend on the number of threads.
// Where a query is not finite, q ∘ scale says less than q: then blocks are decoded, one after the other.
void quantised_fast_decode(Attended to, const QuantisedCache *cache, Mat q, int H, const Mask *masks);

#endif
