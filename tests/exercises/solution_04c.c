// Exercise 04c, solved: random words, shuffled at random a few times.
#include "base/random.h"

#include <math.h>
#include <stdbool.h>

typedef void Head(Mat out, Mat x);

bool order_is_invisible(Head *head, Arena *arena);
bool order_is_invisible(Head *head, Arena *arena)
{
    enum { T = 9, D = 12, WIDTH = 6 };
    Random random = random_from(1);
    Mat x = mat_new(arena, T, D), shuffled = mat_new(arena, T, D), before = mat_new(arena, T, WIDTH);
    Mat after = mat_new(arena, T, WIDTH);
    int order[T];
    for (int i = 0; i < T; i++) order[i] = i;
    random_normals(&random, x);
    head(before, x);
    for (int round = 0; round < 8; round++) {
        random_shuffle(&random, order, T);
        for (int i = 0; i < T; i++) mat_set(mat_rows(shuffled, i, 1), mat_rows(x, order[i], 1));
        head(after, shuffled);
        for (int i = 0; i < T; i++)
            if (!(mat_max_difference(mat_rows(after, i, 1), mat_rows(before, order[i], 1)) < 1e-4)) return false;
    }
    return true;
}
