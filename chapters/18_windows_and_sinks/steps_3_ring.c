// Chapter 18, step 3. A ring of rows, and the mask that it equals.
#include "attention/grouped.h"
#include "attention/online.h"
#include "attention/ring_cache.h"
#include "base/portable_math.h"
#include "base/threads.h"
#include "steps.h"

// ---- which token lies where

static void show_rows_of_ring(Lesson *lesson)
{
    enum { SINKS = 1, WINDOW = 4, ROWS = SINKS + WINDOW, TOKENS = 10 };
    Arena *arena = lesson->arena;
    Mat lies = mat_new(arena, TOKENS, ROWS), empty = mat_new(arena, TOKENS, ROWS), number = mat_new(arena, 1, 1);
    static const char *const cols[ROWS] = { "sink", "row 1", "row 2", "row 3", "row 4" };
    RingCache ring = ring_cache_new(arena, SINKS, WINDOW, 1, 1);
    for (int t = 0; t < TOKENS; t++) {
        *mat_ref(number, 0, 0) = (float)t;
        ring_cache_append(&ring, number, number);
        for (int row = 0; row < ROWS; row++) {
            *mat_ref(lies, t, row) = *mat_ref(ring.k, row, 0);
            *mat_ref(empty, t, row) = row > t ? 1.0f : 0.0f;
        }
    }
    const char *const *rows = numbered(arena, "after token ", TOKENS);
    show_table(lesson, (Table){ .name = "the token in each row",
                                .values = lies,
                                .hidden = empty,
                                .rows = rows,
                                .cols = cols,
                                .decimals = -1 });
    figure_map(lesson, "ring.png", "which token lies in which row of a ring of four, with one sink",
               (Heatmap){ .title = "One sink, and a ring of four rows",
                          .values = lies,
                          .hidden = empty,
                          .hidden_title = "empty",
                          .row_labels = rows,
                          .col_labels = cols,
                          .low = 0,
                          .high = TOKENS - 1,
                          .decimals = 0,
                          .cell = 34,
                          .bar_title = "token",
                          .zeros_count = true });
}

// ---- the same as the mask

// All keys so far, in the three pieces that the ring has: sinks; up to the row that is written next; from there on.
typedef struct {
    Mat k, v;
    int S, sinks, newer;
} Pieces;

static KvSegment piece(const void *from, int n, Arena *room)
{
    (void)room;
    const Pieces *p = from;
    int ends[] = { 0, p->sinks, p->S - p->newer, p->S }, count = ends[n + 1] - ends[n];
    return (KvSegment){ mat_rows(p->k, ends[n], count), mat_rows(p->v, ends[n], count), p->S - ends[n + 1] };
}

typedef struct {
    int64_t bytes;
    int same, in_order;
    double farthest;
} Agreement;

// Token by token: the ring; the mask over everything that was ever there; and all of that in one piece.
static Agreement follow(Arena *arena, int tokens, int sinks, int window, Random *random)
{
    enum { WIDE = 4 };
    Mat q = mat_new(arena, 1, WIDE), k = mat_new(arena, tokens, WIDE), v = mat_new(arena, tokens, WIDE);
    Mat ring_out = mat_new(arena, 1, WIDE), out = mat_new(arena, 1, WIDE), one = mat_new(arena, 1, WIDE);
    random_normals(random, k);
    random_normals(random, v);
    Mask mask = { .causal = true, .window = window, .sinks = sinks };
    RingCache ring = ring_cache_new(arena, sinks, window, WIDE, WIDE);
    Agreement found = { 0 };
    for (int t = 0; t < tokens; t++) {
        random_normals(random, q);
        ring_cache_attend((Attended){ .out = ring_out }, &ring, q, mat_rows(k, t, 1), mat_rows(v, t, 1), 1, &mask,
                          attention_online);
        int newer = t + 1 > sinks + window ? (t + 1 - sinks) % window : 0;
        Pieces pieces = { k, v, t + 1, t + 1 < sinks ? t + 1 : sinks, newer };
        kv_segments_attend((Attended){ .out = out }, q, (KvSegments){ t + 1, 3, piece, &pieces }, 1, &mask,
                           attention_online);
        found.same += mat_equal(ring_out, out);
        attention_online((Attended){ .out = one }, q, mat_rows(k, 0, t + 1), mat_rows(v, 0, t + 1), mask);
        found.farthest = fmax(found.farthest, mat_max_difference(ring_out, one));
    }
    found.bytes = ring_cache_bytes(&ring);
    return found;
}

void a_ring(Lesson *lesson, int tokens, int sinks, int window)
{
    step(lesson, "A ring");
    show_rows_of_ring(lesson);
    Arena *arena = arena_open();
    threads_set(1); // three small parts: a thread costs more than it does
    Agreement found = follow(arena, tokens, sinks, window, &lesson->random);
    threads_set(0);
    arena_close(arena);
    int rows = tokens < sinks + window ? tokens : sinks + window;
    say(lesson,
        "%d tokens, d = 4, a window of %d, sinks %d: the ring, and the mask over all keys so far, cut where "
        "the ring is cut.",
        tokens, window, sinks);
    check(lesson, found.same == tokens, "after each of %d tokens the ring gives what the mask gives, to the bit",
          tokens);
    check(lesson, found.farthest < 1e-5,
          "all keys in one piece are added up in another order: less than 0.00001 "
          "apart");
    cost(lesson, "bytes kept", found.bytes, "4 · 2 d · (sinks + W)", 4LL * 2 * 4 * rows);
    say(lesson, "A cache of all of them would have %d.", 4 * 2 * 4 * tokens);
}
