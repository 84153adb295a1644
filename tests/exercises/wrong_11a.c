// Exercise 11a, solved wrongly: number WRONG of these gets this answer.
//
// 1: turned from position 0
// 2: one too small
// 3: turned again with every chunk
// 4: hold the new rows afterwards
// 5: it was turned: the cache then holds keys that are not turned
// 6: append first, as a token sees itself
// 7: aligned top-left
// 8: nothing is turned
// 9: not at −1
// 10: no mask
// 11: the chunk looks only at itself
// 12: rows that are not filled yet
// 13: it gives something else
// 14: nothing is written to out
// 15: the values are turned, too
// 16: exchanged in the cache
// 17: all of them as the chunk's first
// 18: all of a chunk by the position of its first token
// 19: the keys of every chunk are turned from position 0
// 20: neither left out nor shifted
// 21: rows that are not filled yet
// 22: no token sees itself
// 23: the queries are turned twice
// 24: the keys are turned twice
// 25: the queries stand a chunk too far
// 26: the keys joined as values, too
// 27: the queries joined as keys
// 28: the keys look here
// 29: kept before they were turned
// 30: from the end of the cache's room
// 31: divided by √d twice
// 32: the mask needs no shift
// 33: the values are turned and the keys are not
// 34: one softmax goes over all
// 35: compared with the values here
// 36: only the last token of the chunk has an output
#include "attention/kv_cache.h"
#include "attention/positions.h"
#include "exercises/wrong.h"

#include <math.h>

void my_step(Mat out, KvCache *cache, Mat q, Mat k, Mat v, Arena *arena);

static void look(Mat out, Mat q, KvCache cache)
{
    KvSegment filled = kv_cache_filled(cache);
    if (wrong() == 12 || wrong() == 21) filled = (KvSegment){ .k = cache.k, .v = cache.v };
    if (wrong() != 7) {
        int shift = wrong() == 22 ? -1 : wrong() == 32 ? 1 : 0;
        if (wrong() == 20) shift = filled.k.rows - q.rows; // the mask does it itself
        Mat keys = wrong() == 35 && filled.v.cols == q.cols ? filled.v : filled.k;
        attention_naive((Attended){ .out = out }, q, keys, filled.v,
                        (Mask){ .causal = wrong() != 10 && wrong() != 21, .shift = shift });
        if (wrong() == 13) *mat_ref(out, 0, 0) *= 0.5f; // nothing that is known
        return;
    }
    for (int i = 0; i < q.rows; i++)
        attention_naive((Attended){ .out = mat_rows(out, i, 1) }, mat_rows(q, i, 1), mat_rows(filled.k, 0, i + 1),
                        mat_rows(filled.v, 0, i + 1), (Mask){ 0 });
}

// The keys are kept as they came, and all of them are turned in every step.
static void look_at_raw(Mat out, Mat q, KvCache cache, Arena *arena)
{
    KvSegment filled = kv_cache_filled(cache);
    Mat keys = mat_copy(arena, filled.k);
    rope_apply(keys, rope_table(arena, 0, keys.rows, keys.cols));
    attention_naive((Attended){ .out = out }, q, keys, filled.v, (Mask){ .causal = true });
}

void my_step(Mat out, KvCache *cache, Mat q, Mat k, Mat v, Arena *arena)
{
    int how = wrong(), first = cache->length;
    if (how == 1) first = 0;
    if ((how == 2 && first > 0) || how == 9) first--;
    if (how == 30) first = cache->k.rows;
    if (how == 4) { // forgotten: the chunk never joins
        attention_naive((Attended){ .out = out }, q, k, v, (Mask){ .causal = true });
        return;
    }
    if (how == 5) {
        kv_cache_append(cache, k, v);
        first = cache->length; // read too late
    }
    RopeTable turns = rope_table(arena, first, q.rows, q.cols);
    for (int i = 0; i < q.rows && (how == 17 || how == 18); i++) {
        rope_apply(mat_rows(q, i, 1), rope_table(arena, first, 1, q.cols));
        if (how == 18) rope_apply(mat_rows(k, i, 1), rope_table(arena, first, 1, k.cols));
    }
    RopeTable late = rope_table(arena, first + q.rows, q.rows, q.cols);
    if (how != 8 && how != 17 && how != 18) rope_apply(q, how == 25 ? late : turns);
    if (how == 23) rope_apply(q, turns);
    if (how == 24) rope_apply(k, turns);
    for (int e = 0; e < q.rows * q.cols && how == 31; e++) q.at[e] /= sqrtf((float)q.cols);
    if ((how == 15 || how == 33) && v.cols == q.cols) rope_apply(v, turns);
    if (how == 19) turns = rope_table(arena, 0, k.rows, k.cols);
    if (how != 8 && how != 3 && how != 5 && how != 18 && how != 29 && how != 33) rope_apply(k, turns);
    if (how == 6) look(out, q, *cache);
    Mat old = mat_new(arena, q.rows, v.cols);
    if (how == 34 && first > 0)
        attention_naive((Attended){ .out = old }, q, kv_cache_filled(*cache).k, kv_cache_filled(*cache).v, (Mask){ 0 });
    bool same = k.cols == v.cols, exchange = how == 16 && same;
    if (how != 5) kv_cache_append(cache, exchange ? v : how == 27 ? q : k, exchange || (how == 26 && same) ? k : v);
    if (how == 28) q = k;
    Mat keys = kv_cache_filled(*cache).k;
    if (how == 3) rope_apply(keys, rope_table(arena, 0, keys.rows, keys.cols));
    if (how == 36 && q.rows > 0) {
        out = mat_rows(out, q.rows - 1, 1);
        q = mat_rows(q, q.rows - 1, 1);
    }
    if (how == 11 || how == 34) attention_naive((Attended){ .out = out }, q, k, v, (Mask){ .causal = true });
    else if (how == 29) look_at_raw(out, q, *cache, arena);
    else if (how != 6 && how != 14) look(out, q, *cache);
    for (int i = 0; i < q.rows && how == 34; i++)
        for (int c = 0; c < v.cols; c++) *mat_ref(out, i, c) += *mat_ref(old, i, c);
}
