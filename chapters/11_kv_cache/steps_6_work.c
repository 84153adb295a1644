// Chapter 11, step 6. Keys projected and multiplications, with a cache and without.
#include "language/chunks.h"
#include "model/decode.h"
#include "steps.h"

// What the formulas below are written for: the shape of model A.
static bool plain(const Config *c)
{
    for (int l = 0; l < c->L; l++)
        if (config_window(c, l)) return false;
    return c->G == c->H && !c->mlp && c->positions == CONFIG_POSITIONS_ROPE;
}

// After each of n tokens the next is asked for: at[t] is what had been done by then.
typedef struct {
    int64_t keys, multiplies;
} Done;
typedef struct {
    Done without[LONG + 1], with[LONG + 1];
} Work;

static Work count_work(Lesson *lesson, Transformer model)
{
    Work work = { 0 };
    int tokens[LONG], targets[LONG], L = model.config.L;
    chunks_repeated_sequence(tokens, targets, LONG, PERIOD, model.config.words, &lesson->random);
    Cost start = cost_counted;
    for (int t = 1; t <= LONG; t++) {
        Arena *scratch = arena_open();
        Run run = run_transformer(scratch, model, run_batch_of_one(scratch, tokens, t), (Mat){ 0 });
        work.without[t] = (Done){ work.without[t - 1].keys, cost_since(start).multiplies };
        for (int l = 0; l < L; l++) work.without[t].keys += run.layers[l].qkv.rows;
        arena_close(scratch);
    }
    Decoder decoder = decoder_new(lesson->arena, model, LONG); // RoPE's table is made here, once
    start = cost_counted;
    Mat logits = mat_new(lesson->arena, 1, model.config.outputs);
    for (int t = 1; t <= LONG; t++) {
        decoder_feed(logits, &decoder, tokens + t - 1, 1);
        work.with[t].multiplies = cost_since(start).multiplies;
        work.with[t].keys += L * decoder_length(&decoder);
    }
    return work;
}

static void show_work(Lesson *lesson, const Work *work)
{
    enum { ROWS = 4 };
    static const char *const cols[] = { "no cache", "cache", "ratio" };
    Rows keys = rows_of(lesson, "keys projected for n tokens", cols, 3);
    Rows millions = rows_of(lesson, "millions of multiplications", cols, 3);
    keys.table.decimals = 1;
    keys.table.whole = 3;
    for (int r = 0, n = LONG >> (2 * ROWS - 2); r < ROWS; r++, n *= 4) {
        const Done *without = &work->without[n], *with = &work->with[n];
        double many = (double)without->multiplies / 1e6, few = (double)with->multiplies / 1e6;
        double all = (double)without->keys, new = (double)with->keys;
        rows_add(&keys, ROW(all, new, all / new), "n = %d", n);
        rows_add(&millions, ROW(many, few, many / few), "n = %d", n);
    }
    show_rows(lesson, &keys);
    show_rows(lesson, &millions);
}

// What the formulas give for n tokens. Without a cache a run makes RoPE's table anew; with one it is there already.
static int64_t weights_of_token(const Config *c)
{
    int64_t L = c->L, D = c->D, V = c->outputs;
    return L * (4 * D * D + 4 * D) + D * V;
}

static int64_t pairs_of(int64_t n) { return n * (n + 1) / 2; }
static int64_t squares_of(int64_t n) { return n * (n + 1) * (2 * n + 1) / 6; }

static int64_t formula_without(const Config *c, int64_t n)
{
    int table = c->D / c->H / 2;
    return (weights_of_token(c) + table) * pairs_of(n) + 2LL * c->L * c->D * squares_of(n);
}

static int64_t formula_with(const Config *c, int64_t n)
{
    return weights_of_token(c) * n + 2LL * c->L * c->D * pairs_of(n);
}

static bool at_every_length(const Config *c, const Work *work)
{
    for (int n = 1; n <= LONG; n++)
        if (work->without[n].multiplies != formula_without(c, n) || work->with[n].multiplies != formula_with(c, n))
            return false;
    return true;
}

static void check_work(Lesson *lesson, const Config *c, const Work *work)
{
    const int64_t n = LONG, L = c->L, D = c->D;
    const Done *without = &work->without[n], *with = &work->with[n];
    cost(lesson, "keys projected without a cache", without->keys, "L·n(n+1)/2", L * pairs_of(n));
    cost(lesson, "with it", with->keys, "L·n", L * n);
    cost(lesson, "multiplications without it", without->multiplies, "(w + d/2)·n(n+1)/2 + 2LD·n(n+1)(2n+1)/6",
         formula_without(c, n));
    cost(lesson, "with it", with->multiplies, "w·n + 2LD·n(n+1)/2", formula_with(c, n));
    check(lesson, at_every_length(c, work), "so too for every n from 1 to %d", LONG);
    say(lesson,
        "w = L(4D² + 4D) + DV = %d multiplications of a token with the weights, and to turn its query and key. "
        "d/2 are for its row in RoPE's table, which each run without a cache makes anew.",
        (int)weights_of_token(c));
    double seen = (double)(formula_without(c, n) - L * D * (squares_of(n) - pairs_of(n)));
    double unasked = (double)(D * c->outputs * (pairs_of(n) - n)), tables = (double)(D / c->H / 2 * pairs_of(n));
    double fair = seen - unasked - tables;
    say(lesson,
        "The causal mask hides half of each square. With that half skipped, as in chapter 05, it would be %.2f "
        "times as many as with the cache. (Here whole squares are multiplied, as one large product is faster.) With "
        "logits for the last row alone, too, and RoPE's table made before, as it is with the cache: %.2f times.",
        seen / (double)with->multiplies, fair / (double)with->multiplies);
    check(lesson, fair > 90.0 * (double)with->multiplies, "even so, at n = %d the cache saves a factor of more than 90",
          LONG);
}

// One row a step: how often each key is projected in it, once or not at all. What is hatched has not come yet.
static void figure_triangle(Lesson *lesson, Transformer model)
{
    enum { STEPS = 16, N = PROMPT + STEPS - 1 };
    int tokens[N], targets[N];
    Arena *arena = lesson->arena;
    chunks_repeated_sequence(tokens, targets, N, PERIOD, model.config.words, &lesson->random);
    Mat maps[2] = { mat_new(arena, STEPS, N), mat_new(arena, STEPS, N) }, hidden = mat_new(arena, STEPS, N);
    const char *rows[STEPS], *cols[N];
    Decoder decoder = decoder_new(arena, model, N);
    for (int s = 0; s < STEPS; s++) {
        int n = s ? 1 : PROMPT, kept = decoder_length(&decoder), seen = kept + n;
        Run run = run_transformer(arena, model, run_batch_of_one(arena, tokens, seen), (Mat){ 0 });
        decoder_feed(mat_new(arena, n, model.config.outputs), &decoder, tokens + kept, n);
        for (int j = 0; j < N; j++) {
            *mat_ref(maps[0], s, j) = (float)(j < run.layers[0].qkv.rows);
            *mat_ref(maps[1], s, j) = (float)(j >= kept && j < decoder_length(&decoder));
            *mat_ref(hidden, s, j) = j >= seen;
        }
        rows[s] = s ? arena_format(arena, "%d", s) : "prompt";
    }
    for (int j = 0; j < N; j++) cols[j] = j % 4 ? "" : arena_format(arena, "%d", j);
    Heatmap map = { .hidden = hidden,
                    .row_labels = rows,
                    .col_labels = cols,
                    .row_title = "step",
                    .hidden_title = "not there yet",
                    .col_title = "key of token",
                    .colors = COLOR_VIRIDIS,
                    .low = 0.0,
                    .high = 1.0,
                    .decimals = -1,
                    .cell = 13,
                    .no_bar = true,
                    .high_name = "projected now",
                    .low_name = "kept" };
    Heatmap both[] = { map, map };
    both[0].title = "without a cache";
    both[0].values = maps[0];
    both[1].title = "with a cache";
    both[1].values = maps[1];
    figure_maps(lesson, "triangle.png", "which keys are projected in which step", NULL, both, 2, 2);
}

static void figure_work(Lesson *lesson, const Work *work)
{
    enum { POINTS = 9 };
    static double x[POINTS], y[2][POINTS];
    for (int p = 0; p < POINTS; p++) {
        x[p] = 1 << p;
        y[0][p] = (double)work->without[1 << p].multiplies;
        y[1][p] = (double)work->with[1 << p].multiplies;
    }
    PlotSeries series[] = { { "no cache", x, y[0], POINTS, false, false, NULL },
                            { "cache", x, y[1], POINTS, false, false, NULL } };
    figure_plot(lesson, "work.png", "multiplications until n tokens are there",
                (Plot){ .title = "Work for n tokens, counted",
                        .x_title = "tokens n",
                        .y_title = "multiplications",
                        .series = series,
                        .count = 2,
                        .log_x = true,
                        .log_y = true });
}

void what_is_saved(Lesson *lesson, Transformer model)
{
    step(lesson, "What is not computed again");
    Work work = count_work(lesson, model);
    say(lesson, "After each of %d tokens, the model is asked for the next one.", LONG);
    show_work(lesson, &work);
    if (plain(&model.config)) check_work(lesson, &model.config, &work);
    figure_triangle(lesson, model);
    figure_work(lesson, &work);
}
