// Chapter 13. What its steps share, and the steps.
#ifndef CHAPTER_13_STEPS_H
#define CHAPTER_13_STEPS_H

#include "attention/online.h"
#include "base/portable_math.h"
#include "lesson/verbs.h"
#include "lesson/matrices.h"

static const Mask EVERYTHING = { 0 }, CAUSAL = { .causal = true };

// The row that is followed: that of a word, or of --scores. Then the query is a single 1, a key is its score, and the
// value of key j is j, so that the output is the place that the row looks at.
typedef struct {
    const char *name, *what; // "it", "alive"
    const char *const *keys; // (S) what the keys are called
    int word;                // of the lesson's sentence
    bool book;               // it is "it" of the book's own sentence: claims about
                             // its numbers apply
    Mat q, k, v;             // (1, d), (S, d), (S, dv)
    int column;              // of v, whose mixture is followed
    Mat scores, values;      // (S, 1)  all keys against the query; that column of v
    float mixed;             // the output in that column
} Followed;

Followed follow(Lesson *lesson, const char *query, const char *scores); // steps_0_followed.c; the two flags

// ---- steps_0_rows.c: one row of scores (S, 1) and one column of values (S, 1)
typedef struct {
    float max, sum, mixed;
} SoFar; // what is known of a row after some of its keys
static const SoFar NO_KEYS = { -INFINITY, 0.0f, 0.0f };

float fetch(Mat scores, int j);
float in_three_passes(Mat scores, Mat values);
SoFar one_key_more(SoFar row, float score, float value);

// ---- steps_0_parts.c: results, and results over a part of the keys
typedef struct {
    Mat out, lse;
} Part; // (T, dv) and (T, 1)

Part attend(Arena *arena, AttentionKernel *kernel, Mat q, Mat k, Mat v, Mask mask);
Part of_keys(Arena *arena, Mat q, Mat k, Mat v, int first, int count); // over `count` of the keys
Part merged(Arena *arena, Part a, Part b);
bool parts_close(Part a, Part b, double size); // size: of the values, where it is above 1
bool parts_same(Part a, Part b);               // to the bit

void figure_strips(Lesson *lesson, const Followed *f); // steps_2_strips.c

// ---- the steps
void three_passes(Lesson *lesson, Followed *f); // f->mixed is what they give
void a_running_row(Lesson *lesson, const Followed *f);
void the_kernel(Lesson *lesson, const Followed *f);
void what_it_costs(Lesson *lesson, double lazy);
void two_parts(Lesson *lesson, const Followed *f);
void any_tree(Lesson *lesson, const Followed *f);
void large_scores(Lesson *lesson);
void long_rows(Lesson *lesson);

#endif
