// Exercise 07c, solved: the three fastest pairs, so that no other distance has all of them come round.
#include "attention/positions.h"

void my_head(Mat q, Mat k, int n, Arena *arena);
void my_head(Mat q, Mat k, int n, Arena *arena)
{
    for (int pair = 0; pair < 3; pair++) *mat_ref(q, 0, 2 * pair) = 8.0f;
    mat_set(k, q);
    rope_apply(k, rope_table(arena, n, 1, q.cols));
}
