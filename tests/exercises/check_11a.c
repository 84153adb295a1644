// Exercise 11a: my_step.
#include "attention/kv_cache.h"
#include "attention/positions.h"
#include "base/random.h"
#include "exercises/judge.h"

#include <math.h>
#include <string.h>

void my_step(Mat out, KvCache *cache, Mat q, Mat k, Mat v, Arena *arena);

// Ways to go wrong; RIGHT is none.
typedef enum {
    RIGHT,
    FROM_ZERO,
    NOT_TURNED,
    ONLY_KEYS,
    ONLY_QUERIES,
    TOO_EARLY,
    ONE_TOO_FAR,
    TOP_LEFT,
    TOO_LATE,
    NO_MASK,
    ONLY_ITSELF,
    ALL_ROOM,
    ONE_TOO_FEW,
    TURNED_AGAIN,
    VALUES_TURNED,
    EXCHANGED,
    KEYS_FROM_ZERO,
    ROOM_OPEN,
    NOT_ITSELF,
    QUERIES_TWICE,
    KEYS_TWICE,
    QUERIES_LATE,
    KEYS_AS_VALUES,
    QUERIES_KEPT,
    KEYS_LOOK,
    SCALED_TWICE,
    ONE_MORE,
    VALUES_FOR_KEYS,
    TWO_SOFTMAXES,
    VALUES_LOOKED_AT
} Way;

typedef struct {
    Mat q, k, v;
} Tokens;

static Tokens rows_of(Arena *arena, Tokens all, int first, int n)
{
    return (Tokens){ mat_copy(arena, mat_rows(all.q, first, n)), mat_copy(arena, mat_rows(all.k, first, n)),
                     mat_copy(arena, mat_rows(all.v, first, n)) };
}

static void turn(Arena *arena, Tokens chunk, int first, Way way)
{
    int from = way == FROM_ZERO ? 0 : way == ONE_TOO_FAR ? first + 1 : way == TOO_EARLY ? first + chunk.q.rows : first;
    if (way == ONE_TOO_FEW && first > 0) from = first - 1;
    RopeTable turns = rope_table(arena, from, chunk.q.rows, chunk.q.cols);
    if (way == NOT_TURNED) return;
    if (way == QUERIES_LATE) rope_apply(chunk.q, rope_table(arena, first + chunk.q.rows, chunk.q.rows, chunk.q.cols));
    else if (way != ONLY_KEYS) rope_apply(chunk.q, turns);
    if (way == QUERIES_TWICE) rope_apply(chunk.q, turns);
    if (way == KEYS_TWICE) rope_apply(chunk.k, turns);
    bool values_too = way == VALUES_TURNED || way == VALUES_FOR_KEYS;
    if (values_too && chunk.v.cols == chunk.k.cols) rope_apply(chunk.v, turns);
    if (way == KEYS_FROM_ZERO) turns = rope_table(arena, 0, chunk.k.rows, chunk.k.cols);
    bool raw = way == ONLY_QUERIES || way == TOO_EARLY || way == TURNED_AGAIN || way == VALUES_FOR_KEYS;
    if (!raw) rope_apply(chunk.k, turns);
}

static void look(Mat out, Mat q, Mat k, Mat v, Way way)
{
    if (way != TOP_LEFT) {
        attention_naive((Attended){ .out = out }, q, k, v,
                        (Mask){ .causal = way != NO_MASK && way != ROOM_OPEN,
                                .shift = way == NOT_ITSELF ? -1
                                         : way == ONE_MORE ? 1
                                                           : 0 });
        return;
    }
    for (int i = 0; i < q.rows; i++)
        attention_naive((Attended){ .out = mat_rows(out, i, 1) }, mat_rows(q, i, 1), mat_rows(k, 0, i + 1),
                        mat_rows(v, 0, i + 1), (Mask){ 0 });
}

static void look_at_filled(Mat out, Mat q, KvCache cache, Way way)
{
    KvSegment filled = kv_cache_filled(cache);
    look(out, q, filled.k, filled.v, way);
}

// The old keys by one softmax, the chunk's by another, and the two results added.
static void look_twice(Arena *arena, Mat out, Tokens chunk, KvCache before)
{
    Mat old = mat_new(arena, out.rows, out.cols);
    look(out, chunk.q, chunk.k, chunk.v, RIGHT);
    if (before.length > 0) look_at_filled(old, chunk.q, before, NO_MASK);
    for (int i = 0; i < out.rows; i++)
        for (int c = 0; c < out.cols; c++) *mat_ref(out, i, c) += *mat_ref(old, i, c);
}

// One chunk, done in this way.
static void go(Arena *arena, Mat out, KvCache *cache, Tokens chunk, Way way)
{
    turn(arena, chunk, cache->length, way);
    if (way == TOO_LATE) look_at_filled(out, chunk.q, *cache, way);
    if (way == TWO_SOFTMAXES) look_twice(arena, out, chunk, *cache);
    for (int e = 0; e < chunk.q.rows * chunk.q.cols && way == SCALED_TWICE; e++)
        chunk.q.at[e] /= sqrtf((float)chunk.q.cols);
    Mat keys_kept = way == QUERIES_KEPT ? chunk.q : chunk.k, values_kept = chunk.v;
    bool same_width = chunk.k.cols == chunk.v.cols;
    if (same_width && way == EXCHANGED) keys_kept = chunk.v;
    if (same_width && (way == EXCHANGED || way == KEYS_AS_VALUES)) values_kept = chunk.k;
    kv_cache_append(cache, keys_kept, values_kept);
    if (way == KEYS_LOOK) chunk.q = chunk.k;
    KvSegment filled = kv_cache_filled(*cache);
    Mat keys = kv_cache_filled(*cache).k;
    if (way == TURNED_AGAIN) rope_apply(keys, rope_table(arena, 0, keys.rows, keys.cols));
    if (way == ONLY_ITSELF) look(out, chunk.q, chunk.k, chunk.v, way);
    else if (way == ALL_ROOM || way == ROOM_OPEN) look(out, chunk.q, cache->k, cache->v, way);
    else if (way == VALUES_LOOKED_AT) look(out, chunk.q, same_width ? filled.v : filled.k, filled.v, way);
    else if (way != TOO_LATE && way != TWO_SOFTMAXES) look_at_filled(out, chunk.q, *cache, way);
}

// The outputs of chunk number `last`, when all chunks up to it are done in this way.
static Mat after(Arena *arena, Tokens all, const int *sizes, int last, Way way)
{
    KvCache cache = kv_cache_new(arena, 2 * all.k.rows, all.k.cols, all.v.cols);
    Mat out = { 0 };
    for (int c = 0; c <= last; c++) {
        out = mat_new(arena, sizes[c], all.v.cols);
        go(arena, out, &cache, rows_of(arena, all, cache.length, sizes[c]), way);
    }
    return out;
}

static void judge_chunk(Judge *judge, Tokens all, const int *sizes, int c, Mat got)
{
    Arena *arena = judge->arena;
    bool last_alone = got.rows > 1 && isnan(*mat_ref(got, 0, 0)) && !isnan(*mat_ref(got, got.rows - 1, 0));
    const char *what =
        last_alone ? "only the last token of the chunk has an output: each of them has one"
        : c == 0   ? "with an empty cache this is chapter 07's head, causal and with RoPE; it gives "
                     "something else"
                   : arena_format(arena, "chunk %d is the first that is not what all tokens at once give", c + 1);
    judge_answer(
        judge,
        (Answer){
            .got = got,
            .expected = after(arena, all, sizes, c, RIGHT),
            .hints = { .property = what,
                       .question =
                           "at which positions do the new tokens stand, what must the cache hold when they look, "
                           "and what may each of them see?",
                       .formula =
                           "new token i stands at position p = (tokens that were kept) + i, and sees keys 0 … p" },
            .mistakes = {
                { "every chunk is turned from position 0; its first token stands behind those that are kept",
                  after(arena, all, sizes, c, FROM_ZERO) },
                { "every position is one too small: how many tokens stand before the first new one?",
                  after(arena, all, sizes, c, ONE_TOO_FEW) },
                { "the keys in the cache are turned again with every chunk: each is turned once, before it joins",
                  after(arena, all, sizes, c, TURNED_AGAIN) },
                { "nothing is turned, or all of a chunk by the position of its first token",
                  after(arena, all, sizes, c, NOT_TURNED) },
                { "the keys are turned, but the queries are not, or all of them as the chunk's first",
                  after(arena, all, sizes, c, ONLY_KEYS) },
                { "the queries stand where they should, but the keys of every chunk are turned from position 0",
                  after(arena, all, sizes, c, KEYS_FROM_ZERO) },
                { "the queries are turned, but the keys in the cache are not: turn k before it joins",
                  after(arena, all, sizes, c, ONLY_QUERIES) },
                { "the chunk joined before it was turned: the cache then holds keys that are not turned, and its length "
                  "has grown",
                  after(arena, all, sizes, c, TOO_EARLY) },
                { "the mask is aligned top-left: query i of the chunk stands at position i + S - T, not at i",
                  after(arena, all, sizes, c, TOP_LEFT) },
                { "the chunk joined after it had looked: append first, as a token sees itself",
                  after(arena, all, sizes, c, TOO_LATE) },
                { c == 0
                      ? "no mask: within a chunk a token must not see those behind it"
                      : "a token of this chunk sees those behind it, and in the first chunk none did: the mask stands "
                        "at i + S - T by itself, so it is neither left out nor shifted",
                  after(arena, all, sizes, c, NO_MASK) },
                { "the chunk looks only at itself, and not at what was kept",
                  after(arena, all, sizes, c, ONLY_ITSELF) },
                { "all the cache's room was looked at, and so were rows that are not filled yet",
                  after(arena, all, sizes, c, ALL_ROOM) },
                { "the values are turned, too: only what is compared needs a position",
                  after(arena, all, sizes, c, VALUES_TURNED) },
                { "keys and values are exchanged in the cache", after(arena, all, sizes, c, EXCHANGED) },
                { "all the cache's room was looked at, and so were rows that are not filled yet",
                  after(arena, all, sizes, c, ROOM_OPEN) },
                { "no token sees itself: the last key that token i sees is its own",
                  after(arena, all, sizes, c, NOT_ITSELF) },
                { "the queries are turned twice", after(arena, all, sizes, c, QUERIES_TWICE) },
                { "the keys are turned twice", after(arena, all, sizes, c, KEYS_TWICE) },
                { "the queries stand a chunk too far: its first one stands at the length before the chunk joins",
                  after(arena, all, sizes, c, QUERIES_LATE) },
                { "the keys joined as values, too: what is mixed are the rows of v",
                  after(arena, all, sizes, c, KEYS_AS_VALUES) },
                { "the queries joined as keys: what is compared with a query are the rows of k",
                  after(arena, all, sizes, c, QUERIES_KEPT) },
                { "the keys look here: what looks are the rows of q", after(arena, all, sizes, c, KEYS_LOOK) },
                { "the scores are divided by √d twice: attention_naive does that",
                  after(arena, all, sizes, c, SCALED_TWICE) },
                { "each token sees one that comes after it: the mask needs no shift",
                  after(arena, all, sizes, c, ONE_MORE) },
                { "the values are turned and the keys are not: what is compared needs a position",
                  after(arena, all, sizes, c, VALUES_FOR_KEYS) },
                { c == 0 ? NULL
                         : "the keys that were kept have a softmax of their own here, and so has the chunk: one "
                           "softmax goes over all that a token sees",
                  after(arena, all, sizes, c, TWO_SOFTMAXES) },
                { "queries are compared with the values here, and not with the keys",
                  after(arena, all, sizes, c, VALUES_LOOKED_AT) } } });
}

// What has been appended stays as it was, and is turned by its true position.
static void judge_keys(Judge *judge, Tokens all, KvCache cache, int done)
{
    Arena *arena = judge->arena;
    Tokens right = rows_of(arena, all, 0, done), late = rows_of(arena, all, 0, done);
    Tokens early = rows_of(arena, all, 0, done);
    turn(arena, right, 0, RIGHT);
    turn(arena, late, 0, ONE_TOO_FAR);
    Mat raw = mat_rows(all.k, 0, done), far = mat_copy(arena, raw);
    rope_apply(early.k, rope_table(arena, -1, done, early.k.cols));
    rope_apply(far, rope_table(arena, cache.k.rows, done, far.cols));
    judge_answer(judge, (Answer){ .got = kv_cache_filled(cache).k,
                                  .expected = right.k,
                                  .hints.question = "outputs are right, but the cache's keys are not those of k, "
                                                    "turned once",
                                  .mistakes = { { "every position is one too large: the first token of all stands at "
                                                  "position 0",
                                                  late.k },
                                                { "every position is one too small: the first token of all stands at "
                                                  "position 0, not at −1",
                                                  early.k },
                                                { "outputs are right, but the keys were kept before they were turned: "
                                                  "then every step must turn all of them anew; turn k, and keep that",
                                                  raw },
                                                { "outputs are right so far, but the positions are counted from the "
                                                  "end of the cache's room: what counts is how many rows are filled",
                                                  far } } });
    judge_answer(judge, (Answer){ .got = kv_cache_filled(cache).v,
                                  .expected = right.v,
                                  .hints.question = "the cache's values must be those of v: values are not turned" });
}

// NaN is the same as NaN here: what was never written still has the NaN that it had.
static bool same_bits(Mat a, Mat b)
{
    for (int i = 0; i < a.rows; i++)
        if (memcmp(mat_row(a, i), mat_row(b, i), (size_t)a.cols * sizeof(float)) != 0) return false;
    return true;
}

static void chunks_of(Judge *judge, const int *sizes, int count, int d, int dv)
{
    int n = 0;
    for (int c = 0; c < count; c++) n += sizes[c];
    Random random = random_from((uint64_t)(n + d));
    Tokens all = { mat_new(judge->arena, n, d), mat_new(judge->arena, n, d), mat_new(judge->arena, n, dv) };
    random_normals(&random, all.q);
    random_normals(&random, all.k);
    random_normals(&random, all.v);

    KvCache cache = kv_cache_new(judge->arena, 2 * n, d, dv); // room for those who append twice
    for (int c = 0, done = 0; c < count; done += sizes[c++]) {
        Tokens chunk = rows_of(judge->arena, all, done, sizes[c]);
        Mat got = judge_output(judge, sizes[c], dv), before = mat_copy(judge->arena, got);
        judge_trying(judge, "my_step of %d token%s, behind %d in the cache, d = %d, dv = %d", sizes[c],
                     sizes[c] == 1 ? "" : "s", done, d, dv);
        my_step(got, &cache, chunk.q, chunk.k, chunk.v, judge->arena);
        judge_number(judge, cache.length, done + sizes[c],
                     "the cache must hold the new rows afterwards, each once: kv_cache_append");
        judge_claim(judge, sizes[c] == 0 || !same_bits(got, before),
                    (Hints){ "the cache has grown, but nothing is written to out", NULL, NULL });
        judge_chunk(judge, all, sizes, c, got);
        judge_keys(judge, all, cache, done + sizes[c]);
    }
}

static void check(Judge *judge)
{
    chunks_of(judge, (int[]){ 3 }, 1, 4, 4);
    chunks_of(judge, (int[]){ 2, 1, 1 }, 3, 4, 3);
    chunks_of(judge, (int[]){ 4, 1, 0, 3, 1 }, 5, 6, 5);
}

int main(void) { return judge_main("11a", check); }
