// Chapter 15. Attention at the machine's speed, on the CPU.
#ifndef ATTENTION_FAST_H
#define ATTENTION_FAST_H

#include "attention/attention.h"

#include <stdint.h>

// For the best instructions that this processor has; one thread. Scratch does not depend on T and S. Sums are taken in
// another order than in attention_naive, so results agree up to rounding, not to the bit. counted.multiplies says what
// was done, lanes that stand empty and scores that were computed twice included; exps are not counted.
AttentionKernel attention_fast;

// The same, all heads at once and on all processors. Shapes as grouped_attend; to.weights must be empty. With many queries
// each thread copies the keys and values that it is at, of one head: S (d + dv) floats more of scratch.
void attention_fast_heads(Attended to, Mat q, Mat k, Mat v, int H, const Mask *masks);

// One query a head against a cache, T = 1, on all processors. Each row of k and v is read once for all the heads that
// share it. The bits do not depend on the number of threads. The masks of the heads may differ in their slopes only; to.weights must be empty.
void attention_fast_decode(Attended to, Mat q, Mat k, Mat v, int H, const Mask *masks);

// What this processor can do at best: multiply-adds on data in its first cache, with the instructions in use. How many.
int64_t fast_probe(int rounds);

// 2ˣ as one lane computes it: n and r of x = n + r are found in float32, 2ʳ is the polynomial, good from −½ to ½.
float  fast_exp2(float x);                           // relative error below 2e-7; 0 below 2⁻¹²⁶; x ≤ 127
double fast_polynomial(double r);

// For which instructions there is a version of its own: "avx512", "avx2", "plain". The first that this processor has is
// used, unless another one is chosen; NULL chooses anew. false: unknown, or the processor has not got them.
extern const char *const fast_kinds[];
extern const int fast_kinds_count;
bool        fast_choose(const char *kind);
const char *fast_kind(void);

#endif
