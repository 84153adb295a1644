// lib/base/portable_math.c: every 4099th float, and all near the ends, against the system's functions of double.
//
// EVERY_FLOAT=1 (make libm-check) takes every float, and counts how many of the system's own results differ.
#include "base/portable_math.h"

#include "support/suite.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef expf
#undef exp2f
#undef logf

typedef struct {
    const char *name;
    float (*ours)(float), (*system)(float);
    double (*exact)(double), most; // in units of the last place
    float ends[6];                 // of the range in which the result is neither 0 nor infinite, and others
    uint32_t hash;                 // of every 65537th result
} Function;

static const Function functions[] = {
    { "expf", portable_expf, expf, exp, 0.502, { 88.72284f, -103.97208f, -87.33655f, 0x1p-25f, 1 }, 0x745C7BDC },
    { "exp2f", portable_exp2f, exp2f, exp2, 0.502, { 128, -150, -149, -126, 0x1p-25f, 1 }, 0xA97FD5FD },
    { "logf", portable_logf, logf, log, 0.5001, { 0x1p-126f, 0x1p-149f, 1, 0.70710678f, 0x1p127f }, 0xF6A00AB6 },
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

// How far a result is from the exact one, in units of its last place. Where the exact one rounds to infinity or NaN,
// only that is right.
static double units_off(float result, double exact)
{
    float nearest = (float)exact;
    if (isnan(exact)) return isnan(result) ? 0 : INFINITY;
    if (isinf(nearest) || isinf(result)) return nearest == result ? 0 : INFINITY;
    int exponent = 0;
    frexp(exact, &exponent);
    return fabs((double)result - exact) / ldexp(1, exponent < -125 ? -149 : exponent - 24);
}

static void check_at(const Function *f, uint32_t bits)
{
    float x = float_of(bits), result = f->ours(x);
    double off = units_off(result, f->exact((double)x));
    ck_assert_msg(off <= f->most, "%s(%a) is %a, %g units from %a", f->name, (double)x, (double)result, off,
                  f->exact((double)x));
}

TEST_EACH(within_a_unit, FUNCTIONS)
{
    const Function *f = &functions[_i];
    bool every = getenv("EVERY_FLOAT") != NULL;
    uint64_t differ = 0;
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += every ? 1 : 4099) {
        float x = float_of((uint32_t)bits);
        check_at(f, (uint32_t)bits);
        if (every) differ += f->ours(x) != f->system(x) && !isnan(x) && !isnan(f->ours(x));
    }
    if (every) printf("%s: %llu results of the system's differ\n", f->name, (unsigned long long)differ);
    for (size_t e = 0; e < sizeof f->ends / sizeof *f->ends; e++)
        for (uint32_t n = 0; n < 2000; n++) check_at(f, bits_of(f->ends[e]) + n - 1000);
}

// Every system must return these bits. NaN has many, and no order.
TEST_EACH(the_same_bits_everywhere, FUNCTIONS)
{
    const Function *f = &functions[_i];
    uint32_t hash = 2166136261u; // FNV-1a, a float at a time
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 65537) {
        float result = f->ours(float_of((uint32_t)bits));
        if (!isnan(result)) hash = (hash ^ bits_of(result)) * 16777619u;
    }
    ck_assert_msg(hash == f->hash, "%s: 0x%08X, not 0x%08X", f->name, hash, f->hash);
}

TEST(ends)
{
    ck_assert(portable_expf(-INFINITY) == 0 && portable_expf(INFINITY) == INFINITY && isnan(portable_expf(NAN)));
    ck_assert(portable_exp2f(-INFINITY) == 0 && portable_exp2f(INFINITY) == INFINITY && isnan(portable_exp2f(NAN)));
    ck_assert(portable_logf(0.0f) == -INFINITY && portable_logf(-0.0f) == -INFINITY);
    ck_assert(portable_logf(INFINITY) == INFINITY && isnan(portable_logf(NAN)) && isnan(portable_logf(-1.0f)));
    ck_assert(portable_expf(0.0f) == 1 && portable_expf(-0.0f) == 1 && portable_logf(1.0f) == 0);
    for (int n = -149; n < 128; n++) ck_assert(portable_exp2f((float)n) == ldexpf(1, n));
}
