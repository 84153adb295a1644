// Chapter 14, step 8. What the tiles cost in arithmetic; and in time, in a run that is kept and with --time.
#include "base/measure.h"
#include "io/table.h"
#include "steps.h"

static const char *const kept_lines[] = {
#include "bench/tiles.inc"
};

enum { NAIVE, ONE_TILE, TILES, KERNELS };
static const char *const cols[] = { "naive", "one tile", "64 × 64", "share" };

static void one_tile(Attended to, Mat q, Mat k, Mat v, Mask mask) // as large as the table
{
    attention_tiled_with(to, q, k, v, mask, (TileSizes){ q.rows, k.rows });
}

// A row of times in milliseconds, and the tiles' share of one tile's.
static void add_times(Rows *table, const char *name, const double ms[KERNELS])
{
    rows_add(table, ROW(ms[NAIVE], ms[ONE_TILE], ms[TILES], ms[TILES] / ms[ONE_TILE]), "%s", name);
}

static void measured_once(Lesson *lesson)
{
    TableRows rows = TABLE_EMBEDDED(lesson->arena, kept_lines, KERNELS, "data/bench/tiles.tsv");
    Rows table = rows_of(lesson, "kept, one core of an Intel Xeon, d = 64: ms", cols, KERNELS + 1);
    double least = INFINITY, most = 0.0;
    for (int n = 0; n < rows.values.rows; n++) {
        double ms[KERNELS];
        for (int c = 0; c < KERNELS; c++) ms[c] = mat_value(rows.values, n, c);
        add_times(&table, rows.names[n], ms);
        least = fmin(least, ms[TILES] / ms[ONE_TILE]);
        most = fmax(most, ms[TILES] / ms[ONE_TILE]);
    }
    table.table.given = true;
    show_rows(lesson, &table);
    check(lesson, least > 0.9 && most < 1.1, "64 × 64 take %.2f to %.2f of what one tile as large as the table takes",
          least, most);
}

// The fastest of five rounds, in turn, so that a busy moment of the machine does not fall on one kernel alone.
static void time_kernels(Lesson *lesson, int T)
{
    enum { ROUNDS = 5 };
    AttentionKernel *const kernels[KERNELS] = { attention_naive, one_tile, attention_tiled };
    const char *name = arena_format(lesson->arena, "here, d = %d: ms, the fastest of %d rounds", WIDTH, ROUNDS);
    Rows table = rows_of(lesson, name, cols, KERNELS + 1);
    for (int part = 8; part >= 1; part /= 2) {
        int n = T / part;
        if (n < 1) continue;
        HeadProjections p = random_qkv(lesson, n, n, WIDTH, WIDTH);
        Attended to = { .out = mat_new(lesson->arena, n, WIDTH) };
        double best[KERNELS] = { INFINITY, INFINITY, INFINITY };
        for (int round = 0; round < ROUNDS; round++)
            for (int way = 0; way < KERNELS; way++) {
                double start = measure_clock_wall();
                kernels[way](to, p.q, p.k, p.v, EVERYTHING);
                best[way] = fmin(best[way], 1e3 * (measure_clock_wall() - start));
            }
        add_times(&table, arena_format(lesson->arena, "T = S = %d", n), best);
    }
    show_rows(lesson, &table);
}

void tiles_alone(Lesson *lesson, int T)
{
    step(lesson, "Tiles alone save no time");
    enum { N = 256 };
    HeadProjections p = random_qkv(lesson, N, N, WIDTH, WIDTH);
    Attended to = room_for(lesson->arena, N, WIDTH);
    cost_counted = (Cost){ 0 };
    attention_naive(to, p.q, p.k, p.v, EVERYTHING);
    cost(lesson, "multiplications, naive", cost_counted.multiplies, "T·S·(d + dv)", (int64_t)N * N * 2 * WIDTH);
    cost_counted = (Cost){ 0 };
    attention_tiled(to, p.q, p.k, p.v, EVERYTHING);
    cost(lesson, "multiplications, tiles of 64 × 64", cost_counted.multiplies, "T·S·(d + dv) + T·(S/64)·(1 + dv)",
         (int64_t)N * N * 2 * WIDTH + (int64_t)N * (N / 64) * (1 + WIDTH));
    cost(lesson, "bytes of its scratch", cost_counted.scratch, "what step 3 says, whatever T",
         tile_scratch((TileSizes){ 64, 64 }, WIDTH, WIDTH));
    measured_once(lesson);
    if (T) time_kernels(lesson, T);
}
