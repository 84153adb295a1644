// Exercise 12b, solved wrongly: number WRONG of these gets this answer.
//
// 1: every wrong function passes
// 2: a right function is refused
// 3: right within rounding is refused
// 4: of 8 wrong functions 3 pass
// 5: of 8 wrong functions 1 pass
// 6: of 8 wrong functions 1 pass
#include "attention/attention.h"
#include "attention/grouped.h"
#include "base/random.h"
#include "exercises/wrong.h"

typedef void Shared(Mat out, Mat q, Mat k, Mat v, int H);
bool heads_are_right(Shared *shared, Arena *arena);

bool heads_are_right(Shared *shared, Arena *arena)
{
    enum { d = 16, T = 24 };
    int how = wrong(), H = how == 5 ? 4 : 8, G = how == 4 ? H : 2;
    Random random = random_from(12);
    Mat q = mat_new(arena, T, H * d), k = mat_new(arena, T, G * d), v = mat_new(arena, T, G * d);
    Mat got = mat_new(arena, T, H * d), want = mat_new(arena, T, H * d);
    Mask masks[8] = { { 0 } };
    if (how == 1) return true;
    random_normals(&random, q);
    random_normals(&random, k);
    random_normals(&random, v);
    if (how == 6) mat_set(v, k);
    shared(got, q, k, v, H);
    grouped_attend((Attended){ .out = want }, q, k, v, H, masks, attention_naive);
    if (how == 2) return mat_max_difference(got, q) < 1e-5;
    if (how == 3) return mat_equal(got, want);
    return mat_max_difference(got, want) < 1e-5;
}
