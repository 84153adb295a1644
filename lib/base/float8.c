// Rounded to 8 bits: to multiples of the step of its power of two. [Micikevicius et al. 2022, arXiv:2209.05433, §3.1]
#include "base/float8.h"

#include "base/portable_math.h"

// Between 2ᵉ and 2ᵉ⁺¹ there are eight steps of 2ᵉ⁻³. Below 2⁻⁶ the step stays 2⁻⁹. Counted in steps, codes follow each
// other: eight for each power of two, so a carry runs into the exponent, as it should.
uint8_t float8_of(float x)
{
    uint8_t sign = signbit(x) ? 0x80 : 0;
    if (isnan(x)) return sign | 0x7F;
    double size = fmin(fabs((double)x), (double)FLOAT8_MOST);
    int exponent = -6;
    if (size >= 0x1p-6) exponent = ilogb(size);
    int steps = (int)lrint(ldexp(size, 3 - exponent));
    return (uint8_t)(sign | (8 * (exponent + 6) + steps));
}
