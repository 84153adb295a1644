// Chapter 22. Random facts, noise and questions.
#include "language/facts.h"

static const char *const subjects[FACTS_SUBJECTS] = {
    "ant", "ape", "bat", "bee", "boa", "cat", "cod", "cow", "doe", "dog", "eel", "elk", "emu", "ewe", "fly", "fox",
    "gnu", "hen", "hog", "jay", "koi", "owl", "ox",  "pig", "pug", "ram", "rat", "ray", "roe", "sow", "tit", "yak",
};
static const char *const values[FACTS_VALUES] = {
    "red", "tan", "shy", "old", "wet", "big", "hot", "sad", "bad", "dry", "mad", "odd", "raw", "sly", "fat", "dim",
};

// Subjects of the facts, and their positions in the text: the first FACTS_COUNT of a random permutation each.
void facts_text(int *tokens, int *targets, int *at, int length, Random *random)
{
    REQUIRE(length >= FACTS_COUNT, "%d tokens have no room for %d facts", length, FACTS_COUNT);
    Arena *scratch = arena_open();
    int order[FACTS_SUBJECTS], *positions = arena_alloc(scratch, (size_t)length * sizeof *positions),
                               questions[FACTS_COUNT];
    for (int s = 0; s < FACTS_SUBJECTS; s++) order[s] = s;
    for (int t = 0; t < length; t++) positions[t] = t;
    for (int f = 0; f < FACTS_COUNT; f++) questions[f] = f;
    random_shuffle(random, order, FACTS_SUBJECTS);
    random_shuffle(random, positions, length);
    random_shuffle(random, questions, FACTS_COUNT);

    // 1. Noise everywhere, then facts at their positions.
    for (int t = 0; t < length; t++) {
        tokens[t] = FACTS_SUBJECTS * FACTS_VALUES + random_below(random, FACTS_NOISE);
        targets[t] = -1;
    }
    for (int f = 0; f < FACTS_COUNT; f++)
        tokens[positions[f]] = order[f] * FACTS_VALUES + random_below(random, FACTS_VALUES);

    // 2. Questions, in another order.
    for (int n = 0; n < FACTS_COUNT; n++) {
        int f = questions[n];
        at[n] = positions[f];
        tokens[length + n] = FACTS_QUESTIONS + order[f];
        targets[length + n] = tokens[positions[f]] % FACTS_VALUES;
    }
    arena_close(scratch);
}

char *facts_name(Arena *arena, int token)
{
    REQUIRE(token >= 0 && token < FACTS_WORDS, "token %d of %d", token, FACTS_WORDS);
    if (token >= FACTS_QUESTIONS) return arena_format(arena, "%s?", subjects[token - FACTS_QUESTIONS]);
    int noise = token - FACTS_SUBJECTS * FACTS_VALUES;
    if (noise >= 0) return arena_format(arena, "%c%c", "hlmn"[noise / 8], "aeiouwyz"[noise % 8]);
    return arena_format(arena, "%s:%s", subjects[token / FACTS_VALUES], values[token % FACTS_VALUES]);
}

const char *facts_value(int value) { return values[value]; }

Config facts_config(int heads)
{
    return (Config){
        .words = FACTS_WORDS, .outputs = FACTS_VALUES, .D = 32, .H = heads, .G = heads, .L = 1, .causal = true
    };
}

TrainingRecipe facts_recipe(uint64_t seed)
{
    return (TrainingRecipe){ .steps = 400,
                             .batch = 32,
                             .warmup = 20,
                             .lr = 1e-2,
                             .plateau = 0.5,
                             .floor = 0.05,
                             .clip = 1.0,
                             .seed = seed,
                             .adamw = { 0.9, 0.99, 1e-8, 0.0 } };
}

RunBatch facts_batch(Arena *arena, int count, Random *random, const void *corpus)
{
    (void)corpus;
    enum { T = FACTS_LENGTH + FACTS_COUNT };
    int *start = arena_alloc(arena, (size_t)(count + 1) * sizeof *start), at[FACTS_COUNT];
    size_t bytes = (size_t)count * T * sizeof(int);
    int *tokens = arena_alloc(arena, bytes), *targets = arena_alloc(arena, bytes);
    for (int b = 0; b < count; b++) {
        start[b + 1] = (b + 1) * T;
        facts_text(tokens + b * T, targets + b * T, at, FACTS_LENGTH, random);
    }
    return (RunBatch){ count, start, tokens, targets };
}
