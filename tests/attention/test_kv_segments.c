// Tests of lib/attention/kv_segments.c: keys in any parts, merged, give what they give in one piece.
#include "attention/kv_segments.h"

#include "base/portable_math.h"
#include "kernels/fast.h"
#include "attention/grouped.h"
#include "attention/online.h"
#include "attention/positions.h"
#include "attention/tiled.h"
#include "base/cost.h"
#include "base/threads.h"
#include "support/kernel.h"
#include "support/random_inputs.h"
#include "support/suite.h"

static int smaller(int a, int b) { return a < b ? a : b; }

static void tiled_3_5(Attended to, Mat q, Mat k, Mat v, Mask mask)
{
    attention_tiled_with(to, q, k, v, mask, (TileSizes){ 3, 5 });
}

static AttentionKernel *const inside[] = {
    attention_naive, attention_online, tiled_3_5, attention_tiled, attention_fast,
};
enum { INSIDE = sizeof inside / sizeof *inside };

// ---- rows in one piece, read in parts

enum { PARTS_MOST = 80 };
typedef struct {
    Mat k, v;
    MaskRange span[PARTS_MOST];
} Spans;

static KvSegment part_of_spans(const void *cache, int n, Arena *room)
{
    (void)room;
    const Spans *spans = cache;
    MaskRange at = spans->span[n];
    return (KvSegment){ mat_rows(spans->k, at.first, at.count), mat_rows(spans->v, at.first, at.count),
                        spans->k.rows - at.first - at.count };
}

// Parts of any size in any order, some of them empty; or, in order, parts of up to 9 rows.
static KvSegments in_spans(Mat k, Mat v, bool in_order)
{
    Spans *spans = arena_alloc(arena, sizeof *spans);
    int order[PARTS_MOST], count = in_order ? 0 : 1 + below(below(2) ? 5 : PARTS_MOST);
    *spans = (Spans){ .k = k, .v = v };
    for (int first = 0; in_order && first < k.rows; first += spans->span[count++].count)
        spans->span[count] = (MaskRange){ first, smaller(1 + below(9), k.rows - first) };
    if (in_order) return (KvSegments){ k.rows, count, part_of_spans, spans };
    for (int n = 0; n < count; n++) order[n] = n;
    random_shuffle(&random_state, order, count);
    for (int n = 0, first = 0; n < count; first += spans->span[order[n++]].count)
        spans->span[order[n]] = (MaskRange){ first, n == count - 1 ? k.rows - first : below((k.rows - first) / 2 + 1) };
    return (KvSegments){ k.rows, count, part_of_spans, spans };
}

// ---- any cut, any mask: as in one piece

enum { H_MOST = 6, S_MOST = 70 };

// A mask of every kind and of most mixtures of kinds.
static Mask some_mask(int S)
{
    Mask mask = { .causal = below(2) };
    if (below(2)) mask.window = 1 + below(S + 2);
    if (below(2)) mask.sinks = below(below(2) ? 5 : S + 2);
    if (below(3) == 0) mask.globals = below(below(2) ? 5 : S + 2);
    if (below(4) == 0) mask.padding = below(S + 3);
    if (below(3) == 0) mask.alibi = alibi_slope(below(8), 8);
    if (below(4) == 0) mask.scale = 0.05f + 0.4f * random_uniform(&random_state);
    if (below(3) == 0) mask.shift = below(2 * S + 5) - S - 2;
    return mask;
}

typedef struct {
    int T, S, H, G, d, dv;
    Mat q, k, v;
    Mask masks[H_MOST];
} Problem;

static Problem some_problem(void)
{
    static const int heads[][2] = { { 1, 1 }, { 2, 1 }, { 2, 2 }, { 6, 3 } }, lengths[] = { 0, 1, 2, 5, 17 };
    const int *HG = heads[below(4)];
    Problem p = { .T = lengths[below(5)],
                  .S = below(4) ? below(S_MOST + 1) : below(4),
                  .H = HG[0],
                  .G = HG[1],
                  .d = 1 + below(16),
                  .dv = below(9) };
    p.q = framed_random(p.T, p.H * p.d);
    p.k = framed_random(p.S, p.G * p.d);
    p.v = framed_random(p.S, p.G * p.dv);
    for (int h = 0; h < p.H; h++) p.masks[h] = some_mask(p.S);
    return p;
}

typedef struct {
    Framed out, lse, weights;
    Attended to;
} Results;

static Results results_new(const Problem *p)
{
    Results r = { .out = framed_mat(arena, p->T, p->H * p->dv, NAN),
                  .lse = framed_mat(arena, p->T, p->H, NAN),
                  .weights = framed_mat(arena, p->H * p->T, p->S, NAN) };
    r.to = (Attended){ r.out.view, r.lse.view, r.weights.view };
    return r;
}

static Attended whole_of(const Problem *p)
{
    Attended whole = results_new(p).to;
    grouped_attend(whole, p->q, p->k, p->v, p->H, p->masks, attention_naive);
    return whole;
}

TEST_EACH(any_cut_and_any_mask, INSIDE)
{
    static const float bad[] = { NAN, INFINITY, -INFINITY };
    for (int round = 0; round < 360; round++) {
        ArenaMark mark = arena_mark(arena);
        Problem p = some_problem();
        if (round % 4 == 3 && p.S > 0) *mat_ref(round % 8 == 3 && p.dv > 0 ? p.v : p.k, below(p.S), 0) = bad[round % 3];
        KvSegments parts = in_spans(p.k, p.v, false);
        AttentionKernel *kernel = inside[_i];
        Results r = results_new(&p);
        Mask mask = p.masks[0];
        case_is("kernel %d, round %d: T %d, S %d, H %d, G %d, %d parts; head 0: causal %d, window %d, sinks %d, "
                "padding %d, slope %g, scale %g, shift %d",
                _i, round, p.T, p.S, p.H, p.G, parts.count, mask.causal, mask.window, mask.sinks, mask.padding,
                (double)mask.alibi, (double)mask.scale, mask.shift);
        kv_segments_attend(r.to, p.q, parts, p.H, p.masks, kernel);
        reference_heads(r.to, p.q, p.k, p.v, p.H, p.masks, 2e-6, 2e-6);
        ck_assert(frame_untouched(r.out, NAN) && frame_untouched(r.lse, NAN) && frame_untouched(r.weights, NAN));

        // What is not asked for changes nothing.
        Mat alone = mat_new(arena, p.T, p.H * p.dv);
        kv_segments_attend((Attended){ .out = alone }, p.q, parts, p.H, p.masks, kernel);
        assert_same(alone, r.to.out);
        arena_release(arena, mark);
    }
}

// Read in order, no bit depends on where the keys are cut; nor on rows beside the parts.
TEST(in_order_to_the_bit)
{
    for (int round = 0; round < 400; round++) {
        ArenaMark mark = arena_mark(arena);
        Problem p = some_problem();
        KvSegments parts = in_spans(p.k, p.v, true);
        Results r = results_new(&p);
        kv_segments_attend_in_order(r.to, p.q, parts, p.H, p.masks);
        Attended whole = whole_of(&p);
        case_is("round %d: T %d, S %d, H %d, G %d, %d parts", round, p.T, p.S, p.H, p.G, parts.count);
        assert_same(r.to.out, whole.out);
        assert_same(r.to.lse, whole.lse);
        assert_same(r.to.weights, whole.weights);
        ck_assert(frame_untouched(r.out, NAN) && frame_untouched(r.lse, NAN) && frame_untouched(r.weights, NAN));
        Mat alone = mat_new(arena, p.T, p.H * p.dv);
        kv_segments_attend_in_order((Attended){ .out = alone }, p.q, parts, p.H, p.masks);
        assert_same(alone, whole.out);
        arena_release(arena, mark);
    }
}

// Keys in no part have no weight, whatever stood in the table; the others have the bits that they have alone.
static KvSegment all_but_the_first(const void *cache, int n, Arena *room)
{
    const KvSegments *all = cache;
    return all->part(all->cache, n + 1, room);
}

TEST(in_order_without_the_first_part)
{
    for (int round = 0; round < 200; round++) {
        ArenaMark mark = arena_mark(arena);
        Problem p = some_problem();
        KvSegments parts = in_spans(p.k, p.v, true);
        if (parts.count < 2) continue;
        int first = parts.part(parts.cache, 0, arena).k.rows, left = p.S - first;
        KvSegments fewer = { p.S, parts.count - 1, all_but_the_first, &parts };
        Results r = results_new(&p);
        kv_segments_attend_in_order(r.to, p.q, fewer, p.H, p.masks);
        for (int h = 0; h < p.H; h++) p.masks[h] = mask_of_part(p.masks[h], p.S, first, left);
        Problem rest = p;
        rest.S = left;
        rest.k = mat_rows(p.k, first, left);
        rest.v = mat_rows(p.v, first, left);
        Attended alone = whole_of(&rest);
        case_is("round %d: T %d, S %d, H %d, without the first %d keys", round, p.T, p.S, p.H, first);
        assert_same(r.to.out, alone.out);
        assert_same(r.to.lse, alone.lse);
        assert_same(mat_cols(r.to.weights, first, left), alone.weights);
        assert_same(mat_cols(r.to.weights, 0, first), mat_new(arena, p.H * p.T, first));
        arena_release(arena, mark);
    }
}

static KvSegment the_part(const void *cache, int n, Arena *room)
{
    (void)n;
    (void)room;
    return *(const KvSegment *)cache;
}

// ---- one part, and none

// Nothing kept at all: nothing is seen, and nothing beside the results is written.
TEST(no_parts_give_nothing)
{
    Problem p = { .T = 3, .S = 4, .H = 2, .G = 1, .d = 2, .dv = 3, .q = framed_random(3, 4) };
    Results r = results_new(&p);
    kv_segments_attend(r.to, p.q, (KvSegments){ .S = 4 }, 2, p.masks, attention_naive);
    assert_same(r.to.out, mat_new(arena, 3, 6));
    assert_same(r.to.weights, mat_new(arena, 6, 4));
    for (int i = 0; i < 6; i++) ck_assert(*mat_ref(r.to.lse, i / 2, i % 2) == -INFINITY);
}

TEST(costs_of_merging)
{
    for (int round = 0; round < 40; round++) {
        Problem p = some_problem();
        KvSegments parts = in_spans(p.k, p.v, true);
        Attended to = { .out = mat_new(arena, p.T, p.H * p.dv) };
        if (round % 2) to.lse = mat_new(arena, p.T, p.H);
        if (round % 4 == 3) to.weights = mat_new(arena, p.H * p.T, p.S);
        if (parts.count == 1) continue;
        Cost each = { 0 };
        for (int n = 0; n < parts.count; n++) {
            KvSegment part = parts.part(parts.cache, n, arena);
            Attended own = { mat_new(arena, p.T, p.H * p.dv), mat_new(arena, p.T, p.H), { 0 } };
            if (!mat_empty(to.weights)) own.weights = mat_new(arena, p.H * p.T, p.S);
            cost_counted = (Cost){ 0 };
            kv_segments_attend(own, p.q, (KvSegments){ p.S, 1, the_part, &part }, p.H, p.masks, attention_tiled);
            each.reads += cost_counted.reads;
            each.writes += cost_counted.writes;
        }
        cost_counted = (Cost){ 0 };
        kv_segments_attend(to, p.q, parts, p.H, p.masks, attention_tiled);
        int row = p.H * p.dv + p.H, table = mat_empty(to.weights) ? 0 : p.H * p.T * p.S;
        case_is("round %d: T %d, S %d, H %d, %d parts", round, p.T, p.S, p.H, parts.count);
        ck_assert_int_eq(cost_counted.reads, each.reads + parts.count * p.T * row + table);
        ck_assert_int_eq(cost_counted.writes, each.writes + p.T * p.H * p.dv + (round % 2 ? p.T * p.H : 0) + table);
    }
}

TEST_ABORTS(parts_that_do_not_fit, 10)
{
    quiet();
    Mat q = mat_new(arena, 2, 4), k = mat_new(arena, 3, 4), v = mat_new(arena, 3, 6);
    Attended to = { mat_new(arena, 2, 6), mat_new(arena, 2, 2), mat_new(arena, 4, 3) };
    KvSegment part = { k, v, 0 };
    KvSegments parts = { 3, 1, the_part, &part };
    Mask masks[2] = { { 0 } };
    int H = 2;
    switch (_i) {
    case 0: parts.S = 2; break; // a part of more keys than there are
    case 1: part.shift = 1; break;
    case 2: part.shift = -1; break;
    case 3: parts.count = -1; break;
    case 4: H = 0; break;
    case 5: to.lse.cols = 1; break;
    case 6: to.weights.rows = 2; break;
    case 7: to.out.rows = 1; break;
    case 8: part.v.rows = 2; break;
    default: to.out.cols = 4; break;
    }
    kv_segments_attend(to, q, parts, H, masks, attention_naive);
}

// ---- split keys

TEST_EACH(every_number_of_parts, INSIDE)
{
    static const int shapes[][4] = { { 1, 33, 8, 3 }, { 5, 17, 3, 8 }, { 17, 9, 4, 1 },
                                     { 1, 1, 1, 1 },  { 3, 0, 2, 2 },  { 0, 5, 2, 2 } };
    Mask masks[kernel_mask_count];
    for (int e = 0; e < 6; e++) {
        int T = shapes[e][0], S = shapes[e][1], dv = shapes[e][3];
        kernel_masks(masks, S);
        for (int m = 0; m < kernel_mask_count; m++) {
            Mat q = framed_random(T, shapes[e][2]), k = framed_random(S, shapes[e][2]), v = framed_random(S, dv);
            Reference want = reference_of(q, k, v, masks[m]);
            for (int parts = 1; parts <= S + 3; parts += parts < 9 ? 1 : 5) {
                Framed out = framed_mat(arena, T, dv, NAN), lse = framed_mat(arena, T, 1, NAN);
                case_is("T %d, S %d, mask %d, %d parts, kernel %d", T, S, m, parts, _i);
                kv_segments_split((Attended){ out.view, lse.view, { 0 } }, q, k, v, masks[m], parts, inside[_i]);
                assert_close(out.view, want.out.at, 1e-5, 2e-6);
                assert_close(lse.view, want.lse.at, 1e-5, 2e-6);
                ck_assert(frame_untouched(out, NAN) && frame_untouched(lse, NAN));
                Mat again = mat_copy(arena, out.view);
                kv_segments_split((Attended){ .out = out.view }, q, k, v, masks[m], parts, inside[_i]);
                assert_same(out.view, again);
            }
        }
    }
}

// One part is the kernel itself; the number of threads changes no bit.
TEST(parts_and_threads)
{
    Mask mask = { .causal = true, .window = 20, .sinks = 2 };
    Mat q = framed_random(3, 8), k = framed_random(50, 8), v = framed_random(50, 6);
    Attended whole = { mat_new(arena, 3, 6), mat_new(arena, 3, 1), { 0 } };
    Attended split = { mat_new(arena, 3, 6), mat_new(arena, 3, 1), { 0 } };
    attention_tiled(whole, q, k, v, mask);
    kv_segments_split(split, q, k, v, mask, 1, attention_tiled);
    assert_same(split.out, whole.out);
    assert_same(split.lse, whole.lse);
    for (int threads = 1; threads <= 5; threads++) {
        threads_set(threads);
        cost_counted = (Cost){ 0 };
        kv_segments_split(split, q, k, v, mask, 7, attention_tiled);
        if (threads == 1) {
            mat_set(whole.out, split.out);
            mat_set(whole.lse, split.lse);
        }
        assert_same(split.out, whole.out);
        assert_same(split.lse, whole.lse);
    }
}

TEST_ABORTS(wrong_parts, 3)
{
    quiet();
    Mat m = mat_new(arena, 3, 2), out = mat_new(arena, 3, 2);
    if (_i == 0) kv_segments_split((Attended){ .out = out }, m, m, m, (Mask){ 0 }, 0, attention_tiled);
    Attended weights = { .out = out, .weights = mat_new(arena, 3, 2) };
    if (_i == 1) kv_segments_split(weights, m, m, m, (Mask){ 0 }, 2, attention_tiled);
    if (_i == 2) kv_segments_split((Attended){ .out = out }, m, m, m, (Mask){ 0 }, 1 << 30, attention_tiled);
}
