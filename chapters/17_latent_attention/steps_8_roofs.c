// Chapter 17, step 8. What limits a step of decoding over latents: bytes while heads are few, multiplications when they
// are many. Times were measured once, by `build/tests/bench --latent`, and travel inside the program.
#include "io/table.h"
#include "lesson/machines.h"
#include "steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const bench_lines[] = {
#include "bench/latent.inc"
};

enum { C = 512, DR = 64, COLUMNS = 13, MEASURED = 32 };
enum { OF_H = 0, GFLOPS = 7, SHARE = 8, GBYTES = 9, LOW = 11, HIGH = 12 };   // columns of data/bench/latent.tsv

// FLOPs for each byte of a row of c + dr numbers of `width` bytes: 2 (2c + dr) for each head.
static double flops_a_byte(double H, int width) { return 2.0 * H * (2 * C + DR) / (width * (C + DR)); }

typedef struct { double H[MEASURED], share[MEASURED], low[MEASURED], high[MEASURED], peak, gbytes; int count; } Times;

static Times read_times(Arena *arena)
{
    Times times = { .count = 0 };
    NamedRows rows = ROWS_EMBEDDED(arena, bench_lines, COLUMNS, "data/bench/latent.tsv");
    int streams = 0;
    for (int i = 0; i < rows.values.rows; i++) {
        if (!strcmp(rows.names[i], "probe")) times.peak = mat_value(rows.values, i, GFLOPS);
        if (!strcmp(rows.names[i], "four streams"))
            times.gbytes += (mat_value(rows.values, i, GBYTES) - times.gbytes) / ++streams;
        if (strcmp(rows.names[i], "latent") != 0 || times.count == MEASURED) continue;
        times.H[times.count] = mat_value(rows.values, i, OF_H);
        times.share[times.count] = mat_value(rows.values, i, SHARE);
        times.low[times.count] = mat_value(rows.values, i, LOW);
        times.high[times.count++] = mat_value(rows.values, i, HIGH);
    }
    return times;
}

// The first number of heads at which a machine's arithmetic is the limit; width: bytes of a number.
static int heads_that_fill(Machine machine, int width)
{
    int H = 1;
    while (flops_a_byte(H, width) < machine_ridge(machine)) H++;
    return H;
}

// The share of reading speed that the lower of two roofs leaves.
static double allowed(const Times *times, double H)
{
    double share = times->peak / times->gbytes / flops_a_byte(H, 4);
    return share < 1.0 ? share : 1.0;
}

static void figure_roofs(Lesson *lesson, const Times *times)
{
    enum { FINE = 113 };                             // sixteen points between two powers of two: 1 … 128
    static double heads[FINE], roof[FINE], of_roof[MEASURED];
    for (int i = 0; i < FINE; i++) {
        heads[i] = exp2(i / 16.0);
        roof[i] = allowed(times, heads[i]);
    }
    for (int i = 0; i < times->count; i++) of_roof[i] = times->share[i] / allowed(times, times->H[i]);
    Series series[] = { { .name = "the lower roof", .x = heads, .y = roof, .count = FINE, .dashed = true },
                        { .name = "measured", .x = times->H, .y = times->share, .count = times->count, .dots = true },
                        { .name = "of that roof", .x = times->H, .y = of_roof, .count = times->count } };
    figure_plot(lesson, "roofs.png", "the share of the reading speed that decoding over latents reaches, by heads",
                (Plot){ .title = "Decoding over latents of 512 + 64, one thread", .x_title = "heads H",
                        .y_title = "share", .series = series, .count = 3, .log_x = true, .y_high = 1.05 });
}

void roofs(Lesson *lesson)
{
    step(lesson, "Bytes or multiplications");
    Machine core = machine_core();
    Rows table = rows_of(lesson, "FLOPs a byte, absorbed, rows of 512 + 64",
                         (const char *const[]){ "in 32 bits", "in 16 bits" }, 2);
    for (int H = 1; H <= 128; H *= H < 8 ? 2 : 4)
        rows_add(&table, ROW(flops_a_byte(H, 4), flops_a_byte(H, 2)), "H = %d", H);
    show_rows(lesson, &table);
    check(lesson, flops_a_byte(128, 2) < machine_ridge(MACHINE_H100) && flops_a_byte(128, 2) > 200,
          "H = 128 in 16 bits: %.0f FLOPs a byte, just under the %.0f at which an H100 computes as fast as it reads",
          flops_a_byte(128, 2), machine_ridge(MACHINE_H100));
    check(lesson, heads_that_fill(core, 4) <= 8, "on the book's core, in 32 bits, its %.1f are reached at H = %d",
          machine_ridge(core), heads_that_fill(core, 4));

    Times times = read_times(lesson->arena);
    static const char *const cols[] = { "of reading", "from", "to", "roof", "of roof" };
    Rows measured = rows_of(lesson, "measured: bytes a second against reading alone, with quartiles", cols, 5);
    for (int i = 0; i < times.count; i++) {
        double roof = allowed(&times, times.H[i]);
        rows_add(&measured, ROW(times.share[i], times.low[i], times.high[i], roof, times.share[i] / roof), "H = %d",
                 (int)times.H[i]);
    }
    measured.table.given = true;
    show_rows(lesson, &measured);
    say(lesson, "Measured once, on a core that computes %.0f GFLOP/s and reads %.1f GB/s: 32,768 rows of 2,304 bytes, "
        "none of them in the processor's own cache.", times.peak, times.gbytes);
    figure_roofs(lesson, &times);
}
