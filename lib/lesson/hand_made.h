// Heads for lessons: one made by hand, whose queries, keys and values can be read column by column, and heads with
// random weights.
#ifndef LESSON_HAND_MADE_H
#define LESSON_HAND_MADE_H

#include "attention/multi_head.h"
#include "lesson/lesson.h"

enum { HAND_MADE_WIDTH = 6 };

typedef struct {
    // Wq (D, 6): which property a word of a row's property queries (hand_made.c). Wk (D, 6): the properties of a word
    // as keys: noun, verb, adj, alive, place, trade. Wv (D, 6): its values: alive, place, trade, moves, not, past.
    HeadWeights w;
    const char *const *asked;  // names of the columns of wq and wk
    const char *const *handed; // names of the columns of wv
} HandMade;

// Uses columns of lesson->embeddings; a missing column ends the program with a message.
HandMade hand_made(Lesson *lesson);

// Normal weights divided by √D, so that projections keep the variance. Drawn from lesson->random.
MultiHead hand_made_random_heads(Lesson *lesson, int D, int H);

#endif
