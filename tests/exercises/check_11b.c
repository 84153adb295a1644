// Exercise 11b: my_costs.
#include "exercises/predicted.h"
#include "lesson/machines.h"

void my_costs(double *token_bytes, double *user_gb, double *fit, double *alone, double *together);

static const double LAYERS = 40, HEADS = 40, WIDTH = 128, BYTES = 2, WEIGHTS = 13e9, TOKENS = 4096;

// One in a hundred is near enough: of the right number, and of each well-known wrong one, however small.
static void number_case(Judge *judge, double got, Prediction p)
{
    p.tolerance = 0.01 * p.right;
    for (int b = 0; b < MOST_BELIEFS; b++)
        p.beliefs[b].value = fabs(got - p.beliefs[b].value) <= 0.01 * p.beliefs[b].value ? (float)got : INFINITY;
    judge_prediction(judge, (float)got, p);
}

static void cache_cases(Judge *judge, double token_bytes, double user_gb)
{
    double numbers = 2 * HEADS * WIDTH * LAYERS, token = numbers * BYTES;
    if (token_bytes == 0) token_bytes = NAN; // nothing is predicted yet
    number_case(judge, token_bytes,
                (Prediction){
                    .what = "my_costs: token_bytes",
                    .right = token,
                    .question = "what is kept of a token, in how many heads, in how many layers?",
                    .formula = "2 · G · d · L numbers",
                    .beliefs = {
                        { numbers, "this is half: a key and a value are kept, and each of their numbers has 2 bytes" },
                        { numbers / 2, "a key and a value are kept, and each of their numbers has 2 bytes" },
                        { numbers / LAYERS, "these are the numbers of one layer, not yet bytes" },
                        { token / LAYERS, "this is one layer with all its heads, or one head in all layers" },
                        { 2 * token, "this is double: 16 bits are 2 bytes, not 4" },
                        { 8 * token, "this is 8 times as much: 16 bits are 2 bytes" },
                        { 1.5 * token, "queries are not kept: two matrices, not three" },
                        { token / LAYERS / HEADS, "this is one head of one layer" },
                        { token / 1e3, "this is in thousands of bytes; bytes are asked for" },
                        { token / 1024, "this is in KiB; bytes are asked for" },
                        { token * TOKENS, "this is a user's 4,096 tokens: one is asked for" } } });
    number_case(judge, user_gb,
                (Prediction){
                    .what = "my_costs: user_gb",
                    .right = token * TOKENS / 1e9,
                    .question = "how many tokens has a user, and what takes each?",
                    .formula = "tokens · bytes of a token / 10⁹",
                    .beliefs = {
                        { token * TOKENS / 1073741824.0, "a GB is 10⁹ bytes here, not 2³⁰" },
                        { token * 4000 / 1e9, "a user has 4,096 tokens, not 4,000" },
                        { token * TOKENS / 1e6, "this is in 10⁶ bytes; a GB has 10⁹" },
                        { token / 1e6, "this is one token in 10⁶ bytes: a user has 4,096 of them" },
                        { token * TOKENS, "this is in bytes; a GB has 10⁹" },
                        { WEIGHTS * BYTES / 1e9 + token * TOKENS / 1e9, "the weights are no part of a user's cache" },
                        { token * TOKENS / 2e9, "this is half of it: token_bytes has the keys and the values" },
                        { 8 * token * TOKENS / 1e9, "this is what 8 users have together; one is asked for" } } });
}

static void fit_case(Judge *judge, double fit)
{
    double cache = 2 * HEADS * WIDTH * LAYERS * BYTES * TOKENS / 1e9, weights = WEIGHTS * BYTES / 1e9;
    double card = MACHINE_H100.memory;
    number_case(judge, fit,
                (Prediction){
                    .what = "my_costs: fit",
                    .right = floor((card - weights) / cache),
                    .question = "how much of the card is left beside the weights?",
                    .formula = "(card − weights) / cache",
                    .beliefs = {
                        { floor(card / cache), "the weights lie there, too" },
                        { floor((card - weights / BYTES) / cache),
                          "13 billion weights of 16 bits take 26 · 10⁹ bytes" },
                        { ceil((card - weights) / cache), "one too many: a part of a user does not fit" },
                        { card / cache, "the weights lie there, too" },
                        { ceil((card - weights / BYTES) / cache), "13 billion weights of 16 bits take 26 · 10⁹ bytes" },
                        { floor((card - 2 * weights) / cache), "the weights are taken from the card twice" },
                        { 1e9 * (card - weights) / (cache * 1e9 / TOKENS), "so many tokens fit, and a user has 4,096" },
                        { card / (weights + cache), "all users share the weights: they lie there once" },
                        { floor(card / (weights + cache)), "all users share the weights: they lie there once" } } });
    judge_trying(judge, "my_costs: fit");
    judge_claim(judge, fit == floor(fit), (Hints){ "near enough, but users come whole", NULL, NULL });
}

static void speed_cases(Judge *judge, double alone, double together)
{
    double cache = 2 * HEADS * WIDTH * LAYERS * BYTES * TOKENS, weights = WEIGHTS * BYTES;
    double read = 1e9 * MACHINE_H100.gbytes, memory = 1e9 * MACHINE_H100.memory;
    number_case(judge, alone,
                (Prediction){
                    .what = "my_costs: alone",
                    .right = machine_tokens(MACHINE_H100, weights, cache, 1),
                    .question = "what must be read for one token, in bytes?",
                    .formula = "bandwidth / (weights + cache)",
                    .beliefs = {
                        { read / cache, "the weights are read, too" },
                        { read / weights, "the cache is read, too" },
                        { read / (WEIGHTS + cache), "13 billion weights of 2 bytes are 26 · 10⁹ bytes" },
                        { read / memory, "a step reads what it needs, not all that the card has room for" },
                        { 1e3 * (weights + cache) / read, "this is a token's time in ms: how many come in a second?" },
                        { 1e9 * read / (weights + cache),
                          "the card reads 3350 · 10⁹ bytes a second, and the weights are "
                          "26 · 10⁹: one of the two is not in bytes here" },
                        { (weights + cache) / read, "this is a token's time in seconds: how many come in a second?" },
                        { 1e9 * MACHINE_H100.gflops / (2 * WEIGHTS), "so fast it could multiply; it waits for memory" },
                        { read / weights + read / cache,
                          "the two are read one after the other: their times add up, and "
                          "not their rates" },
                        { read * TOKENS / (weights + cache), "a step reads the cache of 4,096 tokens and brings one" },
                        { read * TOKENS / cache, "a step reads all weights, and the cache of all tokens" } } });
    number_case(judge, together,
                (Prediction){
                    .what = "my_costs: together",
                    .right = machine_tokens(MACHINE_H100, weights, cache, 8),
                    .question = "what do 8 users share in a step, and what has each of them alone?",
                    .formula = "8 · bandwidth / (weights + 8 · cache)",
                    .beliefs = {
                        { read / (weights + cache), "8 users share the weights, so this is too few" },
                        { 8 * read / (weights + cache), "each of the 8 has a cache of their own" },
                        { 8 * read / weights, "the caches are read, too" },
                        { read / cache, "the weights are read, too" },
                        { read / (weights + 8 * cache), "this is what each of the 8 gets" },
                        { read / (weights + cache) / 8, "a step serves all 8: they do not wait for each other" },
                        { 8 * read / (8 * weights + cache),
                          "the other way round: the weights are shared, and the caches "
                          "are not" },
                        { 1e3 * (weights + 8 * cache) / read, "this is a step's time in ms, and it brings 8 tokens" },
                        { 8 * read / (WEIGHTS + 8 * cache), "13 billion weights of 2 bytes are 26 · 10⁹ bytes" },
                        { 8 * read / memory, "a step reads what it needs, not all that the card has room for" } } });
}

static void check(Judge *judge)
{
    double token_bytes = 0, user_gb = 0, fit = 0, alone = 0, together = 0;
    my_costs(&token_bytes, &user_gb, &fit, &alone, &together);
    cache_cases(judge, token_bytes, user_gb);
    fit_case(judge, fit);
    speed_cases(judge, alone, together);
}

int main(void) { return judge_main("11b", check); }
