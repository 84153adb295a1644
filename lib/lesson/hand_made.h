// One head made by hand, for chapters 04 to 06: what a word asks for, what it offers, what it hands over, column by column.
#ifndef LESSON_HAND_MADE_H
#define LESSON_HAND_MADE_H

#include "lesson/lesson.h"

enum { HAND_MADE_WIDTH = 6 };

typedef struct {
    Mat wq;                        // (D, 6)  a word that is [row] asks for [column]: see hand_made.c
    Mat wk;                        // (D, 6)  a word offers what it is: noun, verb, adj, alive, place, trade
    Mat wv;                        // (D, 6)  a word hands over: alive, place, trade, moves, not, past
    const char *const *asked;      // the six columns of wq and wk
    const char *const *handed;     // the six columns of wv
} HandMade;

// For the columns of lesson->embeddings; one that is missing there ends the program with a sentence.
HandMade hand_made(Lesson *lesson);

#endif
