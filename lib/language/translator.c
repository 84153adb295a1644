// Chapter 09. Model B: configuration, recipe, batches.
#include "language/translator.h"

#include "language/grammar.h"

#include <string.h>

Config translator_config(int H, int G)
{
    static const int window[] = { 4, 0 };
    return (Config){ .words = words_count(),
                     .outputs = glosses_count(),
                     .D = 64,
                     .H = H,
                     .G = G,
                     .L = 2,
                     .mlp = 128,
                     .positions = CONFIG_POSITIONS_ROPE,
                     .window = window };
}

TrainingRecipe translator_recipe(uint64_t seed)
{
    return (TrainingRecipe){ .steps = 1800,
                             .batch = 64,
                             .warmup = 100,
                             .lr = 3e-3,
                             .plateau = 0.6,
                             .floor = 0.05,
                             .adamw = { 0.9, 0.98, 1e-8, 0.01 },
                             .clip = 1.0,
                             .bonus = 0.1,
                             .ramp = 0.5,
                             .seed = seed };
}

RunBatch translator_sentences_batch(Arena *arena, const GlossedSentence *sentences, int count)
{
    int *start = arena_alloc(arena, (size_t)(count + 1) * sizeof *start);
    for (int b = 0; b < count; b++) start[b + 1] = start[b] + sentences[b].T;
    size_t bytes = (size_t)start[count] * sizeof(int);
    int *tokens = arena_alloc(arena, bytes), *targets = arena_alloc(arena, bytes);
    for (int b = 0; b < count; b++) {
        memcpy(tokens + start[b], sentences[b].words, (size_t)sentences[b].T * sizeof(int));
        memcpy(targets + start[b], sentences[b].glosses, (size_t)sentences[b].T * sizeof(int));
    }
    return (RunBatch){ count, start, tokens, targets };
}

RunBatch translator_batch(Arena *arena, int count, Random *random, const void *corpus)
{
    (void)corpus;
    GlossedSentence *sentences = arena_alloc(arena, (size_t)count * sizeof *sentences);
    for (int b = 0; b < count; b++) grammar_sentence_train(&sentences[b], random);
    return translator_sentences_batch(arena, sentences, count);
}
