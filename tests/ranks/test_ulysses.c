// Tests of lib/ranks/ulysses: shares become heads and back, and the result is one rank's.
#include "ranks/ulysses.h"

#include "attention/grouped.h"
#include "attention/tiled.h"
#include "ranks/collective.h"
#include "support/reference.h"
#include "support/suite.h"

static const int counts[] = { 1, 2, 3, 4, 7 };
static const ShareSequence shapes[] = {
    { .T = 61, .H = 8, .G = 8, .d = 4, .dv = 4 },
    { .T = 64, .H = 8, .G = 2, .d = 4, .dv = 6, .mask = { .causal = true } },
    { .T = 97, .H = 12, .G = 1, .d = 2, .dv = 3, .mask = { .causal = true, .window = 9, .sinks = 2 } },
    { .T = 5, .H = 7, .G = 7, .d = 3, .dv = 1, .mask = { .alibi = 0.5f } },
};
enum { COUNTS = sizeof counts / sizeof *counts, SHAPES = sizeof shapes / sizeof *shapes };

static HeadProjections problem_of(Arena *memory, ShareSequence s)
{
    Random random = random_from((uint64_t)(s.T + s.H));
    HeadProjections p = { .q = random_mat(memory, &random, s.T, s.H * s.d) };
    p.k = random_mat(memory, &random, s.T, s.G * s.d);
    p.v = random_mat(memory, &random, s.T, s.G * s.dv);
    return p;
}

typedef struct {
    Attended did;
    int64_t bytes[RANKS_MOST];
} Result;

static void ulysses_work(Rank *rank, const void *task, void *result)
{
    ShareSequence s = *(const ShareSequence *)task;
    Result none = { .bytes = { 0 } }, *whole = result ? result : &none;
    Arena *room = arena_open();
    HeadProjections p = problem_of(room, s);
    Share share = share_of(SHARE_CONTIGUOUS, s.T, rank->count, rank->me);
    HeadProjections own = { share_rows(room, p.q, share), share_rows(room, p.k, share), share_rows(room, p.v, share) };
    Attended to = { .out = mat_new(room, share.rows, s.H * s.dv), .lse = mat_new(room, share.rows, s.H) };
    ulysses_attend(rank, to, own, s, attention_naive);
    int64_t bytes = rank->bytes;
    share_gather(rank, whole->did.out, to.out, SHARE_CONTIGUOUS, s.T);
    share_gather(rank, whole->did.lse, to.lse, SHARE_CONTIGUOUS, s.T);
    rank_gather_bytes(rank, whole->bytes, &bytes, sizeof bytes);
    arena_close(room);
}

// To the bit: every head is worked on by the same kernel over the same rows.
TEST_EACH(equal_to_one_rank, COUNTS)
{
    int R = counts[_i];
    for (int n = 0; n < SHAPES; n++) {
        Arena *memory = arena_open();
        ShareSequence s = shapes[n];
        HeadProjections p = problem_of(memory, s);
        Result got = { .did = { mat_new(memory, s.T, s.H * s.dv), mat_new(memory, s.T, s.H), { 0 } } };
        Attended one = { mat_new(memory, s.T, s.H * s.dv), mat_new(memory, s.T, s.H), { 0 } };
        Mask masks[12];
        for (int h = 0; h < s.H; h++) masks[h] = s.mask;
        grouped_attend(one, p.q, p.k, p.v, s.H, masks, attention_naive);
        Ranks ranks = ranks_open(NULL, 0);
        case_is("T = %d, H = %d, G = %d, R = %d", s.T, s.H, s.G, R);
        ranks_run(&ranks, R, ulysses_work, &s, sizeof s, &got);
        assert_same(got.did.out, one.out);
        assert_same(got.did.lse, one.lse);
        for (int r = 0; r < R; r++) ck_assert_int_eq(got.bytes[r], ulysses_bytes(s, R, r));
        arena_close(memory);
    }
}

// Where everything divides: n (R − 1) / R rows of q, k, v, out and lse. A key head of two ranks is sent twice.
TEST(bytes_are_the_formula)
{
    ShareSequence s = { .T = 64, .H = 8, .G = 8, .d = 4, .dv = 6 };
    for (int R = 1; R <= 8; R *= 2) {
        int64_t n = s.T / R;
        ck_assert_int_eq(ulysses_bytes(s, R, R - 1), 4 * n * (R - 1) * (8 * 4 + 8 * 10 + 8 * 7) / R);
    }
    s.G = 1;
    ck_assert_int_eq(ulysses_bytes(s, 4, 1), 4 * 16 * 3 * (2 * 4 + 10 + 2 * 7));
}

static void too_many(Rank *rank, const void *task, void *result)
{
    (void)result;
    ShareSequence s = *(const ShareSequence *)task;
    ulysses_attend(rank, (Attended){ .out = { 0 } }, (HeadProjections){ { 0 }, { 0 }, { 0 } }, s, attention_naive);
}

TEST_ABORTS(more_ranks_than_heads_are_refused, 1)
{
    quiet();
    ShareSequence s = { .T = 4, .H = 2, .G = 1, .d = 1, .dv = 1 };
    Ranks ranks = ranks_open(NULL, 0);
    ranks_run(&ranks, 3, too_many, &s, sizeof s, NULL);
}
