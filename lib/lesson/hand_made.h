// Heads for chapters 04 to 08 and 11: one made by hand, which says column by column what a word asks for, what it
// offers and what it hands over; and heads of random weights.
#ifndef LESSON_HAND_MADE_H
#define LESSON_HAND_MADE_H

#include "attention/multi_head.h"
#include "lesson/lesson.h"

enum { HAND_MADE_WIDTH = 6 };

typedef struct {
    // Wq (D, 6): a word that is [row] asks for [column], see hand_made.c. Wk (D, 6): a word offers what it is: noun,
    // verb, adj, alive, place, trade. Wv (D, 6): it hands over: alive, place, trade, moves, not, past.
    HeadWeights w;
    const char *const *asked;  // the six columns of wq and wk
    const char *const *handed; // the six columns of wv
} HandMade;

// For the columns of lesson->embeddings; one that is missing there ends the program with a sentence.
HandMade hand_made(Lesson *lesson);

// Weights of the size that keeps the variance of what passes through them: normals of the lesson's, divided by √D.
MultiHead hand_made_random_heads(Lesson *lesson, int D, int H);

#endif
