// Exercise 15e: my_bf16, my_key_pairs and my_value_pairs.
#include "base/portable_math.h"
#include "kernels/bf16.h"
#include "base/random.h"
#include "exercises/judge.h"

#include <string.h>

float my_bf16(float x);
void my_key_pairs(Mat to, Mat k);
void my_value_pairs(Mat to, Mat v);

// ---- numbers

typedef enum {
    NEAREST,
    CUT,
    HALF_UP,
    HALF_DOWN,
    HALF_ODD,
    BIT_17,
    ALWAYS_UP,
    DOWNWARDS,
    AS_IT_WAS,
    EIGHT_BITS,
    SIX_BITS,
    TEN_BITS,
    AS_NUMBER,
    NO_SIGN,
    NOTHING,
    WAYS
} Way;

// What is added before the lower half is cut off says how it is rounded.
static float rounded(float x, Way way)
{
    static const uint32_t add[WAYS] = {
        [HALF_UP] = 0x8000, [HALF_DOWN] = 0x7fff, [ALWAYS_UP] = 0xffff, [EIGHT_BITS] = 0x4000
    };
    uint32_t bits;
    if (way == NOTHING) return 0.0f;
    if (way == AS_IT_WAS) return x;
    if (way == NEAREST) return bf16_value(bf16_of(x));
    memcpy(&bits, &x, sizeof bits);
    if (way == AS_NUMBER) return (float)(bf16_of(x));
    if (way == SIX_BITS || way == TEN_BITS) { // to the even one, too, at another place
        int cut = way == SIX_BITS ? 17 : 13;
        bits += (1u << (cut - 1)) - 1 + (bits >> cut & 1);
        bits = bits >> cut << cut;
        memcpy(&x, &bits, sizeof x);
        return x;
    }
    if (way == DOWNWARDS && x < 0) way = ALWAYS_UP;
    if (way == NO_SIGN) return fabsf(bf16_value(bf16_of(x)));
    if (way == HALF_ODD) bits += 0x8000 - (bits >> 16 & 1);
    if (way == BIT_17) bits += 0x7fff + (bits >> 17 & 1);
    bits = (bits + add[way]) & (way == EIGHT_BITS ? 0xffff8000 : 0xffff0000);
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void numbers(Judge *judge, const char *which, const float *x, int n)
{
    Mat got = judge_output(judge, 1, n), of[WAYS];
    for (Way way = NEAREST; way < WAYS; way++) of[way] = mat_new(judge->arena, 1, n);
    judge_trying(judge, "my_bf16 of %s", which);
    for (int i = 0; i < n; i++) {
        got.at[i] = my_bf16(x[i]);
        for (Way way = NEAREST; way < WAYS; way++) of[way].at[i] = rounded(x[i], way);
        judge_claim(
            judge, got.at[i] == 0.0f || !(fabsf(got.at[i]) < 1e-30f),
            (Hints){
                .property =
                    "the upper half of the bits is empty: a bf16 as a float has its bits there, and zeros below" });
    }
    judge_answer(judge,
                 (Answer){
                     .got = got,
                     .expected = of[NEAREST],
                     .tolerance = 1e-9f,
                     .hints = { .property =
                                    "this is not the nearest number whose lower 16 bits are 0, or of two as near not "
                                    "the even one",
                                .question = "how large is what you cut off, beside the last bit that stays?",
                                .formula = "add 0x7fff and the last bit that stays, then cut the lower 16 bits off" },
                     .mistakes = {
                         { "0 each time: it is still the stub, or it has kept the lower half of the bits",
                           of[NOTHING] },
                         { "the upper half has been taken for a whole number: these bits are a float where they stood",
                           of[AS_NUMBER] },
                         { "the sign is gone: it is the first of the bits that stay", of[NO_SIGN] },
                         { "15 bits are left: one too few behind the point", of[SIX_BITS] },
                         { "10 bits are left behind the point, as in float16: a bf16 has 7", of[TEN_BITS] },
                         { "half-way it is rounded towards 0 each time; to the even one it should be", of[HALF_DOWN] },
                         { "the lower bits are cut off: that is the next number towards 0, not the nearest", of[CUT] },
                         { "it is rounded down each time, however near the other one is", of[DOWNWARDS] },
                         { "half-way it is rounded away from 0 each time; to the even one it should be", of[HALF_UP] },
                         { "half-way it is rounded to the odd one each time; to the even one it should be",
                           of[HALF_ODD] },
                         { "half-way the last bit that stays decides: it is bit 16, the lowest being bit 0",
                           of[BIT_17] },
                         { "it is rounded away from 0 each time, however near the other one is", of[ALWAYS_UP] },
                         { "nothing has been rounded", of[AS_IT_WAS] },
                         { "17 bits are left: one too many behind the point", of[EIGHT_BITS] } } });
}

static void not_a_number(Judge *judge)
{
    uint32_t bits = 0x7f800001; // all its ones but one are above the cut
    float x;
    memcpy(&x, &bits, sizeof x);
    judge_trying(judge, "my_bf16 of a NaN whose only set bit behind the point is the last");
    judge_claim(judge, isnan(my_bf16(x)),
                (Hints){ .property = "a NaN has become a number or ∞",
                         .question = "which bit behind the point of this NaN is left when the lower half is gone?" });
    bits = 0x7fffffff;
    memcpy(&x, &bits, sizeof x);
    judge_trying(judge, "my_bf16 of a NaN whose bits behind the point are all set");
    judge_claim(judge, isnan(my_bf16(x)),
                (Hints){ .property =
                             "a NaN has become a number: what was added has run through its exponent, into the sign",
                         .question = "is it asked first whether x is NaN?" });
}

// ---- tiles

typedef enum {
    PAIRS,
    AS_IS,
    TURNED,
    SIDE_BY_SIDE,
    FAR_APART,
    TWO_BLOCKS,
    SWAPPED,
    SAME_TWICE,
    ROUNDED,
    LAST_FIRST,
    ORDERS
} Order;

// Which element of `from` stands at place n of row p. With `values`, pairs are neighbours among the rows.
static float element(Mat from, int p, int n, Order order, bool values)
{
    int first = n / 2, which = 2 * p + n % 2;
    if (order == AS_IS) return from.at[p * 32 + n];
    if (order == TURNED) return values ? *mat_ref(from, n, p) : *mat_ref(from, (p * 32 + n) % 16, (p * 32 + n) / 16);
    if (order == SIDE_BY_SIDE) {
        first = n % 16;
        which = 2 * p + n / 16;
    }
    if (order == FAR_APART) which = p + 16 * (n % 2);
    if (order == TWO_BLOCKS) {
        first = n % 16;
        which = p + n / 16 * 16;
    }
    if (order == SAME_TWICE) which = 2 * p;
    if (order == LAST_FIRST) which = 30 - 2 * p + n % 2;
    if (order == SWAPPED) which = 2 * p + 1 - n % 2;
    float number = values ? *mat_ref(from, which, first) : *mat_ref(from, first, which);
    return order == ROUNDED ? bf16_value(bf16_of(number)) : number;
}

static void tile(Judge *judge, bool values)
{
    Random random = random_from(15);
    Mat from = mat_new(judge->arena, values ? 32 : 16, values ? 16 : 32), of[ORDERS], got = judge_output(judge, 16, 32);
    random_normals(&random, from);
    for (Order order = PAIRS; order < ORDERS; order++) {
        of[order] = mat_new(judge->arena, 16, 32);
        for (int e = 0; e < 16 * 32; e++) of[order].at[e] = element(from, e / 32, e % 32, order, values);
    }
    const char *what = values ? "keys" : "channels";
    judge_trying(judge, values ? "my_value_pairs of 32 keys, 16 channels" : "my_key_pairs of 16 keys, 32 channels");
    if (values) my_value_pairs(got, from);
    else my_key_pairs(got, from);
    Answer answer = {
        .got = got,
        .expected = of[PAIRS],
        .tolerance = 1e-9f,
        .hints = { .property = arena_format(judge->arena, "row p holds %s 2p and 2p + 1", what),
                   .question = "where in row p is the pair of number n?",
                   .formula =
                       values ? "to[p][2n + i] = v[2p + i][n], i = 0, 1" : "to[p][2n + i] = k[n][2p + i], i = 0, 1" },
        .mistakes = { { arena_format(judge->arena,
                                     "the first numbers of all pairs, then the second ones: the two %s of a pair "
                                     "must be neighbours",
                                     what),
                        of[SIDE_BY_SIDE] },
                      { "the rows stand as they were; pairs are to be turned", of[AS_IS] },
                      { arena_format(judge->arena, "row p has %s p and p + 16 together", what), of[FAR_APART] },
                      { arena_format(judge->arena,
                                     "two halves on their side, one beside the other: row p has %s p and p + 16, "
                                     "and no pairs",
                                     what),
                        of[TWO_BLOCKS] },
                      { arena_format(judge->arena,
                                     "the second number of each pair is the first once more: 2p and 2p + 1 are two "
                                     "%s",
                                     what),
                        of[SAME_TWICE] },
                      { "the pairs stand from the last to the first", of[LAST_FIRST] },
                      { "the numbers have been rounded: here they only take their places", of[ROUNDED] },
                      { arena_format(judge->arena, "the two %s of each pair have changed places", what), of[SWAPPED] },
                      { "single numbers are turned, not pairs", of[TURNED] } }
    };
    judge_answer(judge, answer);
}

static void check(Judge *judge)
{
    numbers(judge, "1, -2, 0.5, 3.140625: these are bf16 already", (float[]){ 1.0f, -2.0f, 0.5f, 3.140625f }, 4);
    numbers(judge, "3.1415927, 0.1, 1.006, -1.3, -2.7182818", (float[]){ 3.1415927f, 0.1f, 1.006f, -1.3f, -2.7182818f },
            5);
    numbers(judge, "1 + 1/256, 1 + 3/256, 1 + 5/256, 1 + 7/256: half-way",
            (float[]){ 1.00390625f, 1.01171875f, 1.01953125f, 1.02734375f }, 4);
    not_a_number(judge);
    tile(judge, false);
    tile(judge, true);
}

int main(void) { return judge_main("15e", check); }
