// 16-bit numbers, rounded to and widened by their bits.
#include "base/half.h"

#include <math.h>
#include <string.h>

// The 32 bits are those of a float, also where tests/support/double.h has made a double of every other one.
typedef __typeof__(0.0f) Single;

static uint32_t bits_of(Single value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    Single value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Half of what is cut off is added first, and a little less where the last bit that stays is even. A carry may run into
// the exponent, as it should.
static uint32_t shift_right_rounded(uint32_t bits, int by)
{
    uint32_t half = 1u << (by - 1), odd = bits >> by & 1;
    return (bits + half - 1 + odd) >> by;
}

static uint32_t float16_of(Single x)
{
    uint32_t bits = bits_of(x), sign = bits >> 16 & 0x8000, size = bits & 0x7FFFFFFF;
    if (isnan(x)) return sign | 0x7E00;
    if (size >= 0x47800000) return sign | 0x7C00;                        // 2¹⁶ and more
    if (size < 0x38800000)                                               // below 2⁻¹⁴: whole multiples of 2⁻²⁴
        return sign | (uint32_t)lrint(fabs((double)x) * 0x1p24);
    return sign | (shift_right_rounded(size, 13) - ((127 - 15) << 10));
}

static uint32_t bfloat16_of(Single x) { return isnan(x) ? 0x7FC0 : shift_right_rounded(bits_of(x), 16); }

uint16_t half_of(HalfKind kind, float x)
{
    return (uint16_t)(kind == FLOAT16 ? float16_of((Single)x) : bfloat16_of((Single)x));
}

// float16: 1 sign, 5 exponent (bias 15), 10 fraction bits. Exponent 0 means fraction · 2⁻²⁴, exponent 31 Inf or NaN.
static float value_of_float16(uint32_t bits)
{
    uint32_t sign = (bits >> 15) << 31, exponent = bits >> 10 & 0x1F, fraction = bits & 0x3FF;
    if (exponent == 0) return copysignf((float)fraction * 0x1p-24f, sign ? -1.0f : 1.0f);
    if (exponent == 31) return float_of(sign | 0x7F800000u | fraction << 13);
    return float_of(sign | (exponent + 127 - 15) << 23 | fraction << 13);
}

float half_value(HalfKind kind, uint16_t bits)
{
    return kind == FLOAT16 ? value_of_float16(bits) : float_of((uint32_t)bits << 16);
}
