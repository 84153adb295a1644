// 16-bit floating-point numbers: float16 and bfloat16. C11 has neither type, so they are stored as uint16_t.
//
// float16 has 10 fraction bits and a maximum of 65504. bfloat16 has 7 and the range of float32: it is the upper half of
// one.
#ifndef BASE_HALF_H
#define BASE_HALF_H

#include <stdint.h>
#include <string.h>

// float32, even in tests that replace float by double (tests/support/float64_shim.h).
typedef __typeof__(0.0f) HalfFloat32;

typedef enum { HALF_FLOAT16, HALF_BFLOAT16 } HalfKind;

// Rounds to nearest, ties to even. Overflow gives ±INFINITY, NaN stays NaN.
uint16_t half_of(HalfKind kind, float x);

static inline HalfFloat32 half_float32(uint32_t bits)
{
    HalfFloat32 value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// float16: 1 sign, 5 exponent (bias 15), 10 fraction bits. Exponent 0: fraction · 2⁻²⁴ (subnormal); exponent 31: Inf or
// NaN. Computes all three values and selects one: in real weights normal and subnormal numbers alternate, and
// mispredicted branches cost more. Inline, so that loops over rows can be vectorised (base/dtype.c).
static inline HalfFloat32 half_float16(uint32_t bits)
{
    uint32_t sign = (bits & 0x8000) << 16, exponent = bits >> 10 & 0x1F, magnitude = (bits & 0x7FFF) << 13;
    HalfFloat32 subnormal = (HalfFloat32)(bits & 0x3FF) * (HalfFloat32)0x1p-24;
    uint32_t subnormal_bits, normal = magnitude + ((127 - 15) << 23), special = magnitude | 0x7F800000u;
    memcpy(&subnormal_bits, &subnormal, sizeof subnormal_bits);
    return half_float32(sign | (exponent == 0 ? subnormal_bits : exponent == 31 ? special : normal));
}

static inline HalfFloat32 half_bfloat16(uint32_t bits) { return half_float32(bits << 16); }

// Exact.
static inline float half_value(HalfKind kind, uint16_t bits)
{
    return kind == HALF_FLOAT16 ? half_float16(bits) : half_bfloat16(bits);
}

#endif
