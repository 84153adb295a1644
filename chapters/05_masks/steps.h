// Chapter 05. What its steps share, and those that have a file of their own.
#ifndef CHAPTER_05_STEPS_H
#define CHAPTER_05_STEPS_H

#include "attention/self_attention.h"
#include "lesson/hand_made.h"
#include "lesson/verbs.h"
#include "lesson/matrices.h"

static const Mask EVERYTHING = { 0 };

typedef struct {
    HeadWeights w;        // the head made by hand, for the reader's words
    HeadProjections p;    // q, k, v of the sentence
    Attended all, causal; // the sentence without a mask and with one
    int word;             // whose row is explained
} Head;

Attended attend(Arena *arena, Mat q, Mat k, Mat v, Mask mask); // what attention gives, in memory of its own
int rows_moved(Mat before, Mat after, int count);              // how many of the first rows differ

void before_the_softmax(Lesson *lesson, const Head *h);         // step 1
void packed(Lesson *lesson, Lesson *book);                      // step 6
void nothing_to_see(Lesson *lesson, const Head *h, float hide); // step 8

#endif
