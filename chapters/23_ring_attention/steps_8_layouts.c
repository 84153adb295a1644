// Chapter 23, step 8. Under a causal mask: who has how much to do.
#include "base/portable_math.h"
#include "steps.h"

enum { SMALL = 16 };

// Which rank computes which scores, in a small sequence.
static Heatmap map_of_layout(Lesson *lesson, ShareLayout layout, int R)
{
    Mat ranks = mat_new(lesson->arena, SMALL, SMALL);
    for (int r = 0; r < R; r++) {
        Share share = share_of(layout, SMALL, R, r);
        for (int n = 0; n < share.count; n++)
            for (int i = 0; i < share.runs[n].count; i++)
                for (int j = 0; j < SMALL; j++)
                    *mat_ref(ranks, share.runs[n].first + i * share.runs[n].step, j) = (float)(r + 1);
    }
    return (Heatmap){ .title = share_layout_names[layout],
                      .values = ranks,
                      .ramp = RAMP_NAMES,
                      .decimals = -1,
                      .low = 0,
                      .high = R,
                      .hidden = mat_hidden(lesson->arena, (Mask){ .causal = true }, SMALL, SMALL),
                      .bar_title = "rank",
                      .cell = 15,
                      .row_title = "query",
                      .col_title = "key" };
}

typedef struct {
    double work[RANKS_MOST], slowest[RANKS_MOST], all, longest;
} Balance;

static Balance balance_of(Lesson *lesson, const Asked *asked, Task task, int R)
{
    Balance b = { .all = 0.0 };
    Gathered *got = gathered_new(lesson->arena, task.s, false);
    run_task(asked, R, ring_work, &task, got);
    for (int r = 0; r < R; r++) {
        for (int t = 0; t < R; t++) {
            double work = (double)got->steps[r * R + t].multiplies / 1e3;
            b.work[r] += work;
            b.slowest[t] = fmax(b.slowest[t], work);
        }
        b.all += b.work[r];
    }
    for (int t = 0; t < R; t++) b.longest += b.slowest[t];
    return b;
}

static void figure_balance(Lesson *lesson, const Balance *of, int R)
{
    double *values = arena_alloc(lesson->arena, sizeof *values * (size_t)(SHARE_LAYOUTS * R));
    for (int layout = 0; layout < SHARE_LAYOUTS; layout++)
        for (int r = 0; r < R; r++) values[layout * R + r] = of[layout].work[r] / (of[layout].all / R);
    figure_bars(lesson, "balance.png", "work of each rank under a causal mask, against the mean",
                (PlotBars){ .title = "Work of each rank, causal",
                            .y_title = "of the mean",
                            .groups = share_layout_names,
                            .series = numbered(lesson->arena, "rank ", R),
                            .group_count = SHARE_LAYOUTS,
                            .series_count = R,
                            .values = values,
                            .decimals = R <= 6 ? 2 : -1,
                            .width = 720,
                            .height = 340 });
}

void who_waits(Lesson *lesson, const Asked *asked)
{
    step(lesson, "Who waits for whom");
    int R = asked->ranks->count, few = R < 4 ? R : 4;
    int n = 24, T = n * R;
    Task task = { .s = { .T = T, .H = 2, .G = 2, .d = 16, .dv = 16, .mask = { .causal = true } },
                  .seed = 8,
                  .walked = true };
    Heatmap maps[SHARE_LAYOUTS];
    Balance of[SHARE_LAYOUTS];
    Rows work = rows_of(lesson, arena_format(lesson->arena, "10³ multiplications of each rank: T = %d, causal", T),
                        numbered(lesson->arena, R > 9 ? "" : "rank ", R), R);
    Rows slow =
        rows_of(lesson, "those of the slowest rank in each step", numbered(lesson->arena, R > 9 ? "" : "step ", R), R);
    static const char *const cols[] = { "all steps", "mean rank", "quotient" };
    Rows longest = rows_of(lesson, "if every step lasts as long as its slowest rank", cols, 3);
    for (int layout = 0; layout < SHARE_LAYOUTS; layout++) {
        maps[layout] = map_of_layout(lesson, (ShareLayout)layout, few);
        task.s.layout = (ShareLayout)layout;
        of[layout] = balance_of(lesson, asked, task, R);
        rows_add(&work, of[layout].work, "%s", share_layout_names[layout]);
        rows_add(&slow, of[layout].slowest, "%s", share_layout_names[layout]);
        double mean = of[layout].all / R;
        rows_add(&longest, ROW(of[layout].longest, mean, of[layout].longest / mean), "%s", share_layout_names[layout]);
    }
    figure_maps(lesson, "layouts.png", "which rank computes which scores: three ways to share 16 positions out",
                "Who computes which scores", maps, SHARE_LAYOUTS, 3);
    show_rows(lesson, &work);
    show_rows(lesson, &slow);
    show_rows(lesson, &longest);

    // Pairs in sight, and the merges of n rows with R − 1 blocks: two products for each output.
    ShareSequence s = task.s;
    int64_t last = R - 1, pairs = (int64_t)n * (n + 1) / 2 + last * n * n;
    cost(lesson, "multiplications of the last rank, contiguous", llround(of[0].work[R - 1] * 1e3),
         "H(d + dv)(n(n + 1)/2 + (R - 1)n²) + (R - 1)n·2H·dv", s.H * (s.d + s.dv) * pairs + last * n * 2 * s.H * s.dv);
    if (R > 1) {
        double striped = of[1].longest / (of[1].all / R), zigzag = of[2].longest / (of[2].all / R);
        check(lesson, of[0].longest / (of[0].all / R) > 2.0 - 1.2 / R - 0.1,
              "contiguous: the last rank decides, %.2f "
              "times the mean; with many ranks, twice",
              of[0].longest / (of[0].all / R));
        check(lesson, striped < 1.2 && zigzag < 1.2, "striped and zigzag: %.2f and %.2f times", striped, zigzag);
    }
    figure_balance(lesson, of, R);
}
