// Exercise 07a. RoPE with the other pairs, and a key that is found n words back.
//
// Write the two functions, then run: make exercise-07a
#include "attention/positions.h"
#include "base/portable_math.h"

// Task 1. Turn the rows of m (T, d) in place: row i stands at position first + i. The library's pairs are columns 2p
// and 2p + 1. Yours are columns p and p + d/2, for p = 0 … d/2 − 1, as in many published models. The angle of pair p
// at position t is t / 10000^(2p/d). d is even.
// Hint: (a, b) becomes (a cos − b sin, a sin + b cos), with the old a in both. Keep the angle in a double: as a float
// it has too few digits for position 100000.
void my_rope_halves(Mat m, int first)
{
    (void)m;
    (void)first;
}

// Task 2. q (1, d) is a query. Fill key (1, d), so that after the library's RoPE, each at its position, q finds this
// key best when it stands n words before q. The key has the norm of q.
// Hint: mat_set, rope_table(arena, first, 1, d) and rope. For n = 0 the key is q itself.
void my_key(Mat key, Mat q, int n, Arena *arena)
{
    (void)key;
    (void)q;
    (void)n;
    (void)arena;
}
