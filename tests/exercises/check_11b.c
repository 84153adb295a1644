// Exercise 11b: my_costs. One in a hundred is near enough, so numbers are compared by their logarithms.
#include "base/portable_math.h"
#include "exercises/judge.h"
#include "lesson/machines.h"

typedef void Costs(double *token_bytes, double *user_gb, double *fit, double *alone, double *together);
Costs my_costs;

static const double LAYERS = 40, HEADS = 40, WIDTH = 128, BYTES = 2, WEIGHTS = 13e9, TOKENS = 4096;

static void right_costs(double *token_bytes, double *user_gb, double *fit, double *alone, double *together)
{
    double weights = WEIGHTS * BYTES, cache;
    *token_bytes = 2 * HEADS * WIDTH * LAYERS * BYTES;
    *user_gb = *token_bytes * TOKENS / 1e9;
    cache = *user_gb * 1e9;
    *fit = floor((1e9 * MACHINE_H100.memory - weights) / cache);
    *alone = machine_tokens(MACHINE_H100, weights, cache, 1);
    *together = machine_tokens(MACHINE_H100, weights, cache, 8);
}

static void parts_of_users(double *token_bytes, double *user_gb, double *fit, double *alone, double *together)
{
    right_costs(token_bytes, user_gb, fit, alone, together);
    *fit += 0.1;
}

static double log_of(double value) { return value > 0 ? log(value) : -INFINITY; }

static void judge_cost(Judge *judge, double got, Prediction p)
{
    p.right = log(p.right);
    p.tolerance = log(1.01);
    p.otherwise = arena_format(judge->arena, got == floor(got) ? "%.0f is not it" : "%g is not it", got);
    for (int b = 0; p.beliefs[b].words; b++) p.beliefs[b].value = log(p.beliefs[b].value);
    judge_prediction(judge, isnan(got) ? NAN : log_of(got), p);
}

#define NOT_BYTES "13 billion weights of 16 bits take 26 · 10⁹ bytes"

static void check(Judge *judge, Function f)
{
    double got[5] = { 0 }, right[5], weights = WEIGHTS * BYTES;
    double read = 1e9 * MACHINE_H100.gbytes, memory = 1e9 * MACHINE_H100.memory;
    ((Costs *)f)(&got[0], &got[1], &got[2], &got[3], &got[4]);
    if (got[0] == 0) got[0] = NAN; // nothing is predicted yet
    right_costs(&right[0], &right[1], &right[2], &right[3], &right[4]);
    const double token = right[0], user = right[1], cache = 1e9 * user, alone = right[3], together = right[4];
    // clang-format off
    const Prediction predictions[] = {
        { "my_costs: token_bytes", token, 0,
          "what is kept of a token, in how many heads, in how many layers?", "2 · G · d · L numbers", {
            { token / 2, "this is half: a key and a value are kept, and each of their numbers has 2 bytes" },
            { token / 4, "a key and a value are kept, and each of their numbers has 2 bytes" },
            { token / LAYERS, "this is one layer with all its heads, or one head in all layers" },
            { 2 * token, "this is double: 16 bits are 2 bytes, not 4" } } },
        { "my_costs: user_gb", user, 0,
          "how many tokens has a user, and what takes each?", "tokens · bytes of a token / 10⁹", {
            { cache / 1073741824, "a GB is 10⁹ bytes here, not 2³⁰" },
            { user * 4000 / TOKENS, "a user has 4,096 tokens, not 4,000" },
            { 1e3 * user, "this is in 10⁶ bytes; a GB has 10⁹" }, { cache, "this is in bytes; a GB has 10⁹" } } },
        { "my_costs: fit", right[2], 0,
          "how much of the card is left beside the weights?", "(card − weights) / cache", {
            { floor(memory / cache), "the weights lie there, too" },
            { floor((memory - WEIGHTS) / cache), NOT_BYTES },
            { ceil((memory - weights) / cache), "one too many: a part of a user does not fit" },
            { (memory - weights) / token, "so many tokens fit, and a user has 4,096" } } },
        { "my_costs: alone", alone, 0,
          "what must be read for one token, in bytes?", "bandwidth / (weights + cache)", {
            { read / cache, "the weights are read, too" }, { read / weights, "the cache is read, too" },
            { read / (WEIGHTS + cache), "13 billion weights of 2 bytes are 26 · 10⁹ bytes" },
            { read / memory, "a step reads what it needs, not all that the card has room for" } } },
        { "my_costs: together", together, 0,
          "what do 8 users share in a step, and what has each of them alone?",
          "8 · bandwidth / (weights + 8 · cache)", {
            { alone, "8 users share the weights, so this is too few" },
            { 8 * alone, "each of the 8 has a cache of their own" }, { 8 * read / weights, "the caches are read, too" },
            { together / 8, "this is what each of the 8 gets" } } },
    };
    // clang-format on
    for (int n = 0; n < COUNT(predictions); n++) judge_cost(judge, got[n], predictions[n]);
    judge_trying(judge, "my_costs: fit");
    judge_claim(judge, got[2] == floor(got[2]), (Hints){ "near enough, but users come whole" });
}

static const Task tasks[] = {
    { AS(Costs, my_costs), AS(Costs, right_costs), .check = check,
      .wrong = { { AS(Costs, parts_of_users), "near enough, but users come whole" } } },
};
EXERCISE("11b", tasks)
