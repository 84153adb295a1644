// Chapter 13. What a kernel finds, over all keys or a part of them; two results made one; how alike two are.
#include "steps.h"

Part attend(Arena *arena, AttentionKernel *kernel, Mat q, Mat k, Mat v, Mask mask)
{
    Part p = { mat_new(arena, q.rows, v.cols), mat_new(arena, q.rows, 1) };
    kernel((Attended){ .out = p.out, .lse = p.lse }, q, k, v, mask);
    return p;
}

Part of_keys(Arena *arena, Mat q, Mat k, Mat v, int first, int count)
{
    return attend(arena, attention_online, q, mat_rows(k, first, count), mat_rows(v, first, count), EVERYTHING);
}

Part merged(Arena *arena, Part a, Part b)
{
    Part sum = { mat_copy(arena, a.out), mat_copy(arena, a.lse) };
    attention_merge(sum.out, sum.lse, b.out, b.lse);
    return sum;
}

// Within 1e-5, and what lse has no digits for where it is large (step 7).
bool parts_close(Part a, Part b, double size)
{
    double allowed = 1e-5 * fmax(1.0, 0.05 * mat_magnitude(b.lse));
    return mat_max_difference(a.out, b.out) <= allowed * fmax(1.0, size) && mat_max_difference(a.lse, b.lse) <= allowed;
}

bool parts_same(Part a, Part b) { return mat_equal(a.out, b.out) && mat_equal(a.lse, b.lse); }
