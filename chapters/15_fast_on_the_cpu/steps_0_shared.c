// Chapter 15. What several steps do: draw inputs, count the multiplications of the kernel.
#include "attention/fast.h"
#include "steps.h"

const Version versions[VERSIONS] = {
    { "plain", "SSE, NEON", 4, 3, 16 }, { "avx2", "AVX2", 8, 3, 16 }, { "avx512", "AVX-512", 16, 4, 32 },
};

Drawn drawn(Lesson *lesson, int T, int S, int d, int dv)
{
    Drawn p = { mat_new(lesson->arena, T, d), mat_new(lesson->arena, S, d), mat_new(lesson->arena, S, dv) };
    random_normals(&lesson->random, p.q);
    random_normals(&lesson->random, p.k);
    random_normals(&lesson->random, p.v);
    return p;
}

int64_t multiplies_of(Lesson *lesson, Drawn p, Mask mask)
{
    ArenaMark mark = arena_mark(lesson->arena);
    Cost before = counted;
    attention_fast((Attended){ .out = mat_new(lesson->arena, p.q.rows, p.v.cols) }, p.q, p.k, p.v, mask);
    arena_release(lesson->arena, mark);
    return cost_since(before).multiplies;
}
