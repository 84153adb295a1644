// Chapter 17. What its steps share, and the steps.
#ifndef CHAPTER_17_STEPS_H
#define CHAPTER_17_STEPS_H

#include "attention/latent.h"
#include "lesson/verbs.h"
#include "lesson/matrices.h"
#include "model/sizes.h"

enum { HEADS_MOST = 64 };

// Sizes of the heads of steps 1 to 4, as the flags have them: H heads, a latent of c, a turned key of dr, heads of d.
typedef struct {
    int H, c, dr, d;
} Shape;

// The sentence, and random weights of that shape: rows are what is kept of its words.
typedef struct {
    Mat x, q, rows;
    LatentHeads w;
    Mask masks[HEADS_MOST];
} Heads;

// ---- steps_1_latent.c
Mat random_mat(Lesson *lesson, int rows, int cols);
Heads sentence_heads(Lesson *lesson, Shape shape, int first); // its first word stands at position `first`
double off_by(Mat got, Mat want);                             // |got − want| / |want|, Frobenius norms
void one_latent(Lesson *lesson, Shape shape);
void absorbed(Lesson *lesson, Shape shape);

// ---- the other steps
void plain_rope(Lesson *lesson, Shape shape);
void decoupled(Lesson *lesson, Shape shape);
void published_caches(Lesson *lesson);
void multiplications(Lesson *lesson, int S);
void converted(Lesson *lesson, const char *program, const char *model, int documents);
void roofs(Lesson *lesson);

#endif
