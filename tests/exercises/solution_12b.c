// Exercise 12b, solved: against the library's, at H / G other than G.
#include "attention/attention.h"
#include "attention/grouped.h"
#include "base/random.h"

typedef void Shared(Mat out, Mat q, Mat k, Mat v, int H);
bool heads_are_right(Shared *shared, Arena *arena);

bool heads_are_right(Shared *shared, Arena *arena)
{
    enum { H = 8, G = 2, d = 4, T = 3 };
    Random random = random_from(12);
    Mat q = mat_new(arena, T, H * d), k = mat_new(arena, T, G * d), v = mat_new(arena, T, G * d);
    Mat got = mat_new(arena, T, H * d), want = mat_new(arena, T, H * d);
    Mask masks[H] = { { 0 } };
    random_normals(&random, q);
    random_normals(&random, k);
    random_normals(&random, v);
    shared(got, q, k, v, H);
    grouped_attend((Attended){ .out = want }, q, k, v, H, masks, attention_naive);
    return mat_max_difference(got, want) < 1e-5;
}
