// Exercise 11b: my_costs.
#include "exercises/judge.h"
#include "lesson/machines.h"

#include <math.h>

void my_costs(double *token_bytes, double *user_gb, double *fit, double *alone, double *together);

static const double LAYERS = 40, HEADS = 40, WIDTH = 128, BYTES = 2, WEIGHTS = 13e9, TOKENS = 4096;

static Mat number(Arena *arena, double value)
{
    float narrow = (float)value;
    return mat_of(arena, 1, 1, &narrow);
}

// A number within one in a hundred; what else it may be, in pairs of words and values.
typedef struct { const char *words; double value; } Known;

static void number_case(Judge *judge, const char *what, double got, double expected, Hints hints, const Known *known)
{
    judge_trying(judge, "my_costs: %s", what);
    Answer answer = { .got = number(judge->arena, got), .expected = number(judge->arena, expected), .tolerance = 0.01f,
                      .hints = hints };
    for (int k = 0; k < 5 && known[k].words; k++)
        answer.mistakes[k] = (Mistake){ known[k].words, number(judge->arena, known[k].value) };
    judge_answer(judge, answer);
}

static void cache_cases(Judge *judge, double token_bytes, double user_gb)
{
    double numbers = 2 * HEADS * WIDTH * LAYERS, token = numbers * BYTES;
    number_case(judge, "token_bytes", token_bytes, token,
                (Hints){ .property = token_bytes == 0 ? "it is 0 still"
                             : arena_format(judge->arena, "this is %.3g times what it is", token_bytes / token),
                         .question = "what is kept of a token, in how many heads, in how many layers?",
                         .formula = "2 · G · d · L numbers" },
                (const Known[5]){ { "this is half: a key and a value are kept, and each of their numbers has 2 bytes",
                                    numbers },
                                  { "this is one layer", token / LAYERS },
                                  { "16 bits are 2 bytes, not 4", 2 * token },
                                  { "queries are not kept: two matrices, not three", 1.5 * token } });
    number_case(judge, "user_gb", user_gb, token * TOKENS / 1e9,
                (Hints){ .question = "how many tokens has a user, and what takes each?" },
                (const Known[5]){ { "a GB is 10⁹ bytes here, not 2³⁰", token * TOKENS / 1073741824.0 },
                                  { "this is one token in 10⁶ bytes: a user has 4,096 of them", token / 1e6 } });
}

static void speed_cases(Judge *judge, double alone, double together)
{
    double cache = 2 * HEADS * WIDTH * LAYERS * BYTES * TOKENS, weights = WEIGHTS * BYTES;
    double read = 1e9 * MACHINE_H100.gbytes;
    number_case(judge, "alone", alone, machine_tokens(MACHINE_H100, weights, cache, 1),
                (Hints){ .property = "a step reads what it needs once, and writes one token",
                         .question = "what must be read for one token, in bytes?",
                         .formula = "bandwidth / (weights + cache)" },
                (const Known[5]){ { "the weights are read, too", read / cache },
                                  { "the cache is read, too", read / weights },
                                  { "13 billion weights of 2 bytes are 26 · 10⁹ bytes", read / (WEIGHTS + cache) } });
    number_case(judge, "together", together, machine_tokens(MACHINE_H100, weights, cache, 8),
                (Hints){ .property = "a step now writes 8 tokens",
                         .question = "what do 8 users share in a step, and what has each of them alone?",
                         .formula = "8 · bandwidth / (weights + 8 · cache)" },
                (const Known[5]){ { "8 users share the weights, so this is too few",
                                    read / (weights + cache) },
                                  { "each of the 8 has a cache of their own", 8 * read / (weights + cache) },
                                  { "this is what each of the 8 gets", read / (weights + 8 * cache) } });
}

static void check(Judge *judge)
{
    double token_bytes = 0, user_gb = 0, fit = 0, alone = 0, together = 0;
    my_costs(&token_bytes, &user_gb, &fit, &alone, &together);
    cache_cases(judge, token_bytes, user_gb);
    double cache = 2 * HEADS * WIDTH * LAYERS * BYTES * TOKENS / 1e9, weights = WEIGHTS * BYTES / 1e9;
    number_case(judge, "fit", fit, floor((MACHINE_H100.memory - weights) / cache),
                (Hints){ .question = "how much of the card is left beside the weights?" },
                (const Known[5]){ { "the weights lie there, too", floor(MACHINE_H100.memory / cache) },
                                  { "16 bits: the weights take 26 · 10⁹ bytes",
                                    floor((MACHINE_H100.memory - weights / 2) / cache) },
                                  { "one too many: a part of a user does not fit",
                                    ceil((MACHINE_H100.memory - weights) / cache) } });
    speed_cases(judge, alone, together);
}

int main(void) { return judge_main("11b", check); }
