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

TEST_EACH(around_blocks_and_tiles, fast_kinds_count *RUNGS)
{
    if (!fast_choose(fast_kinds[_i / RUNGS])) return;
    Kernel kernel = { attention_kernel(rungs[_i % RUNGS])->run, rungs[_i % RUNGS], 1e-5, 2e-6 };
    kernel_around_blocks(kernel, _i, 113);
    kernel_scores_that_grow(kernel);
}

// From "tiled" on no rung's scratch grows with T and S, but for the one that copies K and V.
TEST_EACH(scratch_does_not_grow, RUNGS)
{
    const char *name = _i ? rungs[_i] : "fast";
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
