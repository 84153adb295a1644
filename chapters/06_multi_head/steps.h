// Chapter 06. What its steps share, and those that have a file of their own.
#ifndef CHAPTER_06_STEPS_H
#define CHAPTER_06_STEPS_H

#include "attention/multi_head.h"
#include "lesson/hand_made.h"
#include "lesson/verbs.h"
#include "lesson/matrices.h"

#define BANK_SENTENCE "The bank by the river issued a statement."

enum { BANK = 1 }; // its place in that sentence

MultiHead identity_heads(Lesson *lesson, int D, int H); // Wq = Wk = Wv = 1 and no Wo: q = k = v = X
MultiHead bank_weights(Lesson *lesson, const Embeddings *book, int H);

Mat x_by_hand(Lesson *lesson, const char *text);  // what --x says; NULL: the book's
void by_hand(Lesson *lesson, Mat x, Mask mask);   // step 3
void what_wo_is_for(Lesson *lesson, MultiHead m); // step 7

#endif
