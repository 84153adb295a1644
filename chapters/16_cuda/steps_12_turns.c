// Chapter 16, step 12. When a tile is copied, multiplied and softened: scores, weights and values one after the other,
// and by two warp groups that take turns at the tensor cores, as in hopper.cu. All at full speed.
#include "base/portable_math.h"
#include "lesson/matrices.h"
#include "steps.h"

enum { TILES = 4, WIDTH = 64, CELL = 256, MOST = 128, LANES_MOST = 5 };

// What one of them takes, in cycles: one of the two products; the weights.
static double product_cycles(int queries) { return 2.0 * queries * HOPPER_KEYS * WIDTH / CARD_CYCLE_FLOPS; }
static double weights_cycles(int queries) { return (double)queries * HOPPER_KEYS / CARD_CYCLE_POWERS; }

// Row 0 of the picture are the copies; then products and weights of every group. A cell is 256 cycles, and holds the
// number of a tile of keys.
// Keys or values of a tile are fetched from the L2 cache in `copy` cycles.
typedef struct {
    Mat tile, idle;
    int groups, queries;
    double copy;
} Chart;

// From when on a part of the card is free, and when what has been waited for is done, in cycles.
typedef struct {
    double copies, tensor_cores, powers;
    double keys_here[TILES], values_here[TILES], scores_done[TILES], values_done[TILES];
} Clock;

static double busy(Chart *chart, int row, int tile, double from, double cycles)
{
    int first = (int)lround(from / CELL), end = (int)lround((from + cycles) / CELL);
    mat_fill(mat_block(chart->tile, row, 1, first, end - first), (float)tile);
    mat_fill(mat_block(chart->idle, row, 1, first, end - first), 0.0f);
    return from + cycles;
}

// Into two places. Keys leave theirs when all scores are made, values when they are added up.
static void copy_tile(Chart *chart, Clock *clock, int tile)
{
    int before = tile - HOPPER_STAGES;
    double keys_free = before < 0 ? 0.0 : clock->scores_done[before];
    double values_free = before < 0 ? 0.0 : clock->values_done[before];
    clock->copies = busy(chart, 0, tile, fmax(clock->copies, keys_free), chart->copy);
    clock->keys_here[tile] = clock->copies;
    clock->copies = busy(chart, 0, tile, fmax(clock->copies, values_free), chart->copy);
    clock->values_here[tile] = clock->copies;
}

// A product of a group, begun when the tensor cores are free and `ready` has come. Answers when it is done.
static double multiply(Chart *chart, Clock *clock, int group, int tile, double ready)
{
    double from = fmax(clock->tensor_cores, ready);
    return clock->tensor_cores = busy(chart, 1 + 2 * group, tile, from, product_cycles(chart->queries));
}

static double soften(Chart *chart, Clock *clock, int group, int tile, double scored)
{
    double from = fmax(clock->powers, scored);
    return clock->powers = busy(chart, 2 + 2 * group, tile, from, weights_cycles(chart->queries));
}

// What a tile takes once all is under way.
static double a_tile(const Clock *clock) { return clock->values_done[TILES - 2] - clock->values_done[TILES - 3]; }

static double one_after_the_other(Chart *chart)
{
    Clock clock = { 0 };
    copy_tile(chart, &clock, 0);
    copy_tile(chart, &clock, 1);
    for (int tile = 0; tile < TILES; tile++) {
        clock.scores_done[tile] = multiply(chart, &clock, 0, tile, fmax(clock.tensor_cores, clock.keys_here[tile]));
        double weighed = soften(chart, &clock, 0, tile, clock.scores_done[tile]);
        clock.values_done[tile] = multiply(chart, &clock, 0, tile, fmax(weighed, clock.values_here[tile]));
        if (tile + 2 < TILES) copy_tile(chart, &clock, tile + 2);
    }
    return a_tile(&clock);
}

// The order is that of pass_tile: the next scores and these values, then the next weights beside the values.
static double two_in_turns(Chart *chart)
{
    Clock clock = { 0 };
    double weighed[HOPPER_GROUPS];
    copy_tile(chart, &clock, 0);
    copy_tile(chart, &clock, 1);
    for (int g = 0; g < HOPPER_GROUPS; g++)
        weighed[g] = soften(chart, &clock, g, 0, multiply(chart, &clock, g, 0, clock.keys_here[0]));
    clock.scores_done[0] = clock.tensor_cores;
    for (int tile = 0; tile < TILES; tile++) {
        bool more = tile + 1 < TILES;
        for (int g = 0; g < HOPPER_GROUPS; g++) {
            if (more)
                clock.scores_done[tile + 1] =
                    multiply(chart, &clock, g, tile + 1, fmax(weighed[g], clock.keys_here[tile + 1]));
            clock.values_done[tile] = multiply(chart, &clock, g, tile, fmax(weighed[g], clock.values_here[tile]));
            if (more) weighed[g] = soften(chart, &clock, g, tile + 1, clock.scores_done[tile + 1]);
        }
        if (tile + 2 < TILES) copy_tile(chart, &clock, tile + 2);
    }
    return a_tile(&clock);
}

static Chart chart_of(Arena *arena, const CardMeasured *m, int groups)
{
    Chart chart = { mat_new(arena, LANES_MOST, MOST), mat_new(arena, LANES_MOST, MOST), groups, HOPPER_QUERIES / groups,
                    2.0 * HOPPER_KEYS * WIDTH / card_bytes(m, m->l2) };
    mat_fill(chart.idle, 1.0f);
    return chart;
}

// The last cell in which anything is done, and one.
static int end_of(const Chart *chart)
{
    int end = 0;
    for (int row = 0; row < LANES_MOST; row++)
        for (int c = 0; c < MOST; c++)
            if (*mat_ref(chart->idle, row, c) == 0.0f && c >= end) end = c + 1;
    return end;
}

void in_turns(Lesson *lesson)
{
    static const char *const lanes[2][LANES_MOST] = {
        { "copies", "products", "weights" },
        { "copies", "group 0: products", "weights", "group 1: products", "weights" },
    };
    const CardMeasured m = card_measured(lesson->arena);
    Chart chart[2] = { chart_of(lesson->arena, &m, 1), chart_of(lesson->arena, &m, HOPPER_GROUPS) };
    double alone = one_after_the_other(&chart[0]), turns = two_in_turns(&chart[1]);
    double works = 2 * product_cycles(HOPPER_QUERIES);
    int end = gpu_larger(end_of(&chart[0]), end_of(&chart[1]));
    Heatmap maps[2];
    for (int n = 0; n < 2; n++) {
        int count = 1 + 2 * chart[n].groups;
        maps[n] = (Heatmap){ .title = n ? "two groups of 64 queries, in turns" : "one after the other",
                             .row_labels = lanes[n],
                             .values = mat_block(chart[n].tile, 0, count, 0, end),
                             .hidden = mat_block(chart[n].idle, 0, count, 0, end),
                             .hidden_title = "idle",
                             .col_title = "time, 256 cycles a cell, rounded",
                             .colors = COLOR_VIRIDIS,
                             .low = 0,
                             .high = TILES - 1,
                             .decimals = -1,
                             .cell = 20,
                             .bar_title = "tile of keys" };
    }
    say(lesson,
        "d = %d, at full speed: scores, weights and values of a tile one after the other take %.0f cycles, by "
        "two groups in turns %.0f, what copying takes; the tensor cores work in %.0f of them.",
        WIDTH, alone, turns, works);
    check(lesson, fabs(alone - 2 * works) < 1 && turns < 1.1 * works,
          "two groups in turns need little more than half the time, and keep the tensor cores busy");
    figure_maps(lesson, "turns.png", "what is copied, multiplied and softened when: one after the other, and in turns",
                "Four tiles of 128 keys for 128 queries, d = 64 (H100)", maps, 2, 1);
}
