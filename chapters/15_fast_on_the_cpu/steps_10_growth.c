// Chapter 15, step 10. The measured speeds beside those of others, and how time and scratch grow with T.
#include "base/measure.h"
#include "base/portable_math.h"
#include "steps.h"

#include <string.h>

enum { GROWING = 3, LENGTHS = 16, FITTED = 1024 };
static const char *const growing[GROWING] = { "naive", "tiled", "fast" };

typedef struct {
    int count;
    double T[LENGTHS], of[SCRATCH + 1][LENGTHS];
} Growth;

static Growth growth_of(TableRows rows, const char *name)
{
    Growth g = { 0 };
    for (int i = 0; i < rows.values.rows; i++) {
        if (g.count == LENGTHS || strcmp(rows.names[i], name) != 0) continue;
        g.T[g.count] = mat_value(rows.values, i, GROWTH_T);
        for (int c = SECONDS; c <= SCRATCH; c++) g.of[c][g.count] = mat_value(rows.values, i, c);
        g.count++;
    }
    return g;
}

static double slope_of(const Growth *g, int column)
{
    int first = 0;
    while (first + 2 < g->count && g->T[first] < FITTED) first++;
    return measure_slope_log_log(g->T + first, g->of[column] + first, g->count - first);
}

// What others reach at the same shapes, in the same run.
static void peers_measured(Lesson *lesson)
{
    TableRows bench = zen4_rows(lesson->arena);
    enum { PEERS = 4 };
    static const char *const peers[PEERS] = { "sgemm naive", "sgemm tiles", "PyTorch", "fast" };
    const char *rows[TIMED];
    Mat table = mat_new(lesson->arena, TIMED, PEERS), hidden = mat_new(lesson->arena, TIMED, PEERS);
    bool ahead = true;
    double least = 1, most = 0; // of fast, without a mask
    for (int n = 0; n < TIMED; n++) {
        double fast = (double)measured(bench, "fast", shapes_timed[n], SHARE);
        if (!shapes_timed[n].causal) {
            least = fmin(least, fast);
            most = fmax(most, fast);
        }
        rows[n] = shape_name(lesson->arena, shapes_timed[n]);
        for (int c = 0; c < PEERS; c++) {
            float share = 100 * measured(bench, peers[c], shapes_timed[n], SHARE);
            *mat_ref(table, n, c) = isnan(share) ? 0.0f : share;
            *mat_ref(hidden, n, c) = isnan(share) ? 1.0f : 0.0f;
        }
        for (int c = 0; c < PEERS - 1; c++) ahead = ahead && *mat_ref(table, n, c) < *mat_ref(table, n, PEERS - 1);
    }
    show_table(lesson, (Table){ .name = "share of the probe in percent, one thread",
                                .values = table,
                                .hidden = hidden,
                                .rows = rows,
                                .cols = peers,
                                .decimals = 1 });
    say(lesson, "Measured on %s, %s, the core of step 2. Peers: %s. OpenBLAS runs its code for the core named.",
        zen4_fact(lesson->arena, "date: "), zen4_fact(lesson->arena, "cpu: "), zen4_fact(lesson->arena, "peers: "));
    check(lesson, ahead, "in this run: fast is ahead of every peer at every shape");
    TableRows intel = intel_rows(lesson->arena);
    double low[PEERS], high[PEERS] = { 0 }; // of each, on another core
    bool ahead_there = true;
    for (int n = 0; n < TIMED; n++) {
        double fast = 100 * (double)measured(intel, "fast", shapes_timed[n], SHARE);
        for (int c = 0; c < PEERS; c++) {
            double share = 100 * (double)measured(intel, peers[c], shapes_timed[n], SHARE);
            low[c] = n ? fmin(low[c], share) : share;
            high[c] = fmax(high[c], share);
            ahead_there = ahead_there && (c == PEERS - 1 || share < fast);
        }
    }
    check(lesson, ahead_there,
          "on the Intel core of step 11 (%s), too: PyTorch reaches %.1f to %.1f %%, fast %.1f to "
          "%.1f",
          intel_fact(lesson->arena, "peers: "), low[2], high[2], low[3], high[3]);
    float narrow = measured(bench, "sgemm tiles", shapes_timed[0], SHARE);
    float wide = measured(bench, "sgemm tiles", shapes_timed[4], SHARE);
    if (!isnan(narrow) && !isnan(wide))
        say(lesson,
            "A kernel that did all that the core can do would be 1 / %.3f = %.2f times as fast as sgemm tiles "
            "at T = 1024, full, and 1 / %.3f = %.2f times at d = 128; and %.2f to %.2f times as fast as fast, where "
            "there is no mask.",
            (double)narrow, 1 / (double)narrow, (double)wide, 1 / (double)wide, 1 / most, 1 / least);
}

void how_cost_grows(Lesson *lesson)
{
    step(lesson, "How it compares, and how cost grows");
    peers_measured(lesson);
    TableRows rows = growth_rows(lesson->arena);
    Growth *all = arena_alloc(lesson->arena, GROWING * sizeof *all);
    PlotSeries series[GROWING];
    static const char *const columns[] = { "T", "seconds", "MiB", "slope: s", "slope: MiB" };
    Rows table = rows_of(lesson, "time and scratch", columns, 5);
    table.table.whole = 1 << 0;
    for (int n = 0; n < GROWING; n++) {
        Growth *g = &all[n];
        *g = growth_of(rows, growing[n]);
        REQUIRE(g->count > 1, "data/bench/growth.tsv has %d rows of %s", g->count, growing[n]);
        int last = g->count - 1;
        rows_add(&table,
                 ROW(g->T[last], g->of[SECONDS][last], g->of[SCRATCH][last] / (1024 * 1024), slope_of(g, SECONDS),
                     slope_of(g, SCRATCH)),
                 "%s", growing[n]);
        for (int i = 0; i < g->count; i++) g->of[SECONDS][i] *= 1e3;
        series[n] = (PlotSeries){ .name = growing[n], .x = g->T, .y = g->of[SECONDS], .count = g->count };
    }
    say(lesson,
        "One head, d = 64, no mask, on %s, %s: the longest T that was timed, and from T = %d on "
        "the slopes of log against log: the exponents of T.",
        growth_fact(lesson->arena, "date: "), growth_fact(lesson->arena, "cpu: "), FITTED);
    show_rows(lesson, &table);
    Mat found = table.table.values;
    bool square = true;
    for (int n = 0; n < GROWING; n++) square = square && fabs(mat_value(found, n, 3) - 2) < 0.15;
    check(lesson, square, "time: about T² for all three");
    check(lesson,
          fabs(mat_value(found, 0, 4) - 2) < 0.01 && *mat_ref(found, 1, 4) == 0.0f && *mat_ref(found, 2, 4) == 0.0f,
          "scratch: T² for naive, no growth for the others");
    figure_plot(lesson, "time.png", "time against T",
                (Plot){ .title = "Time of one head, d = 64",
                        .x_title = "T = S",
                        .y_title = "milliseconds",
                        .series = series,
                        .count = GROWING,
                        .log_x = true,
                        .log_y = true });
}
