// Chapter 16, steps 11 and 12. Hopper's own instructions beside those that they replace; what holds a kernel up.
#include "base/portable_math.h"
#include "lesson/matrices.h"
#include "steps.h"

// ---- 11

static DiagramArrow across(int from, int to, double from_shift, double to_shift, const char *label)
{
    return (DiagramArrow){ .from = from,
                           .to = to,
                           .leaves = DIAGRAM_RIGHT,
                           .enters = DIAGRAM_LEFT,
                           .from_shift = from_shift,
                           .to_shift = to_shift,
                           .label = label };
}

// Who waits for whom. Copies arrive at "here" barriers, multiplying warps at "free" ones.
static void roles_figure(Lesson *lesson)
{
    enum { TEAM, COPIES, ENGINE, MEMORY, QUERIES, STAGE0, STAGE1, OUTPUTS, GROUP0, GROUP1, BOXES };
    const Color blue = { 49, 104, 142 };
    const char *copier = arena_format(lesson->arena, "one lane, %d registers", HOPPER_COPY_REGISTERS);
    const char *rows[HOPPER_GROUPS];
    for (int n = 0; n < HOPPER_GROUPS; n++)
        rows[n] =
            arena_format(lesson->arena, "queries %d … %d\n%d registers", 64 * n, 64 * n + 63, HOPPER_GROUP_REGISTERS);
    const DiagramBox boxes[BOXES] = {
        [TEAM] = { .at = { 590, 52, 220, 312 }, .title = "in turns at the tensor cores", .group = true },
        [COPIES] = { .at = { 0, 0, 200, 60 }, .title = "copying warp", .lines = copier },
        [ENGINE] = { .at = { 0, 178, 200, 60 }, .title = "copy engine", .lines = "64 channels of a tile an order" },
        [MEMORY] = { .at = { 0, 304, 200, 60 }, .title = "memory, L2", .lines = "queries, keys, values; outputs" },
        [QUERIES] = { .at = { 320, 52, 156, 60 }, .title = "queries", .lines = "128, and the next 128", .color = blue },
        [STAGE0] = { .at = { 320, 136, 156, 60 }, .title = "buffer 0", .lines = "128 keys, 128 values", .color = blue },
        [STAGE1] = { .at = { 320, 220, 156, 60 }, .title = "buffer 1", .lines = "128 keys, 128 values", .color = blue },
        [OUTPUTS] = { .at = { 320, 304, 156, 60 },
                      .title = "outputs",
                      .lines = "64, by a group's order",
                      .color = blue },
        [GROUP0] = { .at = { 610, 96, 180, 82 }, .title = "warp group 0", .lines = rows[0] },
        [GROUP1] = { .at = { 610, 250, 180, 82 }, .title = "warp group 1", .lines = rows[1] },
    };
    const DiagramArrow arrows[] = {
        { .from = COPIES, .to = ENGINE, .label = "orders" },
        across(ENGINE, QUERIES, -21, 0, NULL),
        across(ENGINE, STAGE0, -7, 0, NULL),
        across(ENGINE, STAGE1, 7, 0, NULL),
        across(QUERIES, TEAM, 0, -126, "here"),
        across(STAGE0, TEAM, 0, -42, "here"),
        across(STAGE1, TEAM, 0, 42, "here"),
        { .from = TEAM, .to = OUTPUTS, .leaves = DIAGRAM_LEFT, .enters = DIAGRAM_RIGHT, .from_shift = 126 },
        { .from = OUTPUTS, .to = ENGINE, .leaves = DIAGRAM_LEFT, .enters = DIAGRAM_RIGHT, .to_shift = 21 },
        { .from = MEMORY, .to = ENGINE, .from_shift = -30, .to_shift = -30 },
        { .from = ENGINE, .to = MEMORY, .from_shift = 30, .to_shift = 30 },
        { .from = TEAM,
          .to = COPIES,
          .leaves = DIAGRAM_TOP,
          .enters = DIAGRAM_RIGHT,
          .bend = 1,
          .dashed = true,
          .label = "free",
          .label_y = -8 },
    };
    figure_diagram(lesson, "roles.png", "who copies, who multiplies, and what they wait for",
                   (Diagram){ .title = "hopper.cu: a block",
                              .boxes = boxes,
                              .box_count = BOXES,
                              .arrows = arrows,
                              .arrow_count = sizeof arrows / sizeof *arrows });
}

static void beside_mma(Lesson *lesson, int d)
{
    enum { T = 256 };
    if (!can_run()) return;
    GpuProblem problem = problem_drawn(lesson, 1, 1, T, T, d, false, HALF_BFLOAT16);
    Counted mma = run(lesson, RUN_MMA, &problem), hopper = run(lesson, RUN_HOPPER, &problem);

    static const char *const names[] = { "mma", "hopper" };
    Rows table = rows_of(lesson, arena_format(lesson->arena, "T = S = %d, d = %d, counted", T, d), names, 2);
    table.table.decimals = -1;
    const struct {
        const char *what;
        int64_t mma, hopper;
    } lines[] = {
        { "products", mma.warp_products, hopper.group_products },
        { "multiply-adds of one, mean", mma.operations / 2 / mma.warp_products,
          hopper.operations / 2 / hopper.group_products },
        { "orders to fetch", mma.copies, hopper.copies },
        { "bytes of one", mma.copied / mma.copies, hopper.copied / hopper.copies },
        { "loads into registers", mma.matrices, hopper.matrices },
        { "barriers for all threads", mma.barriers, hopper.barriers },
    };
    for (size_t n = 0; n < sizeof lines / sizeof *lines; n++)
        rows_add(&table, ROW((double)lines[n].mma, (double)lines[n].hopper), "%s", lines[n].what);
    show_rows(lesson, &table);
    check(lesson, !hopper.finding && mma.operations == hopper.operations, "both do 4·T·S·d operations");
    check(lesson, problem_error(lesson->arena, &problem) < 0x1p-8, "hopper is within 2⁻⁸ of float64 (relative)");
}

void hoppers_own(Lesson *lesson, int d)
{
    step(lesson, "Hopper's own instructions");
    beside_mma(lesson, d);
    roles_figure(lesson);
}

// ---- 12. Cycles that a multiprocessor takes for 128 queries and 128 keys, if nothing but this held it up.

enum { PAIRS = 128, GROUP_QUERIES = HOPPER_QUERIES / HOPPER_GROUPS };
enum { PRODUCTS, POWERS, SHARED_MMA, SHARED_HOPPER, FROM_CACHE, FROM_MEMORY, LIMITS };
static const char *const limit_names[LIMITS] = {
    "tensor cores, wgmma",   "exponentials",         "shared memory, mma",
    "shared memory, hopper", "keys, values from L2", "from memory",
};

// Keys, values, and queries for each tile of keys, by every warp or warp group; and what is copied there.
static double shared_turns(int d, int rows_of_one, int keys)
{
    double loads = 2.0 * d * (2 * keys + rows_of_one) * (PAIRS / rows_of_one) * (PAIRS / keys);
    return (loads + 2.0 * d * 2 * PAIRS) / CARD_BANK_BYTES;
}

typedef struct {
    double of[LIMITS];
} Limits;
static Limits limits_of(const CardMeasured *m, int d)
{
    const double copied = 2.0 * d * 2 * PAIRS;
    return (Limits){ {
        [PRODUCTS] = 4.0 * PAIRS * PAIRS * d / CARD_CYCLE_FLOPS,
        [POWERS] = (double)PAIRS * PAIRS / CARD_CYCLE_POWERS,
        [SHARED_MMA] = shared_turns(d, WARP_QUERIES, MMA_KEYS),
        [SHARED_HOPPER] = shared_turns(d, GROUP_QUERIES, HOPPER_KEYS),
        [FROM_CACHE] = copied / card_bytes(m, m->l2),
        [FROM_MEMORY] = copied / card_bytes(m, m->memory),
    } };
}

// Where the cycles of the table come from. What shared memory gives in a cycle are 64 numbers: rows of d count.
static void derived(Lesson *lesson, const CardMeasured *m)
{
    enum { COPIED = 2 * PAIRS, WARPS = PAIRS / WARP_QUERIES };
    say_lines(lesson, arena_format(lesson->arena,
                                   "tensor cores    4 · %d · %d · d operations / %d\n"
                                   "exponentials    %d · %d / %d\n"
                                   "shared memory   rows · 2 · d bytes / %d, with these rows:\n"
                                   "    mma         %d copied there + %d warps · %d + %d tiles · %d queries\n"
                                   "    hopper      %d copied there + %d groups · %d + %d queries\n"
                                   "L2, memory      %d · 2 · d bytes / %.2f, / %.2f",
                                   PAIRS, PAIRS, CARD_CYCLE_FLOPS, PAIRS, PAIRS, CARD_CYCLE_POWERS, CARD_BANK_BYTES,
                                   COPIED, WARPS, COPIED, PAIRS / MMA_KEYS, PAIRS, COPIED, PAIRS / GROUP_QUERIES,
                                   COPIED, PAIRS, COPIED, card_bytes(m, m->l2), card_bytes(m, m->memory)));
}

static void limits_figure(Lesson *lesson, const Limits *limits)
{
    static const char *const groups[LIMITS] = { "tensor cores",   "exponentials", "shared: mma",
                                                "shared: hopper", "L2",           "memory" };
    static const char *const series[] = { "d = 64", "d = 128" };
    double values[LIMITS * 2];
    for (int n = 0; n < LIMITS; n++)
        for (int wide = 0; wide < 2; wide++) values[n * 2 + wide] = limits[wide].of[n];
    figure_bars(lesson, "limits.png", "cycles for 128 queries and 128 keys, if one thing alone held a kernel up",
                (PlotBars){ .title = "Cycles of a multiprocessor for 128 queries and 128 keys (H100)",
                            .y_title = "cycles",
                            .groups = groups,
                            .series = series,
                            .group_count = LIMITS,
                            .series_count = 2,
                            .values = values,
                            .width = 780 });
}

void what_holds_it_up(Lesson *lesson)
{
    step(lesson, "What holds a kernel up");
    static const char *const names[] = { "d = 64", "d = 128" };
    const CardMeasured m = card_measured(lesson->arena);
    const Limits limits[] = { limits_of(&m, 64), limits_of(&m, 128) }, *narrow = &limits[0], *wide = &limits[1];
    say(lesson,
        "In a cycle a multiprocessor of an H100 does %d operations of tensor cores and %d exponentials; shared "
        "memory gives it %d bytes, and at %.0f MHz L2 %.0f, memory %.0f. Maxima, sums and rounding, which take cycles "
        "too, are left out.",
        CARD_CYCLE_FLOPS, CARD_CYCLE_POWERS, CARD_BANK_BYTES, 1e-6 * m.clock, card_bytes(&m, m.l2),
        card_bytes(&m, m.memory));
    Rows table = rows_of(lesson, "cycles of a multiprocessor for 128 queries and 128 keys", names, 2);
    table.table.decimals = -1;
    for (int n = 0; n < LIMITS; n++)
        rows_add(&table, ROW(round(narrow->of[n]), round(wide->of[n])), "%s", limit_names[n]);
    show_rows(lesson, &table);
    derived(lesson, &m);
    check(lesson,
          fabs(wide->of[FROM_CACHE] / wide->of[PRODUCTS] - 1) < 0.1 && wide->of[FROM_MEMORY] > 2.5 * wide->of[PRODUCTS],
          "L2 takes as long as the tensor cores, to within a tenth, and memory more than twice as long");
    check(lesson, narrow->of[POWERS] >= narrow->of[PRODUCTS],
          "with d = 64 the exponentials take as long as the products");
    check(lesson, wide->of[SHARED_MMA] > wide->of[PRODUCTS] && wide->of[SHARED_HOPPER] < wide->of[PRODUCTS],
          "shared memory is slower than the tensor cores for mma, and not for hopper");
    limits_figure(lesson, limits);
    in_turns(lesson);
    if (!can_run()) return;
    enum { D = 128 };
    GpuProblem problem = problem_drawn(lesson, 1, 1, PAIRS, 2 * PAIRS, D, false, HALF_BFLOAT16), half = problem;
    half.S = PAIRS;
    Counted two = run(lesson, RUN_MMA, &problem), one = run(lesson, RUN_MMA, &half);
    cost(lesson, "turns of mma, d = 128, for 128 more keys", two.turns - one.turns, "as in the table",
         (int64_t)wide->of[SHARED_MMA]);
}
