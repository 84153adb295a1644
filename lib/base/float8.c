// Conversion to E4M3. [Micikevicius et al. 2022, arXiv:2209.05433, §3.1]
#include "base/float8.h"

#include "base/portable_math.h"

// Numbers in [2ᵉ, 2ᵉ⁺¹) are multiples of 2ᵉ⁻³, eight of them; below 2⁻⁶ the spacing stays 2⁻⁹ (subnormals). Codes are
// consecutive, so rounding up to the next power of two carries into the exponent correctly.
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
