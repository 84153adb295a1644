// Chapter 04. Self-attention: queries, keys and values are three learned projections of the same vectors.
// Cross-attention takes keys and values from a second sequence.
#ifndef ATTENTION_SELF_ATTENTION_H
#define ATTENTION_SELF_ATTENTION_H

#include "attention/attention.h"

// Projection weights of one head.
typedef struct {
    Mat wq; // (D, d)
    Mat wk; // (D, d)
    Mat wv; // (D, dv)
} HeadWeights;

// Projections of one head: q (T, d), k (S, d), v (S, dv).
typedef struct {
    Mat q, k, v;
} HeadProjections;

// q = x Wq, k = y Wk, v = y Wv in memory from `arena`, with x (T, D) and y (S, D).
HeadProjections head_project(Arena *arena, Mat x, Mat y, HeadWeights w);

// Queries from x (T, D), keys and values from y (S, D); outputs as in attention_naive.
void cross_attention(Attended to, Mat x, Mat y, HeadWeights w, Mask mask);

// Cross-attention of x (T, D) with itself.
void self_attention(Attended to, Mat x, HeadWeights w, Mask mask);

#endif
