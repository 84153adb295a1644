// Tests of lib/attention/grouped.c.
#include "attention/grouped.h"

#include "attention/multi_head.h"
#include "attention/positions.h"
#include "support/reference.h"

#include <math.h>
#include <signal.h>

static Arena *arena;
static Random random_state;
static void setup(void) { arena = arena_open(); random_state = random_from(1); }
static void teardown(void) { arena_close(arena); }

static Mat framed_random(int rows, int cols)
{
    Mat m = framed_mat(arena, rows, cols, NAN).view;
    random_normals(&random_state, m);
    return m;
}

enum { H_MOST = 12 };
static const int groups[][2] = { { 1, 1 }, { 2, 1 }, { 2, 2 }, { 6, 3 }, { 6, 2 }, { 12, 4 } };      // H, G
enum { GROUPS = sizeof groups / sizeof *groups };
static const int shapes[][4] = { { 5, 5, 4, 4 }, { 1, 9, 3, 5 }, { 7, 3, 2, 1 }, { 0, 4, 2, 2 }, { 3, 0, 2, 2 } };   // T, S, d, dv
enum { SHAPES = sizeof shapes / sizeof *shapes };
static const Mask kinds[] = { { 0 }, { .causal = true }, { .causal = true, .window = 3, .sinks = 1 }, { .padding = 2 } };
enum { KINDS = sizeof kinds / sizeof *kinds };

// Every head against float64: its queries, and the keys and values of its group.
START_TEST(against_float64)
{
    int H = groups[_i][0], G = groups[_i][1];
    for (int e = 0; e < SHAPES * KINDS * 2; e++) {
        int T = shapes[e % SHAPES][0], S = shapes[e % SHAPES][1], d = shapes[e % SHAPES][2], dv = shapes[e % SHAPES][3];
        bool alibi = e / SHAPES / KINDS;
        Mask masks[H_MOST];
        masks_for_heads(masks, H, kinds[e / SHAPES % KINDS], alibi);
        Mat q = framed_random(T, H * d), k = framed_random(S, G * d), v = framed_random(S, G * dv);
        Attended to = { framed_mat(arena, T, H * dv, NAN).view, framed_mat(arena, T, H, NAN).view,
                        framed_mat(arena, H * T, S, NAN).view };
        case_is("H %d, G %d, T %d, S %d, mask %d, alibi %d", H, G, T, S, e / SHAPES % KINDS, alibi);
        grouped_attend(to, q, k, v, H, masks, attention_naive);
        for (int h = 0; h < H; h++) {
            int g = 0;
            for (int last = H / G; h >= last; last += H / G) g++;
            Reference want = reference_attention(arena, table_cols(arena, table_of(arena, q), h * d, d),
                                                 table_cols(arena, table_of(arena, k), g * d, d),
                                                 table_cols(arena, table_of(arena, v), g * dv, dv), masks[h]);
            assert_close(mat_cols(to.out, h * dv, dv), want.out.at, 1e-5, 1e-6);
            assert_close(mat_cols(to.lse, h, 1), want.lse.at, 1e-5, 1e-6);
            assert_close(mat_rows(to.weights, h * T, T), want.weights.at, 1e-5, 1e-7);
        }
    }
}
END_TEST

START_TEST(as_many_groups_as_heads_is_multi_head)
{
    Mask masks[4];
    for (int kind = 0; kind < KINDS; kind++) {
        masks_for_heads(masks, 4, kinds[kind], false);
        Mat q = framed_random(6, 12), k = framed_random(9, 12), v = framed_random(9, 20);
        Mat out = mat_new(arena, 6, 20), weights = mat_new(arena, 24, 9), want = mat_new(arena, 6, 20), maps = mat_new(arena, 24, 9);
        grouped_attend((Attended){ .out = out, .weights = weights }, q, k, v, 4, masks, attention_naive);
        heads_attend(want, maps, q, k, v, 4, kinds[kind]);
        assert_same(out, want);
        assert_same(weights, maps);
    }
}
END_TEST

START_TEST(repeated_by_hand_is_the_same)
{
    int H = groups[_i][0], G = groups[_i][1], d = 4, dv = 3;
    Mask masks[H_MOST];
    masks_for_heads(masks, H, (Mask){ .causal = true }, true);
    Mat q = framed_random(7, H * d), k = framed_random(9, G * d), v = framed_random(9, G * dv);
    Mat all_k = mat_new(arena, 9, H * d), all_v = mat_new(arena, 9, H * dv);
    for (int g = 0; g < G; g++)
        for (int copy = 0; copy < H / G; copy++) {
            mat_set(mat_cols(all_k, (g * (H / G) + copy) * d, d), mat_cols(k, g * d, d));
            mat_set(mat_cols(all_v, (g * (H / G) + copy) * dv, dv), mat_cols(v, g * dv, dv));
        }
    Attended to = { mat_new(arena, 7, H * dv), mat_new(arena, 7, H), mat_new(arena, H * 7, 9) };
    Attended want = { mat_new(arena, 7, H * dv), mat_new(arena, 7, H), mat_new(arena, H * 7, 9) };
    grouped_attend(to, q, k, v, H, masks, attention_naive);
    grouped_attend(want, q, all_k, all_v, H, masks, attention_naive);
    assert_same(to.out, want.out);
    assert_same(to.lse, want.lse);
    assert_same(to.weights, want.weights);
}
END_TEST

START_TEST(slopes)
{
    Mask masks[8];
    masks_for_heads(masks, 8, (Mask){ .causal = true, .window = 5 }, true);
    for (int h = 0; h < 8; h++) {
        ck_assert(masks[h].causal && masks[h].window == 5);
        ck_assert_float_eq(masks[h].alibi, alibi_slope(h, 8));
    }
    masks_for_heads(masks, 8, (Mask){ .causal = true, .alibi = 0.25f }, false);
    for (int h = 0; h < 8; h++) ck_assert_float_eq(masks[h].alibi, 0.25f);
}
END_TEST

static const int wrong[][6] = {       // H, and the columns of q, k, v, out, and rows of lse
    { 0, 8, 8, 8, 8, 3 }, { 3, 8, 8, 8, 8, 3 }, { 4, 8, 3, 4, 8, 3 }, { 4, 8, 6, 6, 8, 3 }, { 4, 8, 4, 5, 8, 3 },
    { 4, 8, 4, 4, 4, 3 }, { 4, 8, 4, 4, 8, 2 }, { 4, 8, 16, 16, 8, 3 }, { 4, 8, 0, 0, 8, 3 },
};

START_TEST(wrong_shapes)
{
    quiet();
    const int *w = wrong[_i];
    Mask masks[H_MOST] = { { 0 } };
    grouped_attend((Attended){ .out = mat_new(arena, 3, w[4]), .lse = mat_new(arena, w[5], 4) }, mat_new(arena, 3, w[1]),
                   mat_new(arena, 5, w[2]), mat_new(arena, 5, w[3]), w[0], masks, attention_naive);
}
END_TEST

Suite *grouped_suite(void)
{
    Suite *suite = suite_create("grouped");
    TCase *tests = tcase_create("grouped");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, against_float64, 0, GROUPS);
    tcase_add_test(tests, as_many_groups_as_heads_is_multi_head);
    tcase_add_loop_test(tests, repeated_by_hand_is_the_same, 0, GROUPS);
    tcase_add_test(tests, slopes);
    tcase_add_loop_test_raise_signal(tests, wrong_shapes, SIGABRT, 0, sizeof wrong / sizeof *wrong);
    suite_add_tcase(suite, tests);
    return suite;
}
