// Exercise 14a. One tile, and which tiles are worth fetching.
//
// Write the two functions, then run: make exercise-14a
#include "base/mat.h"
#include "base/portable_math.h"

// Task 1. A tile arrives: scores (queries, keys) and the values v (keys, dv) of its keys. Bring what is known of every
// query up to date:
//     max (queries, 1)    the largest score so far
//     sum (queries, 1)    Σ exp(score − max) over the keys so far
//     out (queries, dv)   Σ exp(score − max) v over the keys so far; the division by sum comes after the last tile
// Before the first tile max is −INFINITY, sum and out are 0. A score of −INFINITY belongs to a key that is out of
// sight, whose value must not be used. A query may have no other scores in a tile, not even in the first one.
void my_tile(Mat out, Mat max, Mat sum, Mat scores, Mat v)
{
    (void)out;
    (void)max;
    (void)sum;
    (void)scores;
    (void)v;
}

// Task 2. Queries i … i + queries − 1 of T and keys j … j + keys − 1 of S make a tile. With a causal mask, aligned
// bottom-right, query i stands at position i + S − T and sees the keys up to its own position. Does any query of the
// tile see any of its keys?
bool my_tile_is_needed(int i, int queries, int j, int keys, int T, int S)
{
    (void)i;
    (void)queries;
    (void)j;
    (void)keys;
    (void)T;
    (void)S;
    return false;
}
