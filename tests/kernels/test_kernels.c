// Tests of lib/kernels/kernels.c and of the rungs of chapter 15: every one through the battery of all kernels, and
// around the edges of blocks and tiles in every version that this processor can run.
#include "kernels/kernels.h"

#include "base/portable_math.h"
#include "kernels/fast.h"
#include "base/cost.h"
#include "support/kernel.h"
#include "support/random_inputs.h"
#include "support/suite.h"

#include <string.h>

static void teardown(void) { fast_choose(NULL); }
FIXTURE(NULL, teardown);

// naive, tiled and fast have suites of their own.
enum { RUNGS = 8 };
static const char *const rungs[RUNGS] = { "reordered", "lanes", "1x4", "2x4", "4x4", "lazy", "packed", "plain-c" };

TEST_EACH(battery, RUNGS *kernel_check_count)
{
    const char *rung = rungs[_i / kernel_check_count];
    kernel_checks[_i % kernel_check_count]((Kernel){ attention_kernel(rung)->run, rung, 1e-5, 2e-6 });
}

TEST_ABORTS(wrong_shapes, RUNGS *wrong_shape_count)
{
    const char *rung = rungs[_i / wrong_shape_count];
    kernel_wrong_shapes((Kernel){ attention_kernel(rung)->run, rung, 1e-5, 2e-6 }, _i % wrong_shape_count);
}

// Around the sizes of blocks and tiles, with masks whose edges lie inside of them.
static const int queries[] = { 1, 12, 25, 64, 65, 130 }, keys[] = { 1, 3, 63, 65, 200 };
static const int widths[][2] = { { 1, 1 }, { 16, 17 }, { 64, 64 }, { 33, 5 } };
// clang-format off
static const Mask masks[] = {
    { 0 }, { .causal = true }, { .causal = true, .window = 70 }, { .window = 20 },
    { .causal = true, .window = 5, .sinks = 3 }, { .padding = 7 }, { .causal = true, .padding = 66, .alibi = 0.25f },
    { .alibi = 0.0625f },
};
// clang-format on

TEST_EACH(around_blocks_and_tiles, fast_kinds_count *RUNGS)
{
    if (!fast_choose(fast_kinds[_i / RUNGS])) return;
    const AttentionKernelNamed *rung = attention_kernel(rungs[_i % RUNGS]);
    for (int e = _i % 3; e < 6 * 5 * 4 * 8; e += 7) {
        if (!case_tried(e * 100 + _i)) continue;
        ArenaMark mark = arena_mark(arena);
        int T = queries[e % 6], S = keys[e / 6 % 5], d = widths[e / 30 % 4][0], dv = widths[e / 30 % 4][1];
        Mask mask = masks[e / 120];
        Mat q = framed_random(T, d), k = framed_random(S, d), v = framed_random(S, dv);
        Framed out = framed_mat(arena, T, dv, NAN), lse = framed_mat(arena, T, 1, NAN);
        rung->run((Attended){ .out = out.view, .lse = lse.view }, q, k, v, mask);
        Table tables[] = { table_of(arena, q), table_of(arena, k), table_of(arena, v) };
        Reference want = reference_attention(arena, tables[0], tables[1], tables[2], mask);
        case_is("%s, %s, T %d, S %d, d %d, dv %d, mask %d", rung->name, fast_kind(), T, S, d, dv, e / 120);
        ck_assert(frame_untouched(out, NAN) && frame_untouched(lse, NAN));
        assert_close(out.view, want.out.at, 1e-5, 2e-6);
        assert_close(lse.view, want.lse.at, 1e-5, 2e-6);
        arena_release(arena, mark);
    }
}

// Maxima that grow with every key, at one key far behind, and after keys that are much smaller.
TEST_EACH(scores_that_grow, fast_kinds_count *RUNGS * 3)
{
    int growth = _i % 3;
    const AttentionKernelNamed *rung = attention_kernel(rungs[_i / 3 % RUNGS]);
    if (!fast_choose(fast_kinds[_i / 3 / RUNGS])) return;
    Mat q = framed_random(70, 4), k = framed_random(300, 4), v = framed_random(300, 9);
    for (int j = 0; j < 300; j++)
        for (int c = 0; c < 4; c++) {
            float *at = mat_ref(k, j, c);
            if (growth == 0) *at *= (float)j * 4.0f;
            if (growth == 1 && j == 217) *at *= 500.0f;
            if (growth == 2 && j < 70) *at *= 2000.0f;
        }
    Attended to = { .out = mat_new(arena, 70, 9), .lse = mat_new(arena, 70, 1) };
    rung->run(to, q, k, v, (Mask){ 0 });
    Table tables[] = { table_of(arena, q), table_of(arena, k), table_of(arena, v) };
    Reference want = reference_attention(arena, tables[0], tables[1], tables[2], (Mask){ 0 });
    case_is("%s, %s, case %d", rung->name, fast_kind(), growth);
    assert_close(to.lse, want.lse.at, 2e-6, 1e-5);
    assert_close(to.out, want.out.at, 0, 2e-3); // scores of some thousands: their last place is 2e-4
}

// From "tiled" on no rung's scratch grows with T and S, but for the one that copies K and V.
TEST_EACH(scratch_does_not_grow, RUNGS - 1)
{
    const char *name = rungs[1 + _i];
    int64_t scratch[2];
    for (int e = 0; e < 2; e++) {
        int T = e ? 512 : 64, S = e ? 900 : 64;
        Mat q = framed_random(T, 32), k = framed_random(S, 32), v = framed_random(S, 48);
        cost_counted.scratch = 0;
        attention_kernel(name)->run((Attended){ .out = mat_new(arena, q.rows, 48) }, q, k, v, (Mask){ .causal = true });
        scratch[e] = cost_counted.scratch;
    }
    case_is("%s", name);
    ck_assert_int_gt(scratch[0], 0);
    if (strcmp(name, "packed")) ck_assert_int_eq(scratch[0], scratch[1]);
    else ck_assert_int_gt(scratch[1], 900 * (32 + 48) * 4 - 1);
}

TEST(names)
{
    for (int i = 0; i < attention_kernels_count; i++) {
        ck_assert_ptr_eq(attention_kernel(attention_kernels[i].name), &attention_kernels[i]);
        ck_assert(attention_kernels[i].run && strlen(attention_kernels[i].what) > 0);
    }
    ck_assert(!attention_kernel("escalator"));
    ck_assert_str_eq(attention_rung(0)->name, "naive");
    ck_assert_str_eq(attention_rung(10)->name, "plain-c"); // the last rung
    ck_assert_ptr_null(attention_rung(11));
    ck_assert(!attention_kernel_exact(attention_kernel("bf16")) && attention_kernel_exact(attention_kernel("online")));
}

TEST(probe)
{
    double rate = fast_probe_rate(0.001);
    ck_assert(isfinite(rate) && rate > 1e6); // more than a million a second, on anything
    for (int rows = 1; rows <= 4; rows *= 2) ck_assert_int_eq(fast_probe_rows(3, rows), 3 * fast_probe(1));
}
