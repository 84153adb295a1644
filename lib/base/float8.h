// Numbers of 8 bits with an exponent of their own: E4M3, as GPUs have it for what runs forward. C11 has none, so they
// travel as their bits. [Micikevicius et al. 2022, arXiv:2209.05433, §3]
//
// 1 sign, 4 exponent (bias 7) and 3 fraction bits. Exponent 0 means fraction · 2⁻⁹. There is no infinity, and of the
// largest exponent only the last fraction is taken, for NaN: 448 is the largest number, 2⁻⁹ the smallest above 0.
// What is not here: E5M2, and a factor for a whole matrix.
#ifndef BASE_FLOAT8_H
#define BASE_FLOAT8_H

#include "base/half.h"

#include <stdint.h>

#define FLOAT8_MOST 448.0f

// The nearest of them, the even one of two that are as near. Beyond ±448, infinities too, it is ±448: the conversion
// saturates. NaN stays NaN.
uint8_t float8_of(float x);

// Exact. Both are computed and one is chosen, as in half.h.
static inline float float8_value(uint8_t code)
{
    uint32_t sign = (uint32_t)(code & 0x80) << 24, rest = code & 0x7F, normal = (rest << 20) + ((127 - 7) << 23);
    HalfFloat32 tiny = (HalfFloat32)rest * (HalfFloat32)0x1p-9;
    uint32_t of_tiny;
    memcpy(&of_tiny, &tiny, sizeof of_tiny);
    return half_float32(sign | (rest < 8 ? of_tiny : rest == 0x7F ? 0x7FC00000u : normal));
}

#endif
