// Chapter 07, step 8. ALiBi: a slope for every head.
#include "base/portable_math.h"
#include "steps.h"

static double mean_distance(Mat weights, int i)
{
    double mean = 0.0;
    for (int j = 0; j <= i; j++) mean += mat_value(weights, i, j) * (i - j);
    return mean;
}

static double all_distances(Mat weights)
{
    double sum = 0.0;
    for (int i = 0; i < weights.rows; i++) sum += mean_distance(weights, i);
    return sum;
}

// By what a weight is multiplied at each distance, before the row is divided by its sum.
static void figure_of_slopes(Lesson *lesson, int H)
{
    enum { APART = 65 };
    Arena *arena = lesson->arena;
    PlotSeries series[16];
    double *x = arena_alloc(arena, APART * sizeof *x);
    for (int n = 0; n < APART; n++) x[n] = n;
    for (int h = 0; h < H; h++) {
        double slope = (double)alibi_slope(h, H), *y = arena_alloc(arena, APART * sizeof *y);
        for (int n = 0; n < APART; n++) y[n] = exp(-slope * n);
        series[h] = (PlotSeries){ .name = arena_format(arena, "head %d", h), .x = x, .y = y, .count = APART };
    }
    figure_plot(lesson, "slopes.png", "how much is left of a weight, head by head",
                (Plot){ .title = "ALiBi: a head for every range",
                        .x_title = "distance in words",
                        .y_title = "exp(−slope · distance)",
                        .in_order = true,
                        .series = series,
                        .count = H });
}

void slopes(Lesson *lesson, int H)
{
    enum { TIRED = 10 };
    step(lesson, "ALiBi: a slope for every head");
    Arena *arena = lesson->arena;
    static const char *const cols[] = { "slope", "half after", "mean distance" };
    const Sentence *s = &lesson->sentence;
    int word = lesson->own_words ? s->T - 1 : TIRED;
    const char *far = arena_format(arena, "%d heads, and how far back %s looks on average", H, s->words[word]);
    Rows table = rows_of(lesson, far, cols, 3);
    Rows looks = rows_of(lesson, arena_format(arena, "what %s attends to, causal", s->words[word]), s->words, s->T);
    table.table.decimals = 3;
    table.table.units = COLUMNS_APART;

    HeadProjections p = head_project(arena, s->x, s->x, hand_made(lesson).w);
    Mat weights = attend(arena, p, CAUSAL).weights;
    rows_add_from(&looks, weights, word, "no slope");
    double plain = all_distances(weights), before = 0.0;
    bool nearer = true;
    for (int h = 0; h < H; h++) {
        float slope = alibi_slope(h, H);
        weights = attend(arena, p, (Mask){ .causal = true, .alibi = slope }).weights;
        rows_add_from(&looks, weights, word, "head %d", h);
        rows_add(&table, ROW((double)slope, log(2.0) / (double)slope, mean_distance(weights, word)), "head %d", h);
        double here = all_distances(weights);
        nearer = nearer && here <= plain + 1e-4 && here >= before - 1e-4;
        before = here;
    }
    show_rows(lesson, &table);
    check(lesson, alibi_slope(H - 1, H) == 1.0f / 256.0f, "head %d has slope 1/256 = %.5f", H - 1,
          (double)alibi_slope(H - 1, H));
    figure_of_slopes(lesson, H);
    looks.table.hidden = mat_new(arena, 1 + H, s->T);
    mat_fill(mat_cols(looks.table.hidden, word + 1, s->T - word - 1), 1.0f);
    show_rows(lesson, &looks);
    check(lesson, nearer, "the steeper the slope, the nearer the keys, in all %d heads", H);
}
