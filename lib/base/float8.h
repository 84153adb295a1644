// 8-bit floating-point numbers in the format E4M3, which GPUs use in forward passes. C11 has no such type, so they are
// stored as uint8_t. [Micikevicius et al. 2022, arXiv:2209.05433, §3]
//
// 1 sign, 4 exponent (bias 7) and 3 fraction bits. Exponent 0: fraction · 2⁻⁹ (subnormal). There is no infinity; the
// largest exponent with the largest fraction is NaN. The largest number is 448, the smallest above 0 is 2⁻⁹. Not
// implemented: E5M2 and per-tensor scales.
#ifndef BASE_FLOAT8_H
#define BASE_FLOAT8_H

#include "base/half.h"

#include <stdint.h>

#define FLOAT8_MOST 448.0f

// Rounds to nearest, ties to even. Values beyond ±448, infinities too, saturate to ±448. NaN stays NaN.
uint8_t float8_of(float x);

// Exact. Computes the normal and the subnormal value and selects one, without a branch; see half.h.
static inline float float8_value(uint8_t code)
{
    uint32_t sign = (uint32_t)(code & 0x80) << 24, magnitude = code & 0x7F,
             normal = (magnitude << 20) + ((127 - 7) << 23);
    HalfFloat32 subnormal = (HalfFloat32)magnitude * (HalfFloat32)0x1p-9;
    uint32_t subnormal_bits;
    memcpy(&subnormal_bits, &subnormal, sizeof subnormal_bits);
    return half_float32(sign | (magnitude < 8 ? subnormal_bits : magnitude == 0x7F ? 0x7FC00000u : normal));
}

#endif
