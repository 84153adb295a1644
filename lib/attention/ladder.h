// Chapter 15. The ladder from chapter 03's kernel to the fast one: each rung adds one idea.
//
// Every rung is right for every shape, mask and view, and chooses its instructions as attention_fast does (fast_choose).
#ifndef ATTENTION_LADDER_H
#define ATTENTION_LADDER_H

#include "attention/attention.h"

typedef struct { const char *name; AttentionKernel *run; const char *what; } Rung;

extern const Rung ladder[];
extern const int ladder_count;

const Rung *ladder_rung(const char *name);           // NULL: there is none of this name

AttentionKernel attention_reordered;                 // the loops so ordered that neighbours are worked on
AttentionKernel attention_lanes;                     // queries in the lanes of a vector, in tiles; libm's exp2f
// Sums in registers and a 2ˣ for vectors. Where there are few registers they are 1 × 3, 2 × 3 and 4 × 3.
AttentionKernel attention_1x4, attention_2x4, attention_4x4;
AttentionKernel attention_lazy;                      // weights at once, with a maximum that is seldom raised
AttentionKernel attention_packed;                    // the fast kernel on contiguous copies of k and v
AttentionKernel attention_plain_c;                   // the fast kernel's loops without vector types and intrinsics

// Multiply-adds in a second of this thread's time that fast_probe manages: the best of three looks, of about `seconds`
// in all.
double ladder_probe(double seconds);

#endif
