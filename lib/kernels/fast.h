// Chapter 15. Attention at the machine's speed, on the CPU.
#ifndef KERNELS_FAST_H
#define KERNELS_FAST_H

#include "attention/attention.h"

#include <stdint.h>

// For the best instructions that this processor has; one thread. Scratch does not depend on T and S. Sums are taken in
// another order than in attention_naive, so results agree up to rounding, not to the bit. counted.multiplies says what
// was done, lanes that stand empty and scores that were computed twice included; exps are not counted.
AttentionKernel attention_fast;

// The rungs of the ladder that leads from chapter 03's kernel to the fast one, each with one idea more. Every one of
// them is right for every shape, mask and view, and is made for the same instructions as attention_fast. Scratch does
// not depend on T and S, but for `reordered`, which keeps a copy of k and a row of scores, and `packed`.
AttentionKernel attention_reordered; // the loops so ordered that neighbours are worked on
AttentionKernel attention_lanes;     // queries in the lanes of a vector, in tiles; exp2f a number at a time
// Sums in registers and a 2ˣ for vectors. Where there are few registers they are 1 × 3, 2 × 3 and 4 × 3.
AttentionKernel attention_1x4, attention_2x4, attention_4x4;
AttentionKernel attention_lazy;    // weights at once, with a maximum that is seldom raised
AttentionKernel attention_packed;  // the fast kernel on contiguous copies of k and v
AttentionKernel attention_plain_c; // the fast kernel's loops without vector types and intrinsics

// The fast kernel, all heads at once, on all processors. Shapes as grouped_attend; to.weights must be empty. With many
// queries each thread copies the keys and values that it is at, of one head: S (d + dv) floats more of scratch.
void attention_fast_heads(Attended to, Mat q, Mat k, Mat v, int H, const Mask *masks);

// One query a head against a cache, T = 1, on all processors. Each row of k and v is read once for all the heads that
// share it, also where v is a view of columns of k (chapter 17): then what has come serves twice. The bits do not
// depend on the number of threads. The masks of the heads may differ in their slopes only; to.weights must be empty.
void attention_fast_decode(Attended to, Mat q, Mat k, Mat v, int H, const Mask *masks);

// What this processor can do at best: multiply-adds on data in its first cache, with the instructions in use. How many.
int64_t fast_probe(int rounds);
// The same with so many numbers at a time that meet the vectors of a block: 1, 2 or 4, as in three rungs; 4 is above.
int64_t fast_probe_rows(int rounds, int rows);
// How many of them in a second of this thread's time: the best of three looks, of about `seconds` in all.
double fast_probe_rate(double seconds);

// 2ˣ as one lane computes it: n and r of x = n + r are found in float32, 2ʳ is the polynomial, good from −½ to ½.
float fast_exp2(float x); // relative error below 2e-7; 0 for x below −100; x ≤ 127
double fast_polynomial(double r);

// For which instructions there is a version of its own: on x86-64 "avx512" and "avx2", on aarch64 "neon", and "plain".
// The first that this processor has is used, unless another one is chosen; NULL chooses anew. false: unknown, or the
// processor has not got them.
extern const char *const fast_kinds[];
extern const int fast_kinds_count;
bool fast_choose(const char *kind);
const char *fast_kind(void);
int fast_kind_index(void); // where the kind in use stands in fast_kinds
int fast_lanes(void);      // floats in a vector of that kind

// All versions of what is compiled once for each instruction set, in the order of fast_kinds: of `name`, or of `&name`.
#if defined __x86_64__
    #define FAST_VERSIONS(name) name##_avx512, name##_avx2, name##_generic
#elif defined __aarch64__
    #define FAST_VERSIONS(name) name##_neon, name##_generic
#else
    #define FAST_VERSIONS(name) name##_generic
#endif

#endif
