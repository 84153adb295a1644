// Chapter 15. What several steps do: the versions of the kernel, and a count of the multiplications of the kernel.
#include "kernels/fast.h"
#include "steps.h"

// clang-format off
const Version versions[VERSIONS] = {
    { "plain", "SSE, NEON", 4, 3, 16 }, { "avx2", "AVX2", 8, 3, 16 }, { "avx512", "AVX-512", 16, 4, 32 },
};
// clang-format on

int64_t multiplies_of(Lesson *lesson, HeadProjections p, Mask mask)
{
    ArenaMark mark = arena_mark(lesson->arena);
    Cost before = cost_counted;
    attention_fast((Attended){ .out = mat_new(lesson->arena, p.q.rows, p.v.cols) }, p.q, p.k, p.v, mask);
    arena_release(lesson->arena, mark);
    return cost_since(before).multiplies;
}
