// A program outside the tree that uses the installed library: three keys, one query that sees them all.
#include <attention/attention.h>
#include <base/arena.h>
#include <base/version.h>
#include <kernels/fast.h>
#include <stdio.h>

int main(void)
{
    Arena *arena = arena_open();
    Mat q = mat_of(arena, 1, 2, (const float[]){ 1, 0 });
    Mat k = mat_of(arena, 3, 2, (const float[]){ 1, 0, 0, 1, -1, 0 });
    Mat v = mat_of(arena, 3, 1, (const float[]){ 1, 2, 3 });
    Mat out = mat_new(arena, 1, 1);
    attention_fast((Attended){ .out = out }, q, k, v, (Mask){ 0 });
    printf("%s %.4f\n", MANYHEADS_VERSION, (double)*mat_ref(out, 0, 0));
    arena_close(arena);
    return 0;
}
