// Chapter 15, step 13. The last rung: numbers of 16 bits, products of whole tiles, and what the rounding costs.
#include "base/portable_math.h"
#include "kernels/bf16.h"
#include "kernels/fast.h"
#include "lesson/reference.h"
#include "steps.h"

// ---- the figure

enum { SIDE = 4, CELL = 74, ROOM = 34, ACROSS = 340, BELOW = 200, CELLS = 3 * SIDE * SIDE };

// Rows and columns 0, 1, … and 15 of the product; pairs 0, 1, … and 15.
static const char *const places[SIDE] = { "0", "1", "…", "15" }, *const pairs[SIDE] = { "0, 1", "2, 3", "…", "30, 31" };

static DiagramBox cell(double x, double y, int row, int col, const char *words, Color color)
{
    DiagramBox box = { .at = { x + CELL * col, y + ROOM * row, CELL - 8, ROOM - 8 }, .lines = words, .color = color };
    return box;
}

// Left times right, each a tile of 16 rows of 64 bytes: a row of pairs meets a column of pairs.
static void draw_tiles(Lesson *lesson)
{
    const Color blue = { 49, 104, 142 }, orange = { 199, 127, 29 }, none = { 0, 0, 0 };
    Arena *arena = lesson->arena;
    DiagramBox boxes[CELLS];
    DiagramLabel labels[4 + 3 * SIDE];
    int count = 0, words = 0;
    for (int r = 0; r < SIDE; r++)
        for (int c = 0; c < SIDE; c++) {
            bool all = r != 2 && c != 2;
            boxes[count++] = cell(0, BELOW, r, c, all ? pairs[c] : "…", r == 0 ? blue : none);
            boxes[count++] = cell(ACROSS, 24, r, c, all ? pairs[r] : "…", c == 1 ? orange : none);
            boxes[count] = cell(ACROSS, BELOW, r, c, all ? "sum" : "…", none);
            boxes[count++].marked = r == 0 && c == 1;
        }
    for (int n = 0; n < SIDE; n++) {
        if (n == 2) continue;
        const char *key = arena_format(arena, "key %s", places[n]), *pair = arena_format(arena, "pair %s", places[n]);
        labels[words++] = (DiagramLabel){ .x = ACROSS + SIDE * CELL + 4, .y = 24 + ROOM * n + 18, .text = pair };
        labels[words++] = (DiagramLabel){ .x = ACROSS + CELL * n + 4, .y = 12, .text = key };
        const char *query = arena_format(arena, "query %s", places[n]);
        labels[words++] = (DiagramLabel){ .x = ACROSS + SIDE * CELL + 4, .y = BELOW + ROOM * n + 18, .text = query };
    }
    labels[words++] = (DiagramLabel){ .x = 0, .y = BELOW - 30, .text = "Q, on the left: a row is a query," };
    labels[words++] = (DiagramLabel){ .x = 0, .y = BELOW - 12, .text = "its channels in pairs" };
    labels[words++] = (DiagramLabel){ .x = 0, .y = 42, .text = "K, on the right: a row is a pair" };
    labels[words++] = (DiagramLabel){ .x = 0, .y = 60, .text = "of channels, of 16 keys" };
    figure_diagram(lesson, "tiles.png", "a product of two tiles: 16 × 16 sums of 32 products each",
                   (Diagram){ .title = "One instruction: scores of 16 queries and 16 keys, 32 channels of them",
                              .boxes = boxes,
                              .box_count = count,
                              .labels = labels,
                              .label_count = words });
}

// ---- what it costs

// The same numbers, rounded to bf16.
static Mat rounded(Arena *arena, Mat m)
{
    Mat to = mat_copy(arena, m);
    for (int i = 0; i < to.rows; i++)
        for (int c = 0; c < to.cols; c++) *mat_ref(to, i, c) = bf16_value(bf16_of(*mat_ref(to, i, c)));
    return to;
}

static void numbers(Lesson *lesson)
{
    enum { MANY = 4096 };
    Mat drawn_ones = random_qkv(lesson, 1, 1, MANY, MANY).q;
    double worst = 0, sum = 0;
    for (int i = 0; i < MANY; i++) {
        double x = (double)*mat_ref(drawn_ones, 0, i), off = fabs((double)bf16_value(bf16_of((float)x)) / x - 1);
        worst = fmax(worst, off);
        sum += off / MANY;
    }
    check(lesson, worst <= ldexp(1, -8) && sum > ldexp(1, -10) && sum < ldexp(1, -9),
          "%d numbers, rounded to bf16: off by at most 2⁻⁸ of themselves, by 2⁻⁹ to 2⁻¹⁰ in the mean", MANY);
    float total = 0.0f;
    for (int i = 0; i < 1000; i++) total = bf16_value(bf16_of(total + 1.0f));
    check(lesson, total == 256.0f, "1 + 1 + 1 + …, a thousand times, rounded to bf16 each time: %.0f", (double)total);
}

// Errors against float64, in 10⁻³: what is rounded, one after the other. In the version that every machine has, so that
// each prints the same.
static void errors(Lesson *lesson, HeadProjections p, const double *exact)
{
    Arena *arena = lesson->arena;
    Mat out = mat_new(arena, p.q.rows, p.v.cols), q = rounded(arena, p.q), k = rounded(arena, p.k);
    Mat v = rounded(arena, p.v);
    static const char *const columns[] = { "error, 10⁻³" };
    Rows table = rows_of(lesson, "T = S = 128, d = 64, against float64; what is rounded", columns, 1);
    table.table.decimals = 1;
    fast_choose("plain");
    attention_fast((Attended){ .out = out }, p.q, p.k, p.v, EVERYTHING);
    double plain = reference_error(out, exact);
    rows_add(&table, ROW(1e3 * plain), "nothing (fast)");
    attention_fast((Attended){ .out = out }, q, k, p.v, EVERYTHING);
    rows_add(&table, ROW(1e3 * reference_error(out, exact)), "Q and K");
    attention_fast((Attended){ .out = out }, p.q, p.k, v, EVERYTHING);
    rows_add(&table, ROW(1e3 * reference_error(out, exact)), "V");
    attention_bf16((Attended){ .out = out }, p.q, p.k, p.v, EVERYTHING);
    fast_choose(NULL);
    double all = reference_error(out, exact);
    rows_add(&table, ROW(1e3 * all), "these and weights (bf16)");
    show_rows(lesson, &table);
    check(lesson, all < 4e-3 && plain < 1e-6, "bf16: within 0.004 of float64; float32: within 0.000001");
}

// Where time must go at least: 512 multiply-adds a cycle, two vector instructions a cycle.
static void cycles(Lesson *lesson)
{
    enum { PRODUCT = 16, WEIGHT = 11 }; // cycles; instructions for a vector of weights
    static const char *const columns[] = { "products", "weights" };
    Rows table = rows_of(lesson, "cycles at the least, 32 queries and 32 keys, on AMX", columns, 2);
    table.table.decimals = -1;
    for (int d = 64; d <= 128; d *= 2) {
        int tiles = 32 * 32 * 2 * d / (16 * 16 * 32), vectors = 32 * 32 / 16;
        rows_add(&table, ROW(PRODUCT * tiles, vectors * WEIGHT / 2.0), "d = %d", d);
    }
    show_rows(lesson, &table);
    say(lesson, "These are counted, not measured: no quiet machine with AMX has timed this rung yet.");
}

// Where vectors multiply pairs of bf16, without tiles: it gains on one core, and loses on the other.
static void measured_on_vectors(Lesson *lesson)
{
    static const Shape shapes[] = { { 1024, 1024, 64, false, 1 },
                                    { 4096, 4096, 64, false, 1 },
                                    { 2048, 2048, 128, false, 1 } };
    static const char *const columns[] = { "fast", "bf16", "bf16 / fast" };
    static const char *const cores[] = { "Zen 4", "Intel" };
    TableRows benches[] = { zen4_rows(lesson->arena), intel_rows(lesson->arena) };
    Rows table = rows_of(lesson, "GFLOP/s where vectors multiply pairs of bf16 (AVX512_BF16)", columns, 3);
    table.table.decimals = 2;
    bool faster = true, slower = true;
    for (int n = 0; n < 6; n++) {
        Shape shape = shapes[n % 3];
        double fast = (double)measured(benches[n / 3], "fast", shape, GFLOPS);
        double half = (double)measured(benches[n / 3], "bf16", shape, GFLOPS);
        rows_add(&table, ROW(fast, half, half / fast), "%s, T = %d, d = %d", cores[n / 3], shape.T, shape.d);
        if (n < 3) faster = faster && half > 1.2 * fast && half < 2 * fast;
        else slower = slower && half < 0.6 * fast;
    }
    show_rows(lesson, &table);
    check(lesson, faster, "on Zen 4: more than 1.2 times as fast as float32, less than twice");
    check(lesson, slower, "on the Intel core of step 11: less than 0.6 times as fast");
}

void sixteen_bits(Lesson *lesson)
{
    step(lesson, "16 bits");
    enum { T = 128, d = 64 };
    HeadProjections p = random_qkv(lesson, T, T, d, d);
    numbers(lesson);
    errors(lesson, p, reference_compute(lesson->arena, p.q, p.k, p.v, EVERYTHING));
    cost_counted = (Cost){ 0 };
    attention_bf16((Attended){ .out = mat_new(lesson->arena, T, d) }, p.q, p.k, p.v, EVERYTHING);
    cost(lesson, "products of tiles", cost_counted.multiplies / (16 * 16 * 32),
         "2·T·S·d / 8192: 16 × 16 sums of 32 products, in one instruction", 2 * T * T * d / 8192);
    cycles(lesson);
    measured_on_vectors(lesson);
    Bf16Tile a = { 0 }, b = { 0 };
    Bf16Sums c = { 0 };
    for (int i = 0; i < 32; i++) {
        a.at[0][i] = bf16_of((float)(i + 1));
        b.at[i / 2][2 + i % 2] = bf16_of(1.0f);
    }
    bf16_multiply(&c, &a, &b);
    check(lesson, c.at[0][1] == 528.0f && c.at[0][0] == 0.0f && c.at[1][1] == 0.0f,
          "emulated: 1 + 2 + … + 32 times 1 is %.0f, in row 0, column 1", (double)c.at[0][1]);
    draw_tiles(lesson);
}
