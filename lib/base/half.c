// Conversion to float16 and bfloat16 by integer arithmetic on the bits.
#include "base/half.h"

#include "base/portable_math.h"

static uint32_t bits_of(HalfFloat32 value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Rounds to nearest, ties to even: adds half of the last kept bit, or one less if that bit is even (0). A carry into
// the exponent is correct.
static uint32_t shift_right_rounded(uint32_t bits, int by)
{
    uint32_t half = 1u << (by - 1), odd = bits >> by & 1;
    return (bits + half - 1 + odd) >> by;
}

static uint32_t float16_of(HalfFloat32 x)
{
    uint32_t bits = bits_of(x), sign = bits >> 16 & 0x8000, size = bits & 0x7FFFFFFF;
    if (isnan(x)) return sign | 0x7E00;
    if (size >= 0x47800000) return sign | 0x7C00; // 2¹⁶ and more
    if (size < 0x38800000)                        // below 2⁻¹⁴: subnormal, a multiple of 2⁻²⁴
        return sign | (uint32_t)lrint(fabs((double)x) * 0x1p24);
    return sign | (shift_right_rounded(size, 13) - ((127 - 15) << 10));
}

static uint32_t bfloat16_of(HalfFloat32 x) { return isnan(x) ? 0x7FC0 : shift_right_rounded(bits_of(x), 16); }

uint16_t half_of(HalfKind kind, float x)
{
    return (uint16_t)(kind == HALF_FLOAT16 ? float16_of((HalfFloat32)x) : bfloat16_of((HalfFloat32)x));
}
