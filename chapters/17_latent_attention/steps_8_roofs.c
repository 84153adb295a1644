// Chapter 17, step 8. What limits a step of decoding over latents: bytes while heads are few, multiplications when they
// are many. Times were measured once, by `build/tests/bench --latent`, and travel inside the program.
#include "base/portable_math.h"
#include "io/table.h"
#include "lesson/machines.h"
#include "steps.h"

#include <stdlib.h>
#include <string.h>

static const char *const intel_lines[] = {
#include "bench/latent.inc"
};
static const char *const zen5_lines[] = {
#include "bench/latent-26-2.inc"
};

enum { C = 512, DR = 64, COLUMNS = 13, MEASURED = 32 };
enum { OF_H = 0, GFLOPS = 7, SHARE = 8, GBYTES = 9 }; // columns of data/bench/latent.tsv

// FLOPs for each byte of a row of c + dr numbers of `width` bytes: 2 (2c + dr) for each head.
static double flops_a_byte(double H, int width) { return 2.0 * H * (2 * C + DR) / (width * (C + DR)); }

// read: of four streams, 10⁹ bytes a second beside each number of heads; gbytes: their mean.
typedef struct {
    double H[MEASURED], share[MEASURED], read[MEASURED], peak, gbytes;
    int count;
} Times;

static Times times_of(TableRows rows)
{
    Times times = { .count = 0 };
    int streams = 0;
    double last = 0;
    for (int i = 0; i < rows.values.rows; i++) {
        if (!strcmp(rows.names[i], "probe")) times.peak = mat_value(rows.values, i, GFLOPS);
        if (!strcmp(rows.names[i], "four streams")) {
            last = mat_value(rows.values, i, GBYTES);
            times.gbytes += (last - times.gbytes) / ++streams;
        }
        if (strcmp(rows.names[i], "latent") != 0 || times.count == MEASURED) continue;
        times.H[times.count] = mat_value(rows.values, i, OF_H);
        times.read[times.count] = last;
        times.share[times.count++] = mat_value(rows.values, i, SHARE);
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
static double allowed(const Times *times, double gbytes, double H)
{
    double share = times->peak / gbytes / flops_a_byte(H, 4);
    return share < 1.0 ? share : 1.0;
}

static void figure_roofs(Lesson *lesson, const Times *times)
{
    enum { FINE = 8, POINTS = 7 * FINE + 1 }; // up to 128 heads, FINE a doubling
    static double H[POINTS], roof[POINTS];
    for (int i = 0; i < POINTS; i++) {
        H[i] = exp2((double)i / FINE);
        roof[i] = allowed(times, times->gbytes, H[i]);
    }
    PlotSeries series[] = {
        { .name = "the lower roof", .x = H, .y = roof, .count = POINTS, .dashed = true },
        { .name = "measured", .x = times->H, .y = times->share, .count = times->count, .dots = true }
    };
    figure_plot(lesson, "roofs.png", "the share of the reading speed that decoding over latents reaches, by heads",
                (Plot){ .title = "Decoding over latents of 512 + 64, one thread of an Intel core",
                        .x_title = "heads H",
                        .y_title = "share of the speed of reading",
                        .series = series,
                        .count = 2,
                        .log_x = true,
                        .y_high = 1.05 });
}

// The share of a core's reading speed, what the lower roof leaves, and the share of that. → the least share of reading
// with up to 4 heads, and the least share of the lower roof with 32 and more.
typedef struct {
    double few, many;
} Least;

static Least measured_on(Lesson *lesson, const char *name, const Times *times)
{
    static const char *const cols[] = { "of reading", "roof", "of roof" };
    const char *title = arena_format(lesson->arena, "%s, measured: shares of the speed of reading alone", name);
    Rows table = rows_of(lesson, title, cols, 3);
    Least least = { 1.0, 1.0 };
    for (int i = 0; i < times->count; i++) {
        double share = times->share[i], roof = allowed(times, times->read[i], times->H[i]);
        rows_add(&table, ROW(share, roof, share / roof), "H = %d", (int)times->H[i]);
        if (times->H[i] <= 4) least.few = fmin(least.few, share);
        if (times->H[i] >= 32) least.many = fmin(least.many, share / roof);
    }
    table.table.given = true;
    show_rows(lesson, &table);
    return least;
}

static void measured(Lesson *lesson)
{
    Arena *arena = lesson->arena;
    Times zen5 = times_of(TABLE_EMBEDDED(arena, zen5_lines, COLUMNS, "data/bench/latent-26-2.tsv"));
    Times intel = times_of(TABLE_EMBEDDED(arena, intel_lines, COLUMNS, "data/bench/latent.tsv"));
    Least least = measured_on(lesson, "an Intel core", &intel);
    say(lesson,
        "Measured once. This core computes %.0f GFLOP/s and reads %.1f GB/s, a Zen 5 core %.0f and %.1f. Many "
        "thousand rows of 2,304 bytes, none of them in the processor's own cache.",
        intel.peak, intel.gbytes, zen5.peak, zen5.gbytes);
    Machine cores[] = { { "Zen 5", zen5.peak, zen5.gbytes, 0 }, { "Intel", intel.peak, intel.gbytes, 0 } };
    int fill[] = { heads_that_fill(cores[0], 4), heads_that_fill(cores[1], 4) };
    check(lesson, fill[0] < fill[1],
          "in 32 bits, the %.1f FLOPs a byte that Zen 5 does while it reads are reached at "
          "H = %d, the %.1f of the Intel core at H = %d",
          machine_ridge(cores[0]), fill[0], machine_ridge(cores[1]), fill[1]);
    check(lesson, least.few > 0.8, "up to 4 heads: %.2f of the speed of reading, or more", least.few);
    check(lesson, least.many > 0.6, "from 32 heads on, a lane a head: %.2f of what arithmetic allows, or more",
          least.many);
    figure_roofs(lesson, &intel);
}

void roofs(Lesson *lesson)
{
    step(lesson, "Bytes or multiplications");
    Rows table = rows_of(lesson, "FLOPs a byte, absorbed, rows of 512 + 64",
                         (const char *const[]){ "in 32 bits", "in 16 bits" }, 2);
    for (int H = 1; H <= 128; H *= H < 8 ? 2 : 4)
        rows_add(&table, ROW(flops_a_byte(H, 4), flops_a_byte(H, 2)), "H = %d", H);
    show_rows(lesson, &table);
    check(lesson, flops_a_byte(128, 2) < machine_ridge(MACHINE_H100) && flops_a_byte(128, 2) > 200,
          "H = 128 in 16 bits: %.0f FLOPs a byte, under the %.0f at which an H100 computes as fast as it reads",
          flops_a_byte(128, 2), machine_ridge(MACHINE_H100));
    measured(lesson);
}
