// Tests of lib/attention/kv_cache.c: however a sequence is dealt into chunks, it gives what it gives in one piece.
#include "attention/kv_cache.h"

#include "attention/grouped.h"
#include "base/cost.h"
#include "base/portable_math.h"
#include "support/random_inputs.h"
#include "support/suite.h"

#include <string.h>

enum { H_MOST = 12 };
// clang-format off
static const int groups[][2] = {                     // H, G
    { 1, 1 }, { 2, 1 }, { 2, 2 }, { 6, 1 }, { 6, 2 }, { 6, 3 }, { 6, 6 }, { 12, 4 },
};
// clang-format on
enum { GROUPS = sizeof groups / sizeof *groups };

// Each of these without and with ALiBi.
// clang-format off
static const Mask kinds[] = {
    { .causal = true }, { .causal = true, .window = 1 }, { .causal = true, .window = 4 },
    { .causal = true, .window = 3, .sinks = 2 }, { .causal = true, .window = 100 },
    { .causal = true, .window = 2, .sinks = 100 },
};
// clang-format on
enum { KINDS = sizeof kinds / sizeof *kinds };

// One sequence of n tokens, and what attention gives for all of it at once.
typedef struct {
    int n, H, G, d, dv;
    Mask masks[H_MOST];
    Mat q, k, v;
    Attended whole;
} Sequence;

static Attended room(int n, int S, int H, int dv)
{
    return (Attended){ framed_mat(arena, n, H * dv, NAN).view, framed_mat(arena, n, H, NAN).view,
                       framed_mat(arena, H * n, S, NAN).view };
}

static Sequence some_sequence(int n, int H, int G, int d, int dv, Mask mask, bool alibi)
{
    Sequence s = { n,
                   H,
                   G,
                   d,
                   dv,
                   .q = framed_random(n, H * d),
                   .k = framed_random(n, G * d),
                   .v = framed_random(n, G * dv),
                   .whole = room(n, n, H, dv) };
    grouped_masks(s.masks, H, mask, alibi);
    return s;
}

static void attend_whole(Sequence *s) { grouped_attend(s->whole, s->q, s->k, s->v, s->H, s->masks, attention_naive); }

// A chunk's rows of the maps of all heads; keys that come later have no weight in the whole.
static void assert_maps(const Sequence *s, Mat weights, int first, int n)
{
    for (int h = 0; h < s->H; h++) {
        Mat whole = mat_rows(s->whole.weights, h * s->n + first, n);
        assert_same(mat_rows(weights, h * n, n), mat_cols(whole, 0, first + n));
        ck_assert(mat_sum(mat_cols(whole, first + n, s->n - first - n)) == 0.0);
    }
}

// Fed in chunks of 0 … most tokens, to the bit as in one piece. The cache has more room than is needed.
static void assert_split(const Sequence *s, int most)
{
    KvCache cache = kv_cache_new(arena, s->n + 3, s->G * s->d, s->G * s->dv);
    for (int first = 0, n; first < s->n; first += n) {
        n = below(most + 1);
        if (n > s->n - first) n = s->n - first;
        Attended to = room(n, first + n, s->H, s->dv);
        kv_cache_attend(to, &cache, mat_rows(s->q, first, n), mat_rows(s->k, first, n), mat_rows(s->v, first, n), s->H,
                        s->masks, attention_naive);
        ck_assert_int_eq(cache.length, first + n);
        assert_same(to.out, mat_rows(s->whole.out, first, n));
        assert_same(to.lse, mat_rows(s->whole.lse, first, n));
        assert_maps(s, to.weights, first, n);
    }
    assert_same(kv_cache_filled(cache).k, s->k);
    assert_same(kv_cache_filled(cache).v, s->v);
}

TEST_EACH(random_splits_to_the_bit, GROUPS)
{
    int H = groups[_i][0], G = groups[_i][1];
    for (int e = 0; e < KINDS * 2 * 4; e++) {
        ArenaMark mark = arena_mark(arena);
        int n = random_below(&random_state, 20);
        int d = 1 + random_below(&random_state, 5), dv = random_below(&random_state, 6);
        Sequence s = some_sequence(n, H, G, d, dv, kinds[e % KINDS], e / KINDS % 2);
        attend_whole(&s);
        case_is("H %d, G %d, d %d, dv %d, mask %d, %d tokens", H, G, d, dv, e, n);
        for (int again = 0; again < 4; again++) assert_split(&s, 1 + below(n + 1));
        arena_release(arena, mark);
    }
}

TEST(a_cache_is_filled_from_the_front)
{
    KvCache cache = kv_cache_new(arena, 5, 4, 3);
    ck_assert_int_eq(cache.length, 0);
    ck_assert_int_eq(kv_cache_filled(cache).k.rows, 0);
    Mat k = framed_random(5, 4), v = framed_random(5, 3);
    for (int first = 0; first < 4; first += 2) {
        kv_cache_append(&cache, mat_rows(k, first, 2), mat_rows(v, first, 2));
        kv_cache_append(&cache, mat_rows(k, 0, 0), mat_rows(v, 0, 0));
        ck_assert_int_eq(kv_cache_bytes(cache), (first + 2) * 7 * 4);
        assert_same(kv_cache_filled(cache).k, mat_rows(k, 0, first + 2));
        assert_same(kv_cache_filled(cache).v, mat_rows(v, 0, first + 2));
    }
    ck_assert(mat_sum(mat_rows(cache.k, 4, 1)) == 0.0);            // behind them nothing was written
    kv_cache_append(&cache, mat_rows(k, 4, 1), mat_rows(v, 4, 1)); // and the last row can be used
    assert_same(kv_cache_filled(cache).k, k);
    ck_assert_ptr_eq(kv_cache_filled(cache).k.at, cache.k.at); // a view, no copy
}

// How many of the S keys the chunk of T queries may see, by the definition.
static int rows_in_sight(const Mask *masks, int heads, int T, int S)
{
    int rows = 0;
    for (int j = 0; j < S; j++) {
        bool seen = false;
        for (int h = 0; h < heads; h++)
            for (int i = 0; i < T; i++) seen = seen || reference_sees(masks[h], i, j, T, S);
        rows += seen;
    }
    return rows;
}

TEST(traffic_by_the_formula)
{
    for (int e = 0; e < KINDS * GROUPS; e++) {
        int H = groups[e % GROUPS][0], G = groups[e % GROUPS][1], d = 4, dv = 3;
        int before = 6, n = 1 + e % 5, S = before + n;
        Sequence s = some_sequence(S, H, G, d, dv, kinds[e / GROUPS], false);
        s.masks[H - 1].window = 0; // heads of one group may differ
        KvCache cache = kv_cache_new(arena, S, G * d, G * dv);
        kv_cache_append(&cache, mat_rows(s.k, 0, before), mat_rows(s.v, 0, before));
        bool maps = e % 2;
        Attended to = { .out = mat_new(arena, n, H * dv) };
        if (maps) {
            to.lse = mat_new(arena, n, H);
            to.weights = mat_new(arena, H * n, S);
        }
        Cost start = cost_counted;
        kv_cache_attend(to, &cache, mat_rows(s.q, before, n), mat_rows(s.k, before, n), mat_rows(s.v, before, n), H,
                        s.masks, attention_naive);
        Cost moved = cost_since(start);
        int cached = 0;
        for (int g = 0; g < G; g++) cached += rows_in_sight(s.masks + g * (H / G), H / G, n, S) * (d + dv);
        case_is("H %d, G %d, mask %d, n %d", H, G, e / GROUPS, n);
        ck_assert_int_eq(moved.reads, n * H * d + n * G * (d + dv) + cached);
        ck_assert_int_eq(moved.writes, n * G * (d + dv) + n * H * dv + (maps ? n * H + H * n * S : 0));
    }
}

TEST_ABORTS(mistakes_stop_the_program, 9)
{
    quiet();
    KvCache cache = kv_cache_new(arena, 4, 6, 4);
    Mask masks[2] = { { .causal = true }, { .causal = true } };
    Mat k = mat_new(arena, 3, 6), v = mat_new(arena, 3, 4), q = mat_new(arena, 3, 6), out = mat_new(arena, 3, 4);
    kv_cache_append(&cache, mat_rows(k, 0, 2), mat_rows(v, 0, 2));
    switch (_i) {
    case 0: kv_cache_append(&cache, k, v); break; // a row too many
    case 1: kv_cache_append(&cache, mat_rows(k, 0, 1), mat_rows(v, 0, 2)); break;
    case 2: kv_cache_append(&cache, mat_cols(mat_rows(k, 0, 2), 0, 5), mat_rows(v, 0, 2)); break;
    case 3: kv_cache_append(&cache, mat_rows(k, 0, 2), mat_cols(mat_rows(v, 0, 2), 0, 3)); break;
    case 4: kv_cache_truncate(&cache, 3); break;
    case 5: kv_cache_truncate(&cache, -1); break;
    case 6: kv_cache_attend((Attended){ .out = out }, &cache, q, k, v, 2, masks, attention_naive); break;
    case 7:
        kv_cache_attend((Attended){ .out = out }, &cache, q, mat_rows(k, 0, 1), mat_rows(v, 0, 1), 2, masks,
                        attention_naive);
        break;
    default: kv_cache_new(arena, -1, 6, 4); break;
    }
}
