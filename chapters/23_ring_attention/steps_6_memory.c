// Chapter 23, steps 6 and 7. What a rank holds, counted; and the way back.
#include "base/portable_math.h"
#include "steps.h"

#include <stdlib.h>

// ---- 6

static const ShareSequence measured = { .T = 768, .H = 2, .G = 2, .d = 16, .dv = 16, .mask = { .causal = true } };

static void figure_memory(Lesson *lesson, const double *x, const double *y, int count)
{
    enum { POINTS = 7 };
    static double ranks[POINTS], formula[POINTS], table[POINTS];
    for (int i = 0; i < POINTS; i++) {
        ranks[i] = exp2(i);
        formula[i] = (double)ring_memory(measured, 1 << i, 0) / 1000;
        table[i] = 4.0 * measured.T * measured.T / ranks[i] / 1000;
    }
    PlotSeries series[] = {
        { .name = "formula; dots: counted", .x = ranks, .y = formula, .count = POINTS, .dashed = true },
        { .x = x, .y = y, .count = count, .dots = true },
        { .name = "a T × T/R table", .x = ranks, .y = table, .count = POINTS }
    };
    figure_plot(lesson, "memory.png", "memory of a rank over the number of ranks: from two ranks on it is shared out",
                (Plot){ .title = "What one rank holds",
                        .x_title = "ranks R",
                        .y_title = "kB",
                        .series = series,
                        .count = 3,
                        .log_x = true,
                        .log_y = true,
                        .height = 380 });
}

void memory_of_a_rank(Lesson *lesson, const Asked *asked)
{
    step(lesson, "What a rank holds");
    int counts[LISTED], n = rank_counts(asked->ranks->count, counts);
    ShareSequence s = measured;
    Task task = { .s = s, .seed = 6 };
    Gathered *got = gathered_new(lesson->arena, s, false);
    static const char *const cols[] = { "rows", "own", "rooms", "counted" };
    Rows table = rows_of(lesson, arena_format(lesson->arena, "kB of rank 0: T = %d, H = G = %d, d = %d", s.T, s.H, s.d),
                         cols, 4);
    table.table.whole = 1;
    double *x = arena_alloc(lesson->arena, sizeof *x * LISTED), *y = arena_alloc(lesson->arena, sizeof *y * LISTED);
    bool exact = true;
    for (int i = 0; i < n; i++) {
        int R = counts[i], rows = share_of(s.layout, s.T, R, 0).rows;
        run_task(asked, R, ring_work, &task, got);
        // Every matrix begins at a multiple of 64 bytes: shares that do not divide cost a little more.
        for (int r = 0; r < R; r++)
            exact = exact && llabs(got->memory[r] - ring_memory(s, R, r)) <= (s.T % (16 * R) ? 64 * 11 : 0);
        double own = 4e-3 * rows * (s.H * (s.d + s.dv + 1) + s.G * (s.d + s.dv));
        x[i] = R;
        y[i] = (double)got->memory[0] / 1000;
        rows_add(&table, ROW(rows, own, y[i] - own, y[i]), "R = %d", R);
    }
    show_rows(lesson, &table);
    check(lesson, exact,
          "on every rank: own rows of q, k, v, out and lse, room for two blocks more from 3 ranks on, "
          "and one head's part");
    int R = asked->ranks->count;
    if (R > 2 && s.T % (16 * R) == 0)
        cost(lesson, arena_format(lesson->arena, "bytes of each row on %d ranks", R), got->memory[0] * R / s.T,
             "4 (H(d + dv + 1) + 3 G(d + dv) + dv + 1), whatever R",
             4 * (s.H * (s.d + s.dv + 1) + 3 * s.G * (s.d + s.dv) + s.dv + 1));
    figure_memory(lesson, x, y, n);
}

// ---- 7

void the_way_back(Lesson *lesson, const Asked *asked)
{
    step(lesson, "And back");
    int counts[LISTED], n = rank_counts(asked->ranks->count, counts);
    ShareSequence s = { .T = asked->tokens,
                        .H = asked->heads,
                        .G = asked->keys,
                        .d = 16,
                        .dv = 16,
                        .layout = (ShareLayout)asked->layout,
                        .mask = mask_named(asked->mask) };
    Task task = { .s = s, .seed = 7, .back = true };
    Gathered *one = gathered_new(lesson->arena, s, true), *got = gathered_new(lesson->arena, s, true);
    task.s.layout = SHARE_CONTIGUOUS;
    run_task(asked, 1, ring_work, &task, one);
    task.s.layout = s.layout;
    static const char *const cols[] = { "dq", "dk", "dv", "kB there", "kB back" };
    Rows table = rows_of(lesson,
                         arena_format(lesson->arena, "differences to one rank, 10⁻⁷; kB of all ranks; %s, %s",
                                      mask_names[asked->mask], share_layout_names[asked->layout]),
                         cols, 5);
    double worst = 0.0;
    bool twice = true;
    for (int i = 0; i < n; i++) {
        int R = counts[i];
        int64_t there = 0, back = 0;
        run_task(asked, R, ring_work, &task, got);
        for (int r = 0; r < R; r++) {
            there += got->bytes[r];
            back += got->back_bytes[r];
        }
        double dq = relative(got->to.q, one->to.q), dk = relative(got->to.k, one->to.k);
        double dv = relative(got->to.v, one->to.v);
        worst = fmax(worst, fmax(dq, fmax(dk, dv)));
        twice = twice && back == 2 * there && there == (int64_t)4 * (R - 1) * s.T * s.G * (s.d + s.dv);
        rows_add(&table, ROW(1e7 * dq, 1e7 * dk, 1e7 * dv, (double)there / 1000, (double)back / 1000), "R = %d", R);
    }
    show_rows(lesson, &table);
    check(lesson, worst < 2e-6, "the gradients of one rank, within 2 · 10⁻⁶ of their size");
    check(lesson, twice, "back, twice as many bytes: keys and values once more, and their gradients");
}
