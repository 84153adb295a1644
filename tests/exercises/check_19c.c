// Exercise 19c: my_bytes.
#include "base/portable_math.h"
#include "exercises/judge.h"

void my_bytes(double *bits, double *token, double *newest, double *pairs, double *kept);

// Numbers of a token, its bytes as INT4, bytes of the newest 63 tokens, and of the codes of 65,536 tokens.
#define NUMBERS (32.0 * 2 * 8 * 128)
#define TOKEN   (NUMBERS * 4.5 / 8)
#define NEWEST  (63 * NUMBERS * 4)
#define CODES   (65536 * TOKEN)

// clang-format off
static const Prediction predictions[] = {
    { "my_bytes: bits", 4.5, 0.045, "how many numbers share scale and zero, and what do both of them take?",
      "bits of a code + bits of scale and zero / numbers of a group", {
        { 4, "scale and zero are stored, too" },
        { 4.25, "this is a scale without a zero, or 8 bits for each of the two, or a group of 128" },
        { 5, "this is scale and zero in 32 bits each, or a group of 32" },
        { 288, "these are the bits of the whole group: one number of its 64 was asked for" },
        { 36, "64 numbers share one scale and one zero" },
        { 4.0625, "scale and zero take 4 bytes, and a byte has 8 bits" },
        { 8.5, "INT4 is 4 bits, and these are 8" },
        { 6, "this is a group of 16; here 64 share" } } },
    { "my_bytes: token", TOKEN, 0.01 * TOKEN, "how many numbers are kept of a token, and how many bits has each of them?",
      "L · 2 · G · d · bits / 8", {
        { 8 * TOKEN, "these are bits: a byte has 8" },
        { NUMBERS / 2, "scale and zero are stored, too" },
        { NUMBERS * 2, "this is in 16 bits, and not in INT4" },
        { TOKEN / 2, "this is half: a key and a value are kept" },
        { TOKEN / 32, "this is one layer of 32" },
        { TOKEN / 8, "this is one key head of 8" },
        { NUMBERS * 4, "this is in 32 bits, and not in INT4" },
        { TOKEN * 4, "key heads are kept, not query heads: G = 8" } } },
    { "my_bytes: newest", NEWEST, 0.01 * NEWEST, "how many tokens can wait, before a block is complete?",
      "(block − 1) · L · 2 · G · d · 4", {
        { NEWEST / 63 * 64, "with the 64th token the block is complete, and becomes codes" },
        { NEWEST / 2, "this is half: they wait in float32, and keys and values both wait" },
        { NEWEST / 32, "this is one layer of 32" },
        { NEWEST / 8, "this is one key head of 8" },
        { NEWEST / 63, "this is one token: up to 63 can wait" },
        { 63 * TOKEN, "what waits has no codes yet: it is float32" } } },
    { "my_bytes: pairs", TOKEN / 2, 0.01 * TOKEN / 2, "how many caches are left of 32?",
      "bytes of a token / layers that share", {
        { TOKEN, "a layer that reads the cache below keeps nothing of its own" },
        { NUMBERS, "INT4 stays: this is half of 16 bits" },
        { TOKEN / 4, "this is a quarter: pairs share, not fours, and keys and values go together" },
        { TOKEN / 32, "this is one layer of 32" },
        { TOKEN * 2, "this is more, and not less" },
        { NUMBERS / 4, "scale and zero are stored, too" } } },
    { "my_bytes: kept", 18148, 0.01,
      "what do 65,536 tokens take as INT4, and what does one token take in 16 bits with its weight and number?",
      "tokens · INT4 bytes / (16-bit bytes + 8 · G · L)", {
        { CODES / (NUMBERS * 2 + 2048), "near enough, but tokens come whole" },
        { 18149, "so many take a little more than the codes do" },
        { 18432, "the weight and the number of a kept token take bytes, in each key head of each layer" },
        { 65536, "a kept token has 16 bits a number here, and not 4" },
        { 16384, "scale, zero, weight and number: each takes bytes" },
        { 18289, "a weight and a number, 4 bytes for each of the two" },
        { 18423, "weight and number are kept in each layer, too" },
        { 18396, "weight and number are kept in each key head, too" },
        { 18430, "this has one weight and one number a token; each key head of each layer keeps its own" } } },
};
// clang-format on

// A known wrong number may be one in a hundred off, too, unless it is near the right one.
static void check(Judge *judge, Function f)
{
    double got[] = { 0, 0, 0, 0, 0 };
    (void)f;
    my_bytes(&got[0], &got[1], &got[2], &got[3], &got[4]);
    for (int n = 0; n < COUNT(predictions); n++) {
        Prediction p = predictions[n];
        for (int b = 0; b < MOST_BELIEFS; b++) {
            double *value = &p.beliefs[b].value, near = fabs(*value - p.right) > 0.1 * p.right ? 0.01 : 0.00002;
            if (fabs(got[n] - *value) <= near * *value) *value = got[n];
        }
        judge_prediction(judge, got[n] == 0.0 ? (double)NAN : got[n], p);
    }
}

static const Task tasks[] = { { .check = check } };
EXERCISE("19c", tasks)
