// Tests of lib/attention/ring_cache.c: held against attention over all keys through a mask; sinks that follow.
#include "attention/ring_cache.h"

#include "base/portable_math.h"
#include "kernels/fast.h"
#include "attention/grouped.h"
#include "attention/online.h"
#include "attention/positions.h"
#include "base/threads.h"
#include "support/kernel.h"
#include "support/random_inputs.h"
#include "support/suite.h"

static void setup(void) { threads_set(1); }
FIXTURE(setup, NULL);

static int smaller(int a, int b) { return a < b ? a : b; }

// ---- rows

// Which token lies in each row, by writing them down: token j goes to the oldest row of the ring.
TEST(a_row_is_that_of_the_oldest)
{
    for (int sinks = 0; sinks <= 3; sinks++)
        for (int window = 1; window <= 5; window++) {
            RingCache cache = ring_cache_new(arena, sinks, window, 1, 1);
            int row_of[40], oldest = sinks;
            for (int j = 0; j < 40; j++) {
                row_of[j] = j < sinks ? j : oldest;
                if (j >= sinks) oldest = oldest + 1 < sinks + window ? oldest + 1 : sinks;
                Mat number = mat_of(arena, 1, 1, (float[]){ (float)j });
                ring_cache_append(&cache, number, number);
                ck_assert_int_eq(cache.length, j + 1);
                ck_assert_int_eq(ring_cache_row(&cache, j), row_of[j]);
                ck_assert(*mat_ref(cache.k, row_of[j], 0) == (float)j && *mat_ref(cache.v, row_of[j], 0) == (float)j);
                int kept = smaller(j + 1, sinks + window);
                ck_assert_int_eq(ring_cache_dropped(&cache), j + 1 - kept);
                ck_assert_int_eq(ring_cache_bytes(&cache), 8 * kept);
            }
            ck_assert_int_eq(ring_cache_row(&cache, 40), -1);
            ck_assert_int_eq(ring_cache_row(&cache, -1), -1);
        }
}

// ---- as the mask

static AttentionKernel *const inside[] = { attention_naive, attention_online, attention_fast };
enum { INSIDE = sizeof inside / sizeof *inside };

// After every token: as the mask over everything.
TEST(a_ring_is_the_mask)
{
    static const int heads[][2] = { { 1, 1 }, { 2, 1 }, { 4, 2 } };
    for (int round = 0; round < 60; round++) {
        ArenaMark mark = arena_mark(arena);
        const int *HG = heads[round % 3];
        int H = HG[0], G = HG[1], d = 1 + below(9), dv = 1 + below(5), sinks = below(4), window = 1 + below(9), T = 45;
        Mat q = random_rows(T, H * d), k = random_rows(T, G * d), v = random_rows(T, G * dv);
        Mask masks[4];
        for (int h = 0; h < H; h++)
            masks[h] = (Mask){ .causal = true, .window = window, .sinks = sinks, .alibi = below(2) ? 0.25f : 0.0f };
        RingCache cache = ring_cache_spare(arena, sinks, window, below(4), G * d, G * dv);
        Attended ring = { mat_new(arena, 1, H * dv), mat_new(arena, 1, H), { 0 } };
        // What the ring has forgotten may be anything.
        for (int t = 0; t < T; t++) {
            int gone = t - window;
            if (gone >= sinks) mat_fill(mat_rows(k, gone, 1), NAN);
            Mat row = mat_rows(q, t, 1);
            ring_cache_attend(ring, &cache, row, mat_rows(k, t, 1), mat_rows(v, t, 1), H, masks,
                              inside[round % INSIDE]);
            case_is("round %d, token %d, %d sinks, window %d", round, t, sinks, window);
            reference_heads(ring, row, mat_rows(k, 0, t + 1), mat_rows(v, 0, t + 1), H, masks, 2e-6, 2e-6);
        }
        arena_release(arena, mark);
    }
}

// Any chunks, the same bits: a query never feels the later tokens of its chunk.
TEST(chunks_of_any_size)
{
    enum { T = 40, H = 2, d = 4 };
    Mat q = random_rows(T, H * d), k = random_rows(T, H * d), v = random_rows(T, H * d),
        want = mat_new(arena, T, H * d);
    Mask masks[H] = { { .causal = true, .window = 6, .sinks = 1 }, { .causal = true, .window = 3 } };
    for (int round = 0; round < 30; round++) {
        RingCache cache = ring_cache_new(arena, 1, 6, H * d, H * d);
        Mat out = mat_new(arena, T, H * d), lse = mat_new(arena, T, H);
        for (int t = 0; t < T;) {
            int n = round == 0 ? 1 : smaller(1 + below(12), T - t);
            Attended to = { mat_rows(out, t, n), mat_rows(lse, t, n), mat_new(arena, H * n, t + n) };
            ring_cache_attend(to, &cache, mat_rows(q, t, n), mat_rows(k, t, n), mat_rows(v, t, n), H, masks,
                              attention_naive);
            for (int i = 0; i < H * n; i++) ck_assert_double_eq_tol(mat_sum(mat_rows(to.weights, i, 1)), 1.0, 1e-5);
            t += n;
        }
        if (round == 0) mat_set(want, out);
        case_is("round %d", round);
        assert_same(out, want);
    }
}

// ---- sinks that follow

// Keys turned by their place in the cache, in float32, from scratch: for every token anew.
static void by_places(Mat out, Mat q, Mat k, Mat v, int t, int sinks, int window, int H, int G, double base)
{
    int kept = smaller(t + 1, sinks + window), d = q.cols / H;
    Mat keys = mat_new(arena, kept, k.cols), values = mat_new(arena, kept, v.cols), query = mat_copy(arena, q);
    for (int i = 0; i < kept; i++) {
        int token = i < sinks || t + 1 == kept ? i : t + 1 - kept + i;
        mat_set(mat_rows(keys, i, 1), mat_rows(k, token, 1));
        mat_set(mat_rows(values, i, 1), mat_rows(v, token, 1));
    }
    RopeTable all = rope_table_scaled(arena, 0, kept, d, base, 1.0),
              last = { mat_rows(all.cosine, kept - 1, 1), mat_rows(all.sine, kept - 1, 1) };
    for (int g = 0; g < G; g++) rope_apply(mat_cols(keys, g * d, d), all);
    for (int h = 0; h < H; h++) rope_apply(mat_cols(query, h * d, d), last);
    Mask masks[4] = { { 0 } };
    grouped_attend((Attended){ .out = out }, query, keys, values, H, masks, attention_naive);
}

TEST(sinks_that_follow_stand_where_the_cache_has_them)
{
    enum { T = 300, H = 4, d = 6 };
    for (int G = 1; G <= 4; G *= 2)
        for (int sinks = 0; sinks <= 4; sinks += 2) {
            Mat q = random_rows(T, H * d), k = random_rows(T, G * d), v = random_rows(T, G * d);
            RopeTable turns = rope_table_scaled(arena, 0, T, d, 100.0, 1.0);
            RingCache cache = ring_cache_new(arena, sinks, 9, G * d, G * d);
            cache.base = 100.0;
            cache.G = G;
            Mask masks[H];
            for (int h = 0; h < H; h++) masks[h] = (Mask){ .causal = true };
            for (int t = 0; t < T; t++) {
                ArenaMark mark = arena_mark(arena);
                RopeTable at = { mat_rows(turns.cosine, t, 1), mat_rows(turns.sine, t, 1) };
                Mat query = mat_copy(arena, mat_rows(q, t, 1)), key = mat_copy(arena, mat_rows(k, t, 1));
                Mat out = mat_new(arena, 1, H * d), want = mat_new(arena, 1, H * d);
                for (int h = 0; h < H; h++) rope_apply(mat_cols(query, h * d, d), at);
                for (int g = 0; g < G; g++) rope_apply(mat_cols(key, g * d, d), at);
                ring_cache_attend((Attended){ .out = out }, &cache, query, key, mat_rows(v, t, 1), H, masks,
                                  attention_naive);
                by_places(want, mat_rows(q, t, 1), k, v, t, sinks, 9, H, G, 100.0);
                case_is("G %d, %d sinks, token %d", G, sinks, t);
                assert_close(out, table_of(arena, want).at, 5e-6, 5e-6);
                arena_release(arena, mark);
            }
        }
}

// A layer that shares keys with the one below looks at what has joined there: its own query alone.
TEST(a_query_without_its_key)
{
    enum { T = 20, d = 4 };
    RingCache cache = ring_cache_new(arena, 1, 5, d, d);
    Mask mask = { .causal = true };
    for (int t = 0; t < T; t++) {
        Mat q = random_rows(1, d), k = random_rows(1, d), v = random_rows(1, d);
        Mat out = mat_new(arena, 1, d), again = mat_new(arena, 1, d);
        ring_cache_attend((Attended){ .out = out }, &cache, q, k, v, 1, &mask, attention_naive);
        ring_cache_attend((Attended){ .out = again }, &cache, q, mat_rows(k, 0, 0), mat_rows(v, 0, 0), 1, &mask,
                          attention_naive);
        case_is("token %d", t);
        assert_same(again, out);
        ck_assert_int_eq(cache.length, t + 1);
    }
}

// ---- tokens that are taken back

TEST_ABORTS(what_is_gone_cannot_be_taken_back, 8)
{
    quiet();
    int spare = _i % 4;
    RingCache cache = ring_cache_spare(arena, 1, 3, spare, 2, 2);
    ring_cache_append(&cache, mat_new(arena, 12, 2), mat_new(arena, 12, 2));
    ring_cache_truncate(&cache, _i < 4 ? 11 - spare : 12 - spare);
    ring_cache_append(&cache, mat_new(arena, 1, 2), mat_new(arena, 1, 2));
    ring_cache_truncate(&cache, spare == 0 ? 11 : 11 - spare);
}

TEST_ABORTS(what_does_not_fit_stops, 7)
{
    quiet();
    if (_i == 0) ring_cache_new(arena, 1, 0, 2, 2);
    if (_i == 1) ring_cache_new(arena, -1, 3, 2, 2);
    RingCache cache = ring_cache_new(arena, 1, 3, 2, 2);
    if (_i == 2) ring_cache_append(&cache, mat_new(arena, 1, 3), mat_new(arena, 1, 2));
    if (_i == 3) ring_cache_append(&cache, mat_new(arena, 2, 2), mat_new(arena, 1, 2));
    if (_i == 4) ring_cache_spare(arena, 1, 3, -1, 2, 2);
    if (_i == 5) ring_cache_truncate(&cache, 1);
    if (_i == 6) ring_cache_truncate(&cache, -1);
}
