// Chapter 15. Attention in bfloat16 by tile products (AMX, AVX-512 BF16): the last rung of the ladder in fast.h.
//
// A bfloat16 (bf16) is the upper half of a float32: the sign, 8 bits of exponent and the upper 7 of 23 mantissa bits.
// Processors with bf16 instructions multiply such numbers in pairs and accumulate the products in float32.
#ifndef KERNELS_BF16_H
#define KERNELS_BF16_H

#include "attention/attention.h"

#include <stdbool.h>
#include <stdint.h>

// q, k, v and the weights are rounded to nearest bf16: relative error at most 2⁻⁸, usually about 2⁻⁹. Scores, maxima,
// sums and outputs are float32; each row is divided by the sum of its rounded weights. For Gaussian inputs the outputs
// are off by less than 4 · 10⁻³ (Frobenius norm, against float64), and lse by at most 2⁻⁸ more than the rounded scores.
// to.weights, if requested, is computed in float32, as for any kernel. Rounded inputs are copied: scratch is about 2 S
// (d + dv) bytes. One thread. Cost.multiplies includes the padding of tiles. Scores above 10³⁸ may give NaN.
AttentionKernel attention_bf16;

// ---- numbers and tiles

// Rounds to nearest, ties to even. Results below 2⁻¹²⁶ become ±0; a NaN stays a NaN and keeps its sign and its upper
// bits. Same as VCVTNEPS2BF16. [Intel, Software Developer's Manual, volume 2, under that name]
uint16_t bf16_of(float x);
float bf16_value(uint16_t x);

// A tile: 16 rows of 64 bytes, that is 32 numbers, or 16 pairs for the right operand. And a tile of float32 sums.
typedef struct {
    _Alignas(64) uint16_t at[16][32];
} Bf16Tile;
typedef struct {
    _Alignas(64) float at[16][16];
} Bf16Sums;

// c[m][n] += Σ over p of a[m][2p] b[p][2n] + a[m][2p + 1] b[p][2n + 1]: 16 × 16 sums of 32 products each. Bit-exact
// emulation of TDPBF16PS: one chain of FMAs sums the first products of all pairs, another one the second products, and
// the sum of both is added to c. Numbers below 2⁻¹²⁶ are 0, as inputs and as results. [Intel, Software Developer's
// Manual, volume 2, TDPBF16PS]
void bf16_multiply(Bf16Sums *c, const Bf16Tile *a, const Bf16Tile *b);

// c[n] += a[2n + 1] b[2n + 1], then a[2n] b[2n]. Bit-exact emulation of VDPBF16PS. [as above, VDPBF16PS]
void bf16_add_pairs(float c[16], const uint16_t a[32], const uint16_t b[32]);

// The same three by hardware instructions. false: this processor lacks them, and nothing is done.
bool bf16_round_here(uint16_t to[32], const float from[32]);
bool bf16_multiply_here(Bf16Sums *c, const Bf16Tile *a, const Bf16Tile *b);
bool bf16_add_pairs_here(float c[16], const uint16_t a[32], const uint16_t b[32]);

// ---- choice of instructions

// "amx": TDPBF16PS; "avx512_bf16": VDPBF16PS; "emulated": bf16_multiply, slow, on every machine. The default is the
// first that processor and operating system support; NULL selects the default again. false: unknown or unsupported.
// Both instructions require AVX-512 as the choice of fast_choose. "emulated" gives the same bits as "amx".
extern const char *const bf16_kinds[];
extern const int bf16_kinds_count;
bool bf16_choose(const char *kind);
const char *bf16_kind(void);

// Runs tile products on data in the L1 cache and returns the number of multiply-adds. And the rate per second of this
// thread's CPU time: the best of three measurements, which take about `seconds` together.
int64_t bf16_probe(int rounds);
double bf16_probe_rate(double seconds);

#endif
