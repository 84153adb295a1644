// Time and scratch memory against T, on logarithmic axes, where a power is a straight line and its exponent the slope.
#include "bench/growth.h"

#include "base/portable_math.h"
#include "kernels/kernels.h"
#include "base/cost.h"
#include "base/measure.h"
#include "bench/problem.h"
#include "bench/results.h"
#include "figure/plot.h"
#include "figure/png.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { KERNELS = 3, MOST = 16, FITTED = 1024 }; // FITTED: slopes are those from this T on
static const char *const names[KERNELS] = { "naive", "tiled", "fast" };

typedef struct {
    const char *name;
    int count;
    double T[MOST], seconds[MOST], bytes[MOST];
} Growth;
typedef struct {
    AttentionKernel *run;
    Problem *problem;
    int64_t scratch;
} Job;

static void run_once(void *context)
{
    Job *job = context;
    Problem *p = job->problem;
    cost_counted.scratch = 0;
    job->run((Attended){ .out = p->out }, p->q[0], p->k[0], p->v[0], (Mask){ 0 });
    job->scratch = cost_counted.scratch;
}

// All kernels at one T, in turns; those that are too slow by now sit it out. The median of three; one run where it is
// long.
static void measure_length(Growth *growth, int T, double patience)
{
    Arena *arena = arena_open();
    Problem problem = problem_new(arena, 1, 1, T, T, 64, false, false);
    MeasureTimed rows[KERNELS];
    Job jobs[KERNELS];
    int which[KERNELS], count = 0;
    for (int e = 0; e < KERNELS; e++) {
        Growth *g = &growth[e];
        double expected = g->count ? 4.0 * g->seconds[g->count - 1] : 0.0;
        if (g->count && (g->T[g->count - 1] != T / 2 || expected > patience)) continue;
        jobs[count] = (Job){ attention_kernel(names[e])->run, &problem, 0 };
        rows[count] = (MeasureTimed){ .name = names[e], .run = run_once, .work = 1, .most = expected > 0.5 ? 1 : 3 };
        rows[count].context = &jobs[count];
        which[count++] = e;
    }
    measure_best(rows, count, (Measurement){ .rounds = 3 });
    for (int i = 0; i < count; i++) {
        Growth *g = &growth[which[i]];
        g->T[g->count] = T;
        g->seconds[g->count] = 1.0 / measured_rate(&rows[i]).median;
        g->bytes[g->count++] = (double)jobs[i].scratch;
    }
    arena_close(arena);
}

// The slope of y from FITTED on; of all of it where there is less.
static double slope_of(const Growth *g, const double *y)
{
    int first = 0;
    while (first + 2 < g->count && g->T[first] < FITTED) first++;
    return measure_slope_log_log(g->T + first, y + first, g->count - first);
}

static bool draw(const Growth *growth, const char *picture, Error *error)
{
    Arena *arena = arena_open();
    PlotSeries time[KERNELS], memory[KERNELS];
    double milliseconds[KERNELS][MOST], kib[KERNELS][MOST];
    for (int e = 0; e < KERNELS; e++) {
        const Growth *g = &growth[e];
        for (int i = 0; i < g->count; i++) {
            milliseconds[e][i] = 1e3 * g->seconds[i];
            kib[e][i] = g->bytes[i] / 1024;
        }
        time[e] = memory[e] = (PlotSeries){ .x = g->T, .count = g->count };
        time[e].name = arena_format(arena, "%s %.2f", g->name, slope_of(g, g->seconds));
        time[e].y = milliseconds[e];
        memory[e].name = arena_format(arena, "%s %.2f", g->name, slope_of(g, g->bytes));
        memory[e].y = kib[e];
    }
    Plot left = { .title = "Time of one head, and slope",
                  .x_title = "T = S, d = 64",
                  .y_title = "milliseconds",
                  .series = time,
                  .count = KERNELS,
                  .log_x = true,
                  .log_y = true,
                  .width = 520,
                  .height = 400 };
    Plot right = left;
    right.title = "Scratch memory, and slope";
    right.y_title = "KiB";
    right.series = memory;
    const RenderTarget paper = { .scale = 2 };
    const Canvas *parts[] = { plot_draw(arena, &left, paper), plot_draw(arena, &right, paper) };
    bool saved = canvases_stack(parts, 2, true, picture, error);
    arena_close(arena);
    return saved;
}

static char *as_text(Arena *arena, const Growth *growth)
{
    size_t room = 128 + (size_t)KERNELS * MOST * 64, used = 0;
    char *text = arena_alloc(arena, room);
    used += (size_t)snprintf(text, room, "# kernel\tT\tseconds\tscratch_bytes\n");
    for (int e = 0; e < KERNELS; e++)
        for (int i = 0; i < growth[e].count; i++)
            used += (size_t)snprintf(text + used, room - used, "%s\t%.0f\t%.3e\t%.0f\n", growth[e].name, growth[e].T[i],
                                     growth[e].seconds[i], growth[e].bytes[i]);
    return text;
}

static void print(const Growth *growth, int longest)
{
    printf("\nHow cost grows: one head, d = 64, full, one thread\n  %7s", "T");
    for (int e = 0; e < KERNELS; e++) printf("  %8s ms %9s", growth[e].name, "KiB");
    printf("\n");
    for (int i = 0, T = 128; T <= longest; i++, T *= 2) {
        printf("  %7d", T);
        for (int e = 0; e < KERNELS; e++)
            if (i < growth[e].count) printf("  %11.3f %9.0f", 1e3 * growth[e].seconds[i], growth[e].bytes[i] / 1024);
            else printf("  %11s %9s", "-", "-");
        printf("\n");
    }
    printf("  %7s", "slope");
    for (int e = 0; e < KERNELS; e++)
        printf("  %11.2f %9.2f", slope_of(&growth[e], growth[e].seconds), slope_of(&growth[e], growth[e].bytes));
    printf("\n  Slopes are fitted from T = %d on. A kernel stops where its next run would take too long.\n", FITTED);
    fflush(stdout);
}

bool growth_measure(char **table, Arena *arena, int longest, double patience, const char *picture, Error *error)
{
    Growth growth[KERNELS] = { { 0 } };
    for (int e = 0; e < KERNELS; e++) growth[e].name = names[e];
    for (int T = 128; T <= longest; T *= 2) {
        if (isatty(2)) fprintf(stderr, "\r  how cost grows: T = %d \r", T);
        measure_length(growth, T, patience);
    }
    if (isatty(2)) fprintf(stderr, "\r%60s\r", "");
    print(growth, longest);
    *table = as_text(arena, growth);
    return !png_available() || draw(growth, picture, error);
}
