// Chapter 16, step 15. What a card has measured: gpu.tsv and gpu_counters.tsv of data/bench travel inside the program.
#include "base/portable_math.h"
#include "io/table.h"
#include "lesson/matrices.h"
#include "steps.h"

#include <string.h>

static const char *const bench_lines[] = {
#include "bench/gpu.inc"
};
static const char *const counter_lines[] = {
#include "bench/gpu_counters.inc"
};
// Columns of data/bench/gpu.tsv, behind the kernel's name: first what Shape has.
enum { OF_SHAPE = 7, TFLOPS = OF_SHAPE, GBYTES, OF_FLASH, OF_CUDNN, OF_FA3, ERROR, LOW, HIGH, MHZ, COLUMNS };

typedef struct {
    int B, H, G, T, S, d, causal;
} Shape;
typedef struct {
    double tflops, gbytes, flash, cudnn, fa3, clock;
} Measured;

static TableRows bench_rows(Arena *arena) { return TABLE_EMBEDDED(arena, bench_lines, COLUMNS, "data/bench/gpu.tsv"); }

static const char *fact(Arena *arena, const char *key)
{
    return table_fact(arena, bench_lines, sizeof bench_lines / sizeof *bench_lines, key);
}

static bool has_shape(const float *row, Shape shape)
{
    const int wanted[OF_SHAPE] = { shape.B, shape.H, shape.G, shape.T, shape.S, shape.d, shape.causal };
    bool same = true;
    for (int n = 0; n < OF_SHAPE; n++) same = same && row[n] == (float)wanted[n];
    return same;
}

// false: not measured.
static bool measured(Measured *to, TableRows bench, const char *kernel, Shape shape)
{
    for (int i = 0; i < bench.values.rows; i++) {
        const float *row = mat_row(bench.values, i);
        if (strcmp(bench.names[i], kernel) != 0 || !has_shape(row, shape)) continue;
        *to = (Measured){ (double)row[TFLOPS],   (double)row[GBYTES], (double)row[OF_FLASH],
                          (double)row[OF_CUDNN], (double)row[OF_FA3], 1e6 * (double)row[MHZ] };
        return true;
    }
    return false;
}

// How far the quartiles of any row lie from its median, at most, in percent.
static double widest(TableRows bench)
{
    double most = 0;
    for (int i = 0; i < bench.values.rows; i++) {
        const float *row = mat_row(bench.values, i);
        double median = (double)row[TFLOPS], off = fmax((double)row[HIGH] - median, median - (double)row[LOW]);
        most = fmax(most, 100 * off / median);
    }
    return most;
}

// Every kernel there is, at the one shape that the slowest are timed at.
enum { KERNELS = 8 };
static const char *const kernels[KERNELS] = { "naive", "tiles", "online", "mma", "hopper", "flash", "cudnn", "fa3" };
// clang-format off
static const char *const kernel_labels[KERNELS] = { "naive", "tiles", "online", "mma", "hopper", "flash", "cuDNN",
                                                    "FA3" };
// clang-format on
static const Shape small = { 1, 16, 16, 2048, 2048, 128, 0 };

static void ladder_figure(Lesson *lesson, TableRows bench)
{
    double values[KERNELS];
    for (int k = 0; k < KERNELS; k++) {
        Measured m;
        values[k] = measured(&m, bench, kernels[k], small) ? m.tflops : NAN;
    }
    figure_bars(lesson, "card.png", "TFLOP/s of every kernel on a card",
                (PlotBars){ .title = "16 heads, T = S = 2048, d = 128, on an H100",
                            .y_title = "TFLOP/s",
                            .groups = kernel_labels,
                            .group_count = KERNELS,
                            .series_count = 1,
                            .values = values,
                            .decimals = 1,
                            .height = 300 });
}

static void ladder(Lesson *lesson, TableRows bench)
{
    static const char *const names[] = { "TFLOP/s", "x flash", "x cuDNN", "x FA3" };
    Rows rows = rows_of(lesson, "16 heads, T = S = 2048, d = 128, full", names, 4);
    rows.table.decimals = 3;
    rows.table.tenths = 1 << 0;
    rows.table.given = true;
    for (int k = 0; k < KERNELS; k++) {
        Measured m;
        if (measured(&m, bench, kernels[k], small))
            rows_add(&rows, ROW(m.tflops, m.flash, m.cudnn, m.fa3), "%s", kernel_labels[k]);
    }
    show_rows(lesson, &rows);
    ladder_figure(lesson, bench);
}

// What the tensor cores of all multiprocessors could do at the clock that a kernel ran at.
static double of_what_the_clock_allows(Measured m)
{
    return 1e12 * m.tflops / ((double)CARD_PROCESSORS * CARD_CYCLE_FLOPS * m.clock);
}

static void last_rungs(Lesson *lesson, TableRows bench)
{
    static const struct {
        Shape shape;
        const char *label;
    } shapes[] = {
        { { 1, 16, 16, 2048, 2048, 128, 1 }, "B = 1, T = 2048, causal" },
        { { 8, 16, 16, 2048, 2048, 128, 1 }, "B = 8, T = 2048, causal" },
        { { 8, 16, 16, 2048, 2048, 128, 0 }, "the same, full" },
        { { 1, 16, 16, 16384, 16384, 128, 0 }, "T = 16384, d = 128" },
        { { 1, 16, 16, 16384, 16384, 128, 1 }, "the same, causal" },
        { { 4, 32, 32, 4096, 4096, 64, 0 }, "T = 4096, d = 64" },
        { { 4, 32, 32, 4096, 4096, 64, 1 }, "the same, causal" },
        { { 4, 32, 8, 4096, 4096, 128, 1 }, "T = 4096, G = 8, causal" },
    };
    static const char *const names[] = { "TFLOP/s", "MHz", "of peak %", "x flash", "x cuDNN", "x FA3" };
    static const char *const rungs[] = { "mma", "hopper" };
    Measured least[2];
    say(lesson, "Of peak: of what the tensor cores can do at that clock, which is lowered under load.");
    for (int r = 0; r < 2; r++) {
        Rows rows = rows_of(lesson, rungs[r], names, 6);
        rows.table.decimals = 2;
        rows.table.whole = 1 << 0 | 1 << 1 | 1 << 2;
        rows.table.given = true;
        least[r] = (Measured){ .flash = INFINITY, .cudnn = INFINITY, .fa3 = INFINITY };
        for (size_t n = 0; n < sizeof shapes / sizeof *shapes; n++) {
            Measured m;
            if (!measured(&m, bench, rungs[r], shapes[n].shape)) continue;
            rows_add(&rows,
                     ROW(round(m.tflops), round(1e-6 * m.clock), round(100 * of_what_the_clock_allows(m)), m.flash,
                         m.cudnn, m.fa3),
                     "%s", shapes[n].label);
            least[r].flash = fmin(least[r].flash, m.flash);
            least[r].cudnn = fmin(least[r].cudnn, m.cudnn);
            least[r].fa3 = fmin(least[r].fa3, m.fa3);
        }
        show_rows(lesson, &rows);
    }
    check(lesson, least[0].flash > 0.9, "mma: nowhere a tenth behind FlashAttention-2");
    check(lesson, least[1].flash > 1 && least[1].cudnn > 0.9 && least[1].fa3 > 0.8,
          "hopper: ahead of it everywhere; nowhere a tenth behind cuDNN, or a fifth behind FlashAttention-3");
}

static void decoding(Lesson *lesson, TableRows bench)
{
    static const struct {
        Shape shape;
        const char *label;
    } shapes[] = {
        { { 16, 32, 8, 1, 4096, 128, 0 }, "B = 16, S = 4096" },
        { { 1, 32, 8, 1, 65536, 128, 0 }, "B = 1, S = 65536" },
        { { 16, 32, 8, 1, 32768, 128, 0 }, "B = 16, S = 32768" },
    };
    static const char *const names[] = { "GB/s", "of reading", "x flash", "x cuDNN", "x FA3" };
    Rows rows = rows_of(lesson, "decode, H = 32, G = 8, d = 128", names, 5);
    for (size_t n = 0; n < sizeof shapes / sizeof *shapes; n++) {
        Measured m, read;
        if (!measured(&m, bench, "decode", shapes[n].shape)) continue;
        if (!measured(&read, bench, "read", shapes[n].shape)) continue;
        rows_add(&rows, ROW(round(m.gbytes), m.gbytes / read.gbytes, m.flash, m.cudnn, m.fa3), "%s", shapes[n].label);
    }
    rows.table.given = true;
    rows.table.decimals = 2;
    rows.table.whole = 1 << 0;
    if (rows.table.values.rows == 0) return;
    say(lesson, "Of reading: of a kernel that only reads.");
    show_rows(lesson, &rows);
}

// Columns of data/bench/gpu_counters.tsv.
enum { TENSOR, ISSUED, L2_HITS, INSTRUCTIONS, COUNTERS };

// Cycles of a multiprocessor that such a row tells of: it could have issued four instructions in each.
static double cycles_of(const float *row)
{
    return (double)row[INSTRUCTIONS] / CARD_PROCESSORS / (4 * 0.01 * (double)row[ISSUED]);
}

// What naive's first kernel asks of memory, by step 3's formula, for each multiprocessor.
static double pieces_of_naive(double B, double H, double T, double d)
{
    return B * H * T * T / GPU_LANES * (d * (1 + 32) + 4) / CARD_PROCESSORS;
}

static void counters(Lesson *lesson)
{
    static const struct {
        const char *kernel, *label;
        bool multiplies;
    } rows[] = {
        // by tensor cores
        { "score_one_by_one", "naive, scores", false },
        { "score_tiles", "tiles, scores", false },
        { "online_kernel", "online", false },
        { "mma_kernel", "mma", true },
        { "hopper_kernel", "hopper", true },
        { "decode_kernel", "decode", true },
    };
    enum { ROWS = sizeof rows / sizeof *rows, NAIVE = 0, TENSOR_SHOWN = 2 };
    static const char *const names[] = { "millions", "issued %", "tensor %", "L2 hits %" };
    Rows table = rows_of(lesson, "instructions of warps, and shares", names, 4);
    TableRows kept = TABLE_EMBEDDED(lesson->arena, counter_lines, COUNTERS, "data/bench/gpu_counters.tsv");
    table.table.hidden = mat_new(lesson->arena, ROWS, 4);
    double online = 0, mma = 0, naive_cycles = 0;
    for (int r = 0; r < ROWS; r++)
        for (int i = 0; i < kept.values.rows; i++) {
            const float *of = mat_row(kept.values, i);
            if (strcmp(kept.names[i], rows[r].kernel) != 0) continue;
            if (r == NAIVE) naive_cycles = cycles_of(of);
            if (!strcmp(rows[r].label, "online")) online = (double)of[INSTRUCTIONS];
            if (!strcmp(rows[r].label, "mma")) mma = (double)of[INSTRUCTIONS];
            if (!rows[r].multiplies) *mat_ref(table.table.hidden, table.table.values.rows, TENSOR_SHOWN) = 1.0f;
            rows_add(&table,
                     ROW(1e-6 * (double)of[INSTRUCTIONS], (double)of[ISSUED], (double)of[TENSOR], (double)of[L2_HITS]),
                     "%s", rows[r].label);
        }
    table.table.given = true;
    table.table.decimals = -1;
    say(lesson, "A profiler saw B = 8, T = 2048, full, and for decode the last shape above. Issued: of four "
                "instructions a cycle.");
    show_rows(lesson, &table);
    const double pieces = pieces_of_naive(8, 16, 2048, 128);
    check(lesson, fabs(naive_cycles / pieces - 1) < 0.03,
          "naive's scores: %.0f million pieces a multiprocessor, by "
          "step 3's formula, in %.0f million cycles: one a cycle, to within 3 %%",
          1e-6 * pieces, 1e-6 * naive_cycles);
    check(lesson, online > 20 * mma, "mma needs %.0f times fewer instructions than online", online / mma);
}

void on_a_card(Lesson *lesson)
{
    step(lesson, "On a card");
    say(lesson, "Measured on %s: %s. Peers: %s.", fact(lesson->arena, "date: "), fact(lesson->arena, "card: "),
        fact(lesson->arena, "peers: "));
    TableRows bench = bench_rows(lesson->arena);
    say(lesson,
        "Medians; their quartiles lie within %.1f %%. All in bfloat16. Where nothing else is said, B = 1, "
        "H = 16, d = 128; at T = 4096, B = 4, H = 32. A TFLOP/s is 10¹² operations a second; causal runs count half as "
        "many. x flash: the speed, in flash's. Kernels take turns; each call has other inputs, together more than the "
        "L2 cache holds.",
        widest(bench));
    ladder(lesson, bench);
    last_rungs(lesson, bench);
    decoding(lesson, bench);
    counters(lesson);
}
