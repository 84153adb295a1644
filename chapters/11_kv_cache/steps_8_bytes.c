// Chapter 11, step 8. Operations for each byte that is moved; with --time, seconds too.
#include "attention/grouped.h"
#include "attention/kv_cache.h"
#include "base/measure.h"
#include "base/portable_math.h"
#include "lesson/machines.h"
#include "model/decode.h"
#include "steps.h"

static double flops(Cost work) { return 2.0 * (double)work.multiplies; }
static double bytes(Cost work) { return 4.0 * (double)(work.reads + work.writes); }
static double flops_a_byte(Cost work) { return flops(work) / bytes(work); }

// Attention alone: n tokens at once into an empty cache, or the last of them into a cache of the others.
static Cost attention_cost(Arena *arena, int n, bool decode)
{
    enum { H = 4, D = 64 };
    Mat x = mat_new(arena, n, D);
    Mask masks[H];
    grouped_masks(masks, H, (Mask){ .causal = true }, false);
    KvCache cache = kv_cache_new(arena, n, D, D);
    int first = decode ? n - 1 : 0;
    kv_cache_append(&cache, mat_rows(x, 0, first), mat_rows(x, 0, first));
    Mat chunk = mat_rows(x, first, n - first);
    Cost start = cost_counted;
    Attended to = { .out = mat_new(arena, chunk.rows, D) };
    kv_cache_attend(to, &cache, chunk, chunk, chunk, H, masks, attention_naive);
    return cost_since(start);
}

// What chapter 03's kernel says of itself: it writes its scores down, and fetches key and value for each pair.
static Cost naive_cost(Arena *arena, int n)
{
    enum { D = 16 };
    Mat x = mat_new(arena, n, D);
    Cost start = cost_counted;
    attention_naive((Attended){ .out = mat_new(arena, n, D) }, x, x, x, (Mask){ .causal = true });
    return cost_since(start);
}

static bool near(double a, double b) { return fabs(a - b) < 1e-9; }

enum { SIZES = 8, FED = 1 << (SIZES - 1) }; // chunks of 1, 2, 4 … FED tokens

typedef struct {
    double n[SIZES], prefill[SIZES], decode[SIZES], model[SIZES], wide[SIZES];
} Intensity;

static void attention_alone(Lesson *lesson, Intensity *all)
{
    Arena *arena = lesson->arena;
    const char *cols[SIZES];
    bool formulas = true;
    for (int s = 0; s < SIZES; s++) {
        int n = 1 << s;
        all->n[s] = n;
        all->prefill[s] = flops_a_byte(attention_cost(arena, n, false));
        all->decode[s] = flops_a_byte(attention_cost(arena, n, true));
        formulas = formulas && near(all->prefill[s], (n + 1) / 16.0) && near(all->decode[s], n / (2.0 * n + 6));
        cols[s] = arena_format(arena, "n=%d", n);
    }
    Rows table = rows_of(lesson, "attention alone, G = H: FLOPs a byte", cols, SIZES);
    table.table.decimals = 3;
    rows_add(&table, all->prefill, "n tokens at once");
    rows_add(&table, all->decode, "1 token, n keys");
    show_rows(lesson, &table);
    check(lesson, formulas, "prefill: (n + 1) / 16; decode: n / (2n + 6), never more than 0.5");
    double naive = flops_a_byte(naive_cost(arena, FED)), best = all->prefill[SIZES - 1];
    check(lesson, best > 10 * naive,
          "chapter 03's kernel writes scores down, and fetches keys and values for each "
          "query: %d tokens at once, %.3f FLOPs a byte, %.0f times as many bytes",
          FED, naive, best / naive);
}

// FED tokens in chunks of n: always the same multiplications, but not the same traffic.
static Cost model_cost(Transformer model, int n)
{
    Arena *scratch = arena_open();
    Decoder decoder = decoder_new(scratch, model, FED);
    int *tokens = arena_alloc(scratch, FED * sizeof *tokens);
    Mat logits = mat_new(scratch, n, model.config.outputs);
    Cost start = cost_counted;
    for (int t = 0; t < FED; t += n) decoder_feed(logits, &decoder, tokens + t, n);
    Cost work = cost_since(start);
    arena_close(scratch);
    return work;
}

static int64_t floats_moved(const Config *c, int n)
{
    int64_t N = FED, m = N / n, L = c->L, D = c->D, V = c->outputs;
    return m * (4 * L * D * D + D * V) + N * (m + 1) * L * D + N * (12 * L * D + D + V);
}

Transformer wide_model(Lesson *lesson)
{
    Config config = {
        .words = 32, .outputs = 32, .D = 256, .H = 4, .G = 4, .L = 1, .positions = CONFIG_POSITIONS_ROPE, .causal = true
    };
    Transformer wide = transformer_new(lesson->arena, config);
    transformer_init(wide, &lesson->random);
    return wide;
}

static void whole_models(Lesson *lesson, Transformer model, Transformer wide, Intensity *all)
{
    static const char *const cols[] = { "MFLOP", "MB moved", "FLOPs/byte", "the model" };
    const char *name = arena_format(lesson->arena, "%d tokens: a layer of width 256, and the model", FED);
    Rows table = rows_of(lesson, name, cols, 4);
    bool same_work = true, formulas = true;
    Cost one_by_one = model_cost(wide, 1);
    for (int s = 0; s < SIZES; s++) {
        int n = 1 << s;
        Cost work = model_cost(wide, n), small = model_cost(model, n);
        all->wide[s] = flops_a_byte(work);
        all->model[s] = flops_a_byte(small);
        same_work = same_work && work.multiplies == one_by_one.multiplies;
        formulas = formulas && work.reads + work.writes == floats_moved(&wide.config, n);
        rows_add(&table, ROW(flops(work) / 1e6, bytes(work) / 1e6, all->wide[s], all->model[s]), "chunks of %d", n);
    }
    show_rows(lesson, &table);
    check(lesson, same_work, "the same multiplications in every row");
    check(lesson, formulas, "floats moved = m(4LD² + DV) + N(m+1)LD + N(12LD + D + V), for N tokens in m chunks");
    check(lesson, all->wide[0] < 0.5 && all->wide[SIZES - 1] > 30 * all->wide[0],
          "one by one %.3f FLOPs a byte, less than 0.5; in one chunk %.0f times as many", all->wide[0],
          all->wide[SIZES - 1] / all->wide[0]);
}

// ---- what machines make of it

// What runs on that machine, in numbers of `bits`: half the bits, half the bytes.
static void machine_rows(Rows *rows, Machine machine, int bits, const Intensity *all)
{
    double shorter = 32.0 / bits, decode = shorter * all->wide[0], prefill = shorter * all->wide[SIZES - 1];
    rows_add(rows,
             ROW(machine.gflops, machine.gbytes, machine_ridge(machine),
                 100 * machine_reaches(machine, decode) / machine.gflops,
                 100 * machine_reaches(machine, prefill) / machine.gflops),
             "%s, %d bits", machine.name, bits);
}

static void figure_roofline(Lesson *lesson, Machine core, const Intensity *all)
{
    enum { ROOF = 3 };
    static double x[2][ROOF], roofs[2][ROOF], at[2][3], reached[2][3], ridge[2], top[2];
    static const char *const names[] = { "1", "8", "128" };
    const Machine machines[] = { core, MACHINE_H100 };
    const char *ridges[2];
    for (int m = 0; m < 2; m++) {
        for (int p = 0; p < ROOF; p++) {
            x[m][p] = p == 0 ? 0.25 : p == 1 ? machine_ridge(machines[m]) : 1024.0;
            roofs[m][p] = machine_reaches(machines[m], x[m][p]);
        }
        ridge[m] = machine_ridge(machines[m]);
        top[m] = machines[m].gflops;
        ridges[m] = arena_format(lesson->arena, "ridge %.1f", ridge[m]);
        for (int n = 0; n < 3; n++) {
            at[m][n] = (m + 1) * all->wide[n == 0 ? 0 : n == 1 ? 3 : SIZES - 1];
            reached[m][n] = machine_reaches(machines[m], at[m][n]);
        }
    }
    PlotSeries series[] = { { "one core", x[0], roofs[0], ROOF, false, false, NULL },
                            { "H100", x[1], roofs[1], ROOF, false, false, NULL },
                            { NULL, at[0], reached[0], 3, false, true, names },
                            { NULL, at[1], reached[1], 3, false, true, names },
                            { NULL, ridge, top, 2, false, true, ridges } };
    figure_plot(lesson, "roofline.png", "what a layer of width 256 can reach at most",
                (Plot){ .title = "Chunks of 1, 8 and 128 tokens under two roofs",
                        .x_title = "FLOPs a byte",
                        .y_title = "GFLOP/s, at most",
                        .series = series,
                        .count = 5,
                        .log_x = true,
                        .log_y = true,
                        .width = 700,
                        .height = 440 });
}

static void two_roofs(Lesson *lesson, const Intensity *all)
{
    static const char *const columns[] = { "GFLOP/s", "GB/s", "ridge", "decode %", "prefill %" };
    Machine core = machine_core();
    double ridge = machine_ridge(core);
    int n = 0;
    Rows rows = rows_of(lesson, "two machines, and a layer of width 256: share of GFLOP/s at most", columns, 5);
    rows.table.decimals = 1;
    machine_rows(&rows, core, 32, all);
    machine_rows(&rows, MACHINE_H100, 16, all);
    show_rows(lesson, &rows);
    while (n < SIZES - 1 && all->wide[n] < ridge) n++;
    check(lesson, all->wide[0] < ridge && 2 * all->wide[0] < machine_ridge(MACHINE_H100),
          "by this count, one by one, both wait for memory");
    check(lesson, all->wide[n] >= ridge, "on the core, arithmetic is the limit from chunks of %d on", 1 << n);
    say(lesson,
        "Measured on that core (chapter 15, step 11): %.1f %% of its arithmetic for attention over 1,024 "
        "tokens at once, without a mask. One query against 32,768 keys, four query heads to a key head: %.1f %% of its "
        "bandwidth where each key head's cache lies in a place of its own, %.1f %% where they are columns of one wide "
        "matrix.",
        100 * machine_core_prefill(), 100 * machine_core_decode(), 100 * machine_core_decode_views());
    figure_roofline(lesson, core, all);
}

static void figure_intensity(Lesson *lesson, const Intensity *all)
{
    static double core[SIZES];
    for (int s = 0; s < SIZES; s++) core[s] = machine_ridge(machine_core());
    PlotSeries series[] = { { "width 256, chunks of n", all->n, all->wide, SIZES, false, false, NULL },
                            { "attention, n at once", all->n, all->prefill, SIZES, false, false, NULL },
                            { "attention, 1 on n keys", all->n, all->decode, SIZES, false, false, NULL },
                            { "ridge of one core", all->n, core, SIZES, true, false, NULL } };
    figure_plot(lesson, "intensity.png", "operations for each byte that is moved",
                (Plot){ .title = "Under its ridge the core waits for memory",
                        .x_title = "n",
                        .y_title = "FLOPs a byte, in float32",
                        .series = series,
                        .count = 4,
                        .log_x = true,
                        .log_y = true,
                        .width = 720 });
}

void operations_a_byte(Lesson *lesson, Transformer model, Transformer wide)
{
    step(lesson, "What it costs: bytes moved");
    static Intensity all;
    attention_alone(lesson, &all);
    whole_models(lesson, model, wide, &all);
    figure_intensity(lesson, &all);
    two_roofs(lesson, &all);
}

// ---- --time

static double time_without(Transformer model, const int *tokens)
{
    double start = measure_clock_wall();
    for (int t = 1; t <= LONG; t++) {
        Arena *scratch = arena_open();
        run_transformer(scratch, model, run_batch_of_one(scratch, tokens, t), (Mat){ 0 });
        arena_close(scratch);
    }
    return measure_clock_wall() - start;
}

static double time_with(Transformer model, const int *tokens, int count, int n)
{
    Arena *scratch = arena_open();
    Mat logits = mat_new(scratch, n, model.config.outputs);
    double start = measure_clock_wall();
    Decoder decoder = decoder_new(scratch, model, count);
    for (int t = 0; t < count; t += n) decoder_feed(logits, &decoder, tokens + t, n);
    double took = measure_clock_wall() - start;
    arena_close(scratch);
    return took;
}

// The best of some runs, after one that only warms up.
void show_times(Lesson *lesson, Transformer model, Transformer wide, int runs)
{
    int tokens[LONG] = { 0 };
    double best[4] = { INFINITY, INFINITY, INFINITY, INFINITY };
    for (int r = 0; r <= runs; r++) {
        double took[] = { time_without(model, tokens), time_with(model, tokens, LONG, 1),
                          time_with(wide, tokens, FED, 1), time_with(wide, tokens, FED, FED) };
        if (r == 0) continue;
        for (int i = 0; i < 4; i++) best[i] = fmin(best[i], took[i]);
    }
    double work = flops(model_cost(wide, FED));
    say(lesson,
        "Timed here, best of %d: %d tokens of the model take %.1f ms without a cache and %.2f ms with one, a "
        "factor of %.0f. The layer of width 256 computes %.2f GFLOP/s one by one and %.2f GFLOP/s in one chunk.",
        runs, LONG, 1e3 * best[0], 1e3 * best[1], best[0] / best[1], 1e-9 * work / best[2], 1e-9 * work / best[3]);
}
