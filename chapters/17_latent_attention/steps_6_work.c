// Chapter 17, step 6. Multiplications of both forms, counted, and from how many queries on it pays to make the keys.
#include "base/portable_math.h"
#include "steps.h"

// Of one layer with T new queries and S keys, all of them in sight; d and dv are the widths of a head.
typedef struct {
    int64_t H, c, dr, d, dv;
} Widths;
static const Widths V2 = { 128, 512, 64, 128, 128 };

static int64_t expanded(Widths w, int64_t T, int64_t S)
{
    return S * w.c * w.H * (w.d + w.dv) + T * S * w.H * (w.d + w.dr + w.dv);
}

static int64_t absorbed_form(Widths w, int64_t T, int64_t S)
{
    return T * w.H * w.c * (w.d + w.dv) + T * S * w.H * (2 * w.c + w.dr);
}

// Both formulas against the code, at several T of S.
static bool as_counted(Lesson *lesson)
{
    enum { S = 24, H = 3, C = 10, DR = 2, WIDE = 6 };
    Widths w = { H, C, DR, WIDE, WIDE };
    Arena *arena = lesson->arena;
    Mat rows = random_mat(lesson, S, C + DR), q = random_mat(lesson, S, H * (WIDE + DR));
    LatentHeads heads = { random_mat(lesson, C, H * WIDE), random_mat(lesson, C, H * WIDE), H, DR };
    Mask masks[H] = { { 0 } };
    bool as_formula = true;
    for (int T = 1; T <= S; T += T < 4 ? 1 : 5) {
        Attended to = { .out = mat_new(arena, T, H * WIDE) };
        for (int form = 0; form < 2; form++) {
            LatentCache cache = latent_cache_new(arena, S, C, DR);
            latent_cache_append(&cache, mat_rows(rows, 0, S - T));
            Cost start = cost_counted;
            (form ? latent_attend : latent_attend_expanded)(to, &cache, mat_rows(q, 0, T), mat_rows(rows, S - T, T),
                                                            heads, masks, attention_naive);
            int64_t want = form ? absorbed_form(w, T, S) : expanded(w, T, S);
            as_formula = as_formula && cost_since(start).multiplies == want;
        }
    }
    return as_formula;
}

// The first T at which making keys and values takes less; 0: none up to S.
static int64_t crossing(Widths w, int64_t S)
{
    for (int64_t T = 1; T <= S; T++)
        if (expanded(w, T, S) < absorbed_form(w, T, S)) return T;
    return 0;
}

static void figure_work(Lesson *lesson, int S, int64_t at)
{
    enum { POINTS = 13 };
    static double x[POINTS], y[3][POINTS];
    int count = 0;
    for (int T = 1; T <= S && count < POINTS; T *= 2, count++) {
        x[count] = T;
        y[0][count] = (double)expanded(V2, T, S) / 1e9;
        y[1][count] = (double)absorbed_form(V2, T, S) / 1e9;
        y[2][count] = 1e-9 * (double)(T * (int64_t)S * V2.H * (V2.d + V2.dr + V2.dv));
    }
    const char *title = arena_format(lesson->arena, "One layer of DeepSeek-V2, %d keys", S);
    if (at) title = arena_format(lesson->arena, "%s: both forms cross at T = %d", title, (int)at);
    double crossed = (double)at, there = (double)expanded(V2, at, S) / 1e9;
    PlotSeries series[] = { { .name = "expanded", .x = x, .y = y[0], .count = count },
                            { .name = "absorbed", .x = x, .y = y[1], .count = count },
                            { .name = "keys kept, as in MHA", .x = x, .y = y[2], .count = count, .dashed = true },
                            { .x = &crossed, .y = &there, .count = 1, .dots = true } };
    figure_plot(lesson, "work.png", "multiplications of one layer of DeepSeek-V2, by queries at a time",
                (Plot){ .title = title,
                        .x_title = "queries T at a time",
                        .y_title = "10⁹ multiplications",
                        .series = series,
                        .count = at ? 4 : 3,
                        .log_x = true,
                        .log_y = true });
}

void multiplications(Lesson *lesson, int S)
{
    step(lesson, "Work for fewer bytes");
    check(lesson, as_counted(lesson),
          "counted in both forms, for many T: expanded S·c·H(d + dv) + T·S·H(d + dr + dv), "
          "absorbed T·c·H(d + dv) + T·S·H(2c + dr)");
    static const char *const cols[] = { "expanded", "absorbed", "quotient" };
    Rows table =
        rows_of(lesson, arena_format(lesson->arena, "a layer of DeepSeek-V2, S = %d: 10⁹ multiplications", S), cols, 3);
    int64_t at = crossing(V2, S);
    for (int T = 1; T <= S; T *= 8) {
        double many = (double)expanded(V2, T, S) / 1e9, few = (double)absorbed_form(V2, T, S) / 1e9;
        rows_add(&table, ROW(many, few, many / few), "T = %d", T);
    }
    show_rows(lesson, &table);
    double limit = (double)(V2.c * (V2.d + V2.dv)) / (double)(2 * V2.c - V2.d - V2.dv);
    if (at) {
        double exact = (double)S * (double)(V2.c * (V2.d + V2.dv)) /
                       ((double)S * (double)(2 * V2.c - V2.d - V2.dv) + (double)(V2.c * (V2.d + V2.dv)));
        check(lesson, at == (int64_t)floor(exact) + 1,
              "from T = %d on, keys are better made; with ever more keys from "
              "%.1f on: c(d + dv) / (2c − d − dv)",
              (int)at, limit);
    }
    check(lesson, expanded(V2, S, S) < absorbed_form(V2, S, S),
          "a whole prompt at once, T = S: expanded, whatever S, as d + dv < 2c");
    check(lesson, absorbed_form(V2, 1, 1000000) < expanded(V2, 1, 1000000) / 100,
          "one query, a million keys: absorbed takes 1 / %.0f of it",
          (double)expanded(V2, 1, 1000000) / (double)absorbed_form(V2, 1, 1000000));
    figure_work(lesson, S, at);
}
