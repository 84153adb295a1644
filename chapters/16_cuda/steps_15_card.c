// Chapter 16, step 15. What a card has measured: gpu.csv and gpu_counters.tsv of data/bench travel inside the program.
#include "lesson/matrices.h"
#include "steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const bench_lines[] = {
#include "bench/gpu.inc"
};
static const char *const counter_lines[] = {
#include "bench/gpu_counters.inc"
};
enum { LINES = sizeof bench_lines / sizeof *bench_lines, COUNTERS = sizeof counter_lines / sizeof *counter_lines };

// Columns of the file, behind the kernel's name.
enum { OF_B = 1, OF_H, OF_G, OF_T, OF_S, OF_D, IS_CAUSAL, DTYPE, TFLOPS, GBYTES, OF_FLASH, OF_CUDNN, ERROR, LOW, HIGH };

typedef struct { int B, H, G, T, S, d, causal; } Shape;
typedef struct { double tflops, gbytes, flash, cudnn; } Measured;

// What stands behind `key` in the comment lines above the numbers.
static const char *fact(Arena *arena, const char *key)
{
    for (int n = 0; n < LINES && bench_lines[n][0] == '#'; n++)
        if (!strncmp(bench_lines[n] + 2, key, strlen(key)))
            return arena_format(arena, "%.*s", (int)strcspn(bench_lines[n] + 2 + strlen(key), "\n"),
                                bench_lines[n] + 2 + strlen(key));
    return "not recorded";
}

// Of a line whose columns stand between such characters; NaN where there is no number.
static double number_at(const char *line, char between, int column)
{
    for (int n = 0; n < column; n++) {
        line = strchr(line, between);
        if (!line++) return NAN;
    }
    char *end;
    double number = strtod(line, &end);
    return end == line ? NAN : number;
}

static bool has_shape(const char *line, Shape shape)
{
    const int wanted[] = { shape.B, shape.H, shape.G, shape.T, shape.S, shape.d, shape.causal };
    bool same = true;
    for (int n = 0; n < 7; n++) same = same && number_at(line, ',', OF_B + n) == wanted[n];
    return same;
}

// false: not measured.
static bool measured(Measured *to, const char *kernel, Shape shape)
{
    size_t length = strlen(kernel);
    for (int n = 0; n < LINES; n++) {
        const char *line = bench_lines[n];
        if (strncmp(line, kernel, length) != 0 || line[length] != ',' || !has_shape(line, shape)) continue;
        *to = (Measured){ number_at(line, ',', TFLOPS), number_at(line, ',', GBYTES), number_at(line, ',', OF_FLASH),
                          number_at(line, ',', OF_CUDNN) };
        return true;
    }
    return false;
}

// How far the quartiles of any line lie from its median, at most, in percent; NaN where they are not kept.
static double widest(void)
{
    double most = NAN;
    for (int n = 0; n < LINES; n++) {
        double median = number_at(bench_lines[n], ',', TFLOPS), low = number_at(bench_lines[n], ',', LOW);
        double high = number_at(bench_lines[n], ',', HIGH);
        if (*bench_lines[n] != '#' && median > 0) most = fmax(most, 100 * fmax(high - median, median - low) / median);
    }
    return most;
}

static void add(Rows *rows, const char *kernel, Shape shape, const char *label)
{
    Measured m;
    if (!measured(&m, kernel, shape)) return;
    bool decodes = shape.T == 1;
    rows_add(rows, ROW(decodes ? m.gbytes : m.tflops, m.flash, m.cudnn), "%s", label);
}

// Every kernel there is, at the one shape that the slowest are timed at.
enum { KERNELS = 7 };
static const char *const kernels[KERNELS] = { "naive", "tiles", "online", "mma", "hopper", "flash", "cudnn" };
static const Shape small = { 1, 16, 16, 2048, 2048, 128, 0 };

static void ladder_figure(Lesson *lesson)
{
    double values[KERNELS];
    for (int k = 0; k < KERNELS; k++) {
        Measured m;
        values[k] = measured(&m, kernels[k], small) ? m.tflops : NAN;
    }
    figure_bars(lesson, "card.png", "TFLOP/s of every kernel on a card",
                (Bars){ .title = "16 heads, T = S = 2048, d = 128, on an H100", .y_title = "TFLOP/s", .groups = kernels,
                        .group_count = KERNELS, .series_count = 1, .values = values, .decimals = 1,
                        .height = 300 });
}

static void ladder(Lesson *lesson)
{
    static const char *const names[] = { "TFLOP/s", "x flash", "x cuDNN" };
    Rows rows = rows_of(lesson, "16 heads, T = S = 2048, d = 128, full", names, 3);
    rows.table.decimals = 3;
    rows.table.given = true;
    for (int k = 0; k < KERNELS; k++) add(&rows, kernels[k], small, kernels[k]);
    show_rows(lesson, &rows);
    ladder_figure(lesson);
}

static void last_rungs(Lesson *lesson)
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
            if (!measured(&m, rungs[r], shapes[n].shape)) continue;
            add(&rows, rungs[r], shapes[n].shape, shapes[n].label);
            least_flash = fmin(least_flash, m.flash);
            least_cudnn = fmin(least_cudnn, m.cudnn);
        }
        rows.table.given = true;
        show_rows(lesson, &rows);
        if (r == 1) check(lesson, least_flash > 1 && least_cudnn > 0.9,
                          "hopper: ahead of FlashAttention-2 everywhere, nowhere a tenth behind cuDNN");
    }
}

static void decoding(Lesson *lesson)
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
        if (!measured(&m, "decode", shapes[n].shape) || !measured(&read, "read", shapes[n].shape)) continue;
        rows_add(&rows, ROW(m.gbytes, m.gbytes / read.gbytes, m.flash, m.cudnn), "%s", shapes[n].label);
    }
    rows.table.given = true;
    if (rows.table.values.rows > 0) show_rows(lesson, &rows);
}

// Columns of the counters, behind the kernel's name; NaN: not counted.
enum { TENSOR = 1, ISSUED, L2_HITS, INSTRUCTIONS };

static double counter(const char *kernel, int column)
{
    size_t length = strlen(kernel);
    for (int n = 0; n < COUNTERS; n++)
        if (!strncmp(counter_lines[n], kernel, length) && counter_lines[n][length] == '\t')
            return number_at(counter_lines[n], '\t', column);
    return NAN;
}

static void counters(Lesson *lesson)
{
    static const struct { const char *kernel, *label; } rows[] = {
        { "score_one_by_one", "naive, scores" }, { "score_tiles", "tiles, scores" }, { "online_kernel", "online" },
        { "mma_kernel", "mma" }, { "hopper_kernel", "hopper" }, { "decode_kernel", "decode" },
    };
    static const char *const names[] = { "millions", "issued %", "tensor %", "L2 hits %" };
    Rows table = rows_of(lesson, "by a profiler: instructions of warps; B = 8, T = S = 2048, d = 128", names, 4);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const char *kernel = rows[r].kernel;
        rows_add(&table, ROW(1e-6 * counter(kernel, INSTRUCTIONS), counter(kernel, ISSUED), counter(kernel, TENSOR),
                             counter(kernel, L2_HITS)), "%s", rows[r].label);
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
    if (!isnan(widest())) say(lesson, "Medians; their quartiles lie within %.1f %%.", widest());
    ladder(lesson);
    last_rungs(lesson);
    decoding(lesson);
    counters(lesson);
}
