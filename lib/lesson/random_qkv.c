// Random inputs of attention.
#include "lesson/random_qkv.h"

HeadProjections random_qkv(Lesson *lesson, int T, int S, int d, int dv)
{
    HeadProjections p = { mat_new(lesson->arena, T, d), mat_new(lesson->arena, S, d), mat_new(lesson->arena, S, dv) };
    random_normals(&lesson->random, p.q);
    random_normals(&lesson->random, p.k);
    random_normals(&lesson->random, p.v);
    return p;
}
