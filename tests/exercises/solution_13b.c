// Exercise 13b, solved: the library merges what it knows with every key, a result of its own.
#include "attention/online.h"
#include "base/portable_math.h"

bool next_key(float *score, const float **value);
void my_row(float *out, float *lse, int dv);

void my_row(float *out, float *lse, int dv)
{
    Arena *arena = arena_open();
    Mat so_far = mat_new(arena, 1, dv), measure = mat_new(arena, 1, 1), key = mat_new(arena, 1, dv);
    const float *value;
    float score;
    *measure.at = -INFINITY;
    while (next_key(&score, &value)) {
        if (score == -INFINITY) continue;
        for (int c = 0; c < dv; c++) key.at[c] = value[c];
        attention_merge(so_far, measure, key, mat_of(arena, 1, 1, &score));
    }
    for (int c = 0; c < dv; c++) out[c] = so_far.at[c];
    *lse = *measure.at;
    arena_close(arena);
}
