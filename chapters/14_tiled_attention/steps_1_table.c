// Chapter 14, step 1. The table that the naive kernel makes.
#include "lesson/block_map.h"
#include "steps.h"

void the_table(Lesson *lesson)
{
    step(lesson, "A table that nobody asked for");
    block_map_figure(lesson, "here.png", BLOCK_MAP_KERNEL);
    enum { T = 128 };
    static const char *const columns[] = { "q, k, v, out", "table" };
    Arena *arena = lesson->arena;
    HeadProjections p = random_qkv(lesson, T, T, WIDTH, WIDTH);
    cost_counted = (Cost){ 0 };
    attention_naive((Attended){ .out = mat_new(arena, T, WIDTH) }, p.q, p.k, p.v, EVERYTHING);
    cost(lesson, arena_format(arena, "bytes of scratch in the naive kernel at T = %d", T), cost_counted.scratch,
         "4·T·S", 4 * T * T);
    Rows rows = rows_of(lesson, arena_format(arena, "MiB of one head, d = %d, S = T", WIDTH), columns, 2);
    rows.table.decimals = -1;
    static const int lengths[] = { 1024, 8192, 32768, 131072 };
    for (int r = 0; r < 4; r++) {
        double n = lengths[r];
        rows_add(&rows, ROW(4.0 * n * 4 * WIDTH / MIB, 4.0 * n * n / MIB), "T = %d", lengths[r]);
    }
    show_rows(lesson, &rows);
    double n = 32768.0;
    say(lesson, "At T = 32768 the table of one head has %.1f GiB. What goes in and what comes out has %.0f MiB.",
        4.0 * n * n / GIB, 4.0 * n * 4 * WIDTH / MIB);
}
