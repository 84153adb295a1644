// Exercise 15e: my_bf16, my_key_pairs and my_value_pairs.
#include "base/portable_math.h"
#include "exercises/judge.h"
#include "kernels/bf16.h"

#include <string.h>

typedef float Bf16(float x);
typedef void Pairs(Mat to, Mat from);
Bf16 my_bf16;
Pairs my_key_pairs, my_value_pairs;

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static const struct {
    const char *which;
    int count;
    float x[5];
} numbers[] = {
    { "1, -2, 0.5, 3.140625: these are bf16 already", 4, { 1.0f, -2.0f, 0.5f, 3.140625f } },
    { "3.1415927, 0.1, 1.006, -1.3, -2.7182818", 5, { 3.1415927f, 0.1f, 1.006f, -1.3f, -2.7182818f } },
    { "1 + 1/256, 1 + 3/256, 1 + 5/256: half-way", 3, { 1.00390625f, 1.01171875f, 1.01953125f } },
};
static const uint32_t nan_bits = 0x7f800001; // whose only set bit behind the point is the last

// After the numbers comes the NaN, which is judged by whether it stays one.
static void bf16_case(Judge *judge, Function f, int n)
{
    bool nan = n == COUNT(numbers);
    Mat got = judge_output(judge, 1, nan ? 1 : numbers[n].count);
    judge_trying(judge, "my_bf16 of %s",
                 nan ? "a NaN whose only set bit behind the point is the last" : numbers[n].which);
    for (int i = 0; i < got.cols && !nan; i++) got.at[i] = ((Bf16 *)f)(numbers[n].x[i]);
    if (nan) got.at[0] = isnan(((Bf16 *)f)(float_of(nan_bits))) ? 1.0f : 0.0f;
}

static float right_bf16(float x) { return bf16_value(bf16_of(x)); }

enum { ZERO = 1, CUT, HALF_UP, ALWAYS_UP, NAN_CUT };

static float faulty_bf16(float x)
{
    static const uint32_t add[] = { [HALF_UP] = 0x8000, [ALWAYS_UP] = 0xffff };
    const int fault = judge_fault;
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (fault == ZERO) return 0.0f;
    if (isnan(x)) return fault == NAN_CUT ? float_of(bits & 0xffff0000) : x;
    return float_of((bits + (fault < NAN_CUT ? add[fault] : 0x7fff + (bits >> 16 & 1))) & 0xffff0000);
}

// ---- my_key_pairs and my_value_pairs: a pair are neighbours in a row of k, and in a column of v

static void pairs_case(Judge *judge, Function f, bool values)
{
    Random random = random_from(15);
    Mat from = judge_random(judge, &random, values ? 32 : 16, values ? 16 : 32);
    judge_trying(judge, values ? "my_value_pairs of 32 keys, 16 channels" : "my_key_pairs of 16 keys, 32 channels");
    ((Pairs *)f)(judge_output(judge, 16, 32), from);
}
static void key_case(Judge *judge, Function f, int n) { (void)n, pairs_case(judge, f, false); }
static void value_case(Judge *judge, Function f, int n) { (void)n, pairs_case(judge, f, true); }

#define PAIRS(name, first, which) \
    static void name(Mat to, Mat from) \
    { \
        bool values = from.rows == 32; \
        for (int p = 0; p < 16; p++) \
            for (int n = 0; n < 32; n++) { \
                int one = first, pair = which; \
                *mat_ref(to, p, n) = values ? *mat_ref(from, pair, one) : *mat_ref(from, one, pair); \
            } \
    }
PAIRS(pairs, n / 2, 2 * p + n % 2)
PAIRS(side_by_side, n % 16, 2 * p + n / 16)
PAIRS(far_apart, n / 2, p + 16 * (n % 2))
PAIRS(swapped, n / 2, 2 * p + 1 - n % 2)
PAIRS(same_twice, n / 2, 2 * p)

// clang-format off
#define PAIRS_TASK(function, a_case, what, formula) \
    { AS(Pairs, function), AS(Pairs, pairs), a_case, 1, 1e-9f, \
      .hints = { { "row p holds " what " 2p and 2p + 1", "where in row p is the pair of number n?", formula } }, \
      .wrong = { \
          { AS(Pairs, side_by_side), \
            "the first numbers of all pairs, then the second ones: the two " what " of a pair must be neighbours" }, \
          { AS(Pairs, far_apart), "row p has " what " p and p + 16 together" }, \
          { AS(Pairs, swapped), "the two " what " of each pair have changed places" }, \
          { AS(Pairs, same_twice), "the second number of each pair is the first once more: 2p and 2p + 1 are two " what } } }

static const Task tasks[] = {
    { AS(Bf16, my_bf16), AS(Bf16, right_bf16), bf16_case, COUNT(numbers) + 1, 1e-9f, .faulty = AS(Bf16, faulty_bf16),
      .hints = { { "this is not the nearest number whose lower 16 bits are 0, or of two as near not the even one",
                   "how large is what you cut off, beside the last bit that stays?",
                   "add 0x7fff and the last bit that stays, then cut the lower 16 bits off" } },
      .wrong = { FAULT(ZERO, "0 each time: it is still the stub, or it has kept the lower half of the bits"),
                 FAULT(CUT, "the lower bits are cut off: that is the next number towards 0, not the nearest"),
                 FAULT(HALF_UP, "half-way it is rounded away from 0 each time; to the even one it should be"),
                 FAULT(ALWAYS_UP, "it is rounded away from 0 each time, however near the other one is"),
                 FAULT(NAN_CUT, "a NaN has become a number or ∞") } },
    PAIRS_TASK(my_key_pairs, key_case, "channels", "to[p][2n + i] = k[n][2p + i], i = 0, 1"),
    PAIRS_TASK(my_value_pairs, value_case, "keys", "to[p][2n + i] = v[2p + i][n], i = 0, 1"),
};
// clang-format on
EXERCISE("15e", tasks)
