// Tests of lib/base/float8.c: all 256 codes, and what lies between them.
#include "base/float8.h"

#include "base/portable_math.h"
#include "support/reference.h"
#include "support/suite.h"

// The definition, in float64, of the fields one after the other.
static double meaning(int code)
{
    int sign = code >> 7, exponent = code >> 3 & 15, fraction = code & 7;
    if (exponent == 15 && fraction == 7) return (double)NAN;
    double size = exponent ? ldexp(1.0 + fraction / 8.0, exponent - 7) : ldexp(fraction / 8.0, -6);
    return sign ? -size : size;
}

TEST(every_code_is_its_value)
{
    for (int code = 0; code < 256; code++) {
        float value = float8_value((uint8_t)code);
        if (isnan(meaning(code))) ck_assert(isnan(value));
        else
            ck_assert_msg((double)value == meaning(code) && !signbit(value) == !(code >> 7), "code %02x is %g, not %g",
                          (unsigned)code, (double)value, meaning(code));
    }
    ck_assert(float8_value(0x7E) == 448.0f && float8_value(0x01) == 0x1p-9f && float8_value(0x08) == 0x1p-6f);
}

TEST(every_value_is_its_code)
{
    for (int code = 0; code < 256; code++) {
        uint8_t again = float8_of(float8_value((uint8_t)code));
        if (isnan(meaning(code))) ck_assert_int_eq(again & 0x7F, 0x7F);
        else ck_assert_int_eq(again, code);
    }
}

// Halfway between two neighbours the even one is taken; a hair to either side, the nearer one.
TEST(between_two_codes)
{
    for (int code = 0; code < 0x7E; code++) {
        float middle = (float)(0.5 * (meaning(code) + meaning(code + 1)));
        int even = code % 2 ? code + 1 : code;
        ck_assert_int_eq(float8_of(middle), even);
        ck_assert_int_eq(float8_of(-middle), even | 0x80);
        ck_assert_int_eq(float8_of(nextafterf(middle, 0.0f)), code);
        ck_assert_int_eq(float8_of(nextafterf(middle, INFINITY)), code + 1);
    }
}

TEST(what_does_not_fit)
{
    ck_assert_int_eq(float8_of(449.0f), 0x7E);
    ck_assert_int_eq(float8_of(480.0f), 0x7E); // would be NaN's code
    ck_assert_int_eq(float8_of(1e30f), 0x7E);
    ck_assert_int_eq(float8_of(INFINITY), 0x7E);
    ck_assert_int_eq(float8_of(-INFINITY), 0xFE);
    ck_assert_int_eq(float8_of(NAN) & 0x7F, 0x7F);
    ck_assert_int_eq(float8_of(1e-30f), 0);
    ck_assert_int_eq(float8_of(-0.0f), 0x80);
    ck_assert_int_eq(float8_of(0x1p-10f), 0); // halfway to the smallest, which is odd
    ck_assert_int_eq(float8_of(0x1.8p-10f), 1);
}
