// Tests of lib/attention/grouped.c.
#include "attention/grouped.h"

#include "attention/multi_head.h"
#include "attention/positions.h"
#include "base/cost.h"
#include "base/portable_math.h"
#include "support/random_inputs.h"
#include "support/suite.h"

enum { H_MOST = 12 };
static const int groups[][2] = { { 1, 1 }, { 2, 1 }, { 2, 2 }, { 6, 3 }, { 6, 2 }, { 12, 4 } }; // H, G
enum { GROUPS = sizeof groups / sizeof *groups };
// clang-format off
static const int shapes[][4] = { { 5, 5, 4, 4 }, { 1, 9, 3, 5 }, { 7, 3, 2, 1 }, { 0, 4, 2, 2 },
                                 { 3, 0, 2, 2 } };   // T, S, d, dv
// clang-format on
enum { SHAPES = sizeof shapes / sizeof *shapes };
// clang-format off
static const Mask kinds[] = { { 0 }, { .causal = true }, { .causal = true, .window = 3, .sinks = 1 },
                              { .padding = 2 } };
// clang-format on
enum { KINDS = sizeof kinds / sizeof *kinds };

// Every head against float64: its queries, and the keys and values of its group.
TEST_EACH(against_float64, GROUPS)
{
    int H = groups[_i][0], G = groups[_i][1];
    for (int e = 0; e < SHAPES * KINDS * 2; e++) {
        int T = shapes[e % SHAPES][0], S = shapes[e % SHAPES][1], d = shapes[e % SHAPES][2], dv = shapes[e % SHAPES][3];
        bool alibi = e / SHAPES / KINDS;
        Mask masks[H_MOST];
        grouped_masks(masks, H, kinds[e / SHAPES % KINDS], alibi);
        Mat q = framed_random(T, H * d), k = framed_random(S, G * d), v = framed_random(S, G * dv);
        Attended to = { framed_mat(arena, T, H * dv, NAN).view, framed_mat(arena, T, H, NAN).view,
                        framed_mat(arena, H * T, S, NAN).view };
        case_is("H %d, G %d, T %d, S %d, mask %d, alibi %d", H, G, T, S, e / SHAPES % KINDS, alibi);
        grouped_attend(to, q, k, v, H, masks, attention_naive);
        reference_heads(to, q, k, v, H, masks, 1e-5, 1e-6);
    }
}

TEST(as_many_groups_as_heads_is_multi_head)
{
    Mask masks[4];
    for (int kind = 0; kind < KINDS; kind++) {
        grouped_masks(masks, 4, kinds[kind], false);
        Mat q = framed_random(6, 12), k = framed_random(9, 12), v = framed_random(9, 20);
        Mat out = mat_new(arena, 6, 20), weights = mat_new(arena, 24, 9), want = mat_new(arena, 6, 20),
            maps = mat_new(arena, 24, 9);
        grouped_attend((Attended){ .out = out, .weights = weights }, q, k, v, 4, masks, attention_naive);
        multi_head_attend(want, maps, q, k, v, 4, kinds[kind]);
        assert_same(out, want);
        assert_same(weights, maps);
    }
}

// ---- one query a head

// Every kind of mask against float64, with widths that leave a tail, and every number counted.
TEST_EACH(decode_against_float64, GROUPS)
{
    static const int widths[][3] = {
        { 9, 4, 4 }, { 33, 16, 24 }, { 1, 19, 7 }, { 40, 40, 1 }, { 0, 8, 8 }
    }; // S, d, dv
    static const Mask newest[] = { { 0 },
                                   { .causal = true },
                                   { .causal = true, .window = 3, .sinks = 1 },
                                   { .padding = 2 },
                                   { .causal = true, .window = 4 },
                                   { .causal = true, .shift = -3 },
                                   { .window = 3, .shift = 1, .scale = 0.25f } };
    int H = groups[_i][0], G = groups[_i][1];
    for (int e = 0; e < 5 * 7 * 2; e++) {
        int S = widths[e % 5][0], d = widths[e % 5][1], dv = widths[e % 5][2], kind = e / 5 % 7;
        bool alibi = e / 35;
        Mask masks[H_MOST];
        grouped_masks(masks, H, newest[kind], alibi);
        if (alibi) masks[H - 1].scale = 0.125f; // heads may differ in everything
        Mat q = framed_random(1, H * d), k = framed_random(S, G * d), v = framed_random(S, G * dv);
        Framed out = framed_mat(arena, 1, H * dv, NAN), lse = framed_mat(arena, 1, H, NAN),
               maps = framed_mat(arena, H, S, NAN);
        case_is("H %d, G %d, S %d, d %d, mask %d, alibi %d", H, G, S, d, kind, alibi);
        grouped_decode((Attended){ out.view, lse.view, maps.view }, q, k, v, H, masks);
        reference_heads((Attended){ out.view, lse.view, maps.view }, q, k, v, H, masks, 1e-5, 1e-6);
        ck_assert(frame_untouched(out, NAN) && frame_untouched(lse, NAN) && frame_untouched(maps, NAN));

        Mat alone = framed_mat(arena, 1, H * dv, NAN).view; // weights nobody asked for
        grouped_decode((Attended){ .out = alone }, q, k, v, H, masks);
        assert_same(alone, out.view);
    }
}

// What a mask hides may hold anything; what is in sight spreads.
TEST(decode_hidden_rows)
{
    enum { H = 4, G = 2, S = 6, d = 8 };
    Mask masks[H];
    grouped_masks(masks, H, (Mask){ .causal = true, .window = 2 }, false);
    Mat q = framed_random(1, H * d), k = framed_random(S, G * d), v = framed_random(S, G * d);
    Mat clean = mat_new(arena, 1, H * d), out = mat_new(arena, 1, H * d);
    grouped_decode((Attended){ .out = clean }, q, k, v, H, masks);
    mat_fill(mat_rows(k, 0, S - 2), NAN);
    mat_fill(mat_rows(v, 0, S - 2), INFINITY);
    grouped_decode((Attended){ .out = out }, q, k, v, H, masks);
    assert_same(out, clean);
    *mat_ref(v, S - 1, d) = NAN; // value head 1: query heads 2 and 3
    grouped_decode((Attended){ .out = out }, q, k, v, H, masks);
    for (int h = 0; h < H; h++) ck_assert_msg(isnan(*mat_ref(out, 0, h * d)) == (h >= 2), "head %d", h);
    assert_same(mat_cols(out, 0, 2 * d), mat_cols(clean, 0, 2 * d));
}

TEST_EACH(decode_counts_what_it_fetches, GROUPS)
{
    int H = groups[_i][0], G = groups[_i][1], S = 10, d = 4, dv = 6;
    Mask masks[H_MOST];
    Mat q = framed_random(1, H * d), k = framed_random(S, G * d), v = framed_random(S, G * dv),
        out = mat_new(arena, 1, H * dv);
    for (int window = 0; window <= 3; window += 3) {
        grouped_masks(masks, H, (Mask){ .causal = true, .window = window }, false);
        int64_t seen = window ? window : S;
        Cost before = cost_counted;
        grouped_decode((Attended){ .out = out }, q, k, v, H, masks);
        Cost cost = cost_since(before);
        ck_assert_int_eq(cost.reads, seen * G * (d + dv) + H * d);
        ck_assert_int_eq(cost.writes, H * dv);
        ck_assert_int_eq(cost.multiplies, seen * H * (d + dv));
        ck_assert(cost.scratch >= (int64_t)sizeof(float) * H * S);
    }
    if (H == G) return; // a key that one head of the group alone may see is fetched, too
    grouped_masks(masks, H, (Mask){ .padding = S }, false);
    masks[H - 1] = (Mask){ 0 };
    Cost before = cost_counted;
    grouped_decode((Attended){ .out = out }, q, k, v, H, masks);
    ck_assert_int_eq(cost_since(before).reads, S * (d + dv) + H * d);
}

// clang-format off
static const int wrong_decodes[][6] = {       // rows of q, columns of q, k, v, out; rows of v
    { 2, 8, 4, 4, 8, 5 }, { 0, 8, 4, 4, 8, 5 }, { 1, 8, 4, 4, 8, 4 }, { 1, 8, 6, 6, 8, 5 }, { 1, 8, 4, 4, 6, 5 },
};
// clang-format on

TEST_ABORTS(wrong_decode, sizeof wrong_decodes / sizeof *wrong_decodes)
{
    quiet();
    const int *w = wrong_decodes[_i];
    Mask masks[H_MOST] = { { 0 } };
    grouped_decode((Attended){ .out = mat_new(arena, w[0], w[4]) }, mat_new(arena, w[0], w[1]), mat_new(arena, 5, w[2]),
                   mat_new(arena, w[5], w[3]), 4, masks);
}

TEST(slopes)
{
    Mask masks[8];
    grouped_masks(masks, 8, (Mask){ .causal = true, .window = 5 }, true);
    for (int h = 0; h < 8; h++) {
        ck_assert(masks[h].causal && masks[h].window == 5);
        ck_assert_float_eq(masks[h].alibi, alibi_slope(h, 8));
    }
    grouped_masks(masks, 8, (Mask){ .causal = true, .alibi = 0.25f }, false);
    for (int h = 0; h < 8; h++) ck_assert_float_eq(masks[h].alibi, 0.25f);
}

// clang-format off
static const int wrong[][6] = {       // H, and the columns of q, k, v, out, and rows of lse
    { 0, 8, 8, 8, 8, 3 }, { 3, 8, 8, 8, 8, 3 }, { 4, 8, 3, 4, 8, 3 }, { 4, 8, 6, 6, 8, 3 }, { 4, 8, 4, 5, 8, 3 },
    { 4, 8, 4, 4, 4, 3 }, { 4, 8, 4, 4, 8, 2 }, { 4, 8, 16, 16, 8, 3 }, { 4, 8, 0, 0, 8, 3 },
};
// clang-format on

TEST_ABORTS(wrong_shapes, sizeof wrong / sizeof *wrong)
{
    quiet();
    const int *w = wrong[_i];
    Mask masks[H_MOST] = { { 0 } };
    grouped_attend((Attended){ .out = mat_new(arena, 3, w[4]), .lse = mat_new(arena, w[5], 4) },
                   mat_new(arena, 3, w[1]), mat_new(arena, 5, w[2]), mat_new(arena, 5, w[3]), w[0], masks,
                   attention_naive);
}
