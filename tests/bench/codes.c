// Decoding over codes and over float32, from memory and from near, in turns.
#include "bench/codes.h"

#include "base/portable_math.h"
#include "kernels/fast.h"
#include "kernels/quantised_fast.h"
#include "base/measure.h"
#include "base/random.h"
#include "base/threads.h"
#include "bench/problem.h"
#include "bench/reader.h"

#include <stdio.h>
#include <unistd.h>

enum { H = 4, D = 64, W = H * D, BLOCK = 32, GROUP = 16, LENGTH = 131072, NEAR = 1024 };

// What one row runs: `calls` steps against S tokens of one format. code −1: float32; READ: nothing but reading.
enum { FLOATS = -1, READ = -2 };
typedef struct {
    int code, S, calls;
    Mat q, k, v, out;
    const QuantisedCache *cache;
} Job;

static volatile float read_sum;

static void run(void *context)
{
    const Job *job = context;
    static const Mask masks[H];
    Attended to = { .out = job->out };
    for (int call = 0; call < job->calls; call++)
        if (job->code == READ) read_sum = read_streams(job->k, 4) + read_streams(job->v, 4);
        else if (job->code == FLOATS) attention_fast_decode(to, job->q, job->k, job->v, H, masks);
        else quantised_fast_decode(to, job->cache, job->q, H, masks);
}

static double bytes_of(const Job *job)
{
    double bytes = job->code < 0 ? 8.0 * job->S * W : (double)quantised_bytes(job->cache);
    return bytes * job->calls;
}

// Four-stream reading of keys and values as float32, bytes a second.
static double look_at_memory(void *context)
{
    Job job = *(const Job *)context;
    double began = measure_clock_thread();
    run(&job);
    return bytes_of(&job) / (measure_clock_thread() - began);
}

static void progress(int done, int all, void *context)
{
    (void)context;
    if (isatty(2)) fprintf(stderr, "\r  %3d %% ", 100 * done / all);
}

// ‖out − want‖ / ‖want‖, want from what the codes are decoded to, block by block, in float64.
static double error_of(const Job *job)
{
    Arena *scratch = arena_open();
    Problem problem = { .H = H, .G = H, .T = 1, .S = job->S, .d = D, .dv = D };
    Mat heads[3] = { job->q, job->k, job->v };
    if (job->code >= 0) {
        heads[1] = quantised_copy(scratch, job->k, job->cache->format, QUANTISED_PER_CHANNEL);
        heads[2] = quantised_copy(scratch, job->v, job->cache->format, QUANTISED_PER_TOKEN);
    }
    for (int n = 0; n < 3; n++) heads[n] = mat_cols(heads[n], 0, D);
    problem.q = &heads[0];
    problem.k = &heads[1];
    problem.v = &heads[2];
    double error = problem_error(&problem, 0, mat_cols(job->out, 0, D));
    arena_close(scratch);
    return error;
}

static QuantisedCache filled(Arena *arena, QuantisedKind kind, Mat k, Mat v)
{
    QuantisedFormat format = { kind, BLOCK, GROUP, QUANTISED_PER_CHANNEL, QUANTISED_PER_TOKEN };
    QuantisedCache cache = quantised_new(arena, format, k.rows, W, W);
    quantised_append(&cache, k, v);
    return cache;
}

enum { FORMATS = 1 + QUANTISED_KINDS, ROWS = 1 + 2 * FORMATS };
static const int order[FORMATS] = { FLOATS, QUANTISED_INT8, QUANTISED_FLOAT8, QUANTISED_INT4, QUANTISED_INT2 };

static const char *name_of(const Job *job)
{
    return job->code == READ ? "four streams" : job->code == FLOATS ? "float32" : quantised_names[job->code];
}

static MeasureSpread milliseconds(const MeasureTimed *row)
{
    MeasureSpread rate = measured_rate(row);
    return (MeasureSpread){ 1e3 * row->work / rate.high, 1e3 * row->work / rate.median, 1e3 * row->work / rate.low };
}

static void add_line(char **table, Arena *arena, const MeasureTimed *row, const MeasureTimed *floats,
                     const MeasureTimed *near, double error)
{
    MeasureSpread ms = milliseconds(row), share = measured_share(row);
    double faster = milliseconds(floats).median / ms.median, ms_near = near ? milliseconds(near).median : 0.0;
    printf("  %-14s %7.1f %7.2f (%.2f … %.2f) %7.2f (%.2f … %.2f) %7.2f %8.2f %9.1e\n", row->name, 1e-6 * row->work,
           ms.median, ms.low, ms.high, share.median, share.low, share.high, faster, ms_near, error);
    *table = arena_format(arena, "%s%s\t%.2f\t%.3f\t%.3f\t%.3f\t%.4f\t%.4f\t%.4f\t%.3f\t%.3f\t%.1e\n", *table,
                          row->name, 1e-6 * row->work, ms.median, ms.low, ms.high, share.median, share.low, share.high,
                          faster, ms_near, error);
}

void codes_measure(char **table, Arena *arena, int length, double seconds)
{
    int S = length ? length : LENGTH, near = S < NEAR ? S : NEAR;
    Random random = random_from(19);
    Mat k = mat_new(arena, S, W), v = mat_new(arena, S, W), q = mat_new(arena, 1, W);
    random_normals(&random, k);
    random_normals(&random, v);
    random_normals(&random, q);

    // 1. Reading, then each format from memory, then each from near.
    MeasureTimed rows[ROWS];
    Job jobs[ROWS];
    QuantisedCache caches[ROWS];
    double errors[ROWS] = { 0 };
    threads_set(1);
    for (int n = 0; n < ROWS; n++) {
        bool is_near = n > FORMATS;
        jobs[n] = (Job){ .code = n ? order[(n - 1) % FORMATS] : READ,
                         .S = is_near ? near : S,
                         .calls = is_near ? S / near : 1,
                         .q = q,
                         .out = mat_new(arena, 1, W),
                         .cache = &caches[n] };
        jobs[n].k = mat_rows(k, 0, jobs[n].S);
        jobs[n].v = mat_rows(v, 0, jobs[n].S);
        if (jobs[n].code >= 0) caches[n] = filled(arena, (QuantisedKind)jobs[n].code, jobs[n].k, jobs[n].v);
        run(&jobs[n]);
        if (n && !is_near) errors[n] = error_of(&jobs[n]);
        rows[n] =
            (MeasureTimed){ .name = name_of(&jobs[n]), .run = run, .context = &jobs[n], .work = bytes_of(&jobs[n]) };
    }
    measure_best(rows, ROWS,
                 (Measurement){
                     .yardstick = look_at_memory, .context = &jobs[0], .progress = progress, .seconds = seconds });
    threads_set(0);
    if (isatty(2)) fprintf(stderr, "\r%20s\r", "");

    // 2. A line for each.
    printf("\nDecoding over codes: %d tokens, H = G = %d, d = %d, one thread\n", S, H, D);
    printf("  %-14s %7s %7s %15s %7s %15s %7s %8s %9s\n", "", "MB", "ms", "", "share", "", "float32", "ms near",
           "error");
    *table = arena_format(arena, "# format\tmb\tms\tms_low\tms_high\tshare\tshare_low\tshare_high\tas_fast\tms_near\t"
                                 "rel_error\n");
    for (int n = 0; n <= FORMATS; n++)
        add_line(table, arena, &rows[n], &rows[1], n ? &rows[n + FORMATS] : NULL, errors[n]);
}
