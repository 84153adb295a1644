// Chapter 07. What its steps share, and the steps.
#ifndef CHAPTER_07_STEPS_H
#define CHAPTER_07_STEPS_H

#include "attention/positions.h"
#include "attention/self_attention.h"
#include "lesson/hand_made.h"
#include "lesson/verbs.h"
#include "lesson/matrices.h"

static const Mask EVERYTHING = { 0 }, CAUSAL = { .causal = true };

enum { FAR = 1000000 }; // a position that no table was made for

// Two sentences of the same five words, and where each word of the first stands in the second.
enum { DOG = 1, FIVE = 5 };
static const char *const followed[] = { "the dog followed the cat", "the cat followed the dog" };
static const int moved_to[FIVE] = { 0, 4, 2, 3, 1 };

// ---- steps_0_shared.c: what several steps do
double longest(Mat m); // length of its longest row, for tolerances
Attended attend(Arena *arena, HeadProjections p, Mask mask);
Mat outputs(Lesson *lesson, Mat x, HeadWeights w, Mask mask);
Mat turned(Arena *arena, Mat m, int first);
HeadProjections placed(Arena *arena, HeadProjections p, int first);
Mat scores_of(Arena *arena, HeadProjections p);
double told_apart(Arena *arena, const Mat out[2]);
Mat both_rows(Arena *arena, const Mat m[2], int first, int second);

// ---- the steps. `book` is the lesson with the book's own table of words, whatever the reader's is.
HeadWeights head_with_order(Lesson *lesson); // of step 6
void the_problem(Lesson *lesson, Lesson *book);
void added(Lesson *lesson, Lesson *book);
void two_positions(Lesson *lesson, Lesson *book);
Mat rotation(Lesson *lesson); // the rows at random that it has turned
void distance_alone(Lesson *lesson, Mat q, Mat k, int back);
void on_the_sentence(Lesson *lesson, Lesson *book, HeadWeights w);
void longer_texts(Lesson *lesson, double base, double stretch);
void slopes(Lesson *lesson, int H);
void no_positions(Lesson *lesson, Lesson *book, int W);
void what_it_costs(Lesson *lesson);

#endif
