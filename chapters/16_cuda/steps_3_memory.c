// Chapter 16, steps 3 to 5. What a warp asks of memory, in pieces; tiles in shared memory, and its banks; a barrier
// that is left out.
#include "attention/attention.h"
#include "lesson/matrices.h"
#include "steps.h"

static Mat drawn(Lesson *lesson, int rows, int cols)
{
    Mat m = mat_new(lesson->arena, rows, cols);
    random_normals(&lesson->random, m);
    return m;
}

// ---- 3

// Which numbers of K 32 lanes ask for at one value of c, and which come along: `hidden`. A piece has eight float32;
// every other one is a shade lighter.
static Heatmap asked_map(Arena *arena, bool turned, int c)
{
    enum { KEYS = 32, CHANNELS = 32, PIECE = 8 };
    int rows = turned ? CHANNELS : KEYS, cols = turned ? KEYS : CHANNELS;
    Mat asked = mat_new(arena, rows, cols), along = mat_new(arena, rows, cols);
    for (int lane = 0; lane < KEYS; lane++) {
        int row = turned ? c : lane, col = turned ? lane : c;
        mat_fill(mat_block(along, row, 1, col / PIECE * PIECE, PIECE), 1.0f);
        *mat_ref(asked, row, col) = 1.0f;
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            if (*mat_ref(asked, i, j) > 0) *mat_ref(along, i, j) = 0.0f;
            else if (j / PIECE % 2) *mat_ref(asked, i, j) = 0.07f;
        }
    return (Heatmap){ .title = turned ? "k (d, S): 4 pieces" : "k (S, d): 32 pieces",
                      .values = asked,
                      .hidden = along,
                      .hidden_title = "comes along",
                      .row_title = turned ? "channel" : "key",
                      .col_title = turned ? "key" : "channel",
                      .colors = COLOR_VIRIDIS,
                      .low = 0,
                      .high = 1,
                      .decimals = -1,
                      .cell = 9,
                      .no_bar = true,
                      .low_name = "stays: a shade a piece",
                      .high_name = "asked for" };
}

void asked_together(Lesson *lesson)
{
    step(lesson, "What a warp asks for");
    enum { T = 64, D = 64, WARPS = T * T / GPU_LANES };
    const Heatmap maps[] = { asked_map(lesson->arena, false, 5), asked_map(lesson->arena, true, 5) };
    figure_maps(lesson, "pieces.png", "what 32 lanes ask of K at one value of c",
                "32 lanes read K, in pieces of 32 bytes: eight numbers", maps, 2, 2);
    if (!can_run()) return;
    Mat q = drawn(lesson, T, D), k = drawn(lesson, T, D), turned = mat_new(lesson->arena, D, T);
    Mat scores = mat_new(lesson->arena, T, T), same = mat_new(lesson->arena, T, T), back = mat_new(lesson->arena, T, T);
    for (int j = 0; j < T; j++)
        for (int c = 0; c < D; c++) *mat_ref(turned, c, j) = *mat_ref(k, j, c);
    Counted rows = run_first(lesson, scores, q, k, false, false);
    Counted columns = run_first(lesson, same, q, turned, true, false);
    run_first(lesson, back, q, k, false, true);

    static const char *const names[] = { "requests", "pieces", "each", "KiB asked", "KiB used" };
    Rows table = rows_of(lesson, arena_format(lesson->arena, "first_scores, T = S = d = %d, counted", T), names, 5);
    table.table.decimals = 1;
    table.table.whole = 1 << 0 | 1 << 1 | 1 << 3 | 1 << 4;
    const Counted *both[] = { &rows, &columns };
    for (int n = 0; n < 2; n++)
        rows_add(&table,
                 ROW((double)both[n]->requests, (double)both[n]->pieces,
                     (double)both[n]->pieces / (double)both[n]->requests, (double)both[n]->pieces / 32,
                     4.0 * WARPS * (D * (1 + 32) + 32) / 1024),
                 n ? "k (d, S)" : "k (S, d)");
    show_rows(lesson, &table);
    say(lesson, "In the formulas 1 is q's piece, the 32 or 4 beside it are k's, the last 4 the scores'.");
    cost(lesson, "pieces, k (S, d)", rows.pieces, "warps · (d·(1 + 32) + 4)", WARPS * (D * 33 + 4));
    cost(lesson, "pieces, k (d, S)", columns.pieces, "warps · (d·(1 + 4) + 4)", WARPS * (D * 5 + 4));
    check(lesson, mat_equal(scores, same), "the scores are the same to the bit");
    check(lesson, mat_equal(scores, back), "and so they are when the last thread goes first");
}

// ---- 4

// In which bank each number of a tile lies; a warp reads the framed column, two lanes the same number.
static void bank_figure(Lesson *lesson)
{
    enum { SIDE = 16, BANKS = 32 };
    Heatmap maps[2];
    for (int more = 0; more < 2; more++) {
        Mat banks = mat_new(lesson->arena, SIDE, SIDE + more);
        for (int i = 0; i < SIDE; i++)
            for (int j = 0; j < SIDE + more; j++) *mat_ref(banks, i, j) = (float)((i * (SIDE + more) + j) % BANKS);
        maps[more] = (Heatmap){ .title = more ? "rows of 17" : "rows of 16",
                                .values = banks,
                                .row_title = "row",
                                .colors = COLOR_CIVIDIS,
                                .low = 0,
                                .high = BANKS - 1,
                                .cell = 22,
                                .bar_title = "bank",
                                .zeros_count = true,
                                .mark_row = 1,
                                .mark_col = 3,
                                .mark_rows = SIDE,
                                .mark_cols = 1 };
    }
    figure_maps(lesson, "banks.png", "in which bank each number of a tile lies",
                "A tile in 32 banks, and a column of it", maps, 2, 2);
}

void tiles_and_banks(Lesson *lesson)
{
    step(lesson, "Tiles, and thirty-two banks");
    bank_figure(lesson);
    if (!can_run()) {
        say(lesson, "Left out.");
        return;
    }
    enum { T = 64, D = 64 };
    GpuProblem problem = problem_drawn(lesson, 1, 1, T, T, D, false, HALF_FLOAT16);
    Counted naive = run(lesson, RUN_NAIVE, &problem), wide = run(lesson, RUN_TILES, &problem);
    Mat out = problem_out(lesson->arena, &problem);
    Counted narrow = run(lesson, RUN_TILES_NARROW, &problem);
    static const char *const names[] = { "pieces", "loads", "turns", "stores", "turns" };
    const char *title = arena_format(lesson->arena, "T = S = d = %d: pieces of memory; requests to shared memory", T);
    Rows table = rows_of(lesson, title, names, 5);
    table.table.decimals = -1;
    const Counted *all[] = { &naive, &wide, &narrow };
    static const char *const of[] = { "naive", "tiles, rows of 17", "tiles, rows of 16" };
    for (int n = 0; n < 3; n++)
        rows_add(&table,
                 ROW((double)all[n]->pieces, (double)all[n]->loads, (double)all[n]->load_turns, (double)all[n]->stores,
                     (double)all[n]->store_turns),
                 "%s", of[n]);
    show_rows(lesson, &table);
    check(lesson, wide.load_turns == wide.loads, "in rows of 17 every load takes one turn");
    check(lesson, mat_equal(out, problem_out(lesson->arena, &problem)), "the results are the same to the bit");
}

// ---- 5

// Of a block two threads, a fast one and a slow one: what they do when, in points from the left. `open`: without the
// barrier behind the sums.
typedef struct {
    const char *does;
    double from, to;
    bool quiet, marked;
} Doing;
enum { DOINGS = 5, LINES = 4, WAIT_BOXES = 2 * (LINES + 2 * DOINGS) + 8 };

static int put_line(DiagramBox *boxes, double y, const char *who, const Doing *doings)
{
    int count = 0;
    boxes[count++] = (DiagramBox){ .at = { 0, y, 80, 32 }, .lines = who, .bare = true };
    for (int n = 0; n < DOINGS && doings[n].does; n++)
        boxes[count++] = (DiagramBox){ .at = { doings[n].from, y, doings[n].to - doings[n].from, 32 },
                                       .lines = doings[n].does,
                                       .bare = doings[n].quiet,
                                       .marked = doings[n].marked };
    return count;
}

static void waits_figure(Lesson *lesson)
{
    static const Doing fast[2][DOINGS] = {
        { { "writes tile 0", 90, 190, 0, 0 },
          { "waits", 190, 270, 1, 0 },
          { "sums up", 280, 370, 0, 0 },
          { "waits", 370, 450, 1, 0 },
          { "writes tile 1", 460, 560, 0, 0 } },
        { { "writes tile 0", 90, 190, 0, 0 },
          { "waits", 190, 270, 1, 0 },
          { "sums up", 280, 370, 0, 0 },
          { "writes tile 1", 370, 470, 0, 1 } },
    };
    static const Doing slow[2][DOINGS] = {
        { { "writes tile 0", 90, 270, 0, 0 }, { "sums up", 280, 450, 0, 0 }, { "writes tile 1", 460, 640, 0, 0 } },
        { { "writes tile 0", 90, 270, 0, 0 },
          { "sums up: of tile 0, or 1?", 280, 450, 0, 1 },
          { "writes tile 1", 450, 630, 0, 0 } },
    };
    DiagramBox boxes[WAIT_BOXES];
    DiagramArrow arrows[3];
    DiagramLabel labels[5];
    int count = 0, lines = 0;
    for (int open = 0; open < 2; open++) {
        double y = 166 * open;
        labels[open] = (DiagramLabel){ 90,
                                       y + 12,
                                       { .size = 13, .face = CANVAS_SANS_BOLD },
                                       open ? "without the second barrier" : "with both barriers" };
        count += put_line(boxes + count, y + 40, "fast thread", fast[open]);
        count += put_line(boxes + count, y + 84, "slow thread", slow[open]);
        for (int barrier = 0; barrier < 2 - open; barrier++) {
            double x = barrier ? 455 : 275;
            labels[2 + lines] = (DiagramLabel){ x, y + 140, { .size = 11, .anchor = CANVAS_AT_MIDDLE }, "barrier" };
            boxes[count++] = (DiagramBox){ .at = { x, y + 28, 0, 0 }, .bare = true };
            boxes[count++] = (DiagramBox){ .at = { x, y + 126, 0, 0 }, .bare = true };
            arrows[lines++] = (DiagramArrow){ .from = count - 2,
                                              .to = count - 1,
                                              .leaves = DIAGRAM_BOTTOM,
                                              .enters = DIAGRAM_TOP,
                                              .headless = true,
                                              .thick = 4 };
        }
    }
    figure_diagram(lesson, "waits.png", "who waits at a barrier, and what happens without one",
                   (Diagram){ .title = "A tile is filled, used, and filled anew",
                              .boxes = boxes,
                              .box_count = count,
                              .arrows = arrows,
                              .arrow_count = lines,
                              .labels = labels,
                              .label_count = 5 });
}

void a_barrier_left_out(Lesson *lesson)
{
    step(lesson, "A barrier left out");
    waits_figure(lesson);
    if (!can_run()) {
        say(lesson, "Left out.");
        return;
    }
    enum { T = 32, D = 64 };
    GpuProblem problem = problem_drawn(lesson, 1, 1, T, T, D, false, HALF_FLOAT16);
    Counted whole = run(lesson, RUN_TILES, &problem);
    double right = problem_error(lesson->arena, &problem);
    Counted open = run(lesson, RUN_TILES_OPEN, &problem);
    double wrong = problem_error(lesson->arena, &problem);
    say(lesson, "tiles.cu, T = S = %d, d = %d: %d barriers. Without the second of each two:", T, D,
        (int)whole.barriers);
    say(lesson, "%s", open.finding ? open.finding : "nothing was found");
    if (open.finding) say(lesson, "Thread 0 had gone on: what it wrote is of the next tile.");
    check(lesson, !whole.finding && right < 0x1p-11, "with all of them no race is found, and the outputs are right");
    check(lesson, open.finding && wrong > 0x1p-11, "without it a race is found, and the outputs are wrong");
}
