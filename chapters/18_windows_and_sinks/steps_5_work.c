// Chapter 18, step 5. A kernel that works on tiles leaves out those that the window hides.
#include "base/portable_math.h"
#include "kernels/fast.h"
#include "base/cost.h"
#include "base/measure.h"
#include "io/file.h"
#include "steps.h"
#include "train/bundled.h"

#include <stdio.h>
#include <string.h>

enum { LONG = 4096, D_HEAD = 32, WINDOWS = 7 };
enum { TIME, TIME_LOW, TIME_HIGH, MS }; // columns of window-times.tsv
static const int window_sizes[WINDOWS] = { 64, 128, 256, 512, 1024, 2048, 4096 };

typedef struct {
    Mat q, k, v, out;
    Mask mask;
} Head;

static Head random_head(Arena *arena, int window)
{
    Random random = random_from(5);
    Head h = { mat_new(arena, LONG, D_HEAD),
               mat_new(arena, LONG, D_HEAD),
               mat_new(arena, LONG, D_HEAD),
               mat_new(arena, LONG, D_HEAD),
               { .causal = true, .window = window } };
    random_normals(&random, h.q);
    random_normals(&random, h.k);
    random_normals(&random, h.v);
    return h;
}

static void run_head_once(void *context)
{
    Head *h = context;
    attention_fast((Attended){ .out = h->out }, h->q, h->k, h->v, h->mask);
}

static double pairs(int window) { return (double)window * LONG - 0.5 * window * (window - 1.0); }

// Times of each window, as shares of the time without one: medians of turns that were taken side by side.
static int timed(Arena *arena, MeasureTimed *rows, int rounds)
{
    static const char *const names[WINDOWS] = { "W = 64",   "W = 128",  "W = 256", "W = 512",
                                                "W = 1024", "W = 2048", "W = 4096" };
    for (int w = 0; w < WINDOWS; w++) {
        Head *head = arena_alloc(arena, sizeof *head);
        *head = random_head(arena, window_sizes[w]);
        rows[w] = (MeasureTimed){ .name = names[w], .run = run_head_once, .context = head, .work = 1.0 };
    }
    return measure_best(rows, WINDOWS, (Measurement){ .rounds = rounds, .seconds = 60.0 });
}

// The table window-times.tsv: how long it took here.
void write_times(Lesson *lesson, const char *folder)
{
    MeasureTimed rows[WINDOWS];
    Error error;
    const char *text = arena_format(lesson->arena,
                                    "# build/chapters/18_windows_and_sinks --retrain %s\n# window\tof "
                                    "the time without one\tlower quartile\tupper quartile\tms\n",
                                    folder);
    timed(lesson->arena, rows, 15);
    for (int w = 0; w < WINDOWS; w++) {
        MeasureSpread share = measured_ratio(&rows[WINDOWS - 1], &rows[w]);
        text = arena_format(lesson->arena, "%s%s\t%.4f\t%.4f\t%.4f\t%.2f\n", text, rows[w].name, share.median,
                            share.low, share.high, 1e3 / measured_rate(&rows[w]).median);
    }
    const char *path = arena_format(lesson->arena, "%s/window-times.tsv", folder);
    if (!file_write(path, text, strlen(text), &error)) lesson_fail(&error);
}

static void show_times(Lesson *lesson, int rounds)
{
    static const char *const cols[] = { "median", "low", "high" };
    MeasureTimed timings[WINDOWS];
    int done = timed(lesson->arena, timings, rounds < 3 ? 3 : rounds);
    Rows table =
        rows_of(lesson, arena_format(lesson->arena, "here, %d rounds: of the time without a window", done), cols, 3);
    table.table.decimals = 3;
    for (int w = 0; w < WINDOWS; w++) {
        MeasureSpread share = measured_ratio(&timings[WINDOWS - 1], &timings[w]);
        rows_add(&table, ROW(share.median, share.low, share.high), "%s", timings[w].name);
    }
    show_rows(lesson, &table);
}

void less_to_do(Lesson *lesson, const char *program, const char *folder, int rounds)
{
    step(lesson, "Less to do");
    static const char *const cols[] = { "needed", "done", "done of all", "time of all" };
    static double x[WINDOWS], y[2][WINDOWS];
    Arena *arena = lesson->arena;
    TableRows before;
    Error error;
    if (!bundled_rows(&before, arena, program, folder, "window-times.tsv", MS + 1, &error)) lesson_fail(&error);
    if (before.values.rows != WINDOWS) {
        error_set(&error, "window-times.tsv: %d rows; it must have %d, one for each window", before.values.rows,
                  WINDOWS);
        lesson_fail(&error);
    }
    Rows table = rows_of(lesson, "4096 queries, d = 32: millions of multiplications", cols, 4);
    table.table.decimals = 3;
    double done[WINDOWS];
    fast_choose("plain"); // the same blocks on every machine, so the same counts
    for (int w = 0; w < WINDOWS; w++) {
        ArenaMark mark = arena_mark(arena);
        Head head = random_head(arena, window_sizes[w]);
        Cost start = cost_counted;
        run_head_once(&head);
        done[w] = (double)cost_since(start).multiplies;
        arena_release(arena, mark);
    }
    fast_choose(NULL);
    for (int w = 0; w < WINDOWS; w++) {
        double share = done[w] / done[WINDOWS - 1], needed = 2.0 * D_HEAD * pairs(window_sizes[w]);
        double in_sight = pairs(window_sizes[w]) / pairs(LONG), of_time = mat_value(before.values, w, TIME);
        x[w] = window_sizes[w];
        y[0][w] = share / in_sight;
        y[1][w] = of_time / in_sight;
        rows_add(&table, ROW(needed / 1e6, done[w] / 1e6, share, of_time), "W = %d", window_sizes[w]);
    }
    show_rows(lesson, &table);
    if (!folder)
        say(lesson, "Times: one core of Zen 5, where W = %d takes %.1f ms and W = %d %.1f.", window_sizes[WINDOWS - 1],
            mat_value(before.values, WINDOWS - 1, MS), window_sizes[0], mat_value(before.values, 0, MS));
    bool falls = true, near = true, faster = true;
    for (int w = 1; w < WINDOWS; w++) {
        falls = falls && done[w] > done[w - 1];
        faster = faster && mat_value(before.values, w, TIME) > mat_value(before.values, w - 1, TIME);
        near = near && done[w] < 1.2 * 2.0 * D_HEAD * pairs(window_sizes[w]);
    }
    check(lesson, falls, "the smaller the window, the fewer multiplications");
    if (!folder) check(lesson, faster, "and the less time, where it was measured");
    check(lesson, near, "from W = 128 on less than a fifth more than the pairs in sight need");
    if (rounds) show_times(lesson, rounds);
    static const char *labels[WINDOWS] = { "time" };
    PlotSeries series[] = { { .name = "multiplications", .x = x, .y = y[0], .count = WINDOWS },
                            { .x = x, .y = y[1], .count = WINDOWS, .dots = true, .labels = labels } };
    figure_plot(lesson, "work.png",
                "the fast kernel under windows: counted multiplications, and time on the machine "
                "on which the book was timed, by the share of pairs in sight",
                (Plot){ .title = "The fast kernel, 4096 queries, d = 32",
                        .x_title = "window W",
                        .y_title = "share of the work without a window, over the share of pairs",
                        .series = series,
                        .count = 2,
                        .log_x = true,
                        .y_low = 0,
                        .y_high = 3 });
}
