// Exercise 19c: my_bytes.
#include "exercises/predicted.h"

void my_bytes(double *bits, double *token, double *newest, double *pairs, double *kept);

static const double NUMBERS = 32.0 * 2 * 8 * 128, BITS = 4.5, TOKENS = 65536, HEADS = 32 * 8;

// One in a hundred is near enough, of a well-known wrong number as well. 0: nothing is predicted yet.
static void number_case(Judge *judge, double got, Prediction p)
{
    p.tolerance = 0.01 * p.right;
    if (got == 0.0) got = NAN;
    for (int b = 0; b < MOST_BELIEFS; b++) {
        bool near = fabs(got - p.beliefs[b].value) <= 0.01 * p.beliefs[b].value;
        p.beliefs[b].value = near ? (float)got : HUGE_VAL;
    }
    judge_prediction(judge, (float)got, p);
}

static void bits_cases(Judge *judge, double bits, double token)
{
    number_case(judge, bits,
                (Prediction){
                    .what = "my_bytes: bits",
                    .right = BITS,
                    .question = "how many numbers share scale and zero, and what do both "
                                "of them take?",
                    .formula = "bits of a code + bits of scale and zero / numbers of a group",
                    .beliefs = {
                        { 4, "scale and zero are stored, too" },
                        { 4.25, "this is a scale without a zero, or 8 bits for each of the two, or a group of 128" },
                        { 5, "this is scale and zero in 32 bits each, or a group of 32" },
                        { 288, "these are the bits of the whole group: one number of its 64 was asked for" },
                        { 36, "64 numbers share one scale and one zero" },
                        { 4.0625, "scale and zero take 4 bytes, and a byte has 8 bits" },
                        { 8.5, "INT4 is 4 bits, and these are 8" },
                        { 6, "this is a group of 16; here 64 share" } } });
    double right = NUMBERS * BITS / 8;
    number_case(judge, token,
                (Prediction){ .what = "my_bytes: token",
                              .right = right,
                              .question = "how many numbers are kept of a token, and how many "
                                          "bits has each of them?",
                              .formula = "L · 2 · G · d · bits / 8",
                              .beliefs = { { NUMBERS * BITS, "these are bits: a byte has 8" },
                                           { NUMBERS * 4 / 8, "scale and zero are stored, too" },
                                           { NUMBERS * 2, "this is in 16 bits, and not in INT4" },
                                           { right / 2, "this is half: a key and a value are kept" },
                                           { right / 32, "this is one layer of 32" },
                                           { right / 8, "this is one key head of 8" },
                                           { 4 * right, "key heads are kept, not query heads: G = 8" },
                                           { NUMBERS * 4, "this is in 32 bits, and not in INT4" } } });
}

static void newest_case(Judge *judge, double newest)
{
    double right = 63 * NUMBERS * 4;
    number_case(judge, newest,
                (Prediction){
                    .what = "my_bytes: newest",
                    .right = right,
                    .question = "how many tokens can wait, before a block is complete?",
                    .formula = "(block − 1) · L · 2 · G · d · 4",
                    .beliefs = { { right * 64 / 63, "with the 64th token the block is complete, and becomes codes" },
                                 { right / 2, "this is half: they wait in float32, and keys and values both wait" },
                                 { right / 32, "this is one layer of 32" },
                                 { right / 63, "this is one token: up to 63 can wait" },
                                 { right / 8, "this is one key head of 8" },
                                 { 63 * NUMBERS * BITS / 8, "what waits has no codes yet: it is float32" } } });
}

static void pairs_case(Judge *judge, double pairs)
{
    double token = NUMBERS * BITS / 8;
    number_case(judge, pairs,
                (Prediction){
                    .what = "my_bytes: pairs",
                    .right = token / 2,
                    .question = "how many caches are left of 32?",
                    .formula = "bytes of a token / layers that share",
                    .beliefs = {
                        { token, "a layer that reads the cache below keeps nothing of its own" },
                        { NUMBERS, "INT4 stays: this is half of 16 bits" },
                        { token / 4, "this is a quarter: pairs share, not fours, and keys and values go together" },
                        { token / 32, "this is one layer of 32" },
                        { token * 2, "this is more, and not less" },
                        { NUMBERS * 4 / 8 / 2, "scale and zero are stored, too" } } });
}

// Tokens come whole, and one too many does not fit: exact. A well-known wrong number may be one in a hundred off, but
// where it is near the right one.
static void kept_case(Judge *judge, double kept)
{
    double codes = TOKENS * NUMBERS * BITS / 8, each = NUMBERS * 2 + HEADS * 8, right = floor(codes / each);
    judge_trying(judge, "my_bytes: kept");
    judge_claim(judge, fabs(kept - codes / each) > 0.1 || kept == floor(kept),
                (Hints){ "near enough, but tokens come whole", NULL, NULL });
    judge_claim(judge, kept <= right || kept > 1.001 * right,
                (Hints){ "so many take a little more than the codes do", "which whole number still fits?", NULL });
    Prediction p = {
        .what = "my_bytes: kept",
        .right = right,
        .tolerance = 0.5,
        .question = "what do 65,536 tokens take as INT4, "
                    "and what does one token take in 16 bits with its weight and number?",
        .formula = "tokens · INT4 bytes / (16-bit bytes + 8 · G · L)",
        .beliefs = { { floor(codes / (NUMBERS * 2)), "the weight and the number of a kept token take bytes, "
                                                     "in each key head of each layer" },
                     { TOKENS, "a kept token has 16 bits a number here, and not 4" },
                     { floor(codes / (NUMBERS * 4 + HEADS * 8)), "this is half: a kept token has 16 bits a "
                                                                 "number, and not 32, and no layers share here" },
                     { floor(TOKENS / 4), "scale, zero, weight and number: each takes bytes" },
                     { floor(codes / (NUMBERS * 2 + HEADS * 4)), "a weight and a number, 4 bytes for each of the two" },
                     { floor(codes / (NUMBERS * 2 + 8 * 8)), "weight and number are kept in each layer, too" },
                     { floor(codes / (NUMBERS * 2 + 32 * 8)), "weight and number are kept in each key head, too" },
                     { floor(codes / (NUMBERS * 2 + 8)), "this has one weight and one number a token; each key head of "
                                                         "each layer keeps its own" } }
    };
    for (int b = 0; b < MOST_BELIEFS; b++) {
        double value = p.beliefs[b].value, near = fabs(value - right) > 0.1 * right ? 0.01 : 0.00002;
        if (fabs(kept - value) <= near * value) p.beliefs[b].value = kept;
    }
    judge_predicted(judge, kept == 0.0 ? (double)NAN : kept, 0.5, p);
}

static void check(Judge *judge)
{
    double bits = 0, token = 0, newest = 0, pairs = 0, kept = 0;
    my_bytes(&bits, &token, &newest, &pairs, &kept);
    bits_cases(judge, bits, token);
    newest_case(judge, newest);
    pairs_case(judge, pairs);
    kept_case(judge, kept);
}

int main(void) { return judge_main("19c", check); }
