// Exercise 17c: six predictions.
#include "exercises/judge.h"

typedef float Predict(void);
Predict my_bytes_a_token, my_equal_groups, my_bytes_on_eight_cards, my_multiplications_a_key, my_flops_a_byte,
    my_crossing;

enum { L = 40, H = 32, D = 64, C = 256, DR = 32 };
#define TOKEN (2.0 * L * (C + DR)) // bytes
#define KEY   (H * (2.0 * C + DR)) // multiplications
#define BOTH  (2.0 * D)            // a key and a value

// clang-format off
static const Prediction predictions[] = {
    { "the bytes of one token", TOKEN, 0.5,
      "which numbers are kept of a token in a layer, and does it matter how many heads read them?",
      "L · (c + dr) · 2", {
        { TOKEN * H, "this has a latent for each head: all heads share one" },
        { 2 * L * C, "the turned key is missing: it is kept beside the latent" }, { TOKEN / L, "this is one layer" },
        { 2 * TOKEN, "twice too much: a number has 16 bits, and keys and values are made of one latent" } } },
    { "key heads of GQA for as many bytes", (C + DR) / BOTH, 0,
      "how many numbers does GQA keep of a token in a layer for each key head?", "(c + dr) / 2d", {
        { (double)(C + DR) / D, "a key head has a key and a value; and its numbers have 2 bytes, too" },
        { L * (C + DR) / BOTH, "this is of all layers: GQA has its key heads in each of them" },
        { C / BOTH, "the turned key is kept, too; and the number need not be whole" },
        { BOTH / (C + DR), "the other way round" } } },
    { "what 8 cards hold of a token", 8 * TOKEN, 0.5, "which part of a row do the heads of one card read?",
      "8 · L · (c + dr) · 2", {
        { TOKEN, "each card would keep an eighth of each row; but each of its heads reads whole rows" },
        { H / 8 * TOKEN, "this has a row for each head of one card: they read the same one" },
        { TOKEN / 8, "this is an eighth of what one card held" },
        { H * TOKEN, "this has a row for each head: the heads of a card read the same one" } } },
    { "multiplications a key, absorbed", KEY, 0.5,
      "how wide is what a head's query meets, and how wide is what it mixes?", "H · (2c + dr)", {
        { KEY / H, "this is one head" },
        { H * (BOTH + DR), "these are keys and values that were made; absorbed, heads meet the rows" },
        { L * KEY, "these are all layers; one was asked for" }, { 2 * H * C, "the turned key is looked at, too" } } },
    { "FLOPs a byte", KEY / (C + DR), 0.5,
      "how many bytes is a row, and is the latent read a second time where it is mixed?",
      "2 · H · (2c + dr) / (2 · (c + dr))", {
        { KEY / (2.0 * (C + DR)), "half of it: a multiplication and its addition are two FLOPs, and a number has "
                                  "2 bytes" },
        { 2 * KEY / (C + DR), "twice as much: a number has 2 bytes" },
        { KEY / (2.0 * C + DR), "values are mixed of the same row: it is looked at and mixed. (Or the latent is read "
                                "twice: once is enough)" },
        { KEY / H / (C + DR), "this is one head: all heads meet the bytes of one row" } } },
    { "queries from which it pays to make keys and values", 86, 0.01,
      "what does making one key and value cost, for one head, and how much less does each query then take with it?",
      "c (d + dv) / (2c − d − dv)", {
        { 85, "to the next whole number at which it is less" },
        { C * BOTH / (2 * C - BOTH), "queries come whole: the next whole number is asked for" },
        { 64, "a query with a key that was made is not free" },
        { 79, "dr makes no difference: both forms have it" } } },
};
// clang-format on

static void check(Judge *judge, Function f)
{
    static Predict *const said[] = { my_bytes_a_token,         my_equal_groups, my_bytes_on_eight_cards,
                                     my_multiplications_a_key, my_flops_a_byte, my_crossing };
    (void)f;
    for (int n = 0; n < COUNT(said); n++) judge_prediction(judge, (double)said[n](), predictions[n]);
}

static const Task tasks[] = { { .check = check } };
EXERCISE("17c", tasks)
