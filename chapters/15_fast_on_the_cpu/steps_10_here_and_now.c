// Chapter 15, --time. The ladder, timed here and now.
#include "attention/fast.h"
#include "attention/kernels.h"
#include "base/measure.h"
#include "steps.h"

#include <stdio.h>
#include <unistd.h>

typedef struct { Attended to; Drawn p; AttentionKernel *kernel; } Job;

static void run_job(void *context)
{
    Job *job = context;
    job->kernel(job->to, job->p.q, job->p.k, job->p.v, EVERYTHING);
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

void here_and_now(Lesson *lesson, int seconds)
{
    step(lesson, "Here and now");
    enum { T = 1024, d = 64 };
    Drawn p = drawn(lesson, T, T, d, d);
    Arena *arena = lesson->arena;
    Timed *timed = arena_alloc(arena, (size_t)attention_rungs_count * sizeof *timed);
    Job *jobs = arena_alloc(arena, (size_t)attention_rungs_count * sizeof *jobs);
    for (int r = 0; r < attention_rungs_count; r++) {
        const NamedKernel *rung = &attention_kernels[r];
        jobs[r] = (Job){ { .out = mat_new(arena, T, d) }, p, rung->run };
        timed[r] = (Timed){ .name = rung->name, .run = run_job, .context = &jobs[r], .work = 2.0 * T * T * d };
    }
    Measuring how = { .yardstick = look_at_probe, .progress = show_progress, .seconds = seconds };
    int rounds = measure(timed, attention_rungs_count, how);
    static const char *const columns[] = { "GFLOP/s", "share %", "from", "to" };
    Rows table = rows_of(lesson, "the ladder", columns, 4);
    table.table.decimals = 1;
    for (int r = 0; r < attention_rungs_count; r++) {
        Spread share = measured_share(&timed[r]);
        rows_add(&table, ROW(2e-9 * measured_rate(&timed[r]).median, 100 * share.median, 100 * share.low,
                             100 * share.high), "%s", timed[r].name);
    }
    say(lesson, "The version for this processor: %s. T = S = %d, d = %d, one thread; %d rounds, in each of which every "
        "rung had its turn. Medians, and the quartiles of the share of the probe.", fast_kind(), T, d, rounds);
    show_rows(lesson, &table);
}
