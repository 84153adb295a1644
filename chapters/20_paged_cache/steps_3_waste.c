// Chapter 20, step 3. What reserving wastes, and what pages do.
#include "steps.h"

#include <stdlib.h>

enum { REQUESTS = 400, MEMORY_REQUESTS = 300 };

static double wasted(const WorkloadRun *run) { return 1.0 - run->cached / run->held; }

static int by_size(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

// The lengths of the load, as numbers.
static void show_lengths(Lesson *lesson)
{
    enum { N = 10000 };
    ScheduleRequest *requests = the_load(lesson->arena, 1, N);
    int *sorted[2] = { arena_alloc(lesson->arena, N * sizeof(int)), arena_alloc(lesson->arena, N * sizeof(int)) };
    static const char *const rows[] = { "prompts", "answers" }, *const cols[] = { "mean", "10 %", "50 %", "90 %",
                                                                                  "99 %" };
    Mat values = mat_new(lesson->arena, 2, 5);
    for (int w = 0; w < 2; w++) {
        double sum = 0.0;
        for (int n = 0; n < N; n++) sum += sorted[w][n] = w ? requests[n].answer : requests[n].prompt;
        qsort(sorted[w], N, sizeof(int), by_size);
        static const double share[] = { 0, 0.1, 0.5, 0.9, 0.99 };
        *mat_ref(values, w, 0) = (float)(sum / N);
        for (int c = 1; c < 5; c++) *mat_ref(values, w, c) = (float)sorted[w][(int)(share[c] * N)];
    }
    show_table(lesson, (Table){ .name = "tokens of 10,000 requests; so many have no more",
                                .values = values,
                                .rows = rows,
                                .cols = cols,
                                .decimals = -1 });
}

static Plot memory_plot(Lesson *lesson, const char *title, const Served *served, PlotSeries *series)
{
    int n = served->run.samples_count;
    double *x = arena_alloc(lesson->arena, (size_t)n * sizeof *x),
           *held = arena_alloc(lesson->arena, (size_t)n * sizeof *held);
    double *cached = arena_alloc(lesson->arena, (size_t)n * sizeof *cached);
    for (int s = 0; s < n; s++) {
        x[s] = served->run.samples[s].at;
        held[s] = (double)served->run.samples[s].held;
        cached[s] = (double)served->run.samples[s].cached;
    }
    series[0] = (PlotSeries){ .name = "held", .x = x, .y = held, .count = n };
    series[1] = (PlotSeries){ .name = "tokens", .x = x, .y = cached, .count = n };
    return (Plot){ .title = title,
                   .x_title = "seconds",
                   .y_title = "places for tokens",
                   .series = series,
                   .count = 2,
                   .y_low = 0,
                   .y_high = ROOM * 1.02,
                   .height = 260 };
}

static int until(const WorkloadRun *run, double seconds)
{
    int n = 0;
    while (n < run->samples_count && run->samples[n].at <= seconds) n++;
    return n;
}

static void figure_memory(Lesson *lesson)
{
    static PlotSeries series[4];
    Served reserved = serve_load(lesson->arena, RESERVED, 30, MEMORY_REQUESTS, 0.05);
    Served paged = serve_load(lesson->arena, PAGED, 30, MEMORY_REQUESTS, 0.05);
    reserved.run.samples_count = until(&reserved.run, 18);
    paged.run.samples_count = until(&paged.run, 18);
    Plot plots[2] = { memory_plot(lesson, "2,048 places reserved for each request", &reserved, series),
                      memory_plot(lesson, "pages of 16", &paged, series + 2) };
    figure_plots(lesson, "memory.png", "places held, and tokens in them, over time", plots, 2);
}

void what_reserving_wastes(Lesson *lesson)
{
    enum { SIZES = 6 };
    static const int sizes[SIZES] = { 1, 4, 16, 64, 256, LONGEST };
    static const char *const cols[] = { "wasted %", "at once", "tokens/s" };
    step(lesson, "What reserving wastes");
    show_lengths(lesson);
    say(lesson, "A token takes %.0f bytes of the cache; %d places are %.0f GiB.", the_machine().token, ROOM,
        ROOM * the_machine().token / (1 << 30));
    Rows table = rows_of(lesson, "16,384 places, 400 requests, 30 a second", cols, 3);
    table.table.decimals = 1;
    double waste[SIZES], speed[SIZES];
    for (int s = 0; s < SIZES; s++) {
        Arena *arena = arena_open();
        Served served = serve_load(arena, (Way){ "", sizes[s], false }, 30, REQUESTS, 0);
        waste[s] = wasted(&served.run);
        speed[s] = (double)served.run.written / served.run.seconds;
        const char *label =
            sizes[s] == LONGEST ? "2,048: reserved" : arena_format(lesson->arena, "pages of %d", sizes[s]);
        rows_add(&table, ROW(100 * waste[s], served.run.running, speed[s]), "%s", label);
        arena_close(arena);
    }
    show_rows(lesson, &table);
    check(lesson, waste[2] < 0.04, "pages of 16 waste %.1f %%: less than 4", 100 * waste[2]);
    check(lesson, waste[SIZES - 1] > 0.6, "reserving wastes %.1f %%: more than 60", 100 * waste[SIZES - 1]);
    check(lesson, speed[2] > 2 * speed[SIZES - 1], "so pages of 16 write %.1f times as many tokens a second",
          speed[2] / speed[SIZES - 1]);
    figure_memory(lesson);
}
