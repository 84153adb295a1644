// Exercise 11a, solved with the library's own functions.
#include "attention/kv_cache.h"
#include "attention/positions.h"

void my_step(Mat out, KvCache *cache, Mat q, Mat k, Mat v, Arena *arena);
void my_step(Mat out, KvCache *cache, Mat q, Mat k, Mat v, Arena *arena)
{
    RopeTable turns = rope_table(arena, cache->length, q.rows, q.cols);
    rope_apply(q, turns);
    rope_apply(k, turns);
    kv_cache_attend((Attended){ .out = out }, cache, q, k, v, 1, (Mask[]){ { .causal = true } }, attention_naive);
}
