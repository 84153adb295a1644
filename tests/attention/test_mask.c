// Tests of lib/attention/mask.c: pictures drawn by hand, then every small case against the reference.
#include "attention/mask.h"

#include "base/portable_math.h"
#include "support/reference.h"
#include "support/suite.h"

#include <limits.h>
#include <string.h>

// One row per query, one character per key: x is seen, . is hidden.
typedef struct {
    const char *name;
    Mask mask;
    int T, S;
    const char *rows[6];
} Picture;

// clang-format off
static const Picture pictures[] = {
    { "nothing hidden", { 0 }, 2, 3, { "xxx", "xxx" } },
    { "causal, square", { .causal = true }, 4, 4, { "x...", "xx..", "xxx.", "xxxx" } },
    { "causal, more keys: bottom-right", { .causal = true }, 2, 5, { "xxxx.", "xxxxx" } },
    { "causal, more queries: the first see nothing", { .causal = true }, 5, 3, { "...", "...", "x..", "xx.", "xxx" } },
    { "padding", { .padding = 2 }, 2, 5, { "xxx..", "xxx.." } },
    { "causal window 2", { .causal = true, .window = 2 }, 4, 4, { "x...", "xx..", ".xx.", "..xx" } },
    { "window on both sides", { .window = 2 }, 5, 5, { "xx...", "xxx..", ".xxx.", "..xxx", "...xx" } },
    { "causal window and sinks", { .causal = true, .window = 2, .sinks = 1 }, 5, 5,
      { "x....", "xx...", "xxx..", "x.xx.", "x..xx" } },
    { "sinks without a window", { .causal = true, .sinks = 2 }, 3, 3, { "x..", "xx.", "xxx" } },
    { "a shift: the queries stand further on", { .causal = true, .shift = 1 }, 3, 4, { "xxx.", "xxxx", "xxxx" } },
    { "a window that has gone past", { .causal = true, .window = 2, .shift = 2 }, 3, 3, { ".xx", "..x", "..." } },
    { "globals are seen by all, and see all", { .window = 2, .globals = 1 }, 5, 5,
      { "xxxxx", "xxx..", "xxxx.", "x.xxx", "x..xx" } },
    { "a global query whose key lies before the part", { .window = 1, .globals = 2, .before = 2, .shift = -2 }, 3, 3,
      { "xxx", "xxx", "x.." } },
    { "ALiBi hides nothing", { .causal = true, .alibi = 1 }, 2, 2, { "x.", "xx" } },
};
// clang-format on

TEST_EACH(pictures_by_hand, sizeof pictures / sizeof *pictures)
{
    const Picture *p = &pictures[_i];
    for (int i = 0; i < p->T; i++) {
        ck_assert_int_eq((int)strlen(p->rows[i]), p->S);
        for (int j = 0; j < p->S; j++) {
            bool want = p->rows[i][j] == 'x', hidden = mask_bias(p->mask, i, j, p->T, p->S) == -INFINITY;
            ck_assert_msg(mask_sees(p->mask, i, j, p->T, p->S) == want, "%s: query %d, key %d", p->name, i, j);
            ck_assert_msg(hidden != want, "%s: bias of query %d, key %d", p->name, i, j);
        }
    }
}

TEST(every_small_case)
{
    for (int T = 1; T <= 6; T++)
        for (int S = 1; S <= 6; S++)
            for (int form = 0; form < 2 * 4 * 4; form++)
                for (int e = 0; e < 5 * (S + 6); e++) {
                    int W = e / 5;
                    Mask mask = { .causal = form & 1,
                                  .window = W,
                                  .sinks = form / 2 % 4,
                                  .padding = form / 8 * S / 3,
                                  .alibi = form & 1 ? 0.5f : 0.0f,
                                  .shift = e % 5 * 2 - 4,
                                  .globals = form * 7 / 3 % 5,
                                  .before = form % 3 };
                    for (int i = 0; i < T; i++)
                        for (int j = 0; j < S; j++) {
                            bool want = reference_sees(mask, i, j, T, S);
                            double bias = want ? reference_bias(mask, i, j, T, S) : -INFINITY;
                            if (mask_sees(mask, i, j, T, S) != want || (double)mask_bias(mask, i, j, T, S) != bias)
                                ck_abort_msg("query %d of %d, key %d of %d, causal %d, window %d, sinks %d, "
                                             "globals %d, padding %d, shift %d, before %d",
                                             i, T, j, S, mask.causal, W, mask.sinks, mask.globals, mask.padding,
                                             mask.shift, mask.before);
                        }
                }
}

TEST_ABORTS(a_negative_scale_stops, 2)
{
    quiet();
    mask_scale((Mask){ .scale = _i ? -1.0f : NAN }, 4);
}

// ---- sights: queries and keys by their numbers, against one question for every pair

static bool sight_has(MaskVisible sight, int j)
{
    return j < sight.sinks || (sight.keys.first <= j && j < sight.keys.first + sight.keys.count);
}

static void assert_sight(Mask mask, MaskRange queries, int T, int S)
{
    MaskVisible sight = mask_visible(mask, queries, T, S);
    bool any = false, whole = sight.sinks >= 0 && sight.keys.count >= 0 && sight.keys.first + sight.keys.count <= S;
    bool apart = sight.sinks == 0 || (sight.keys.first > sight.sinks && sight.keys.count > 0);
    for (int j = 0; j < S; j++) {
        bool seen = false;
        for (int i = queries.first; i < queries.first + queries.count; i++)
            seen = seen || reference_sees(mask, i, j, T, S);
        whole = whole && sight_has(sight, j) == seen;
        any = any || seen;
    }
    if (!whole || !apart || any != (sight.keys.count > 0))
        ck_abort_msg("queries %d + %d of %d, %d keys, causal %d, window %d, sinks %d, globals %d, padding %d, shift %d"
                     ": %d and %d + %d",
                     queries.first, queries.count, T, S, mask.causal, mask.window, mask.sinks, mask.globals,
                     mask.padding, mask.shift, sight.sinks, sight.keys.first, sight.keys.count);
}

TEST_EACH(a_sight_is_what_is_seen, 8)
{
    int S = _i;
    for (int T = 1; T <= 4; T++)
        for (int form = 0; form < 2 * (S + 3) * (S + 3); form++)
            for (int e = 0; e < 5 * (S + 2); e++) {
                Mask mask = { .causal = form % 2,
                              .window = form / 2 % (S + 3),
                              .sinks = form / 2 / (S + 3),
                              .padding = e / 5,
                              .shift = e % 5 * 2 - 4,
                              .globals = form * 5 / 3 % (S + 2),
                              .before = form % 2 };
                for (int first = 0; first < T; first++)
                    for (int count = 0; count <= T - first; count++)
                        assert_sight(mask, (MaskRange){ first, count }, T, S);
            }
}

// As wide as a number can say, and as far away.
TEST(sights_far_away)
{
    static const Mask masks[] = {
        { .window = INT_MAX },
        { .causal = true, .window = INT_MAX, .sinks = INT_MAX },
        { .padding = INT_MAX },
        { .causal = true, .window = 3, .shift = INT_MAX / 2 },
        { .causal = true, .window = 3, .shift = -INT_MAX / 2 },
        { .window = INT_MAX, .shift = -INT_MAX / 2, .sinks = 2 },
        { .window = 1, .shift = INT_MAX / 2, .sinks = 2 },
        { .causal = true, .window = -1, .sinks = -1, .padding = -1 },
    };
    for (size_t m = 0; m < sizeof masks / sizeof *masks; m++)
        for (int S = 0; S < 5; S++)
            for (int i = 0; i < 3; i++) {
                MaskVisible sight = mask_visible(masks[m], (MaskRange){ i, 1 }, 3, S);
                for (int j = 0; j < S; j++) ck_assert_int_eq(sight_has(sight, j), mask_sees(masks[m], i, j, 3, S));
            }
}

// ---- parts

// A part sees and adds what the whole sees and adds to these keys; all parts together see every pair once.
TEST_EACH(a_part_is_a_mask, 6)
{
    int S = _i;
    for (int e = 0; e < 6 * 2 * (S + 2) * (S + 2) * (S + 2); e++) {
        int T = e % 6 + 1, of = e / 12;
        Mask mask = { .causal = e / 6 % 2,
                      .window = of % (S + 2),
                      .sinks = of / (S + 2) % (S + 2),
                      .padding = of / (S + 2) / (S + 2),
                      .alibi = 0.5f,
                      .shift = e % 3 - 1,
                      .globals = of * 5 / 3 % (S + 2) };
        for (int first = 0; first <= S; first++)
            for (int count = 0; count <= S - first; count++) {
                Mask part = mask_of_part(mask, S, first, count);
                for (int i = 0; i < T; i++)
                    for (int j = first; j < first + count; j++) {
                        bool sees = reference_sees(mask, i, j, T, S);
                        ck_assert_int_eq(mask_sees(part, i, j - first, T, count), sees);
                        if (sees)
                            ck_assert_double_eq((double)mask_bias(part, i, j - first, T, count),
                                                reference_bias(mask, i, j, T, S));
                    }
            }
    }
}

TEST_ABORTS(a_part_outside_the_keys_stops, 3)
{
    quiet();
    if (_i == 0) mask_of_part((Mask){ 0 }, 5, 3, 3);
    if (_i == 1) mask_of_part((Mask){ 0 }, 5, -1, 3);
    if (_i == 2) mask_of_part((Mask){ 0 }, 5, 3, -1);
}

TEST(scale_by_hand)
{
    ck_assert(mask_scale((Mask){ 0 }, 64) == 0.125f && mask_scale((Mask){ .scale = 0.5f }, 64) == 0.5f);
}
