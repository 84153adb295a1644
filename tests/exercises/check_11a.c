// Exercise 11a: my_step.
#include "attention/kv_cache.h"
#include "attention/positions.h"
#include "exercises/judge.h"

typedef void Step(Mat out, KvCache *cache, Mat q, Mat k, Mat v, Arena *arena);
Step my_step;

static const struct {
    int sizes[5], d, dv; // the tokens of each chunk
} texts[] = { { { 3 }, 4, 4 }, { { 2, 1, 1 }, 4, 3 }, { { 4, 1, 0, 3, 1 }, 6, 5 } };

// The text, and how many of its chunks go in. The last of these is judged.
static const int cases[][2] = {
    { 0, 1 }, { 1, 1 }, { 1, 2 }, { 1, 3 }, { 2, 1 }, { 2, 2 }, { 2, 3 }, { 2, 4 }, { 2, 5 }
};

static void step_case(Judge *judge, Function f, int n)
{
    enum { ROOM = 20 }; // also for those who append twice
    int text = cases[n][0], chunks = cases[n][1], d = texts[text].d, dv = texts[text].dv, before = 0;
    Random random = random_from((uint64_t)d);
    KvCache cache = kv_cache_new(judge->arena, ROOM, d, dv);
    Mat out, length = judge_output(judge, 1, 1);
    for (int c = 0; c < chunks; c++) {
        int size = texts[text].sizes[c];
        Mat q = judge_random(judge, &random, size, d), k = judge_random(judge, &random, size, d);
        Mat v = judge_random(judge, &random, size, dv);
        out = c == chunks - 1 ? judge_output(judge, size, dv) : mat_new(judge->arena, size, dv);
        judge_trying(judge, "my_step of %d token%s, behind %d in the cache, d = %d, dv = %d", size,
                     size == 1 ? "" : "s", before, d, dv);
        ((Step *)f)(out, &cache, q, k, v, judge->arena);
        before += size;
    }
    *length.at = (float)cache.length;
    Mat keys = judge_output(judge, before, d), values = judge_output(judge, before, dv);
    if (cache.length == before) mat_set(keys, kv_cache_filled(cache).k);
    if (cache.length == before) mat_set(values, kv_cache_filled(cache).v);
}

static void right_step(Mat out, KvCache *cache, Mat q, Mat k, Mat v, Arena *arena)
{
    RopeTable turns = rope_table(arena, cache->length, q.rows, q.cols);
    rope_apply(q, turns);
    rope_apply(k, turns);
    kv_cache_attend((Attended){ .out = out }, cache, q, k, v, 1, (Mask[]){ { .causal = true } }, attention_naive);
}

enum { FROM_ZERO = 1, TURNED_AGAIN, NOT_TURNED, ONLY_QUERIES, TOO_LATE, NO_MASK, TOP_LEFT };

static void faulty_step(Mat out, KvCache *cache, Mat q, Mat k, Mat v, Arena *arena)
{
    const int fault = judge_fault;
    bool raw = fault == NOT_TURNED || fault == ONLY_QUERIES || fault == TURNED_AGAIN;
    int first = fault == FROM_ZERO ? 0 : cache->length;
    RopeTable turns = rope_table(arena, first, q.rows, q.cols);
    if (fault != NOT_TURNED) rope_apply(q, turns);
    if (!raw) rope_apply(k, turns);
    KvSegment seen = kv_cache_filled(*cache);
    kv_cache_append(cache, k, v);
    if (fault != TOO_LATE) seen = kv_cache_filled(*cache);
    if (fault == TURNED_AGAIN) rope_apply(seen.k, rope_table(arena, 0, seen.k.rows, seen.k.cols));
    Mask mask = { .causal = fault != NO_MASK, .shift = fault == TOP_LEFT ? q.rows - seen.k.rows : 0 };
    attention_naive((Attended){ .out = out }, q, seen.k, seen.v, mask);
}

static const Task tasks[] = {
    { AS(Step, my_step), AS(Step, right_step), step_case, COUNT(cases), .faulty = AS(Step, faulty_step),
      .hints = { { .question = "the cache must hold the new rows afterwards, each once: kv_cache_append" },
                 { NULL,
                   "at which positions do the new tokens stand, what must the cache hold when they look, and what may "
                   "each of them see?",
                   "new token i stands at position p = (tokens that were kept) + i, and sees keys 0 … p" },
                 { .question = "outputs are right, but the cache's keys are not those of k, turned once" },
                 { .question = "the cache's values must be those of v: values are not turned" } },
      .wrong = { FAULT(FROM_ZERO,
                       "every chunk is turned from position 0; its first token stands behind those that are kept"),
                 FAULT(TURNED_AGAIN,
                       "the keys in the cache are turned again with every chunk: each is turned once, before it joins"),
                 FAULT(NOT_TURNED, "nothing is turned, or all of a chunk by the position of its first token"),
                 FAULT(ONLY_QUERIES,
                       "the queries are turned, but the keys in the cache are not: turn k before it joins"),
                 FAULT(TOO_LATE, "the chunk joined after it had looked: append first, as a token sees itself"),
                 FAULT(NO_MASK, "no mask: within a chunk a token must not see those behind it"),
                 FAULT(TOP_LEFT,
                       "the mask is aligned top-left: query i of the chunk stands at position i + S - T, not at i") } },
};
EXERCISE("11a", tasks)
