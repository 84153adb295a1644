// Tests of lib/ranks/shares: every position has one owner, and what is left of a mask between two runs is what the
// mask itself says of the same positions, pair by pair.
#include "ranks/shares.h"

#include "support/kernel.h"
#include "support/reference.h"
#include "support/suite.h"

static const int counts[] = { 1, 2, 3, 4, 7 }, lengths[] = { 0, 1, 3, 12, 31, 64 };
enum { COUNTS = sizeof counts / sizeof *counts, LENGTHS = sizeof lengths / sizeof *lengths };

static int position_of(ShareRun run, int i) { return run.first + i * run.step; }

TEST(layouts_are_what_they_are_called)
{
    Share a = share_of(SHARE_CONTIGUOUS, 12, 4, 1), b = share_of(SHARE_STRIPED, 12, 4, 1);
    Share c = share_of(SHARE_ZIGZAG, 16, 4, 1);
    ck_assert(a.count == 1 && a.runs[0].first == 3 && a.runs[0].count == 3 && a.runs[0].step == 1);
    ck_assert(b.count == 1 && b.runs[0].first == 1 && b.runs[0].count == 3 && b.runs[0].step == 4);
    ck_assert(c.count == 2 && c.runs[0].first == 2 && c.runs[1].first == 12 && c.rows == 4);
    ck_assert_str_eq(share_layout_names[SHARE_STRIPED], "striped");
    ck_assert_str_eq(share_layout_names[SHARE_ZIGZAG], "zigzag");
}

// Which of a mask is left between two runs, pair by pair, and what ALiBi adds.
static void held_to_the_mask(Mask mask, int T, ShareRun queries, ShareRun keys)
{
    ShareSeen seen = share_seen(mask, T, queries, keys);
    bool any = false;
    for (int i = 0; i < queries.count; i++)
        for (int j = 0; j < keys.count; j++) {
            int p = position_of(queries, i), k = position_of(keys, j);
            bool want = mask_sees(mask, p, k, T, T);
            bool got = j < seen.keys && mask_sees(seen.mask, i, j, queries.count, seen.keys);
            ck_assert_msg(got == want, "query %d and key %d: %d", p, k, got);
            any = any || want;
            if (want)
                ck_assert_float_eq(mask_alibi(seen.mask, i, j, queries.count, seen.keys), mask_alibi(mask, p, k, T, T));
        }
    ck_assert_int_eq(seen.keys > 0, any); // what sees nothing is said to
}

TEST(what_is_left_of_a_mask)
{
    for (int c = 0; c < COUNTS; c++)
        for (int t = 1; t < LENGTHS; t++)
            for (int layout = 0; layout < SHARE_LAYOUTS; layout++) {
                int R = counts[c], T = lengths[t];
                Mask masks[kernel_mask_count];
                kernel_masks(masks, T);
                for (int m = 0; m < kernel_mask_count; m++) {
                    Mask mask = masks[m];
                    bool odd = mask.alibi != 0.0f || mask.globals || (mask.window && !mask.causal);
                    if (odd && layout == SHARE_STRIPED && R > 1) continue;
                    case_is("mask %d, T = %d, R = %d, %s", m, T, R, share_layout_names[layout]);
                    for (int a = 0; a < R; a++)
                        for (int b = 0; b < R; b++) {
                            Share mine = share_of((ShareLayout)layout, T, R, a),
                                  theirs = share_of((ShareLayout)layout, T, R, b);
                            for (int n = 0; n < mine.count * theirs.count; n++)
                                held_to_the_mask(mask, T, mine.runs[n / theirs.count], theirs.runs[n % theirs.count]);
                        }
                }
            }
}

static void refused(Mask mask)
{
    Share share = share_of(SHARE_STRIPED, 12, 3, 1);
    share_seen(mask, 12, share.runs[0], share.runs[0]);
}

TEST_ABORTS(what_no_mask_can_say_is_refused, 3)
{
    quiet();
    refused(_i == 0   ? (Mask){ .alibi = 0.5f }
            : _i == 1 ? (Mask){ .window = 3 }
                      : (Mask){ .causal = true, .window = 3, .globals = 1 });
}
