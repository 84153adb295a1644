// Chapter 20. Random requests, and a simulated clock over a schedule.
#include "model/workload.h"

#include "base/error.h"
#include "base/portable_math.h"

// ---- requests

static int length_of(double tokens, int most) { return tokens < 1.0 ? 1 : tokens > most ? most : (int)tokens; }

// Mean 1. A uniform number is below 1, so its logarithm is finite.
static double exponential(Random *random) { return -log1p(-(double)random_uniform(random)); }

ScheduleRequest *workload_sample(Arena *arena, Workload shape, int count, Random *random)
{
    REQUIRE(shape.rate > 0.0 && count >= 0 && shape.most >= 1, "%d requests, %g a second", count, shape.rate);
    ScheduleRequest *requests = arena_alloc(arena, (size_t)count * sizeof *requests);
    double time = 0.0;
    for (int n = 0; n < count; n++) {
        time += exponential(random) / shape.rate;
        double prompt = shape.prompt * exp(shape.spread * (double)random_normal(random));
        double answer = shape.answer * exponential(random);
        requests[n] = (ScheduleRequest){ .arrives = time,
                                         .prompt = length_of(ceil(prompt), shape.most),
                                         .answer = length_of(ceil(answer), shape.most) };
    }
    return requests;
}

// ---- simulation

double workload_seconds(WorkloadMachine m, int64_t fed, int64_t cached)
{
    double moved = (m.weights + m.token * (double)cached) / m.bytes;
    double computed = 2.0 * m.parameters * (double)fed / m.operations;
    return fmax(moved, computed);
}

// Tokens fed, cached and held in this step.
typedef struct {
    int running;
    int64_t fed, cached, held;
} Now;

static Now now_of(const Schedule *schedule)
{
    Now now = { 0 };
    for (int i = 0; i < schedule->runs; i++) {
        const ScheduleRequest *r = schedule->of[schedule->running[i]];
        now.running += r->fed > 0;
        now.fed += r->fed;
        now.cached += r->table.length;
        now.held += (int64_t)r->table.pages * schedule->pool->size;
    }
    return now;
}

static void take_sample(Arena *arena, WorkloadRun *run, int *capacity, WorkloadSample sample)
{
    if (run->samples_count == *capacity) {
        WorkloadSample *more = arena_alloc(arena, (size_t)(2 * *capacity + 64) * sizeof *more);
        for (int s = 0; s < *capacity; s++) more[s] = run->samples[s];
        run->samples = more;
        *capacity = 2 * *capacity + 64;
    }
    run->samples[run->samples_count++] = sample;
}

WorkloadRun workload_run(Arena *arena, Schedule *schedule, ScheduleRequest *requests, int count,
                         WorkloadMachine machine, double every)
{
    WorkloadRun run = { 0 };
    double clock = 0.0, busy = 0.0;
    int capacity = 0, added = 0;
    while (true) {
        // 1. Arrivals join the queue; if it is empty and nothing runs, the clock advances to the next arrival.
        if (added < count && schedule->runs == 0 && schedule_waiting(schedule) == 0)
            clock = fmax(clock, requests[added].arrives);
        while (added < count && requests[added].arrives <= clock) schedule_add(schedule, arena, &requests[added++]);

        // 2. A step.
        if (schedule_begin(schedule) == 0) {
            REQUIRE(schedule_waiting(schedule) == 0, "%d wait, and nobody runs", schedule_waiting(schedule));
            if (added == count) break;
            continue;
        }
        Now now = now_of(schedule);
        double seconds = workload_seconds(machine, now.fed, now.cached);
        while (every > 0.0 && run.samples_count * every < clock + seconds)
            take_sample(arena, &run, &capacity,
                        (WorkloadSample){ run.samples_count * every, now.running, schedule_waiting(schedule),
                                          now.cached, now.held, run.written });
        clock += seconds;
        busy += seconds;
        schedule_end(schedule, clock);

        // 3. Statistics.
        run.fed += now.fed;
        run.written += now.running;
        run.cached += seconds * (double)now.cached;
        run.held += seconds * (double)now.held;
        run.running += seconds * now.running;
    }
    run.seconds = clock;
    if (busy > 0.0) {
        run.cached /= busy;
        run.held /= busy;
        run.running /= busy;
    }
    return run;
}
