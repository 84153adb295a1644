// Chapter 15. Attention near the machine's peak, on the CPU.
#ifndef KERNELS_FAST_H
#define KERNELS_FAST_H

#include "attention/attention.h"

#include <stdint.h>

// Uses the best instruction set of this processor; one thread. Scratch does not depend on T and S. The order of
// summation differs from attention_naive, so results agree up to rounding, not bit by bit. Cost.multiplies counts the
// work done, including idle lanes and scores that were computed twice; exponentials are not counted.
AttentionKernel attention_fast;

// The rungs of the ladder from attention_naive to the fast kernel; each adds one idea. Every rung is correct for every
// shape, mask and view, and uses the same instructions as attention_fast. Scratch does not depend on T and S, except
// for `packed` and for `reordered`, which copies k and keeps one row of scores.
AttentionKernel attention_reordered; // loops interchanged, so that the inner one is contiguous
AttentionKernel attention_lanes;     // tiles, with queries in the vector lanes; exp2f one number at a time
// Register blocking (keys × vectors of queries) and a vectorised 2ˣ. With 16 registers the blocks are 1 × 3, 2 × 3, 4 ×
// 3.
AttentionKernel attention_1x4, attention_2x4, attention_4x4;
AttentionKernel attention_lazy;    // softmax fused into the scores; the running maximum is seldom raised
AttentionKernel attention_packed;  // the fast kernel on contiguous copies of k and v
AttentionKernel attention_plain_c; // the fast kernel's loops without vector types and intrinsics

// The fast kernel for all heads, on all processors. Shapes as in grouped_attend; to.weights must be empty. With many
// queries each thread copies the keys and values of its current head: S (d + dv) more floats of scratch per thread.
void attention_fast_heads(Attended to, Mat q, Mat k, Mat v, int H, const Mask *masks);

// Decoding, T = 1: one query per head against a cache, on all processors. Each row of k and v is read once for all
// heads of its KV group; if v is a view of columns of k (latent attention), once for both. The result does not depend
// on the number of threads. The masks of the heads may differ in their slopes only; to.weights must be empty.
void attention_fast_decode(Attended to, Mat q, Mat k, Mat v, int H, const Mask *masks);

// Peak measurement: runs multiply-adds on data in the L1 cache with the chosen instructions and returns their number.
int64_t fast_probe(int rounds);
// The same with a register block of `rows` rows: 1, 2 or 4, as in three rungs; fast_probe has 4.
int64_t fast_probe_rows(int rounds, int rows);
// Multiply-adds per second of this thread's CPU time: the best of three measurements, about `seconds` in all.
double fast_probe_rate(double seconds);

// 2ˣ as a vector lane computes it: x = n + r is split in float32, and 2ʳ is a polynomial that is accurate for |r| ≤ ½.
float fast_exp2(float x); // relative error below 2e-7; 0 for x below −100; x ≤ 127
double fast_polynomial(double r);

// The instruction sets: on x86-64 "avx512" and "avx2", on aarch64 "neon", and "plain" everywhere. The default is the
// first that this processor supports; NULL selects the default again. false: unknown or unsupported.
extern const char *const fast_kinds[];
extern const int fast_kinds_count;
bool fast_choose(const char *kind);
const char *fast_kind(void);
int fast_kind_index(void); // index in fast_kinds of the instruction set in use
int fast_lanes(void);      // floats in a vector of that instruction set

// The versions of a function, in the order of fast_kinds: of `name`, or of `&name`.
#if defined __x86_64__
    #define FAST_VERSIONS(name) name##_avx512, name##_avx2, name##_generic
#elif defined __aarch64__
    #define FAST_VERSIONS(name) name##_neon, name##_generic
#else
    #define FAST_VERSIONS(name) name##_generic
#endif

#endif
