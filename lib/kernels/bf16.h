// Chapter 15. The last rung: attention in bfloat16, by products of whole tiles.
//
// A bfloat16 ("bf16") is the upper half of a float32: its sign, its 8 bits of exponent, and 7 of its 23 bits behind the
// point. Processors that multiply such numbers take them in pairs and add their products up in float32.
#ifndef KERNELS_BF16_H
#define KERNELS_BF16_H

#include "attention/attention.h"

#include <stdbool.h>
#include <stdint.h>

// q, k, v and the weights are rounded to bf16, each number to the nearest: by at most 2⁻⁸ of itself, by about 2⁻⁹ as a
// rule. Scores, maxima, sums and outputs are float32, and each row is divided by the sum of its rounded weights. The
// outputs of Gaussian numbers are off by less than 4 · 10⁻³ (Frobenius, against float64), lse by at most 2⁻⁸ more than
// the rounded scores are. weights, when asked for, are float32's, as of any kernel. What was rounded is copied: scratch
// is about 2 S (d + dv) bytes. One thread. counted.multiplies says what was done, what fills up tiles included.
// Of scores above 10³⁸ it may make NaN.
AttentionKernel attention_bf16;

// ---- numbers and tiles

// The nearest bf16, the even one of two; what lies under 2⁻¹²⁶ becomes ±0, a NaN stays one, with its sign and what is
// left of its bits. As VCVTNEPS2BF16 does. [Intel, Software Developer's Manual, volume 2, under that name]
uint16_t bf16_of(float x);
float bf16_value(uint16_t x);

// 16 rows of 64 bytes: 32 numbers each, or, on the right of a product, 16 pairs; and sums of such products.
typedef struct {
    _Alignas(64) uint16_t at[16][32];
} Bf16Tile;
typedef struct {
    _Alignas(64) float at[16][16];
} Bf16Sums;

// c[m][n] += Σ over p of a[m][2p] b[p][2n] + a[m][2p + 1] b[p][2n + 1]: 16 × 16 sums of 32 products each. To the bit
// what TDPBF16PS gives: the first numbers of all pairs are added up, each with a product in one rounding, so are the
// second ones, and the two sums together are added to c. What lies under 2⁻¹²⁶ counts, and comes out, as 0.
// [Intel, Software Developer's Manual, volume 2, TDPBF16PS]
void bf16_multiply(Bf16Sums *c, const Bf16Tile *a, const Bf16Tile *b);

// c[n] += a[2n + 1] b[2n + 1], then a[2n] b[2n]: to the bit what VDPBF16PS gives. [as above, VDPBF16PS]
void bf16_add_pairs(float c[16], const uint16_t a[32], const uint16_t b[32]);

// The same three by the instructions themselves. false: this processor has not got them, and nothing is done.
bool bf16_round_here(uint16_t to[32], const float from[32]);
bool bf16_multiply_here(Bf16Sums *c, const Bf16Tile *a, const Bf16Tile *b);
bool bf16_add_pairs_here(float c[16], const uint16_t a[32], const uint16_t b[32]);

// ---- who multiplies

// "amx": TDPBF16PS; "avx512_bf16": VDPBF16PS; "emulated": bf16_multiply, anywhere, and slowly. The first that this
// processor and its system allow is used, unless another one is chosen; NULL chooses anew. false: unknown, or not here.
// Vectors are those of fast_choose; both instructions are used beside AVX-512 only. "emulated" has the bits of "amx".
extern const char *const bf16_kinds[];
extern const int bf16_kinds_count;
bool bf16_choose(const char *kind);
const char *bf16_kind(void);

// Multiply-adds of tiles that lie in the first cache, and nothing else: how many. And how many in a second of this
// thread's time: the best of three looks, of about `seconds` in all.
int64_t bf16_probe(int rounds);
double bf16_probe_rate(double seconds);

#endif
