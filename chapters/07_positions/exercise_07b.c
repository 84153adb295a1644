// Exercise 07b. Does only the distance count?
//
// Write the function, then run: make exercise-07b
#include "base/random.h"

// The score of the query q (1, 8) at position i with the key k (1, 8) at position j: somebody's way to use positions.
typedef double Score(Mat q, int i, Mat k, int j);

// Task. Find out whether the score depends on i − j alone: true when, for every q and k, moving both positions by the
// same number of words leaves it as it is, up to rounding; false otherwise. Positions go from 0 to a million. Each
// score may be off by 1e-4 times |q| times |k|, through rounding alone.
// Hint: random_from(seed), mat_new(arena, 1, 8), random_normals(&random, q). Which q, k, i and j would give away a
// method that is right most of the time?
bool my_distance_test(Score *score, Arena *arena)
{
    (void)score;
    (void)arena;
    return false;
}
