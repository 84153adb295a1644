// Exercise 05b, solved: every word in turn, with everything after it changed to other numbers, then to NaN.
#include "attention/attention.h"
#include "base/random.h"

bool my_leak_test(AttentionKernel *attend, Arena *arena);

static bool stays(AttentionKernel *attend, Arena *arena, const Mat qkv[3], Mat before, int from, bool nan)
{
    int later = before.rows - from;
    Random random = random_from((uint64_t)from);
    Mat k = mat_copy(arena, qkv[1]), v = mat_copy(arena, qkv[2]), after = mat_new(arena, before.rows, before.cols);
    random_normals(&random, mat_rows(k, from, later));
    random_normals(&random, mat_rows(v, from, later));
    if (nan) mat_fill(mat_rows(k, from, later), 0.0f / 0.0f);
    if (nan) mat_fill(mat_rows(v, from, later), 0.0f / 0.0f);
    attend((Attended){ .out = after }, qkv[0], k, v, (Mask){ .causal = true });
    return mat_equal(mat_rows(before, 0, from), mat_rows(after, 0, from));
}

bool my_leak_test(AttentionKernel *attend, Arena *arena)
{
    enum { T = 7, d = 4 };
    Random random = random_from(1);
    Mat qkv[3], before = mat_new(arena, T, d);
    for (int m = 0; m < 3; m++) {
        qkv[m] = mat_new(arena, T, d);
        random_normals(&random, qkv[m]);
    }
    attend((Attended){ .out = before }, qkv[0], qkv[1], qkv[2], (Mask){ .causal = true });
    bool good = true;
    for (int from = 1; from < T; from++)
        for (int nan = 0; nan < 2; nan++) good = good && stays(attend, arena, qkv, before, from, nan);
    return good;
}
