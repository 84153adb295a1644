// Chapter 15, steps 4 and 6. Lanes are queries: what one step of the inner loop touches, and what it loads for that.
#include "base/portable_math.h"
#include "steps.h"

enum { LANES = 16, D = 64, VECTORS = 4, SUMS = ROWS * VECTORS, BOXES = VECTORS + ROWS + SUMS };

// One step of the inner loop: a row of Qᵀ in vectors, a number of each key, and the sum of each pair.
static void draw_block(Lesson *lesson)
{
    Arena *arena = lesson->arena;
    enum { X = 150, Y = 92, ACROSS = 126, DOWN = 60 };
    const Color blue = { 49, 104, 142 }, orange = { 199, 127, 29 };
    DiagramBox boxes[BOXES];
    DiagramLabel labels[2 + ROWS] = {
        { .x = 0, .y = Y - 10, .text = "K: a load each" },
        { .x = X, .y = 12, .text = "Qᵀ: channel c of 64 queries, a load for each vector" },
    };
    for (int v = 0; v < VECTORS; v++)
        boxes[v] = (DiagramBox){ .at = { X + ACROSS * v, 24, ACROSS - 10, 44 },
                                 .color = blue,
                                 .title = "vector q",
                                 .lines = arena_format(arena, "queries %d … %d", LANES * v, LANES * (v + 1) - 1) };
    for (int r = 0; r < ROWS; r++) {
        double y = Y + DOWN * r;
        boxes[VECTORS + r] = (DiagramBox){ .at = { 0, y, X - 26, 44 },
                                           .color = orange,
                                           .title = "number k",
                                           .lines = arena_format(arena, "key %d, channel c", r) };
        for (int v = 0; v < VECTORS; v++)
            boxes[VECTORS + ROWS + VECTORS * r + v] =
                (DiagramBox){ .at = { X + ACROSS * v, y, ACROSS - 10, 44 }, .title = "sum", .lines = "+= k · q" };
        const char *words =
            arena_format(arena, "%d × 4: %d loads for %d products", r + 1, VECTORS + r + 1, VECTORS * (r + 1));
        labels[2 + r] = (DiagramLabel){ .x = X + ACROSS * VECTORS + 2, .y = y + 26, .text = r == 2 ? "" : words };
    }
    figure_diagram(lesson, "block.png", "one step of the inner loop: 4 + 4 loads, 16 multiply-adds of whole vectors",
                   (Diagram){ .title = "One step, channel c: sums stay in registers",
                              .boxes = boxes,
                              .box_count = BOXES,
                              .labels = labels,
                              .label_count = 2 + ROWS });
}

// What each choice of lanes costs beside the multiply-adds: read off the loops.
void lanes_are_queries(Lesson *lesson)
{
    step(lesson, "Lanes are queries");
    static const char *const columns[] = { "loads", "stores", "across lanes" };
    Rows table = rows_of(lesson, "for each multiply-add of a vector, 16 lanes, d = 64; lanes are", columns, 3);
    table.table.decimals = 2;
    const double across = (double)LANES / D; // one sum over the lanes for the D / LANES vectors of a score
    rows_add(&table, ROW(2, 0, across), "channels");
    rows_add(&table, ROW(2, 1, 0), "keys (reordered)");
    rows_add(&table, ROW((1.0 + VECTORS) / VECTORS, 0, 0), "queries (lanes)");
    show_rows(lesson, &table);
    draw_where(lesson);
}

// The loop alone, without scores that become weights, as measured: loads are what holds it up.
static void loops_measured(Lesson *lesson)
{
    static const int rows[] = { 1, 2, 4 };
    static const char *const columns[] = { "at most", "loop alone", "whole rung" };
    TableRows bench = ladder_rows(lesson->arena);
    Rows table = rows_of(lesson, "percent of the probe; at most: one load for each multiply-add", columns, 3);
    table.table.decimals = 1;
    double farthest = 0;
    for (int n = 0; n < 3; n++) {
        const char *name = arena_format(lesson->arena, "%dx4", rows[n]);
        double loads = (double)(rows[n] + VECTORS) / (rows[n] * VECTORS), most = loads > 1 ? 100 / loads : 100;
        double loop = 100 * (double)measured(bench, arena_format(lesson->arena, "loop %s", name), FULL, SHARE);
        rows_add(&table, ROW(most, loop, 100 * (double)measured(bench, name, FULL, SHARE)), "%s", name);
        farthest = fmax(farthest, fabs(loop - most));
    }
    show_rows(lesson, &table);
    check(lesson, farthest < 5, "in the run of step 2 the loop alone comes within %.1f points of what loads allow",
          farthest);
    TableRows intel = intel_rows(lesson->arena);
    double two = 100 * (double)measured(intel, "2x4", FULL, SHARE);
    double four = 100 * (double)measured(intel, "4x4", FULL, SHARE);
    check(lesson, four > two + 5,
          "on the Intel core of step 11, which begins two multiply-adds in a cycle: 2x4 %.1f "
          "%% of its probe, 4x4 %.1f",
          two, four);
}

void sums_are_registers(Lesson *lesson)
{
    step(lesson, "Sums are registers");
    static const int shapes[][2] = { { 1, 4 }, { 2, 4 }, { 4, 3 }, { 4, 4 }, { 8, 4 } };
    enum { SHAPES = sizeof shapes / sizeof *shapes };
    static const char *const columns[] = { "sums", "loads", "a product", "registers" };
    Rows table = rows_of(lesson, "numbers × vectors: sums, loads in a step, and for each multiply-add", columns, 4);
    table.table.whole = 1 << 0 | 1 << 1 | 1 << 3;
    for (int n = 0; n < SHAPES; n++) {
        int r = shapes[n][0], v = shapes[n][1];
        rows_add(&table, ROW(r * v, r + v, (double)(r + v) / (r * v), r * v + v + 1), "%d × %d", r, v);
    }
    show_rows(lesson, &table);
    bool fit = true, busy = true;
    for (int n = 0; n < VERSIONS; n++) {
        int sums = ROWS * versions[n].vectors;
        fit = fit && sums + versions[n].vectors + 1 <= versions[n].registers;
        busy = busy && sums > 4 * 2;
    }
    check(lesson, fit, "4 × 3 fits into 16 registers (SSE, AVX2), 4 × 4 into 32 (NEON, AVX-512)");
    check(lesson, busy, "both have more than 4 · 2 = 8 sums under way");
    loops_measured(lesson);
    draw_block(lesson);
}
