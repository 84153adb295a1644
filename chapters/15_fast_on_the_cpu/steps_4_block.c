// Chapter 15, steps 4 and 6. Lanes are queries: what one step of the inner loop touches, and what it loads for that.
#include "steps.h"

static HeatMap part(const char *title, Mat values, const char *row_title, const char *col_title)
{
    return (HeatMap){ .title = title, .values = values, .row_title = row_title, .col_title = col_title,
                      .colors = CIVIDIS, .low = 0, .high = 1, .decimals = -1, .no_bar = true, .cell = 16 };
}

// HeatMap counts marks from 1.
static void mark(HeatMap *map, int row, int col, int rows, int cols)
{
    map->mark_row = row + 1;
    map->mark_col = col + 1;
    map->mark_rows = rows;
    map->mark_cols = cols;
}

// A register block with vectors of four: what one step of the inner loop touches.
static void draw_block(Lesson *lesson)
{
    enum { LANES = 4, VECTORS = 4, D = 8, STEP = 3, FIRST = 4, N = 12, ALL = LANES * VECTORS };
    Arena *arena = lesson->arena;
    Mat vector = mat_new(arena, 1, LANES), q = mat_new(arena, D, ALL);
    Mat k = mat_new(arena, N, D), s = mat_new(arena, N, ALL);
    mat_fill(vector, 0.4f);
    for (int i = 0; i < ALL; i++) {
        *mat_ref(q, STEP, i) = 0.4f + 0.15f * (float)(i / LANES);
        for (int r = 0; r < ROWS; r++) *mat_ref(s, FIRST + r, i) = *mat_ref(q, STEP, i);
    }
    for (int r = 0; r < ROWS; r++) *mat_ref(k, FIRST + r, STEP) = 1.0f;
    HeatMap maps[4] = { part("a vector", vector, NULL, "query"),
                        part("Qᵀ: four vectors of four queries", q, "channel", "query"),
                        part("K: 4 numbers", k, "key", "channel"), part("Sᵀ: sixteen sums", s, "key", "query") };
    mark(&maps[1], STEP, 0, 1, ALL);
    mark(&maps[2], FIRST, STEP, ROWS, 1);
    mark(&maps[3], FIRST, 0, ROWS, ALL);
    figure_maps(lesson, "block.png", "one step of the inner loop: 4 + 4 loads, 16 multiply-adds of whole vectors",
                "Lanes are queries: drawn with four lanes", maps, 4, 2);
}

// What each choice of lanes costs beside the multiply-adds: read off the loops.
void lanes_are_queries(Lesson *lesson)
{
    step(lesson, "Lanes are queries");
    enum { LANES = 16, D = 64, VECTORS = 4 };
    static const char *const columns[] = { "loads", "stores", "across lanes" };
    Rows table = rows_of(lesson, "for each multiply-add of a vector, 16 lanes, d = 64; lanes are", columns, 3);
    table.table.decimals = 2;
    const double across = (double)LANES / D;         // one sum over the lanes for the D / LANES vectors of a score
    rows_add(&table, ROW(2, 0, across), "channels");
    rows_add(&table, ROW(2, 1, 0), "keys (reordered)");
    rows_add(&table, ROW((1.0 + VECTORS) / VECTORS, 0, 0), "queries (lanes)");
    show_rows(lesson, &table);
}

void sums_are_registers(Lesson *lesson)
{
    step(lesson, "Sums are registers");
    static const int shapes[][2] = { { 1, 4 }, { 2, 4 }, { 4, 3 }, { 4, 4 }, { 8, 4 } };
    enum { SHAPES = sizeof shapes / sizeof *shapes };
    static const char *const columns[] = { "sums", "loads", "a product", "registers" };
    Rows table = rows_of(lesson, "numbers × vectors: sums, loads in a step, and for each multiply-add", columns, 4);
    table.table.decimals = 2;
    for (int n = 0; n < SHAPES; n++) {
        int r = shapes[n][0], v = shapes[n][1];
        rows_add(&table, ROW(r * v, r + v, (double)(r + v) / (r * v), r * v + v + 1), "%d × %d", r, v);
    }
    show_rows(lesson, &table);
    bool fit = true, busy = true;
    for (int n = 0; n < VERSIONS; n++) {
        int sums = ROWS * versions[n].vectors;
        fit = fit && sums + versions[n].vectors + 1 <= versions[n].registers;
        busy = busy && sums >= 4 * 2;
    }
    check(lesson, fit, "4 × 3 fits into 16 registers (SSE, NEON, AVX2), 4 × 4 into 32 (AVX-512)");
    check(lesson, busy, "both have more than 4 · 2 = 8 sums under way");
    draw_block(lesson);
}
