// Three versions of the fast kernel in turns: as it was, with 2ˣ mended, and as it is.
#include "bench/assists.h"

#include "attention/fast.h"
#include "attention/fast_kernel.h"
#include "base/measure.h"
#include "base/random.h"

#include <stdio.h>
#include <string.h>

#if defined __x86_64__

extern const FastKernel fast_kernel_as_it_was, fast_kernel_half_mended;

enum { T = 512, D = 64, VERSIONS = 3, ROUNDS = 9 };
typedef struct {
    const char *name;
    float q, k, v;
    Mask mask;
} Numbers;
typedef struct {
    const FastKernel *kernel;
    Mat q, k, v, out;
    Mask mask;
} Job;

static const Numbers numbers[] = {
    { "Gaussian", 1, 1, 1, { 0 } },
    { "causal", 1, 1, 1, { .causal = true } },
    { "causal, window 64", 1, 1, 1, { .causal = true, .window = 64 } },
    { "q × 40", 40, 1, 1, { 0 } },
    { "q × 200", 200, 1, 1, { 0 } },
    { "q × 10⁻³⁹", 1e-39f, 1, 1, { 0 } },
    { "v × 10⁻³⁹", 1, 1, 1e-39f, { 0 } },
};
enum { COUNT = sizeof numbers / sizeof *numbers };

static int one_after_the_other(void *context) { return (*(int *)context)++; }

static void run(void *context)
{
    const Job *job = context;
    int next = 0;
    Arena *scratch = arena_open();
    job->kernel->blocks(RUNG_FAST, scratch, (Attended){ .out = job->out }, job->q, job->k, job->v, job->mask,
                        one_after_the_other, &next);
    arena_close(scratch);
}

static Mat normals(Arena *arena, Random *random, float by)
{
    Mat m = mat_new(arena, T, D);
    random_normals(random, m);
    for (int i = 0; i < T * D; i++) m.at[i] *= by;
    return m;
}

// Pairs that the mask lets be seen.
static double pairs_of(Mask mask)
{
    double pairs = 0;
    for (int i = 0; i < T; i++) pairs += !mask.causal ? T : mask.window && i >= mask.window ? mask.window : i + 1;
    return pairs;
}

static void measure_one(double rates[VERSIONS], Arena *arena, Random *random, Numbers of)
{
    static const FastKernel *const versions[VERSIONS] = { &fast_kernel_as_it_was, &fast_kernel_half_mended,
                                                          &fast_kernel_16 };
    Timed rows[VERSIONS];
    Job jobs[VERSIONS];
    Job job = { .q = normals(arena, random, of.q),
                .k = normals(arena, random, of.k),
                .v = normals(arena, random, of.v),
                .out = mat_new(arena, T, D),
                .mask = of.mask };
    for (int n = 0; n < VERSIONS; n++) {
        jobs[n] = job;
        jobs[n].kernel = versions[n];
        rows[n] = (Timed){ .name = of.name, .run = run, .context = &jobs[n], .work = pairs_of(of.mask) * 4 * D };
    }
    measure(rows, VERSIONS, (Measuring){ .rounds = ROUNDS });
    for (int n = 0; n < VERSIONS; n++) rates[n] = 1e-9 * measured_rate(&rows[n]).median;
}

bool assists_measure(char **table, Arena *arena, Error *error)
{
    if (!fast_choose("avx512")) {
        error_set(error, "this processor has no AVX-512, which is what --assists is about");
        return false;
    }
    Random random = random_from(1);
    *table = arena_format(arena, "# numbers\tas it was\t2ˣ mended\tsmall numbers count as 0\n");
    for (int n = 0; n < COUNT; n++) {
        double rates[VERSIONS];
        measure_one(rates, arena, &random, numbers[n]);
        printf("  %-20s %8.1f %8.1f %8.1f GFLOP/s\n", numbers[n].name, rates[0], rates[1], rates[2]);
        *table = arena_format(arena, "%s%s\t%.1f\t%.1f\t%.1f\n", *table, numbers[n].name, rates[0], rates[1], rates[2]);
    }
    return true;
}

#else

bool assists_measure(char **table, Arena *arena, Error *error)
{
    (void)arena;
    *table = "";
    error_set(error, "this processor is no x86-64, which is what --assists is about");
    return false;
}

#endif
