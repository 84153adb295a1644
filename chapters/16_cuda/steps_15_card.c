// Chapter 16, step 15. What a card has measured: gpu.tsv and gpu_counters.tsv of data/bench travel inside the program.
#include "io/table.h"
#include "lesson/matrices.h"
#include "steps.h"

#include <math.h>
#include <string.h>

static const char *const bench_lines[] = {
#include "bench/gpu.inc"
};
static const char *const counter_lines[] = {
#include "bench/gpu_counters.inc"
};
// Columns of data/bench/gpu.tsv, behind the kernel's name: first what Shape has.
enum { OF_SHAPE = 7, TFLOPS = OF_SHAPE, GBYTES, OF_FLASH, OF_CUDNN, ERROR, LOW, HIGH, COLUMNS };

typedef struct { int B, H, G, T, S, d, causal; } Shape;
typedef struct { double tflops, gbytes, flash, cudnn; } Measured;

static NamedRows bench_rows(Arena *arena) { return ROWS_EMBEDDED(arena, bench_lines, COLUMNS, "data/bench/gpu.tsv"); }

static const char *fact(Arena *arena, const char *key)
{
    return rows_fact(arena, bench_lines, sizeof bench_lines / sizeof *bench_lines, key);
}

static bool has_shape(const float *row, Shape shape)
{
    const int wanted[OF_SHAPE] = { shape.B, shape.H, shape.G, shape.T, shape.S, shape.d, shape.causal };
    bool same = true;
    for (int n = 0; n < OF_SHAPE; n++) same = same && row[n] == (float)wanted[n];
    return same;
}

// false: not measured.
static bool measured(Measured *to, NamedRows bench, const char *kernel, Shape shape)
{
    for (int i = 0; i < bench.values.rows; i++) {
        const float *row = mat_row(bench.values, i);
        if (strcmp(bench.names[i], kernel) != 0 || !has_shape(row, shape)) continue;
        *to = (Measured){ (double)row[TFLOPS], (double)row[GBYTES], (double)row[OF_FLASH], (double)row[OF_CUDNN] };
        return true;
    }
    return false;
}

// How far the quartiles of any row lie from its median, at most, in percent.
static double widest(NamedRows bench)
{
    double most = 0;
    for (int i = 0; i < bench.values.rows; i++) {
        const float *row = mat_row(bench.values, i);
        double median = (double)row[TFLOPS], off = fmax((double)row[HIGH] - median, median - (double)row[LOW]);
        most = fmax(most, 100 * off / median);
    }
    return most;
}

static void add(Rows *rows, NamedRows bench, const char *kernel, Shape shape, const char *label)
{
    Measured m;
    if (measured(&m, bench, kernel, shape)) rows_add(rows, ROW(m.tflops, m.flash, m.cudnn), "%s", label);
}

// Every kernel there is, at the one shape that the slowest are timed at.
enum { KERNELS = 7 };
static const char *const kernels[KERNELS] = { "naive", "tiles", "online", "mma", "hopper", "flash", "cudnn" };
static const Shape small = { 1, 16, 16, 2048, 2048, 128, 0 };

static void ladder_figure(Lesson *lesson, NamedRows bench)
{
    double values[KERNELS];
    for (int k = 0; k < KERNELS; k++) {
        Measured m;
        values[k] = measured(&m, bench, kernels[k], small) ? m.tflops : NAN;
    }
    figure_bars(lesson, "card.png", "TFLOP/s of every kernel on a card",
                (Bars){ .title = "16 heads, T = S = 2048, d = 128, on an H100", .y_title = "TFLOP/s", .groups = kernels,
                        .group_count = KERNELS, .series_count = 1, .values = values, .decimals = 1,
                        .height = 300 });
}

static void ladder(Lesson *lesson, NamedRows bench)
{
    static const char *const names[] = { "TFLOP/s", "x flash", "x cuDNN" };
    Rows rows = rows_of(lesson, "16 heads, T = S = 2048, d = 128, full", names, 3);
    rows.table.decimals = 3;
    rows.table.given = true;
    for (int k = 0; k < KERNELS; k++) add(&rows, bench, kernels[k], small, kernels[k]);
    show_rows(lesson, &rows);
    ladder_figure(lesson, bench);
}

static void last_rungs(Lesson *lesson, NamedRows bench)
{
    static const struct { Shape shape; const char *label; } shapes[] = {
        { { 1, 16, 16, 2048, 2048, 128, 1 }, "B = 1, T = 2048, causal" },
        { { 8, 16, 16, 2048, 2048, 128, 1 }, "B = 8, T = 2048, causal" },
        { { 8, 16, 16, 2048, 2048, 128, 0 }, "the same, full" },
        { { 1, 16, 16, 16384, 16384, 128, 0 }, "T = 16384, d = 128" },
        { { 1, 16, 16, 16384, 16384, 128, 1 }, "the same, causal" },
        { { 4, 32, 32, 4096, 4096, 64, 0 }, "T = 4096, d = 64" },
        { { 4, 32, 32, 4096, 4096, 64, 1 }, "the same, causal" },
        { { 4, 32, 8, 4096, 4096, 128, 1 }, "T = 4096, G = 8, causal" },
    };
    static const char *const names[] = { "TFLOP/s", "x flash", "x cuDNN" };
    static const char *const rungs[] = { "mma", "hopper" };
    for (int r = 0; r < 2; r++) {
        double least_flash = INFINITY, least_cudnn = INFINITY;
        Rows rows = rows_of(lesson, rungs[r], names, 3);
        for (size_t n = 0; n < sizeof shapes / sizeof *shapes; n++) {
            Measured m;
            if (!measured(&m, bench, rungs[r], shapes[n].shape)) continue;
            add(&rows, bench, rungs[r], shapes[n].shape, shapes[n].label);
            least_flash = fmin(least_flash, m.flash);
            least_cudnn = fmin(least_cudnn, m.cudnn);
        }
        rows.table.given = true;
        show_rows(lesson, &rows);
        if (r == 1) check(lesson, least_flash > 1 && least_cudnn > 0.9,
                          "hopper: ahead of FlashAttention-2 everywhere, nowhere a tenth behind cuDNN");
    }
}

static void decoding(Lesson *lesson, NamedRows bench)
{
    static const struct { Shape shape; const char *label; } shapes[] = {
        { { 16, 32, 8, 1, 4096, 128, 0 }, "B = 16, S = 4096" },
        { { 1, 32, 8, 1, 65536, 128, 0 }, "B = 1, S = 65536" },
        { { 16, 32, 8, 1, 32768, 128, 0 }, "B = 16, S = 32768" },
    };
    static const char *const names[] = { "GB/s", "of reading", "x flash", "x cuDNN" };
    Rows rows = rows_of(lesson, "decode, H = 32, G = 8, d = 128", names, 4);
    for (size_t n = 0; n < sizeof shapes / sizeof *shapes; n++) {
        Measured m, read;
        if (!measured(&m, bench, "decode", shapes[n].shape)) continue;
        if (!measured(&read, bench, "read", shapes[n].shape)) continue;
        rows_add(&rows, ROW(m.gbytes, m.gbytes / read.gbytes, m.flash, m.cudnn), "%s", shapes[n].label);
    }
    rows.table.given = true;
    if (rows.table.values.rows > 0) show_rows(lesson, &rows);
}

// Columns of data/bench/gpu_counters.tsv.
enum { TENSOR, ISSUED, L2_HITS, INSTRUCTIONS, COUNTERS };

static void counters(Lesson *lesson)
{
    static const struct { const char *kernel, *label; } rows[] = {
        { "score_one_by_one", "naive, scores" }, { "score_tiles", "tiles, scores" }, { "online_kernel", "online" },
        { "mma_kernel", "mma" }, { "hopper_kernel", "hopper" }, { "decode_kernel", "decode" },
    };
    static const char *const names[] = { "millions", "issued %", "tensor %", "L2 hits %" };
    Rows table = rows_of(lesson, "by a profiler: instructions of warps; B = 8, T = S = 2048, d = 128", names, 4);
    NamedRows kept = ROWS_EMBEDDED(lesson->arena, counter_lines, COUNTERS, "data/bench/gpu_counters.tsv");
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int i = 0; i < kept.values.rows; i++) {
            const float *of = mat_row(kept.values, i);
            if (!strcmp(kept.names[i], rows[r].kernel))
                rows_add(&table, ROW(1e-6 * (double)of[INSTRUCTIONS], (double)of[ISSUED], (double)of[TENSOR],
                                     (double)of[L2_HITS]), "%s", rows[r].label);
        }
    table.table.given = true;
    table.table.decimals = -1;
    show_rows(lesson, &table);
}

void on_a_card(Lesson *lesson)
{
    step(lesson, "On a card");
    say(lesson, "Measured on %s: %s. Peers: %s.", fact(lesson->arena, "date: "), fact(lesson->arena, "card: "),
        fact(lesson->arena, "peers: "));
    const char *since = fact(lesson->arena, "since: ");        // by hand; a table that is measured anew has none
    if (strcmp(since, "not recorded") != 0) say(lesson, "Since then %s.", since);
    NamedRows bench = bench_rows(lesson->arena);
    say(lesson, "Medians; their quartiles lie within %.1f %%.", widest(bench));
    ladder(lesson, bench);
    last_rungs(lesson, bench);
    decoding(lesson, bench);
    counters(lesson);
}
