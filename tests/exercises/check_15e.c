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

// ---- my_bf16

static const struct {
    const char *which;
    int count;
    float x[5];
} numbers[] = { { "1, -2, 0.5, 3.140625: these are bf16 already", 4, { 1.0f, -2.0f, 0.5f, 3.140625f } },
                { "3.1415927, 0.1, 1.006, -1.3, -2.7182818", 5, { 3.1415927f, 0.1f, 1.006f, -1.3f, -2.7182818f } },
                { "1 + 1/256, 1 + 3/256, 1 + 5/256, 1 + 7/256: half-way",
                  4,
                  { 1.00390625f, 1.01171875f, 1.01953125f, 1.02734375f } } };
static const struct {
    const char *which, *property, *question;
    uint32_t bits;
} nans[] = { { "a NaN whose only set bit behind the point is the last", "a NaN has become a number or ∞",
               "which bit behind the point of this NaN is left when the lower half is gone?", 0x7f800001 },
             { "a NaN whose bits behind the point are all set",
               "a NaN has become a number: what was added has run through its exponent, into the sign",
               "is it asked first whether x is NaN?", 0x7fffffff } };

// A NaN is judged by whether it stays one.
static void bf16_case(Judge *judge, Function f, int n)
{
    int nan = n - COUNT(numbers), count = nan < 0 ? numbers[n].count : 1;
    Mat got = judge_output(judge, 1, count);
    judge_trying(judge, "my_bf16 of %s", nan < 0 ? numbers[n].which : nans[nan].which);
    for (int i = 0; i < count && nan < 0; i++) got.at[i] = ((Bf16 *)f)(numbers[n].x[i]);
    if (nan >= 0) got.at[0] = isnan(((Bf16 *)f)(float_of(nans[nan].bits))) ? 1.0f : 0.0f;
}

static float right_bf16(float x) { return bf16_value(bf16_of(x)); }

enum { ZERO = 1, CUT, HALF_UP, HALF_DOWN, ALWAYS_UP, AS_IT_WAS, HALF_ODD, UPPER_HALF, NAN_CUT, NAN_ROUNDED, OTHER };

static float faulty_bf16(float x)
{
    static const uint32_t add[] = { [HALF_UP] = 0x8000, [HALF_DOWN] = 0x7fff, [ALWAYS_UP] = 0xffff };
    const int fault = judge_fault;
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (fault == ZERO || fault == AS_IT_WAS) return fault == ZERO ? 0.0f : x;
    if (isnan(x) && fault == NAN_CUT) return float_of(bits & 0xffff0000);
    if (isnan(x) && (fault != NAN_ROUNDED || bits == 0x7f800001)) return x;
    uint32_t more = fault <= ALWAYS_UP ? add[fault] : 0x7fff + (bits >> 16 & 1);
    if (fault == HALF_ODD) more = 0x8000 - (bits >> 16 & 1);
    if (fault == OTHER && x < 0.0f) more = 0;
    bits = (bits + more) & 0xffff0000;
    return float_of(fault == UPPER_HALF ? bits >> 16 : bits);
}

static Hints bf16_hints(Judge *judge, Difference d)
{
    int nan = d.n - COUNT(numbers);
    (void)judge;
    if (nan >= 0) return (Hints){ nans[nan].property, nans[nan].question };
    if (mat_sum(d.got) == 0.0)
        return (Hints){ "0 each time: it is still the stub, or it has kept the lower half of the bits" };
    for (int i = 0; i < d.got.cols; i++)
        if (fabsf(d.got.at[i]) < 1e-30f)
            return (
                Hints){ "the upper half of the bits is empty: a bf16 as a float has its bits there, and zeros below" };
    return (Hints){ "this is not the nearest number whose lower 16 bits are 0, or of two as near not the even one",
                    "how large is what you cut off, beside the last bit that stays?",
                    "add 0x7fff and the last bit that stays, then cut the lower 16 bits off" };
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
PAIRS(next_pair, n / 2, (2 * p + 2 + n % 2) % 32)

static void as_they_were(Mat to, Mat k) { mat_set(to, k); }

static void single(Mat to, Mat v)
{
    for (int e = 0; e < 16 * 32; e++) *mat_ref(to, e / 32, e % 32) = *mat_ref(v, e % 32, e / 32);
}

// clang-format off
#define PAIRS_WRONG(what) \
    { AS(Pairs, side_by_side), \
      "the first numbers of all pairs, then the second ones: the two " what " of a pair must be neighbours" }, \
    { AS(Pairs, far_apart), "row p has " what " p and p + 16 together" }, \
    { AS(Pairs, swapped), "the two " what " of each pair have changed places" }, \
    { AS(Pairs, same_twice), "the second number of each pair is the first once more: 2p and 2p + 1 are two " what }, \
    { AS(Pairs, next_pair), .told = "row p holds " what " 2p and 2p + 1" }
// clang-format on

static const Task tasks[] = {
    { AS(Bf16, my_bf16), AS(Bf16, right_bf16), bf16_case, COUNT(numbers) + COUNT(nans), 1e-9f, .explain = bf16_hints,
      .faulty = AS(Bf16, faulty_bf16),
      .wrong = { { .fault = ZERO, .told = "0 each time: it is still the stub" },
                 FAULT(CUT, "the lower bits are cut off: that is the next number towards 0, not the nearest"),
                 FAULT(HALF_UP, "half-way it is rounded away from 0 each time; to the even one it should be"),
                 FAULT(HALF_DOWN, "half-way it is rounded towards 0 each time; to the even one it should be"),
                 FAULT(HALF_ODD, "half-way it is rounded to the odd one each time; to the even one it should be"),
                 FAULT(ALWAYS_UP, "it is rounded away from 0 each time, however near the other one is"),
                 FAULT(AS_IT_WAS, "nothing has been rounded"),
                 { .fault = UPPER_HALF, .told = "the upper half of the bits is empty" },
                 { .fault = NAN_CUT, .told = "a NaN has become a number or ∞" },
                 { .fault = NAN_ROUNDED, .told = "what was added has run through its exponent, into the sign" },
                 { .fault = OTHER, .told = "this is not the nearest number" } } },
    { AS(Pairs, my_key_pairs), AS(Pairs, pairs), key_case, 1, 1e-9f,
      .hints = { { "row p holds channels 2p and 2p + 1", "where in row p is the pair of number n?",
                   "to[p][2n + i] = k[n][2p + i], i = 0, 1" } },
      .wrong = { PAIRS_WRONG("channels"),
                 { AS(Pairs, as_they_were), "the rows stand as they were; pairs are to be turned" } } },
    { AS(Pairs, my_value_pairs), AS(Pairs, pairs), value_case, 1, 1e-9f,
      .hints = { { "row p holds keys 2p and 2p + 1", "where in row p is the pair of number n?",
                   "to[p][2n + i] = v[2p + i][n], i = 0, 1" } },
      .wrong = { PAIRS_WRONG("keys"), { AS(Pairs, single), "single numbers are turned, not pairs" } } },
};
EXERCISE("15e", tasks)
