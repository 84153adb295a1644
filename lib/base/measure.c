// Clocks, interleaved timing rounds, medians and quartiles.
#include "base/measure.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/portable_math.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

double measure_clock_wall(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
double measure_clock_thread(void) { return os_thread_seconds(); }

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The quantile at `fraction`, 0 … 1, with linear interpolation.
static double quantile(const double *sorted, int count, double fraction)
{
    double position = fraction * (count - 1);
    int before = (int)position;
    double next = sorted[before + 1 < count ? before + 1 : before];
    return sorted[before] + (position - before) * (next - sorted[before]);
}

MeasureSpread measure_spread(const double *values, int count)
{
    REQUIRE(count >= 1, "the median of %d numbers", count);
    double *sorted = memory_new(sizeof(double) * (size_t)count);
    memcpy(sorted, values, sizeof(double) * (size_t)count);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_doubles);
    MeasureSpread spread = { quantile(sorted, count, 0.25), quantile(sorted, count, 0.5),
                             quantile(sorted, count, 0.75) };
    free(sorted);
    return spread;
}

double measure_slope_log_log(const double *x, const double *y, int count)
{
    REQUIRE(count >= 2, "a slope through %d points", count);
    double mean_x = 0, mean_y = 0, covariance = 0, variance = 0;
    for (int i = 0; i < count; i++) {
        mean_x += log(x[i]) / count;
        mean_y += log(y[i]) / count;
    }
    for (int i = 0; i < count; i++) {
        covariance += (log(x[i]) - mean_x) * (log(y[i]) - mean_y);
        variance += (log(x[i]) - mean_x) * (log(x[i]) - mean_x);
    }
    return covariance / variance;
}

// Mean seconds per call over `repeats` calls, on the clock of the row.
static double time_calls(const MeasureTimed *row, int repeats)
{
    double began = row->wall ? measure_clock_wall() : measure_clock_thread(), took = 0.0;
    for (int i = 0; i < repeats; i++)
        if (row->elsewhere) took += row->elsewhere(row->context);
        else row->run(row->context);
    if (!row->elsewhere) took = (row->wall ? measure_clock_wall() : measure_clock_thread()) - began;
    return (took > 1e-9 ? took : 1e-9) / repeats;
}

// The first call warms caches and page tables; the second determines the number of repeats.
static void warm_up(MeasureTimed *row)
{
    double once = time_calls(row, 1);
    if (once < MEASURE_TURN) once = time_calls(row, 1);
    double calls = ceil(MEASURE_TURN / once);
    if (row->repeats <= 0) row->repeats = calls < 100000 ? (int)calls : 100000;
    row->rounds = 0;
}

static double run_yardstick(const Measurement *how) { return how->yardstick ? how->yardstick(how->context) : 0.0; }

int measure_best(MeasureTimed *rows, int count, Measurement how)
{
    REQUIRE(how.rounds == 0 || (3 <= how.rounds && how.rounds <= MEASURE_ROUNDS), "%d rounds", how.rounds);
    int rounds = how.rounds ? how.rounds : MEASURE_ROUNDS, done = 0;
    double began = measure_clock_wall();
    for (int r = 0; r < count; r++) warm_up(&rows[r]);

    while (done < rounds && (done < 3 || measure_clock_wall() - began < how.seconds)) {
        double before = run_yardstick(&how);
        for (int r = 0; r < count; r++) {
            MeasureTimed *row = &rows[r];
            if (row->most > 0 && done >= row->most) continue;
            double rate = row->work / time_calls(row, row->repeats), after = run_yardstick(&how);
            row->rate[done] = rate;
            row->share[done] = how.yardstick ? 2.0 * rate / (before + after) : 0.0;
            row->rounds = done + 1;
            before = after;
        }
        done++;
        if (how.progress) how.progress(done, rounds, how.context);
    }
    return done;
}

MeasureSpread measured_rate(const MeasureTimed *row) { return measure_spread(row->rate, row->rounds); }
MeasureSpread measured_share(const MeasureTimed *row) { return measure_spread(row->share, row->rounds); }

MeasureSpread measured_ratio(const MeasureTimed *row, const MeasureTimed *other)
{
    int rounds = row->rounds < other->rounds ? row->rounds : other->rounds;
    double ratio[MEASURE_ROUNDS];
    for (int i = 0; i < rounds; i++) ratio[i] = row->rate[i] / other->rate[i];
    return measure_spread(ratio, rounds);
}
