// Chapter 16, steps 8 and 9. Which lane of a warp holds what; where rows of a tile lie in the banks.
#include "lesson/matrices.h"
#include "steps.h"

// ---- 8

enum { FRAGMENTS = 3 };

static void fragment_figure(Lesson *lesson)
{
    Arena *arena = lesson->arena;
    Mat a = mat_new(arena, 16, 16), b = mat_new(arena, 16, 8), c = mat_new(arena, 16, 8);
    for (int lane = 0; lane < GPU_LANES; lane++)
        for (int reg = 0; reg < 4; reg++) {
            for (int half = 0; half < 2; half++) {
                GpuPlace in_a = mma_a(lane, reg, half);
                *mat_ref(a, in_a.row, in_a.col) = (float)lane;
                if (reg >= 2) continue; // B has two registers a lane
                GpuPlace in_b = mma_b(lane, reg, half);
                *mat_ref(b, in_b.row, in_b.col) = (float)lane;
            }
            GpuPlace in_c = mma_c(lane, reg);
            *mat_ref(c, in_c.row, in_c.col) = (float)lane;
        }
    Heatmap maps[FRAGMENTS] = {
        { .title = "A: queries, or weights", .values = a, .row_title = "query", .col_title = "channel, or key" },
        { .title = "B: keys, or values", .values = b, .row_title = "channel, or key", .col_title = "key, or channel" },
        { .title = "C: scores, or outputs", .values = c, .row_title = "query", .col_title = "key, or channel" },
    };
    for (int m = 0; m < FRAGMENTS; m++) {
        maps[m].colors = COLOR_CIVIDIS;
        maps[m].high = GPU_LANES - 1;
        maps[m].cell = 24;
        maps[m].bar_title = "lane";
        maps[m].zeros_count = true;
    }
    figure_maps(lesson, "fragments.png", "which lane of the warp holds which number", "mma.m16n8k16: who holds what",
                maps, FRAGMENTS, FRAGMENTS);
}

static void products_are_counted(Lesson *lesson, int d)
{
    enum { T = 128, S = 192 };
    if (!can_run()) return;
    GpuProblem problem = problem_drawn(lesson, 1, 1, T, S, d, false, HALF_BFLOAT16);
    Counted ran = run(lesson, RUN_MMA, &problem);
    cost(lesson,
         arena_format(lesson->arena, "operations of %d products, T = %d, S = %d, d = %d", (int)ran.warp_products, T, S,
                      d),
         ran.operations, "4·T·S·d", 4 * T * S * d);
}

void one_instruction(Lesson *lesson, int d)
{
    step(lesson, "One instruction");
    products_are_counted(lesson, d);
    say(lesson, "Each is 16 × 16 times 16 × 8: 2,048 multiply-adds, by 32 lanes. A lane holds eight numbers of A in "
                "four registers, four of B in two, and four of C.");

    enum { LANE = 13 };
    static const char *const columns[] = { "A: query", "key", "and key", "C: query", "key", "and key" };
    const char *name =
        arena_format(lesson->arena, "lane %d: weights in registers of A, scores in C that become them", LANE);
    Rows rows = rows_of(lesson, name, columns, 6);
    rows.table.decimals = -1;
    bool own = true;
    for (int lane = 0; lane < GPU_LANES; lane++)
        for (int reg = 0; reg < 4; reg++) {
            GpuPlace needs[2], has[2];
            for (int half = 0; half < 2; half++) {
                GpuPlace from = gpu_weight_from(reg, half);
                needs[half] = mma_a(lane, reg, half);
                has[half] = mma_c(lane, from.col);
                has[half].col += 8 * from.row;
                own = own && needs[half].row == has[half].row && needs[half].col == has[half].col;
            }
            if (lane == LANE)
                rows_add(&rows, ROW(needs[1].row, needs[0].col, needs[1].col, has[1].row, has[0].col, has[1].col),
                         "register %d", reg);
        }
    show_rows(lesson, &rows);
    check(lesson, own, "every weight is wanted in the lane that has made its score");
    fragment_figure(lesson);
}

// ---- 9

static void swizzle_figure(Lesson *lesson, int swizzle)
{
    Mat rows[2] = { mat_new(lesson->arena, 8, 8), mat_new(lesson->arena, 8, 8) };
    const char *const groups[] = { "0", "4", "8", "12", "16", "20", "24", "28" };
    const char *const names[] = { "0", "1", "2", "3", "4", "5", "6", "7" };
    for (int row = 0; row < 8; row++)
        for (int chunk = 0; chunk < 8; chunk++) {
            *mat_ref(rows[0], row, gpu_at(row, chunk, 64, 0) / GPU_CHUNK % 8) = (float)chunk;
            *mat_ref(rows[1], row, gpu_at(row, chunk, 64, swizzle) / GPU_CHUNK % 8) = (float)chunk;
        }
    Heatmap maps[2];
    for (int m = 0; m < 2; m++)
        maps[m] = (Heatmap){ .title = m ? arena_format(lesson->arena, "chunk ^ (row & %d)", swizzle) : "as they come",
                             .values = rows[m],
                             .row_labels = names,
                             .col_labels = groups,
                             .row_title = "row of the tile",
                             .col_title = "first of four banks",
                             .colors = COLOR_VIRIDIS,
                             .low = 0,
                             .high = 7,
                             .cell = 34,
                             .bar_title = "chunk of the row",
                             .zeros_count = true };
    figure_maps(lesson, "swizzle.png", "where the chunks of eight rows lie", "Eight rows of a tile in 32 banks", maps,
                2, 2);
}

// Turns that 32 banks of four bytes need for eight chunks: how many of them lie in the same four, at worst.
static int turns_of(const int *at)
{
    int count[8] = { 0 }, most = 0;
    for (int n = 0; n < 8; n++) most = gpu_larger(most, ++count[at[n] / GPU_CHUNK % 8]);
    return most;
}

// For chunk 0 … of rows 0 … 7, the most, when these bits of a row are mixed in.
static int turns_with(int swizzle, int d)
{
    int most = 0;
    for (int chunk = 0; chunk < d / GPU_CHUNK; chunk++) {
        int at[8];
        for (int row = 0; row < 8; row++) at[row] = gpu_at(row, chunk, d, swizzle);
        most = gpu_larger(most, turns_of(at));
    }
    return most;
}

static void other_swizzles(Lesson *lesson, int asked)
{
    static const char *const columns[] = { "d = 64", "d = 128" };
    Rows rows = rows_of(lesson, "turns for 8 rows, when a chunk lies at chunk ^ (row & bits)", columns, 2);
    rows.table.decimals = -1;
    for (int bits = 0; bits <= GPU_SWIZZLE; bits++) {
        bool left_to_try = bits == 5 || bits == 6;
        if (left_to_try && bits != asked) continue;
        rows_add(&rows, ROW(turns_with(bits, 64), turns_with(bits, 128)), "bits = %d", bits);
    }
    show_rows(lesson, &rows);
}

static void swizzles_are_counted(Lesson *lesson)
{
    enum { T = 128 };
    if (!can_run()) return;
    static const char *const columns[] = { "requests", "plain", "each", "swizzled", "each" };
    Rows rows = rows_of(lesson, "mma: requests to shared memory; how many turns they take", columns, 5);
    rows.table.decimals = -1;
    bool less = true, same = true;
    for (int d = 64; d <= 128; d *= 2) {
        GpuProblem problem = problem_drawn(lesson, 1, 1, T, T, d, false, HALF_BFLOAT16);
        Counted with = run(lesson, RUN_MMA, &problem);
        Mat out = problem_out(lesson->arena, &problem);
        Counted without = run(lesson, RUN_MMA_PLAIN, &problem);
        same = same && mat_equal(out, problem_out(lesson->arena, &problem));
        less = less && with.turns == 4 * with.shared;
        double loads = (double)with.matrices, copies = (double)with.arrivals;
        rows_add(&rows,
                 ROW(loads, (double)without.matrix_turns, (double)without.matrix_turns / loads,
                     (double)with.matrix_turns, (double)with.matrix_turns / loads),
                 "d = %d, loads", d);
        rows_add(&rows,
                 ROW(copies, (double)without.arrival_turns, (double)without.arrival_turns / copies,
                     (double)with.arrival_turns, (double)with.arrival_turns / copies),
                 "d = %d, copies", d);
    }
    show_rows(lesson, &rows);
    check(lesson, less, "with the swizzle every load and every copy of 512 bytes takes four turns, the least there is");
    check(lesson, same, "the results are the same to the bit");
}

void eight_rows(Lesson *lesson, Asked asked)
{
    step(lesson, "Eight rows, thirty-two banks");
    swizzles_are_counted(lesson);
    other_swizzles(lesson, asked.swizzle);
    swizzle_figure(lesson, asked.swizzle);
}
