// The head made by hand: a trained head finds such numbers itself (chapter 09), here a reader can see why each is
// there. And heads whose numbers say nothing at all.
#include "lesson/hand_made.h"

#include "base/portable_math.h"

#include <string.h>

static const char *const asked[HAND_MADE_WIDTH] = { "noun", "verb", "adj", "alive", "place", "trade" };
static const char *const handed[HAND_MADE_WIDTH] = { "alive", "place", "trade", "moves", "not", "past" };

// A word that is `asker` asks for words that are `asked`, this strongly; a negative strength avoids them.
static const struct {
    const char *asker, *asked;
    float strength;
} wishes[] = {
    { "noun", "verb", 4 },                                                     // a noun asks what it does
    { "verb", "noun", 4 },                                                     // a verb asks who or what it is about
    { "adj", "noun", 4 },                                                      // a quality asks whose it is
    { "link", "noun", 6 },   { "link", "verb", -8 },  { "link", "adj", -6 },   // an article belongs to a noun
    { "alive", "alive", 6 }, { "place", "place", 4 }, { "trade", "trade", 3 }, // like asks for like
    { "not", "verb", 8 },    { "not", "noun", -4 },                            // a denial asks what is denied
    { "much", "adj", 6 },                                                      // a degree asks of what
    { "why", "adj", 6 },     { "why", "noun", -3 },                            // a reason asks for a state
};

HandMade hand_made(Lesson *lesson)
{
    int D = lesson->embeddings.D;
    HeadWeights w = { mat_new(lesson->arena, D, HAND_MADE_WIDTH), mat_new(lesson->arena, D, HAND_MADE_WIDTH),
                      mat_new(lesson->arena, D, HAND_MADE_WIDTH) };
    for (int c = 0; c < HAND_MADE_WIDTH; c++) {
        *mat_ref(w.wk, lesson_column(lesson, asked[c]), c) = 1.0f;
        *mat_ref(w.wv, lesson_column(lesson, handed[c]), c) = 1.0f;
    }
    for (size_t n = 0; n < sizeof wishes / sizeof *wishes; n++)
        for (int c = 0; c < HAND_MADE_WIDTH; c++)
            if (!strcmp(wishes[n].asked, asked[c]))
                *mat_ref(w.wq, lesson_column(lesson, wishes[n].asker), c) = wishes[n].strength;
    return (HandMade){ w, asked, handed };
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
