// Chapter 16, step 10. Which tiles a block works on, and in which order blocks start.
#include "lesson/matrices.h"
#include "steps.h"

static int64_t triangle(int64_t n) { return n * (n + 1) / 2; }

enum { CARDS_PARTS = 4, SHOWN_T = 1024, BLOCKS = SHOWN_T / MMA_QUERIES, LONGEST = 64 };

// Blocks are handed out in order, each to whoever is free first. What runs where and when, and when all is done.
static int handed_out(Mat when, Mat idle, bool longest_first)
{
    int free_at[CARDS_PARTS] = { 0 }, done = 0;
    mat_fill(idle, 1.0f);
    for (int n = 0; n < BLOCKS; n++) {
        GpuWork work = gpu_work(n, BLOCKS, 1, 1, longest_first);
        int takes = gpu_tiles_seen(work.tile * MMA_QUERIES, MMA_QUERIES, MMA_KEYS, SHOWN_T, SHOWN_T, true), who = 0;
        for (int p = 1; p < CARDS_PARTS; p++)
            if (free_at[p] < free_at[who]) who = p;
        mat_fill(mat_block(when, who, 1, free_at[who], takes), (float)work.tile);
        mat_fill(mat_block(idle, who, 1, free_at[who], takes), 0.0f);
        free_at[who] += takes;
        if (free_at[who] > done) done = free_at[who];
    }
    return done;
}

static void schedule_figure(Lesson *lesson)
{
    Mat when[2], idle[2];
    int done[2], all = 2 * (int)triangle(BLOCKS);
    for (int e = 0; e < 2; e++) {
        when[e] = mat_new(lesson->arena, CARDS_PARTS, LONGEST);
        idle[e] = mat_new(lesson->arena, CARDS_PARTS, LONGEST);
        done[e] = handed_out(when[e], idle[e], e);
    }
    int most = done[0] > done[1] ? done[0] : done[1];
    say(lesson,
        "%d queries are %d blocks, for %d multiprocessors that take one at a time: 2 + 4 + … + %d = %d tiles "
        "of keys, %d for each. In the order of the queries the last is done after %d, longest first after %d.",
        SHOWN_T, BLOCKS, CARDS_PARTS, 2 * BLOCKS, all, all / CARDS_PARTS, done[0], done[1]);
    check(lesson, done[1] < done[0] && done[1] == all / CARDS_PARTS, "longest first, nobody waits");
    static const char *const processors[CARDS_PARTS] = { "0", "1", "2", "3" };
    Heatmap maps[2];
    for (int e = 0; e < 2; e++)
        maps[e] = (Heatmap){ .title = e ? "longest first" : "in the order of the queries",
                             .row_labels = processors,
                             .values = mat_cols(when[e], 0, most),
                             .hidden = mat_cols(idle[e], 0, most),
                             .hidden_title = "idle",
                             .row_title = "multiproc.",
                             .col_title = "time, in tiles of keys",
                             .colors = COLOR_VIRIDIS,
                             .low = 0,
                             .high = BLOCKS - 1,
                             .decimals = -1,
                             .cell = 26,
                             .bar_title = "tile of queries" };
    figure_maps(lesson, "schedule.png", "which tile of queries is worked on where and when",
                "A head of 1024 queries, eight blocks, on four multiprocessors", maps, 2, 1);
}

static void count_tiles(Lesson *lesson, int d)
{
    enum { T = 512, N = T / MMA_KEYS };
    if (!can_run()) return;
    GpuProblem problem = problem_drawn(lesson, 1, 1, T, T, d, true, HALF_BFLOAT16);
    Counted mma = run(lesson, RUN_MMA, &problem);
    const int64_t products = 2 * (WARP_QUERIES / 16) * (MMA_KEYS / 8) * (d / 16), bytes = 4 * MMA_KEYS * d;
    say(lesson, "Causal, T = S = %d: %d warps with 32 queries each, %d tiles of 64 keys.", T, T / WARP_QUERIES, N);
    cost(lesson, "tiles worked on, warp by warp", mma.warp_products / products, "n·(n + 1), n = S / 64",
         2 * triangle(N));
    cost(lesson, "tiles copied, block by block", (mma.copied - 2 * T * d) / bytes, "2 + 4 + … + n",
         2 * triangle(T / MMA_QUERIES));
    check(lesson, problem_error(lesson->arena, &problem) < 0x1p-8, "and the outputs are right");
}

void which_tiles(Lesson *lesson, int d)
{
    step(lesson, "The next tile, and the longest first");
    count_tiles(lesson, d);
    schedule_figure(lesson);
}
