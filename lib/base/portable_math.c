// expf and exp2f by table and polynomial, after S. Nagy's single-precision functions ("Arm Optimized Routines", 2018);
// logf by the series of artanh.
//
// 2^z = 2^(k/32) · 2^r, where k is the integer next to 32 z, so |r| ≤ 1/64. The first factor comes from a table of 32
// numbers and an exponent, the second is a cubic polynomial. All of it is computed in double, where its error is below
// 2^-33, and rounded to float once. Only results that close to the midpoint of two floats can be misrounded.
#include "base/portable_math.h"

#include <stdint.h>
#include <string.h>

// data/reference/expf.py computes these numbers.
// clang-format off
static const double power_of_32nd[32] = { // 2^(i/32)
    0x1.0000000000000p0, 0x1.059b0d3158574p0, 0x1.0b5586cf9890fp0, 0x1.11301d0125b51p0,
    0x1.172b83c7d517bp0, 0x1.1d4873168b9aap0, 0x1.2387a6e756238p0, 0x1.29e9df51fdee1p0,
    0x1.306fe0a31b715p0, 0x1.371a7373aa9cbp0, 0x1.3dea64c123422p0, 0x1.44e086061892dp0,
    0x1.4bfdad5362a27p0, 0x1.5342b569d4f82p0, 0x1.5ab07dd485429p0, 0x1.6247eb03a5585p0,
    0x1.6a09e667f3bcdp0, 0x1.71f75e8ec5f74p0, 0x1.7a11473eb0187p0, 0x1.82589994cce13p0,
    0x1.8ace5422aa0dbp0, 0x1.93737b0cdc5e5p0, 0x1.9c49182a3f090p0, 0x1.a5503b23e255dp0,
    0x1.ae89f995ad3adp0, 0x1.b7f76f2fb5e47p0, 0x1.c199bdd85529cp0, 0x1.cb720dcef9069p0,
    0x1.d5818dcfba487p0, 0x1.dfc97337b9b5fp0, 0x1.ea4afa2a490dap0, 0x1.f50765b6e4540p0,
};
// clang-format on
static const double poly1 = 0x1.62e42ff0c52d6p-1, poly2 = 0x1.ebfce50fac500p-3, poly3 = 0x1.c6af84b915487p-5;

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// 2^(z/32) for |z| < 2^13. Adding 1.5 · 2^52 leaves a double no bits below 1: it rounds z to an integer, which is in the
// low bits of the sum.
static float exp2_of_32nds(double z)
{
    const double shift = 0x1.8p52;
    uint64_t k = bits_of(z + shift);
    double r = (z - (from_bits(k) - shift)) / 32, square = r * r;
    double factor = from_bits(bits_of(power_of_32nd[k % 32]) + (k >> 5 << 52)); // k / 32 is added to the exponent
    return (float)(((poly3 * r + poly2) * square + (poly1 * r + 1)) * factor);
}

float portable_expf(float x)
{
    if (isnan(x)) return x;
    if (x > 0x1.62e42ep6f) return INFINITY; // e^88.72 is the largest float
    if (x < -104.0f) return 0.0f;           // e^-104 is less than half the smallest one
    return exp2_of_32nds((double)x * (32 * 1.4426950408889634));
}

float portable_exp2f(float x)
{
    if (isnan(x)) return x;
    if (x >= 128.0f) return INFINITY;
    if (x < -150.0f) return 0.0f;
    return exp2_of_32nds((double)x * 32);
}

// x = 2^k · m with √½ ≤ m < √2, and log m = 2 artanh t = 2 (t + t³/3 + t⁵/5 + …) with t = (m − 1) / (m + 1), |t| < 0.172.
float portable_logf(float x)
{
    if (isnan(x) || x == INFINITY) return x;
    if (x <= 0.0f) return x == 0.0f ? -INFINITY : NAN;
    int k;
    double m = frexp((double)x, &k); // in [½, 1)
    if (m < 0.70710678118654752) m *= 2, k--;
    double t = (m - 1) / (m + 1), square = t * t, sum = 0;
    for (int n = 19; n >= 3; n -= 2) sum = (sum + 1.0 / n) * square;
    return (float)(k * 0.69314718055994531 + 2 * (t + t * sum));
}
