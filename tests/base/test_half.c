// Tests of lib/base/half.c: known numbers, every 16-bit number there and back, and rounding against its definition.
#include "base/half.h"

#include "base/portable_math.h"
#include "base/random.h"
#include "support/suite.h"

TEST(known)
{
    // clang-format off
    static const struct {
        float x;
        uint16_t float16, bfloat16;
    } table[] = {
        { 0.0f, 0x0000, 0x0000 }, { -0.0f, 0x8000, 0x8000 }, { 1.0f, 0x3C00, 0x3F80 }, { -2.0f, 0xC000, 0xC000 },
        { 65504.0f, 0x7BFF, 0x4780 }, { 65519.0f, 0x7BFF, 0x4780 }, { 65520.0f, 0x7C00, 0x4780 },
        { 1e30f, 0x7C00, 0x714A }, { -INFINITY, 0xFC00, 0xFF80 }, { 0x1p-14f, 0x0400, 0x3880 },
        { 0x1p-24f, 0x0001, 0x3380 }, { 0x1p-25f, 0x0000, 0x3300 }, { 0x1.8p-25f, 0x0001, 0x3340 },
        { 0x1.8p-24f, 0x0002, 0x33C0 }, { 0.1f, 0x2E66, 0x3DCD }, { 1.00390625f, 0x3C04, 0x3F80 },
        { 1.01171875f, 0x3C0C, 0x3F82 }, { 0x1.ffffp127f, 0x7C00, 0x7F80 }, { 0x1.ffcp-15f, 0x0400, 0x387F + 1 },
    };
    // clang-format on
    for (size_t e = 0; e < sizeof table / sizeof *table; e++) {
        ck_assert_msg(half_of(HALF_FLOAT16, table[e].x) == table[e].float16, "float16 of %a is %04x, not %04x",
                      (double)table[e].x, half_of(HALF_FLOAT16, table[e].x), table[e].float16);
        ck_assert_msg(half_of(HALF_BFLOAT16, table[e].x) == table[e].bfloat16, "bfloat16 of %a is %04x, not %04x",
                      (double)table[e].x, half_of(HALF_BFLOAT16, table[e].x), table[e].bfloat16);
    }
}

TEST_EACH(there_and_back, 2)
{
    HalfKind kind = _i ? HALF_BFLOAT16 : HALF_FLOAT16;
    for (int bits = 0; bits <= 0xFFFF; bits++) {
        float value = half_value(kind, (uint16_t)bits);
        if (isnan(value)) ck_assert(isnan(half_value(kind, half_of(kind, value))));
        else ck_assert_int_eq(half_of(kind, value), bits);
    }
    ck_assert(isnan(half_value(kind, half_of(kind, NAN))) && isnan(half_value(kind, half_of(kind, -NAN))));
}

// No neighbour is nearer, and of two that are as near the even one is taken.
TEST_EACH(nearest, 2)
{
    HalfKind kind = _i ? HALF_BFLOAT16 : HALF_FLOAT16;
    Random random = random_from(16);
    for (int n = 0; n < 200000; n++) {
        float x = random_normal(&random) * ldexpf(1.0f, random_below(&random, 40) - 28);
        uint16_t bits = half_of(kind, x);
        double off = fabs((double)half_value(kind, bits) - (double)x);
        for (int step = -1; step <= 1; step += 2) {
            uint16_t neighbour = (uint16_t)(bits + step);
            if ((bits & 0x7FFF) == 0 || isinf(half_value(kind, bits))) continue;
            double other = fabs((double)half_value(kind, neighbour) - (double)x);
            ck_assert_msg(off < other || (off == other && bits % 2 == 0), "%a becomes %a", (double)x,
                          (double)half_value(kind, bits));
        }
    }
}
