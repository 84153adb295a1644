// Chapter 15, --time. The ladder, timed here and now.
#include "kernels/fast.h"
#include "kernels/kernels.h"
#include "base/measure.h"
#include "steps.h"

#include <stdio.h>
#include <unistd.h>

typedef struct {
    Attended to;
    HeadProjections p;
    Mask mask;
    AttentionKernel *kernel;
} Job;

// The first rungs are slow: from so many multiply-adds on they have three turns.
enum { SLOW = 4, SLOW_WORK = 1 << 26, SLOW_ROUNDS = 3 };

static void run_job(void *context)
{
    Job *job = context;
    job->kernel(job->to, job->p.q, job->p.k, job->p.v, job->mask);
}

static double look_at_probe(void *context)
{
    (void)context;
    return fast_probe_rate(0.002);
}

static void show_progress(int done, int all, void *context)
{
    (void)context;
    if (!isatty(STDERR_FILENO)) return;
    fprintf(stderr, "\r    %3d %%  %.*s", 100 * done / all, 40 * done / all,
            "########################################");
    if (done == all) fprintf(stderr, "\r%*s\r", 60, "");
}

void here_and_now(Lesson *lesson, Wanted wanted)
{
    step(lesson, "Here and now");
    int T = wanted.T, d = wanted.d, first = wanted.rung < 0 ? 0 : wanted.rung;
    int count = 0;
    HeadProjections p = random_qkv(lesson, T, T, d, d);
    Arena *arena = lesson->arena;
    double work = (wanted.causal ? 1.0 : 2.0) * T * T * d; // of a causal run half the pairs count
    MeasureTimed *timed = arena_alloc(arena, (size_t)attention_kernels_count * sizeof *timed);
    Job *jobs = arena_alloc(arena, (size_t)attention_kernels_count * sizeof *jobs);
    for (int r = 0; attention_rung(first + r) && (wanted.rung < 0 || r == 0); r++, count++) {
        const AttentionKernelNamed *rung = attention_rung(first + r);
        jobs[r] = (Job){ { .out = mat_new(arena, T, d) }, p, wanted.causal ? CAUSAL : EVERYTHING, rung->run };
        timed[r] = (MeasureTimed){ .name = rung->name, .run = run_job, .context = &jobs[r], .work = work };
        if (first + r < SLOW && work > SLOW_WORK) timed[r].most = SLOW_ROUNDS;
    }
    Measurement how = { .yardstick = look_at_probe, .progress = show_progress, .seconds = wanted.seconds };
    int rounds = measure_best(timed, count, how);
    static const char *const columns[] = { "GFLOP/s", "share %", "from", "to" };
    Rows table = rows_of(lesson, "the ladder", columns, 4);
    table.table.decimals = 1;
    for (int r = 0; r < count; r++) {
        MeasureSpread share = measured_share(&timed[r]);
        rows_add(&table,
                 ROW(2e-9 * measured_rate(&timed[r]).median, 100 * share.median, 100 * share.low, 100 * share.high),
                 "%s", timed[r].name);
    }
    say(lesson,
        "The version for this processor: %s. T = S = %d, d = %d, %s, one thread; %d rounds, in each of which "
        "every rung had its turn. Medians, and the quartiles of the share of the probe.",
        fast_kind(), T, d, wanted.causal ? "causal" : "full", rounds);
    show_rows(lesson, &table);
}
