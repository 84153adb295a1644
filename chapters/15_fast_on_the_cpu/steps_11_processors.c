// Chapter 15, step 11. The same source on other processors.
#include "base/portable_math.h"
#include "steps.h"

enum { PROCESSORS = 3, SORTS = 4 };

// What fast_block.c is compiled to: floats in a vector, vectors that a number meets, vector registers.
static const struct {
    const char *name;
    int lanes, vectors, registers;
} sorts[SORTS] = {
    { "SSE", 4, 3, 16 },
    { "NEON", 4, 4, 32 },
    { "AVX2", 8, 3, 16 },
    { "AVX-512", 16, 4, 32 },
};

static void sorts_of_vectors(Lesson *lesson)
{
    static const char *const columns[] = { "lanes", "vectors", "queries", "registers", "of" };
    Rows table = rows_of(lesson, "what the one source is compiled to", columns, 5);
    bool fit = true;
    table.table.decimals = -1;
    for (int n = 0; n < SORTS; n++) {
        int v = sorts[n].vectors, used = ROWS * v + v + 1;
        rows_add(&table, ROW(sorts[n].lanes, v, sorts[n].lanes * v, used, sorts[n].registers), "%s", sorts[n].name);
        fit = fit && used <= sorts[n].registers && ROWS * v > 4 * 2;
    }
    show_rows(lesson, &table);
    check(lesson, fit, "all fit, and have more than 4 · 2 = 8 sums under way");
}

// The fast kernel on three cores, each against its own probe.
static void processors_measured(Lesson *lesson)
{
    static const char *const columns[PROCESSORS] = { "Zen 4", "Intel", "other AMD" };
    TableRows of[PROCESSORS] = { zen4_rows(lesson->arena), intel_rows(lesson->arena), bench_rows(lesson->arena) };
    Rows shares = rows_of(lesson, "fast: share of the probe in percent", columns, PROCESSORS);
    Rows speeds = rows_of(lesson, "GFLOP/s: of fast, and of the probe beside it", columns, PROCESSORS);
    shares.table.decimals = speeds.table.decimals = 1;
    double lowest = 100, points = 0, times = INFINITY;  // shares: the least, how far apart; and speeds
    double least[PROCESSORS], most[PROCESSORS] = { 0 }; // of the probe
    for (int n = 0; n < TIMED; n++) {
        double share[PROCESSORS], speed[PROCESSORS];
        for (int p = 0; p < PROCESSORS; p++) {
            share[p] = 100 * (double)measured(of[p], "fast", shapes_timed[n], SHARE);
            speed[p] = (double)measured(of[p], "fast", shapes_timed[n], GFLOPS);
            double probe = 100 * speed[p] / share[p];
            least[p] = n ? fmin(least[p], probe) : probe;
            most[p] = fmax(most[p], probe);
            lowest = fmin(lowest, share[p]);
            for (int o = 0; o < p; o++) points = fmax(points, fabs(share[p] - share[o]));
        }
        times = fmin(times, fmax(fmax(speed[0], speed[1]), speed[2]) / fmin(fmin(speed[0], speed[1]), speed[2]));
        rows_add(&shares, ROW(share[0], share[1], share[2]), "%s", shape_name(lesson->arena, shapes_timed[n]));
        rows_add(&speeds, ROW(speed[0], speed[1], speed[2]), "%s", shape_name(lesson->arena, shapes_timed[n]));
    }
    rows_add(&speeds, ROW(least[0], least[1], least[2]), "the probe, at the least");
    rows_add(&speeds, ROW(most[0], most[1], most[2]), "the probe, at the most");
    say(lesson,
        "Zen 4: the run of step 10. Intel: %s, on %s. Other AMD: %s, on %s; its column is of an older kernel, "
        "before step 12. One thread.",
        intel_fact(lesson->arena, "cpu: "), intel_fact(lesson->arena, "date: "), bench_fact(lesson->arena, "cpu: "),
        bench_fact(lesson->arena, "date: "));
    show_rows(lesson, &shares);
    show_rows(lesson, &speeds);
    check(lesson, lowest > 75, "on all, more than three quarters of what the core can do at every shape");
    check(lesson, times > 2 && points < 10,
          "between cores, at each shape: GFLOP/s at least %.1f times apart, shares "
          "at most %.1f points",
          times, points);
}

// One query a head against a cache: beside the arithmetic, what memory gives to four streams and to the kernel.
static void decode_measured(Lesson *lesson)
{
    static const char *const columns[] = { "four streams", "decode", "share %" };
    static const Shape decode = { 1, 32768, 128, false, 1 };
    static const char *const names[PROCESSORS] = { "Zen 4", "Intel", "other AMD" };
    TableRows of[PROCESSORS] = { zen4_rows(lesson->arena), intel_rows(lesson->arena), bench_rows(lesson->arena) };
    Rows table = rows_of(lesson, "one query, 32,768 keys: GB/s; share of the streams beside it", columns, 3);
    table.table.decimals = 1;
    bool near = true;
    for (int p = 0; p < PROCESSORS; p++) {
        double streams = (double)measured(of[p], "four streams", decode, GBYTES);
        double share = 100 * (double)measured(of[p], "decode", decode, SHARE);
        rows_add(&table, ROW(streams, (double)measured(of[p], "decode", decode, GBYTES), share), "%s", names[p]);
        near = near && share > 70;
    }
    double speed = (double)measured(of[2], "fast", FULL, GFLOPS), share = (double)measured(of[2], "fast", FULL, SHARE);
    show_rows(lesson, &table);
    check(lesson, near, "decode reads at more than 0.7 of what memory gives to a single thread");
    say(lesson,
        "32 query heads and 8 key heads, d = 128. Chapters 11 and 12 take the other AMD core: its %.1f GB/s, "
        "and the %.1f GFLOP/s of the probe at T = 1024, full.",
        (double)measured(of[2], "four streams", decode, GBYTES), speed / share);
}

void other_processors(Lesson *lesson)
{
    step(lesson, "Other processors");
    sorts_of_vectors(lesson);
    processors_measured(lesson);
    decode_measured(lesson);
}
