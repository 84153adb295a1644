// Chapters 05 and 18. Which keys a query may see, and what is added to their score.
//
// A mask is a small value that answers these two questions. (Mask){0} hides nothing and adds nothing.
#ifndef ATTENTION_MASK_H
#define ATTENTION_MASK_H

#include <stdbool.h>

// Query i stands at position p = i + S − T + shift among the S keys: without a shift the last query stands at the last
// key ("bottom-right"). Where the S keys are only a part of all, a shift says where the queries stand from there.
typedef struct {
    bool causal; // only keys up to the query's own position: j ≤ p
    int window;  // W > 0: only keys nearer than W, |p − j| < W; with `causal` the W most recent, its own included
    int sinks;   // with a window: the first `sinks` keys stay in sight (Xiao et al. 2024, arXiv:2309.17453)
    int globals; // with a window: it hides none of the first `globals` positions, neither as keys nor from these
                 // positions' own queries (Beltagy et al. 2020, arXiv:2004.05150)
    int padding; // the last `padding` keys are filler and never seen
    float alibi; // slope: − alibi · |p − j| is added to the score (Press et al. 2022, arXiv:2108.12409)
    float scale; // what q · k is multiplied by, positive; 0: 1/√d
    int shift;   // how far on the queries stand, in keys; negative: before the last keys
    int before;  // where these keys are a part of all: how many stand before them. Globals keep their place so
} Mask;

// What q · k is multiplied by, for heads of width d ≥ 1; and the same as a divisor, which keeps a digit more of √d.
float mask_scale(Mask mask, int d);
float mask_root(Mask mask, int d);

// Where query i of T stands among S keys.
int mask_position(Mask mask, int i, int T, int S);

// How many keys, from key 0 on, no window hides from anyone: sinks and globals.
int mask_pinned(Mask mask);

// Does the window hide nothing from query i of T? There is none, or the query is one of the globals.
bool mask_open(Mask mask, int i, int T, int S);

// May query i of T see key j of S?
bool mask_sees(Mask mask, int i, int j, int T, int S);

// What is added to the score of query i and key j: −INFINITY when the key is out of sight, else ALiBi's share or 0.
float mask_bias(Mask mask, int i, int j, int T, int S);

// The same for a key that is known to be in sight: ALiBi's share or 0.
float mask_alibi(Mask mask, int i, int j, int T, int S);

typedef struct {
    int first, count;
} MaskRange; // queries or keys first … first + count − 1

// What queries see of S keys: the first `sinks` ones, globals among them, and a run of later ones. Sinks that the run
// touches belong to it, and without a run they are one: so it is empty only when nothing is in sight.
typedef struct {
    int sinks;
    MaskRange keys;
} MaskVisible;

// The keys that at least one of these queries of T may see: of a single query, exactly those that mask_sees names.
MaskVisible mask_visible(Mask mask, MaskRange queries, int T, int S);

// Keys first … first + count − 1 of S alone, as a mask for mat_rows(k, first, count): every query keeps its distance to
// every key. (Chapter 14.)
Mask mask_of_part(Mask mask, int S, int first, int count);

#endif
