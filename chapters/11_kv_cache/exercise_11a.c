// Exercise 11a. A chunk of new tokens and a cache: one head, with RoPE.
//
// Write the function, then run: make exercise-11a
#include "attention/kv_cache.h"
#include "attention/positions.h"

// Task. n new tokens stand behind those whose keys and values are in the cache. q (n, d), k (n, d) and v (n, dv) are
// theirs, not turned yet; d is even. Turn q and k by RoPE, let the new keys and values join the cache, and write into
// out (n, dv) what each new token takes from all tokens up to itself. Afterwards the cache holds n rows more. n = 1 is
// a step of decoding, a larger n is prefill. q and k may be changed; arena is there for the turns.
// Hint: rope_table(arena, first, n, d) are the turns of positions first … first + n − 1, and rope_apply(m, turns) turns m in
// place. kv_cache_append and kv_cache_filled, its keys and values, are the cache; attention_naive looks.
void my_step(Mat out, KvCache *cache, Mat q, Mat k, Mat v, Arena *arena)
{
    (void)out;
    (void)cache;
    (void)q;
    (void)k;
    (void)v;
    (void)arena;
    // your code goes here
}
