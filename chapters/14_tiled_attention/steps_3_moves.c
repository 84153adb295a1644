// Chapter 14, steps 3 and 4. The scratch memory of a tile, and what goes to and fro between slow and fast memory.
#include "attention/online.h"
#include "steps.h"

// The kernel at these tiles, or the naive one for NULL, from counters that are 0.
static void run_counted(Attended to, HeadProjections p, Mask mask, const TileSizes *tiles)
{
    cost_counted = (Cost){ 0 };
    if (tiles) attention_tiled_with(to, p.q, p.k, p.v, mask, *tiles);
    else attention_naive(to, p.q, p.k, p.v, mask);
}

// ---- 3

void scratch_of_a_tile(Lesson *lesson)
{
    step(lesson, "The memory of a tile");
    figure_memories(lesson);
    enum { MOST = 256, KERNELS = 4, d = 16 };
    static const char *const columns[KERNELS] = { "naive", "8×8", "16×16", "32×32" };
    static const TileSizes tiles[KERNELS] = { { 0, 0 }, { 8, 8 }, { 16, 16 }, { 32, 32 } };
    Rows rows = rows_of(lesson, "bytes of scratch, the high-water mark of the arena, d = 16", columns, KERNELS);
    rows.table.decimals = -1;
    bool grows = true, stays = true;
    for (int T = 32; T <= MOST; T *= 2) {
        HeadProjections p = random_qkv(lesson, T, T, d, d);
        Attended to = room_for(lesson->arena, T, d);
        double bytes[KERNELS];
        for (int n = 0; n < KERNELS; n++) {
            run_counted(to, p, CAUSAL, n ? &tiles[n] : NULL);
            bytes[n] = (double)cost_counted.scratch;
            if (n == 0) grows = grows && cost_counted.scratch == 4 * T * T;
            else stays = stays && cost_counted.scratch == tile_scratch(tiles[n], d, d);
        }
        rows_add(&rows, bytes, "T = %d", T);
    }
    show_rows(lesson, &rows);
    check(lesson, grows, "naive: 4·T·S bytes");
    check(lesson, stays, "tiled: the same for every T");
    cost(lesson, "bytes for tiles of 16 × 32, d = 16", tile_scratch((TileSizes){ 16, 32 }, d, d),
         "4·(a·d + b·d + b·dv + a·b + 3·a + a·dv), a = 16, b = 32",
         4 * (16 * d + 32 * d + 32 * d + 16 * 32 + 3 * 16 + 16 * d));
    say(lesson, "The arena gives each matrix whole lines of 64 bytes: 8 × 8 takes %d and not %d.",
        (int)tile_scratch(tiles[1], d, d), 4 * (4 * 8 * d + 8 * 8 + 3 * 8));
}

// ---- 4

// Floats that a kernel moves at T = S without a mask, d = dv: what it must count.
static double naive_moves(double T, double d) { return T * d + T * T * (2 * d + 2) + 2 * T * T + T * d; }
static double table_moves(double T) { return 4 * T * T; }

static double tiled_moves(int64_t T, int64_t d, int64_t queries)
{
    return (double)(T * d + tiles_along(T, queries) * T * 2 * d + T * d);
}

static void add_counted(Rows *rows, const char *name)
{
    rows_add(rows,
             ROW((double)cost_counted.scratch, 4.0 * (double)cost_counted.reads, 4.0 * (double)cost_counted.writes),
             "%s", name);
}

static void count_moves(Lesson *lesson)
{
    enum { T = 192, d = 32, TILES = 5 };
    static const TileSizes tiles[TILES] = { { 1, 16 }, { 4, 16 }, { 16, 16 }, { 64, 16 }, { 64, 1 } };
    static const char *const columns[] = { "scratch", "read", "written" };
    Arena *arena = lesson->arena;
    say(lesson, "⌈T / a⌉ is T / a rounded up. In the formula for naive the first bracket is read, the second written.");
    Rows rows = rows_of(lesson, arena_format(arena, "bytes moved, T = S = %d, d = dv = %d", T, d), columns, 3);
    rows.table.decimals = -1;
    HeadProjections p = random_qkv(lesson, T, T, d, d);
    Attended to = { .out = mat_new(arena, T, d) };

    run_counted(to, p, EVERYTHING, NULL);
    add_counted(&rows, "naive");
    cost(lesson, "floats that naive moves", cost_counted.reads + cost_counted.writes,
         "(T·d + T·S·(d + dv + 2)) + (2·T·S + T·dv)", (int64_t)naive_moves(T, d));
    cost_counted = (Cost){ 0 };
    attention_online(to, p.q, p.k, p.v, EVERYTHING);
    add_counted(&rows, "online");
    bool formula = cost_counted.reads == T * d + T * T * 2 * d && cost_counted.writes == T * d;
    for (int n = 0; n < TILES; n++) {
        run_counted(to, p, EVERYTHING, &tiles[n]);
        add_counted(&rows, arena_format(arena, "tiles of %d × %d", tiles[n].queries, tiles[n].keys));
        int64_t reads = T * d + tiles_along(T, tiles[n].queries) * T * 2 * d;
        formula = formula && cost_counted.reads == reads && cost_counted.writes == T * d;
    }
    check(lesson, formula,
          "tiles of a × b read T·d + ⌈T / a⌉·S·(d + dv) and write T·dv, for all below; "
          "online reads and writes like a = 1");
    show_rows(lesson, &rows);
}

enum { MEMORIES = 3, POINTS = 11, DOTS = 2 };
static const int64_t memory_bytes[MEMORIES] = { 32 << 10, 192 << 10, 2 << 20 };
static const char *const memory_name[MEMORIES] = { "tiled, 32 KiB", "tiled, 192 KiB", "tiled, 2 MiB" };

// Lines are the formula from T = 128 to 131072; dots are counted by the code.
static void draw_moves(Lesson *lesson, const TileSizes *tiles, const double *dots)
{
    double dots_x[DOTS * (MEMORIES + 1)];
    for (int n = 0; n < DOTS * (MEMORIES + 1); n++) dots_x[n] = 128 << n % DOTS;
    static double x[POINTS], naive[POINTS], table[POINTS], tiled[MEMORIES][POINTS];
    for (int e = 0; e < POINTS; e++) {
        x[e] = 128 << e;
        naive[e] = 4 * naive_moves(x[e], WIDTH) / MIB;
        table[e] = 4 * table_moves(x[e]) / MIB;
        for (int m = 0; m < MEMORIES; m++) tiled[m][e] = 4 * tiled_moves(128 << e, WIDTH, tiles[m].queries) / MIB;
    }
    PlotSeries series[3 + MEMORIES] = {
        { .name = "naive", .x = x, .y = naive, .count = POINTS },
        { .name = "its table alone", .x = x, .y = table, .count = POINTS, .dashed = true },
    };
    for (int m = 0; m < MEMORIES; m++)
        series[2 + m] = (PlotSeries){ .name = memory_name[m], .x = x, .y = tiled[m], .count = POINTS };
    series[2 + MEMORIES] = (PlotSeries){ .x = dots_x, .y = dots, .count = DOTS * (MEMORIES + 1), .dots = true };
    figure_plot(lesson, "bytes.png", "bytes moved against T: naive, and tiled with three sizes of fast memory",
                (Plot){ .title = "Between slow and fast memory: one head, d = 64 (dots: counted)",
                        .x_title = "T = S",
                        .y_title = "MiB moved",
                        .series = series,
                        .count = 3 + MEMORIES,
                        .log_x = true,
                        .log_y = true,
                        .width = 760,
                        .height = 460 });
}

// What naive (row 0) and the tiles of each memory move at two sizes, into dots (MEMORIES + 1, DOTS), in MiB. Is it what
// the formula says?
static bool count_dots(Lesson *lesson, const TileSizes *tiles, double *dots)
{
    bool formula = true;
    for (int e = 0; e < DOTS; e++) {
        int n = 128 << e;
        HeadProjections p = random_qkv(lesson, n, n, WIDTH, WIDTH);
        Attended to = { .out = mat_new(lesson->arena, n, WIDTH) };
        for (int m = 0; m <= MEMORIES; m++) {
            const TileSizes *with = m ? &tiles[m - 1] : NULL;
            run_counted(to, p, EVERYTHING, with);
            double moved = (double)(cost_counted.reads + cost_counted.writes);
            formula = formula && moved == (with ? tiled_moves(n, WIDTH, with->queries) : naive_moves(n, WIDTH));
            dots[m * DOTS + e] = 4 * moved / MIB;
        }
    }
    return formula;
}

// A memory of M floats, and Θ(T² d² / M) floats moved: what stands in the place of Θ.
static double constant_of(double moved, int64_t bytes, double T)
{
    return moved * (double)bytes / 4 / (T * T * WIDTH * WIDTH);
}

// With q and out alone a memory would hold M / 2d queries. All else in a tile takes room as well: what that adds to the
// 4 of the text.
static double room_of_else(int64_t bytes, int queries)
{
    double M = (double)bytes / 4;
    return 2 * M / (WIDTH * (double)queries) - 4;
}

// What one more memory holds and moves; answers what it moves, in floats.
static double add_memory(Rows *rows, const char *name, int64_t bytes, int64_t T)
{
    TileSizes tiles = tile_sizes_fit(bytes, WIDTH, WIDTH);
    double moved = tiled_moves(T, WIDTH, tiles.queries);
    rows_add(rows, ROW(4 * moved / GIB, constant_of(moved, bytes, (double)T)), "%s: %d quer%s", name, tiles.queries,
             tiles.queries == 1 ? "y" : "ies");
    return moved;
}

void to_and_fro(Lesson *lesson, int kib)
{
    step(lesson, "What goes to and fro");
    count_moves(lesson);

    enum { T = 32768 };
    TileSizes tiles[MEMORIES];
    double dots[(MEMORIES + 1) * DOTS];
    static const char *const columns[] = { "GiB", "T²d²/M" };
    Rows rows = rows_of(lesson, "moved, in GiB and in T²d²/M floats", columns, 2);
    rows_add(&rows, ROW(4 * naive_moves(T, WIDTH) / GIB, 0), "naive");
    rows_add(&rows, ROW(4 * table_moves(T) / GIB, 0), "its table alone");
    bool fits = true, bound = true;
    double of_else[MEMORIES], of_rows[MEMORIES];
    for (int m = 0; m < MEMORIES; m++) {
        tiles[m] = tile_sizes_fit(memory_bytes[m], WIDTH, WIDTH);
        fits = fits && tile_scratch(tiles[m], WIDTH, WIDTH) <= memory_bytes[m];
        double constant = constant_of(add_memory(&rows, memory_name[m], memory_bytes[m], T), memory_bytes[m], T);
        bound = bound && constant > 4 && constant < 8;
        of_else[m] = room_of_else(memory_bytes[m], tiles[m].queries);
        of_rows[m] = constant - 4 - of_else[m];
    }
    if (kib) add_memory(&rows, arena_format(lesson->arena, "tiled, %d KiB", kib), 1024LL * kib, T);
    Mat hidden = mat_new(lesson->arena, MEMORIES + 2 + (kib > 0), 2);
    mat_fill(mat_block(hidden, 0, 2, 1, 1), 1.0f);
    rows.table.hidden = hidden;
    bool formula = count_dots(lesson, tiles, dots);
    say(lesson,
        "How many queries, with tiles of 16 keys, fit into a fast memory of M floats; and what one head of "
        "d = %d then moves at T = S = %d.",
        WIDTH, T);
    show_rows(lesson, &rows);
    say(lesson,
        "The last column would be 4 if q and out filled the memory. But all else in a tile (k, v, scores, m, "
        "l) takes room, too, which adds %.1f, %.1f and %.1f. That T / a is rounded up and q and out are moved, too, "
        "adds %.1f, %.1f and %.1f.",
        of_else[0], of_else[1], of_else[2], of_rows[0], of_rows[1], of_rows[2]);
    check(lesson, fits, "the tiles fit: their scratch is no larger than the memory");
    check(lesson, bound, "floats moved, divided by T²d²/M: between 4 and 8 for all three");
    check(lesson, formula, "run and counted at T = 128 and 256: the formula, for all but the table alone");
    int most = tiles[MEMORIES - 1].queries;
    say(lesson,
        "When T doubles, naive and its table move about four times as much. A tiled kernel moves twice as "
        "much while one row of tiles holds all queries (2 MiB: up to %d); then more: from T = %d to %d, %.1f times.",
        most, 2 * T, 4 * T, tiled_moves(4 * T, WIDTH, most) / tiled_moves(2 * T, WIDTH, most));
    draw_moves(lesson, tiles, dots);
}
