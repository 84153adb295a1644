// Numbers of 16 bits, as GPUs multiply them: float16 and bfloat16. C11 has neither, so they travel as their bits.
//
// float16 has 10 fraction bits and reaches 65504; bfloat16 has 7 and the range of float32, whose upper half it is.
#ifndef BASE_HALF_H
#define BASE_HALF_H

#include <stdint.h>
#include <string.h>

// Four bytes as float32, also where tests/support/float64_shim.h has made a double of every other float.
typedef __typeof__(0.0f) HalfFloat32;

typedef enum { HALF_FLOAT16, HALF_BFLOAT16 } HalfKind;

// The nearest of them, the even one of two that are as near; too large becomes ±INFINITY, NaN stays NaN.
uint16_t half_of(HalfKind kind, float x);

static inline HalfFloat32 half_float32(uint32_t bits)
{
    HalfFloat32 value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// float16: 1 sign, 5 exponent (bias 15), 10 fraction bits. Exponent 0 means fraction · 2⁻²⁴, exponent 31 Inf or NaN.
// All three are computed and one is chosen: in a row of weights small and large ones stand in turn, and a wrongly
// guessed branch costs more. Here, so that loops over rows have it in place (base/dtype.c).
static inline HalfFloat32 half_float16(uint32_t bits)
{
    uint32_t sign = (bits & 0x8000) << 16, exponent = bits >> 10 & 0x1F, rest = (bits & 0x7FFF) << 13;
    HalfFloat32 tiny = (HalfFloat32)(bits & 0x3FF) * (HalfFloat32)0x1p-24;
    uint32_t of_tiny, normal = rest + ((127 - 15) << 23), special = rest | 0x7F800000u;
    memcpy(&of_tiny, &tiny, sizeof of_tiny);
    return half_float32(sign | (exponent == 0 ? of_tiny : exponent == 31 ? special : normal));
}

static inline HalfFloat32 half_bfloat16(uint32_t bits) { return half_float32(bits << 16); }

// Exact.
static inline float half_value(HalfKind kind, uint16_t bits)
{
    return kind == HALF_FLOAT16 ? half_float16(bits) : half_bfloat16(bits);
}

#endif
