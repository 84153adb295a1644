// Chapter 12, step 6. How many users fit into one card, and how many tokens a second they get, with fewer key heads.
#include "base/portable_math.h"
#include "lesson/machines.h"
#include "steps.h"

#include <stdlib.h>

// LLaMA 3.1 8B in 16 bits; it has G = 8. What Wk and Wv get narrower is left out.
enum { LAYERS = 32, H = 32, WIDTH_D = 128, CONTEXT = 32768, KINDS = 3 };
static const double WEIGHTS = 16e9;
static const int HEADS[KINDS] = { 32, 8, 1 };

static double cache_of_user(int G) { return 2.0 * G * WIDTH_D * LAYERS * 2 * CONTEXT; }
static int users_that_fit(int G) { return (int)((1e9 * MACHINE_H100.memory - WEIGHTS) / cache_of_user(G)); }

// Two FLOPs for each weight, and for each query head with each number that it is compared or mixed with.
static double flops_a_byte(int G, int users)
{
    double each = WEIGHTS + 4.0 * H * WIDTH_D * LAYERS * CONTEXT;
    return users * each / (WEIGHTS + users * cache_of_user(G));
}

static void figure_tokens(Lesson *lesson)
{
    enum { POINTS = 8 };
    static double x[KINDS][POINTS], y[KINDS][POINTS];
    PlotSeries series[KINDS];
    for (int k = 0; k < KINDS; k++) {
        int most = users_that_fit(HEADS[k]), count = 0;
        for (int users = 1; count < POINTS; users *= 2) {
            int n = users < most ? users : most;
            x[k][count] = n;
            y[k][count++] = machine_tokens(MACHINE_H100, WEIGHTS, cache_of_user(HEADS[k]), n);
            if (n == most) break;
        }
        series[k] = (PlotSeries){
            .name = arena_format(lesson->arena, "G = %d", HEADS[k]), .x = x[k], .y = y[k], .count = count
        };
    }
    figure_plot(lesson, "tokens.png", "tokens a second until the card is full",
                (Plot){ .title = "LLaMA 3.1 8B on one H100, 32,768 tokens a user",
                        .x_title = "users",
                        .y_title = "tokens a second of all users together, at most",
                        .series = series,
                        .count = KINDS,
                        .log_x = true,
                        .log_y = true });
}

// One query a head over a cache of G key heads, under the roofs of the book's core, in 32 bits, and of a card, in 16.
static void figure_roofline(Lesson *lesson)
{
    enum { ROOF = 3, DOTS = 4 };
    static const int heads[DOTS] = { 32, 8, 2, 1 };
    static double x[2][ROOF], roofs[2][ROOF], at[2][DOTS], reached[2][DOTS];
    const Machine machines[] = { machine_core(), MACHINE_H100 };
    const char *names[DOTS];
    for (int n = 0; n < DOTS; n++) names[n] = arena_format(lesson->arena, "G = %d", heads[n]);
    for (int m = 0; m < 2; m++) {
        for (int p = 0; p < ROOF; p++) {
            x[m][p] = p == 0 ? 0.25 : p == 1 ? machine_ridge(machines[m]) : 1024.0;
            roofs[m][p] = machine_reaches(machines[m], x[m][p]);
        }
        for (int n = 0; n < DOTS; n++) {
            at[m][n] = (m + 1) * H / (2.0 * heads[n]);
            reached[m][n] = machine_reaches(machines[m], at[m][n]);
        }
    }
    PlotSeries series[] = { { "one core, 32 bits", x[0], roofs[0], ROOF, false, false, NULL },
                            { "H100, 16 bits", x[1], roofs[1], ROOF, false, false, NULL },
                            { NULL, at[0], reached[0], DOTS, false, true, names },
                            { NULL, at[1], reached[1], DOTS, false, true, names } };
    figure_plot(lesson, "roofline.png", "one query a head over a cache of G key heads, under two roofs",
                (Plot){ .title = arena_format(lesson->arena,
                                              "A query for each of %d heads, and the cache of G key "
                                              "heads",
                                              H),
                        .x_title = "FLOPs a byte",
                        .y_title = "GFLOP/s, at most",
                        .series = series,
                        .count = 4,
                        .log_x = true,
                        .log_y = true,
                        .width = 760,
                        .height = 440 });
}

void a_card_full_of_users(Lesson *lesson)
{
    static const char *const columns[] = { "GB a user", "users", "tokens/s", "each", "FLOPs/byte" };
    step(lesson, "A card full of users");
    Rows rows = rows_of(lesson, "LLaMA 3.1 8B on one H100, 32,768 tokens a user: full, at most", columns, 5);
    rows.table.decimals = 1;
    rows.table.whole = 1 << 1;
    bool waits = true;
    for (int k = 0; k < KINDS; k++) {
        int G = HEADS[k], users = users_that_fit(G);
        double tokens = machine_tokens(MACHINE_H100, WEIGHTS, cache_of_user(G), users);
        waits = waits && flops_a_byte(G, users) < machine_ridge(MACHINE_H100);
        rows_add(&rows, ROW(cache_of_user(G) / 1e9, users, tokens, tokens / users, flops_a_byte(G, users)), "G = %d",
                 G);
    }
    show_rows(lesson, &rows);
    say(lesson,
        "Weights of 16 GB, in 16 bits; the model has G = 8. The cache alone: H / G FLOPs a byte, so %d at "
        "G = 1.",
        H);
    check(lesson, waits, "memory is the limit in all rows: the card could do %.0f FLOPs a byte",
          machine_ridge(MACHINE_H100));
    double ridge = machine_ridge(machine_core());
    int G = H;
    while (G > 1 && H / (2.0 * G) < ridge) G /= 2;
    check(lesson, H / (2.0 * G) >= ridge,
          "on the core of chapter 11, in 32 bits, H / (2 G) FLOPs a byte: above its %.1f from G = %d down", ridge, G);
    say(lesson,
        "Measured there with G = 8 and 32,768 keys (chapter 11, step 8): %.1f %% of its bandwidth where each "
        "key head's cache lies in a place of its own, %.1f %% from one wide cache, as in step 5.",
        100 * machine_core_decode(), 100 * machine_core_decode_views());
    figure_roofline(lesson);
    figure_tokens(lesson);
}
