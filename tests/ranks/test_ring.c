// Tests of lib/ranks/ring: on any number of ranks the ring gives what one rank gives, forward and backward, and what
// float64 gives; its bytes and its memory are those of the formulas.
#include "ranks/ring.h"

#include "attention/grouped.h"
#include "attention/online.h"
#include "attention/tiled.h"
#include "base/portable_math.h"
#include "ranks/collective.h"
#include "support/reference.h"
#include "support/suite.h"

static const int counts[] = { 1, 2, 3, 4, 7 };
enum { COUNTS = sizeof counts / sizeof *counts, KERNELS = 3 };
static AttentionKernel *const kernels[KERNELS] = { attention_naive, attention_tiled, attention_online };

// clang-format off
static const Mask masks[] = {
    { 0 }, { .causal = true }, { .causal = true, .window = 9 }, { .causal = true, .window = 9, .sinks = 3 },
    { .causal = true, .window = 1, .sinks = 20 }, { .padding = 5 }, { .causal = true, .scale = 0.2f },
    { .window = 6 }, { .causal = true, .alibi = 0.25f }, { .window = 5, .globals = 2 },
};
// clang-format on
enum { MASKS = sizeof masks / sizeof *masks, FOR_STRIPES = 7 }; // those from there on are not for stripes

static const ShareSequence shapes[] = {
    { .T = 61, .H = 2, .G = 2, .d = 8, .dv = 8 }, { .T = 64, .H = 4, .G = 2, .d = 4, .dv = 6 },
    { .T = 97, .H = 3, .G = 1, .d = 6, .dv = 5 }, { .T = 5, .H = 2, .G = 1, .d = 4, .dv = 4 },
    { .T = 1, .H = 1, .G = 1, .d = 1, .dv = 1 },
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

// Everything of a problem; the ranks of these tests are threads, and make it anew from its shape.
typedef struct {
    HeadProjections p;
    Mat dout;
} Problem;

static Problem problem_of(Arena *memory, ShareSequence s)
{
    Random random = random_from((uint64_t)(s.T * 100 + s.H * 10 + s.d));
    Problem a;
    a.p.q = random_mat(memory, &random, s.T, s.H * s.d);
    a.p.k = random_mat(memory, &random, s.T, s.G * s.d);
    a.p.v = random_mat(memory, &random, s.T, s.G * s.dv);
    a.dout = random_mat(memory, &random, s.T, s.H * s.dv);
    return a;
}

typedef struct {
    ShareSequence s;
    int kernel;
    bool back;
} Task;
typedef struct {
    Attended did;
    HeadProjections to;
    int64_t bytes[RANKS_MOST], memory[RANKS_MOST], messages[RANKS_MOST], back_bytes[RANKS_MOST];
    RingStep steps[RANKS_MOST * RANKS_MOST];
} Result;

static Result result_new(Arena *memory, ShareSequence s)
{
    Result r = { .did = { mat_new(memory, s.T, s.H * s.dv), mat_new(memory, s.T, s.H), { 0 } },
                 .to = { mat_new(memory, s.T, s.H * s.d), mat_new(memory, s.T, s.G * s.d),
                         mat_new(memory, s.T, s.G * s.dv) } };
    return r;
}

static void ring_work(Rank *rank, const void *task, void *result)
{
    const Task *t = task;
    Result *whole = result, none = { .bytes = { 0 } };
    ShareSequence s = t->s;
    if (!whole) whole = &none;

    // 1. What this rank has: in its memory. What the test has: elsewhere.
    Arena *room = arena_open();
    Problem all = problem_of(room, s);
    Share share = share_of(s.layout, s.T, rank->count, rank->me);
    HeadProjections own = { share_rows(rank->arena, all.p.q, share), share_rows(rank->arena, all.p.k, share),
                            share_rows(rank->arena, all.p.v, share) };
    Attended did = { .out = mat_new(rank->arena, share.rows, s.H * s.dv),
                     .lse = mat_new(rank->arena, share.rows, s.H) };
    RingStep steps[RANKS_MOST];
    mat_fill(did.out, 7.0f);
    ring_attend(rank, did, own, s, kernels[t->kernel], steps);
    int64_t memory = (int64_t)arena_peak(rank->arena), bytes = rank->bytes, messages = rank->messages, back = 0;

    // 2. And back.
    HeadProjections to = { mat_new(room, share.rows, s.H * s.d), mat_new(room, share.rows, s.G * s.d),
                           mat_new(room, share.rows, s.G * s.dv) };
    mat_fill(to.k, 1.0f); // gradients are added to what is there
    if (t->back) {
        ring_backward(rank, to, share_rows(room, all.dout, share), own, did, s);
        back = rank->bytes - bytes;
    }
    share_gather(rank, whole->did.out, did.out, s.layout, s.T);
    share_gather(rank, whole->did.lse, did.lse, s.layout, s.T);
    share_gather(rank, whole->to.q, to.q, s.layout, s.T);
    share_gather(rank, whole->to.k, to.k, s.layout, s.T);
    share_gather(rank, whole->to.v, to.v, s.layout, s.T);
    rank_gather_bytes(rank, whole->bytes, &bytes, sizeof bytes);
    rank_gather_bytes(rank, whole->memory, &memory, sizeof memory);
    rank_gather_bytes(rank, whole->messages, &messages, sizeof messages);
    rank_gather_bytes(rank, whole->back_bytes, &back, sizeof back);
    rank_gather_bytes(rank, whole->steps, steps, (size_t)rank->count * sizeof *steps);
    arena_close(room);
}

static Mat head_of(Mat m, int h, int width) { return mat_cols(m, h * width, width); }

// One rank: what one machine computes. In float64: the definition.
static void assert_forward(Arena *memory, Problem a, ShareSequence s, const Result *got)
{
    Attended one = { .out = mat_new(memory, s.T, s.H * s.dv), .lse = mat_new(memory, s.T, s.H) };
    Mask all[8];
    for (int h = 0; h < s.H; h++) all[h] = s.mask;
    grouped_attend(one, a.p.q, a.p.k, a.p.v, s.H, all, attention_naive);
    assert_close(got->did.out, table_of(memory, one.out).at, 2e-6, 2e-6);
    assert_close(got->did.lse, table_of(memory, one.lse).at, 2e-6, 2e-6);
    for (int h = 0; h < s.H; h++) {
        int g = h / (s.H / s.G);
        Reference exact = reference_attention(memory, table_of(memory, head_of(a.p.q, h, s.d)),
                                              table_of(memory, head_of(a.p.k, g, s.d)),
                                              table_of(memory, head_of(a.p.v, g, s.dv)), s.mask);
        assert_close(head_of(got->did.out, h, s.dv), exact.out.at, 2e-6, 2e-6);
        assert_close(head_of(got->did.lse, h, 1), exact.lse.at, 2e-6, 2e-6);
    }
}

// 2e-6 of the largest of these numbers: a sum is as exact as its largest terms are.
static double within(Mat m)
{
    double most = 1;
    for (int64_t i = 0; i < mat_numbers(m); i++) most = fmax(most, fabs((double)m.at[i]));
    return 2e-6 * most;
}

static void assert_backward(Arena *memory, Problem a, ShareSequence s, const Result *got)
{
    HeadProjections to = { mat_new(memory, s.T, s.H * s.d), mat_new(memory, s.T, s.G * s.d),
                           mat_new(memory, s.T, s.G * s.dv) };
    mat_fill(to.k, 1.0f);
    for (int h = 0; h < s.H; h++) {
        int g = h / (s.H / s.G);
        HeadProjections p = { head_of(a.p.q, h, s.d), head_of(a.p.k, g, s.d), head_of(a.p.v, g, s.dv) };
        Attended did = { .out = mat_new(memory, s.T, s.dv), .lse = mat_new(memory, s.T, 1) };
        attention_naive(did, p.q, p.k, p.v, s.mask);
        attention_tiled_backward((HeadProjections){ head_of(to.q, h, s.d), head_of(to.k, g, s.d),
                                                    head_of(to.v, g, s.dv) },
                                 head_of(a.dout, h, s.dv), p, did, s.mask, (TileSizes){ 64, 64 });
    }
    assert_close(got->to.q, table_of(memory, to.q).at, 0, within(to.q));
    assert_close(got->to.k, table_of(memory, to.k).at, 0, within(to.k));
    assert_close(got->to.v, table_of(memory, to.v).at, 0, within(to.v));
}

static void assert_counts(ShareSequence s, int R, const Result *got)
{
    int64_t sent = 0, sent_back = 0;
    for (int r = 0; r < R; r++) {
        ck_assert_int_eq(got->bytes[r], ring_bytes(s, R, r));
        ck_assert_int_eq(got->messages[r], 2 * (R - 1));
        sent += got->bytes[r];
        sent_back += got->back_bytes[r];
        for (int t = 0; t < R; t++) ck_assert_int_eq(got->steps[r * R + t].owner, (r - t + R) % R);
    }
    // Every block is sent by all ranks but the one before its owner; its gradients by all but the owner.
    ck_assert_int_eq(sent, (int64_t)4 * (R - 1) * s.T * s.G * (s.d + s.dv));
    ck_assert_int_eq(sent_back, 2 * sent);
}

TEST_EACH(equal_to_one_rank, COUNTS *SHARE_LAYOUTS)
{
    int R = counts[_i % COUNTS], layout = _i / COUNTS % SHARE_LAYOUTS;
    for (int shape = 0; shape < SHAPES; shape++)
        for (int m = 0; m < (layout == SHARE_STRIPED ? FOR_STRIPES : MASKS); m++) {
            Arena *memory = arena_open();
            Task task = { .s = shapes[shape], .kernel = m % KERNELS, .back = true };
            task.s.mask = masks[m];
            task.s.layout = (ShareLayout)layout;
            Result got = result_new(memory, task.s);
            Ranks ranks = ranks_open(NULL, 0);
            case_is("T = %d, H = %d, G = %d, mask %d, R = %d, %s", task.s.T, task.s.H, task.s.G, m, R,
                    share_layout_names[layout]);
            ranks_run(&ranks, R, ring_work, &task, sizeof task, &got);
            Problem a = problem_of(memory, task.s);
            assert_forward(memory, a, task.s, &got);
            assert_backward(memory, a, task.s, &got);
            assert_counts(task.s, R, &got);
            arena_close(memory);
        }
}

// With numbers that fill their matrices' last 64 bytes, memory is the formula to the byte.
TEST(memory_is_the_formula)
{
    for (int c = 0; c < COUNTS - 1; c++) {
        Arena *memory = arena_open();
        Task task = { .s = { .T = 192, .H = 2, .G = 1, .d = 16, .dv = 16, .mask = { .causal = true } } };
        Result got = result_new(memory, task.s);
        Ranks ranks = ranks_open(NULL, 0);
        ranks_run(&ranks, counts[c], ring_work, &task, sizeof task, &got);
        for (int r = 0; r < counts[c]; r++) ck_assert_int_eq(got.memory[r], ring_memory(task.s, counts[c], r));
        arena_close(memory);
    }
}

// ---- the causal mask: who has how much to do

static int64_t in_sight(ShareSequence s, Share mine, Share theirs)
{
    int64_t pairs = 0;
    for (int a = 0; a < mine.count; a++)
        for (int b = 0; b < theirs.count; b++)
            for (int i = 0; i < mine.runs[a].count; i++)
                for (int j = 0; j < theirs.runs[b].count; j++)
                    pairs += mask_sees(s.mask, mine.runs[a].first + i * mine.runs[a].step,
                                       theirs.runs[b].first + j * theirs.runs[b].step, s.T, s.T);
    return pairs;
}

TEST(work_is_what_is_in_sight)
{
    for (int layout = 0; layout < SHARE_LAYOUTS; layout++) {
        Arena *memory = arena_open();
        Task task = {
            .s = { .T = 61, .H = 2, .G = 1, .d = 8, .dv = 4, .layout = (ShareLayout)layout, .mask = { .causal = true } }
        };
        ShareSequence s = task.s;
        Result got = result_new(memory, s);
        Ranks ranks = ranks_open(NULL, 0);
        int R = 4, hidden = 0;
        ranks_run(&ranks, R, ring_work, &task, sizeof task, &got);
        for (int r = 0; r < R; r++)
            for (int t = 0; t < R; t++) {
                RingStep step = got.steps[r * R + t];
                Share mine = share_of(s.layout, s.T, R, r), theirs = share_of(s.layout, s.T, R, step.owner);
                int64_t pairs = in_sight(s, mine, theirs) * s.H * (s.d + s.dv);
                // Beside the pairs: the merge of a row, dv products for each of the two that are merged.
                ck_assert_int_ge(step.multiplies, pairs);
                ck_assert_int_le(step.multiplies, pairs + (int64_t)2 * s.H * s.dv * mine.rows * mine.count);
                ck_assert_int_eq(step.worked_on + step.hidden, s.H * mine.count * theirs.count);
                if (pairs == 0) ck_assert_int_eq(step.multiplies, 0);
                hidden += step.hidden;
            }
        // Contiguous: 6 of 16 blocks lie behind all queries. Stripes: none does. Zigzag: 28 of 64 pairs of pieces.
        ck_assert_int_eq(hidden, s.H * (layout == SHARE_CONTIGUOUS ? 6 : layout == SHARE_STRIPED ? 0 : 28));
        arena_close(memory);
    }
}
