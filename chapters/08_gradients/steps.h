// Chapter 08. What its steps share, and the steps.
#ifndef CHAPTER_08_STEPS_H
#define CHAPTER_08_STEPS_H

#include "attention/backward.h"
#include "lesson/hand_made.h"
#include "lesson/verbs.h"
#include "lesson/matrices.h"

static const Mask EVERYTHING = { 0 }, CAUSAL = { .causal = true };

// A wish: one word's output should be this row. The loss is half its squared distance from the wish.
typedef struct {
    int word;   // whose output is looked at
    int other;  // it should receive what this word hands over
    Mat wanted; // (1, width of the output): a copy, which stays as it is
} Wish;

// The head made by hand, run on the sentence.
typedef struct {
    HandMade head;
    BackwardHeadKept kept;
    Mat out; // (T, 6)
    Wish wish;
} Head;

// ---- steps_0_shared.c
bool all_zero(Mat m);
double loss_of(Mat out, Wish wish);
Mat loss_backward(Arena *arena, Mat out, Wish wish);
HeadProjections gradients_of(Arena *arena, HeadProjections p); // of the same shapes, all 0
HeadWeights gradients_of_weights(Arena *arena, HeadWeights w);

// ---- steps_0_differences.c: the same loss in float64, for finite differences
typedef struct {
    double *at;
    int rows, cols;
} Wide; // a matrix in float64, row after row

// x, wq, wk, wv, wo of a layer of H heads; or q, k, v as they are, when x is left out.
typedef struct {
    Arena *arena;
    Wide x, wq, wk, wv, wo, q, k, v; // wo may be left out
    int H;
    Wish wish;
} Forward64;

Wide wide(Arena *arena, Mat m);
double loss64(const Forward64 *f);
double central(double *x, double h, const Forward64 *f);
Mat differences(Arena *arena, Wide m, const Forward64 *f); // (loss(x + h) − loss(x − h)) / 2h for all of m
Forward64 head_in_64(Arena *arena, const Head *h, bool with_projections);
void check_gradient(Lesson *lesson, const char *name, Mat gradient, Mat slopes);

// ---- the steps. dx is what the first one finds: how the loss changes with every number of every word.
Mat one_number(Lesson *lesson, const Head *h);
void a_product(Lesson *lesson);
void softmax_backwards(Lesson *lesson, const Head *h);
void one_head(Lesson *lesson, const Head *h, Mat dx);
void by_hand(Lesson *lesson);
void hidden_keys(Lesson *lesson, const Head *h, Mat dx_open);
void a_wish_comes_true(Lesson *lesson, const Head *h, MultiHead m, int steps, float rate);
void what_must_be_kept(Lesson *lesson, const Head *h);
void what_it_costs(Lesson *lesson, MultiHead m);

#endif
