// Chapter 18, step 4. How far back a token reaches through layers of windows: by changing tokens, and by the Jacobian.
#include "base/portable_math.h"
#include "model/gradient.h"
#include "steps.h"

#include <string.h>

enum { T = 40, W = 6, LAYERS = 3 };

// Random weights; every position has a word of its own, so that a row of the embedding's gradient is a position's.
static Transformer random_model(Arena *arena, int L, const int *windows, Random *random)
{
    Config config = { .words = T + 1,
                      .outputs = 8,
                      .D = 32,
                      .H = 4,
                      .G = 4,
                      .L = L,
                      .mlp = 32,
                      .positions = CONFIG_POSITIONS_ROPE,
                      .causal = true,
                      .window = windows };
    Transformer model = transformer_new(arena, config);
    transformer_init(model, random);
    return model;
}

typedef struct {
    int changed, farthest;
    double slope[T];
} Reach;

// Word `distance` before the last is exchanged: is the last output still the same to the bit?
static bool feels(Arena *arena, Transformer model, Mat before, int distance)
{
    int tokens[T];
    for (int t = 0; t < T; t++) tokens[t] = t == T - 1 - distance ? T : t;
    Run run = run_transformer(arena, model, run_batch_of_one(arena, tokens, T), (Mat){ 0 });
    return !mat_equal(mat_rows(run.logits, T - 1, 1), before);
}

static Reach reach_of(Arena *arena, Transformer model, Random *random)
{
    int tokens[T];
    for (int t = 0; t < T; t++) tokens[t] = t;
    Run run = run_transformer(arena, model, run_batch_of_one(arena, tokens, T), (Mat){ 0 });
    Mat last = mat_rows(run.logits, T - 1, 1);
    Reach reach = { 0 };

    // 1. By changing one word after the other.
    for (int distance = 0; distance < T; distance++)
        if (feels(arena, model, last, distance)) {
            reach.changed++;
            reach.farthest = distance;
        }

    // 2. By the derivatives: how far does the last output move with each number that went in? The last output's numbers
    // are mixed at random into one: a product with the Jacobian.
    Mat dlogits = mat_new(arena, T, run.logits.cols);
    random_normals(random, mat_rows(dlogits, T - 1, 1));
    Transformer gradient = transformer_new(arena, model.config);
    transformer_backward(gradient, (Mat){ 0 }, &run, dlogits, 0.0f);
    for (int distance = 0; distance < T; distance++) {
        double squares = 0.0;
        for (int c = 0; c < model.config.D; c++) {
            double g = (double)*mat_ref(gradient.embedding, T - 1 - distance, c);
            squares += g * g;
        }
        reach.slope[distance] = sqrt(squares);
    }
    return reach;
}

static int last_above_zero(const double *slope)
{
    int last = 0;
    for (int distance = 0; distance < T; distance++)
        if (slope[distance] > 0.0) last = distance;
    return last;
}

static void reach_figure(Lesson *lesson, const Reach *reach, const char *const *names, int count)
{
    Arena *arena = lesson->arena;
    Mat slopes = mat_new(arena, count, T), still = mat_new(arena, count, T);
    const char **labels = arena_alloc(arena, T * sizeof *labels);
    for (int t = 0; t < T; t++) labels[t] = t % 5 ? "" : arena_format(arena, "%d", t);
    for (int l = 0; l < count; l++)
        for (int t = 0; t < T; t++) {
            *mat_ref(slopes, l, t) = (float)reach[l].slope[t];
            *mat_ref(still, l, t) = reach[l].slope[t] > 0.0 ? 0.0f : 1.0f;
        }
    figure_map(lesson, "reach.png", "how much the last output moves with each word before it",
               (Heatmap){ .title = "Windows of 6: who moves the last word",
                          .values = slopes,
                          .hidden = still,
                          .hidden_title = "0, to the bit",
                          .row_labels = names,
                          .col_labels = labels,
                          .col_title = "words before the last",
                          .ramp = RAMP_LOG,
                          .low = 0.1,
                          .high = 100,
                          .decimals = -1,
                          .cell = 17,
                          .bar_title = "gradient" });
}

// In each layer a token stays what it is, by the residual path, or is looked at from up to W - 1 tokens further on. So
// the paths of L layers, by distance, are the coefficients of (1 + 1 + x + ... + x^(W-1))^L.
static void count_paths(double *paths, int L)
{
    memset(paths, 0, T * sizeof *paths);
    paths[0] = 1.0;
    for (int l = 0; l < L; l++)
        for (int distance = T - 1; distance >= 0; distance--) {
            paths[distance] *= 2.0;
            for (int step = 1; step < W && step <= distance; step++) paths[distance] += paths[distance - step];
        }
}

static void show_paths(Lesson *lesson, const Reach *reach, const char *const *names)
{
    enum { SHOWN = 9 };
    static const int distances[SHOWN] = { 0, 1, 3, 5, 7, 9, 11, 13, 15 };
    const char *cols[SHOWN];
    double paths[T];
    for (int n = 0; n < SHOWN; n++) cols[n] = arena_format(lesson->arena, "%d", distances[n]);
    Rows ways = rows_of(lesson, "paths from a word so far before the last", cols, SHOWN);
    Rows slopes = rows_of(lesson, "gradient by that word, random weights", cols, SHOWN);
    ways.table.decimals = -1;
    slopes.table.decimals = 1;
    bool fewer = true;
    for (int L = 1; L <= LAYERS; L++) {
        count_paths(paths, L);
        double there[SHOWN], slope[SHOWN];
        for (int n = 0; n < SHOWN; n++) {
            there[n] = paths[distances[n]];
            slope[n] = reach[L - 1].slope[distances[n]];
        }
        rows_add(&ways, there, "%s", names[L - 1]);
        rows_add(&slopes, slope, "%s", names[L - 1]);
        for (int distance = W; distance < T - 1; distance++) fewer = fewer && paths[distance + 1] <= paths[distance];
    }
    show_rows(lesson, &ways);
    show_rows(lesson, &slopes);
    check(lesson, fewer, "beyond the first window there are fewer and fewer paths, in up to three layers");
}

void how_far(Lesson *lesson)
{
    step(lesson, "How far a token reaches");
    static const char *const cols[] = { "expected", "farthest", "Jacobian", "changed" };
    static const char *const names[] = { "1 layer", "2 layers", "3 layers", "and 1 without" };
    static const int windows[] = { W, W, W }, mixed[] = { W, W, W, 0 };
    Arena *arena = lesson->arena;
    Rows table = rows_of(lesson, "windows of 6, 40 words: who moves the last one", cols, 4);
    table.table.decimals = -1;
    Reach reach[LAYERS + 1], *all = &reach[LAYERS];
    bool exact = true, everything = true;
    for (int L = 1; L <= LAYERS; L++) {
        Reach *r = &reach[L - 1];
        *r = reach_of(arena, random_model(arena, L, windows, &lesson->random), &lesson->random);
        rows_add(&table, ROW(L * (W - 1), r->farthest, last_above_zero(r->slope), r->changed), "%s", names[L - 1]);
        exact = exact && r->farthest == L * (W - 1) && last_above_zero(r->slope) == L * (W - 1);
        everything = everything && r->changed == L * (W - 1) + 1;
    }
    *all = reach_of(arena, random_model(arena, LAYERS + 1, mixed, &lesson->random), &lesson->random);
    rows_add(&table, ROW(T - 1, all->farthest, last_above_zero(all->slope), all->changed), "%s", names[LAYERS]);
    show_rows(lesson, &table);
    check(lesson, exact, "L layers of window W reach L(W-1) words back, and to the bit no further");
    check(lesson, everything, "all L(W-1) + 1 words up to there are felt");
    check(lesson, all->farthest == T - 1, "one layer without a window on top, and the first of 40 words is felt");
    show_paths(lesson, reach, names);
    int far = 32 * (4096 - 1);
    say(lesson, "Mistral 7B has 32 layers with windows of 4,096: L(W-1) = %d,%03d.", far / 1000, far % 1000);
    reach_figure(lesson, reach, names, LAYERS + 1);
}

// ---- 6. Local and global layers

// LLaMA 4 Scout: 48 layers of 8 key heads of 128, 16 bits; three of four look at 8,192 tokens at most.
static double scout_gigabytes(double tokens, int global)
{
    enum { L = 48, G = 8, D_HEAD = 128, LOCAL = 8192, BYTES = 2 };
    double near = tokens < LOCAL ? tokens : LOCAL;
    return 2.0 * G * D_HEAD * BYTES * (global * tokens + (L - global) * near) / 1e9;
}

void local_and_global(Lesson *lesson)
{
    step(lesson, "Local and global layers");
    Heatmap maps[4];
    for (int l = 0; l < 4; l++)
        maps[l] = map_of_mask(lesson->arena,
                              l < 3 ? arena_format(lesson->arena, "layer %d: RoPE", l) : "layer 3: no positions",
                              (Mask){ .causal = true, .window = l < 3 ? 4 : 0 });
    figure_maps(lesson, "pattern.png", "three layers with windows and RoPE, and one that sees everything", NULL, maps,
                4, 4);
    enum { POINTS = 8 };
    static double x[POINTS], y[3][POINTS];
    static const char *const cols[] = { "all global", "1 of 4", "all local" };
    Rows table = rows_of(lesson, "GB of cache: 48 layers of 8 key heads of 128, 16 bits, local 8,192", cols, 3);
    for (int p = 0; p < POINTS; p++) {
        double tokens = x[p] = 8192.0 * (1 << p);
        y[0][p] = scout_gigabytes(tokens, 48);
        y[1][p] = scout_gigabytes(tokens, 12);
        y[2][p] = scout_gigabytes(tokens, 0);
        if (p % 2 == 0) rows_add(&table, ROW(y[0][p], y[1][p], y[2][p]), "%.0f tokens", tokens);
    }
    show_rows(lesson, &table);
    check(lesson, y[1][POINTS - 1] < 0.26 * y[0][POINTS - 1],
          "at %.0f tokens one global layer of four keeps %.3f of "
          "what all of them would",
          x[POINTS - 1], y[1][POINTS - 1] / y[0][POINTS - 1]);
    PlotSeries series[] = { { "all global", x, y[0], POINTS, false, false, NULL },
                            { "1 of 4 global", x, y[1], POINTS, false, false, NULL },
                            { "all local", x, y[2], POINTS, false, false, NULL } };
    figure_plot(lesson, "layers.png", "cache of 48 layers, of which all, a quarter or none keep every token",
                (Plot){ .title = "Cache of 48 layers, by the formula",
                        .x_title = "tokens",
                        .y_title = "GB",
                        .series = series,
                        .count = 3,
                        .log_x = true,
                        .log_y = true });
}
