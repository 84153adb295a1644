// Chapter 04. Self-attention: queries, keys and values made from the same vectors by three learned matrices.
// Chapter 05 feeds it two sentences instead of one: cross-attention.
#ifndef ATTENTION_SELF_ATTENTION_H
#define ATTENTION_SELF_ATTENTION_H

#include "attention/attention.h"

// The learned matrices of one head.
typedef struct {
    Mat wq; // (D, d)
    Mat wk; // (D, d)
    Mat wv; // (D, dv)
} HeadWeights;

// What a head computes from its input: q (T, d), k (S, d), v (S, dv).
typedef struct {
    Mat q, k, v;
} HeadProjections;

// x (T, D): who asks. y (S, D): who is asked. q = x Wq, k = y Wk, v = y Wv, in memory from `arena`.
HeadProjections head_project(Arena *arena, Mat x, Mat y, HeadWeights w);

// Queries from x (T, D), keys and values from y (S, D); results as attention_naive gives them.
void cross_attention(Attended to, Mat x, Mat y, HeadWeights w, Mask mask);

// Cross-attention of x (T, D) with itself.
void self_attention(Attended to, Mat x, HeadWeights w, Mask mask);

#endif
