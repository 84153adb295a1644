// A head made by hand: training finds such weights itself, but here the reason for each weight is visible. And heads
// with random weights.
#include "lesson/hand_made.h"

#include "base/portable_math.h"

#include <string.h>

static const char *const key_names[HAND_MADE_WIDTH] = { "noun", "verb", "adj", "alive", "place", "trade" };
static const char *const value_names[HAND_MADE_WIDTH] = { "alive", "place", "trade", "moves", "not", "past" };

// A word with property `asker` queries words with property `asked`, with this strength; negative strengths avoid them.
static const struct {
    const char *asker, *asked;
    float strength;
} query_weights[] = {
    { "noun", "verb", 4 },                                                     // nouns look for their verb
    { "verb", "noun", 4 },                                                     // verbs look for their subject or object
    { "adj", "noun", 4 },                                                      // adjectives look for their noun
    { "link", "noun", 6 },   { "link", "verb", -8 },  { "link", "adj", -6 },   // articles look for their noun
    { "alive", "alive", 6 }, { "place", "place", 4 }, { "trade", "trade", 3 }, // similar words look for each other
    { "not", "verb", 8 },    { "not", "noun", -4 },                            // negations look for the verb
    { "much", "adj", 6 },                                                      // adverbs of degree look for adjectives
    { "why", "adj", 6 },     { "why", "noun", -3 },                            // words of reason look for a state
};

HandMade hand_made(Lesson *lesson)
{
    int D = lesson->embeddings.D;
    HeadWeights w = { mat_new(lesson->arena, D, HAND_MADE_WIDTH), mat_new(lesson->arena, D, HAND_MADE_WIDTH),
                      mat_new(lesson->arena, D, HAND_MADE_WIDTH) };
    for (int c = 0; c < HAND_MADE_WIDTH; c++) {
        *mat_ref(w.wk, lesson_column(lesson, key_names[c]), c) = 1.0f;
        *mat_ref(w.wv, lesson_column(lesson, value_names[c]), c) = 1.0f;
    }
    for (size_t n = 0; n < sizeof query_weights / sizeof *query_weights; n++)
        for (int c = 0; c < HAND_MADE_WIDTH; c++)
            if (!strcmp(query_weights[n].asked, key_names[c]))
                *mat_ref(w.wq, lesson_column(lesson, query_weights[n].asker), c) = query_weights[n].strength;
    return (HandMade){ w, key_names, value_names };
}

MultiHead hand_made_random_heads(Lesson *lesson, int D, int H)
{
    MultiHead m = multi_head_new(lesson->arena, D, H);
    Mat both[] = { m.wqkv, m.wo };
    for (int w = 0; w < 2; w++) {
        random_normals(&lesson->random, both[w]);
        for (int i = 0; i < both[w].rows; i++)
            for (int j = 0; j < both[w].cols; j++) *mat_ref(both[w], i, j) /= sqrtf((float)D);
    }
    return m;
}
