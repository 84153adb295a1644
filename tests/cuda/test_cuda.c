// Tests of chapter 16's kernels, which the emulator runs from their own sources: a sample. `make cuda-check` tries all.
#ifdef HAVE_EMULATOR
    #include "cuda/trial.h"
#endif

#include "support/reference.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_EMULATOR

// Tiles that are full, cut, empty; groups; rows that see nothing. B, H, G, T, S.
static const int shapes[][5] = {
    { 1, 1, 1, 1, 1 },    { 1, 2, 1, 7, 9 },  { 1, 1, 1, 64, 64 }, { 1, 1, 1, 129, 127 },
    { 1, 1, 1, 40, 130 }, { 1, 1, 1, 5, 0 },  { 1, 1, 1, 70, 12 }, { 2, 2, 2, 17, 65 },
    { 1, 20, 1, 1, 300 }, { 2, 4, 2, 1, 17 }, { 1, 2, 1, 3, 520 },
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

// RUNG=mma in the environment: that one alone.
static bool wanted(const Rung *rung)
{
    const char *only = getenv("RUNG");
    return !only || !*only || !strcmp(only, rung->name);
}

// Every rung with every shape; width, mask, kind, layout, order and sums go round.
TEST_EACH(test_rungs, SHAPES)
{
    if (!case_tried(_i)) return;
    Random random = random_from(16 + (uint64_t)_i);
    const int *s = shapes[_i];
    Card card = { .major = 9, .shared = 227 << 10 };
    for (int r = 0; r < rungs_count; r++) {
        int n = _i + r;
        GpuProblem shape = { .B = s[0],
                             .H = s[1],
                             .G = s[2],
                             .T = s[3],
                             .S = s[4],
                             .d = n & 1 ? 128 : 64,
                             .causal = n & 2,
                             .kind = _i & 1 ? HALF_BFLOAT16 : HALF_FLOAT16 };
        if (!wanted(&rungs[r]) || !rung_runs(&rungs[r], &card, shape.T, shape.d)) continue;
        Trial problem = trial_new(arena, &random, shape, (TrialLayout)(n % TRIAL_LAYOUTS));
        const char *why = trial_run(arena, &problem, &rungs[r],
                                    (EmulatorOptions){ .order = (EmulatorOrder)(n % 3),
                                                       .seed = (uint64_t)n,
                                                       .truncating = n & 4,
                                                       .uncounted = true,
                                                       .multiprocessors = n % 3 });
        trial_free(&problem);
        ck_assert_msg(!why, "%s, T %d, S %d, d %d: %s", rungs[r].name, shape.T, shape.S, shape.d, why);
    }
}

// The swizzle, and the column too many of a tile, are there for the banks: a turn for each 128 bytes, and no more.
TEST(test_turns)
{
    Random random = random_from(16);
    for (int r = 0; r < rungs_count; r++) {
        GpuProblem shape = { .B = 1, .H = 1, .G = 1, .T = rungs[r].decodes ? 1 : 64, .S = 64, .d = 64 };
        if (!wanted(&rungs[r])) continue;
        Trial trial = trial_new(arena, &random, shape, TRIAL_HEADS_OUTSIDE);
        const char *why = trial_run(arena, &trial, &rungs[r], (EmulatorOptions){ .order = EMULATOR_FORWARD });
        trial_free(&trial);
        ck_assert_msg(!why, "%s: %s", rungs[r].name, why);
        EmulatorCounts c = emulator_counts();
        ck_assert_msg(c.matrices.turns == 4 * c.matrices.requests, "%s: ldmatrix", rungs[r].name);
        ck_assert_msg(c.copied.turns == 4 * c.copied.requests, "%s: cp.async", rungs[r].name);
        if (!strcmp(rungs[r].name, "tiles")) ck_assert_int_eq(c.shared_loads.turns, c.shared_loads.requests);
    }
}

// What a kernel refuses it answers.
TEST(test_refused)
{
    GpuProblem p = { .B = 1, .H = 1, .G = 1, .T = 2, .S = 2, .d = 32 };
    for (int r = 0; r < rungs_count; r++)
        if (!rungs[r].tabled) ck_assert_int_ne(rungs[r].run(&p), cudaSuccess);
}

TEST(test_first)
{
    enum { T = 5, S = 9, d = 4 };
    float q[T * d], k[S * d], scores[T * S];
    for (int e = 0; e < T * d; e++) q[e] = (float)(e % 7);
    for (int e = 0; e < S * d; e++) k[e] = (float)(e % 5);
    emulator_reset();
    ck_assert_int_eq(gpu_first(scores, q, k, T, S, d), cudaSuccess);
    ck_assert_int_eq(emulator_findings(), 0);
    for (int n = 0; n < T * S; n++) {
        float want = 0;
        for (int c = 0; c < d; c++) want += q[n / S * d + c] * k[n % S * d + c];
        ck_assert_float_eq(scores[n], want / 2);
    }
}

#endif
