// Chapter 20, step 6. Everyone gets on and off between two steps, or a batch waits for its last.
#include "steps.h"

#include <stdlib.h>

enum { WAYS = 3, REQUESTS = 400, RATES = 7 };
static const double RATE[RATES] = { 0.5, 1, 2, 4, 8, 16, 32 };

static const Way *ways(int w)
{
    static const Way *const all[WAYS] = { &RESERVED_TOGETHER, &RESERVED, &PAGED };
    return all[w];
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Of all requests, in order: how long until the answer is handed over, or its first token is there.
typedef struct {
    double *all;
    int count;
} Latency;

static Latency latency_of(Arena *arena, const Served *served, bool first)
{
    Latency latency = { arena_alloc(arena, (size_t)served->count * sizeof(double)), served->count };
    for (int n = 0; n < served->count; n++) {
        const ScheduleRequest *r = &served->requests[n];
        latency.all[n] = (first ? r->first : r->done) - r->arrives;
    }
    qsort(latency.all, (size_t)latency.count, sizeof(double), by_size);
    return latency;
}

static double percentile(Latency latency, double p) { return latency.all[(int)(p * (latency.count - 1))]; }

// ---- over time

static PlotSeries line_of(Lesson *lesson, const Served *served, double seconds, bool waiting, const char *name)
{
    int n = 0;
    const WorkloadRun *run = &served->run;
    double *x = arena_alloc(lesson->arena, (size_t)run->samples_count * sizeof *x);
    double *y = arena_alloc(lesson->arena, (size_t)run->samples_count * sizeof *y);
    for (; n < run->samples_count && run->samples[n].at <= seconds; n++) {
        x[n] = run->samples[n].at;
        y[n] = waiting ? run->samples[n].waiting : run->samples[n].running;
    }
    return (PlotSeries){ .name = name, .x = x, .y = y, .count = n };
}

static void figure_time(Lesson *lesson, const Served *served)
{
    enum { SECONDS = 43 };
    PlotSeries running[WAYS], waiting[WAYS];
    for (int w = 0; w < WAYS; w++) {
        running[w] = line_of(lesson, &served[w], SECONDS, false, ways(w)->name);
        waiting[w] = line_of(lesson, &served[w], SECONDS, true, ways(w)->name);
    }
    Plot plots[2] = {
        { .title = "Requests that are written",
          .x_title = "seconds",
          .y_title = "requests",
          .series = running,
          .count = WAYS,
          .y_low = 0,
          .height = 260 },
        { .title = "Requests that wait",
          .x_title = "seconds",
          .y_title = "requests",
          .series = waiting,
          .count = WAYS,
          .y_low = 0,
          .height = 260 },
    };
    figure_plots(lesson, "time.png", "who is written and who waits, over time, in three ways", plots, 2);
}

// ---- against the rate

static void figure_rates(Lesson *lesson)
{
    static double y[WAYS][RATES];
    PlotSeries series[WAYS];
    for (int w = 0; w < WAYS; w++) {
        for (int r = 0; r < RATES; r++) {
            Arena *arena = arena_open();
            Served served = serve_load(arena, *ways(w), RATE[r], REQUESTS, 0);
            y[w][r] = percentile(latency_of(arena, &served, false), 0.5);
            arena_close(arena);
        }
        series[w] = (PlotSeries){ .name = ways(w)->name, .x = RATE, .y = y[w], .count = RATES };
    }
    figure_plot(lesson, "rates.png", "the median wait for an answer, against the rate of requests",
                (Plot){ .title = "400 requests: the median wait for an answer",
                        .x_title = "requests a second",
                        .y_title = "seconds",
                        .series = series,
                        .count = WAYS,
                        .log_x = true,
                        .log_y = true });
}

void on_and_off(Lesson *lesson, double rate)
{
    static const char *const cols[] = { "tokens/s", "written", "first", "50 %", "90 %", "99 %" };
    step(lesson, "Everyone gets on and off");
    Arena *arena = lesson->arena;
    Served served[WAYS];
    double speed[WAYS], median[WAYS];
    Rows table = rows_of(lesson, arena_format(arena, "%d requests, %g a second", REQUESTS, rate), cols, 6);
    table.table.decimals = 1;
    bool all = true;
    for (int w = 0; w < WAYS; w++) {
        served[w] = serve_load(arena, *ways(w), rate, REQUESTS, 0.25);
        Latency answer = latency_of(arena, &served[w], false), first = latency_of(arena, &served[w], true);
        speed[w] = (double)served[w].run.written / served[w].run.seconds;
        median[w] = percentile(answer, 0.5);
        rows_add(&table,
                 ROW(speed[w], served[w].run.running, percentile(first, 0.5), median[w], percentile(answer, 0.9),
                     percentile(answer, 0.99)),
                 "%s", ways(w)->name);
        for (int n = 0; n < REQUESTS; n++) all = all && served[w].requests[n].written == served[w].requests[n].answer;
        all = all && served[w].schedule.pool->left == served[w].schedule.pool->count;
    }
    show_rows(lesson, &table);
    say(lesson,
        "Static and continuous reserve 2,048 places for each request; pages are of 16. Written: how many "
        "requests get a token in a step, mean. Then seconds, from a request's arrival: until half of all have their "
        "first token, and until 50, 90, 99 %% have their answer.");
    check(lesson, all, "in each way all %d answers are complete, and all pages come back", REQUESTS);
    if (rate == 8) {
        check(lesson, speed[1] > 1.5 * speed[0] && speed[2] > speed[1],
              "continuous batching writes %.1f times as fast as static, with pages %.1f times", speed[1] / speed[0],
              speed[2] / speed[0]);
        check(lesson, median[0] > 5 * median[2],
              "the median wait for an answer is %.0f times as long with static batches as with pages",
              median[0] / median[2]);
    }
    figure_time(lesson, served);
    figure_rates(lesson);
}
