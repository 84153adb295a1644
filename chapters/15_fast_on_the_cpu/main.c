// Chapter 15. Fast on the CPU: the same numbers, at the speed of the machine.
// Run build/chapters/15_fast_on_the_cpu with README.md of this folder open beside it.
#include "attention/fast.h"
#include "attention/grouped.h"
#include "attention/kernels.h"
#include "attention/tiled.h"
#include "base/measure.h"
#include "base/threads.h"
#include "io/table.h"
#include "lesson/dump.h"
#include "lesson/lesson.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const Mask EVERYTHING = { 0 }, CAUSAL = { .causal = true };

// The versions of the fast kernel: floats in a vector, vectors in a block, vector registers.
typedef struct { const char *name, *title; int lanes, vectors, registers; } Version;
static const Version versions[] = {
    { "plain", "SSE, NEON", 4, 3, 16 }, { "avx2", "AVX2", 8, 3, 16 }, { "avx512", "AVX-512", 16, 4, 32 },
};
enum { VERSIONS = sizeof versions / sizeof *versions, ROWS = 4, KEYS = 64 };

// ---- what the steps share

static int place_of(const Sentence *sentence, const char *word, int otherwise)
{
    for (int t = 0; t < sentence->T; t++)
        if (!strcasecmp(sentence->words[t], word)) return t;
    return otherwise;
}

typedef struct { Mat q, k, v; } Drawn;

static Drawn drawn(Lesson *lesson, int T, int S, int d, int dv)
{
    Drawn p = { mat_new(lesson->arena, T, d), mat_new(lesson->arena, S, d), mat_new(lesson->arena, S, dv) };
    random_normals(&lesson->random, p.q);
    random_normals(&lesson->random, p.k);
    random_normals(&lesson->random, p.v);
    return p;
}

// The definition, row by row, in float64: out (T, dv).
static double *in_float64(Arena *arena, Drawn p, Mask mask)
{
    int T = p.q.rows, S = p.k.rows, dv = p.v.cols;
    double *out = arena_alloc(arena, sizeof *out * (size_t)T * (size_t)dv);
    double *row = arena_alloc(arena, sizeof *row * (size_t)S);
    for (int i = 0; i < T; i++) {
        double max = -INFINITY, sum = 0;
        for (int j = 0; j < S; j++) {
            row[j] = mask_sees(mask, i, j, T, S) ? (double)mask_bias(mask, i, j, T, S) : -INFINITY;
            if (row[j] > -INFINITY)
                for (int c = 0; c < p.q.cols; c++)
                    row[j] += (double)*mat_ref(p.q, i, c) * (double)*mat_ref(p.k, j, c) / sqrt(p.q.cols);
            max = fmax(max, row[j]);
        }
        for (int j = 0; j < S; j++) sum += row[j] = exp(row[j] - max);
        for (int j = 0; j < S; j++)
            for (int c = 0; c < dv; c++) out[i * dv + c] += row[j] / sum * (double)*mat_ref(p.v, j, c);
    }
    return out;
}

// |got − want| / |want|, both as Frobenius norms: roots of sums of squares.
static double relative_error(Mat got, const double *want)
{
    double off = 0, all = 0;
    for (int i = 0; i < got.rows; i++)
        for (int c = 0; c < got.cols; c++) {
            double w = want[i * got.cols + c], g = (double)*mat_ref(got, i, c);
            off += (g - w) * (g - w);
            all += w * w;
        }
    return sqrt(off / all);
}

// What a kernel gives with the identity as values is its table of weights, even if it has none.
static Mat weights_of(Lesson *lesson, AttentionKernel *kernel)
{
    Mat x = lesson->sentence.x, v = mat_new(lesson->arena, x.rows, x.rows);
    Mat out = mat_new(lesson->arena, x.rows, x.rows);
    for (int j = 0; j < x.rows; j++) *mat_ref(v, j, j) = 1.0f;
    kernel((Attended){ .out = out }, x, x, v, EVERYTHING);
    return out;
}

// ---- what `make bench-full` has measured once: data/bench/cpu.tsv and growth.tsv travel inside the program

static const char *const bench_lines[] = {
#include "bench/cpu.inc"
};
static const char *const growth_lines[] = {
#include "bench/growth.inc"
};

enum { OF_H, OF_G, OF_T, OF_S, OF_D, IS_CAUSAL, THREADS, GFLOPS, SHARE, GBYTES, ERROR, LOW, HIGH, BENCH_COLUMNS };
enum { GROWTH_T, SECONDS, SCRATCH, GROWTH_COLUMNS };

static NamedRows named_rows(Arena *arena, const char *const *lines, size_t count, int columns, const char *name)
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++) size += strlen(lines[i]);
    char *text = arena_alloc(arena, size + 1), *end = text;
    for (size_t i = 0; i < count; i++) {
        memcpy(end, lines[i], strlen(lines[i]));
        end += strlen(lines[i]);
    }
    NamedRows rows;
    Error error;
    if (!rows_parse(&rows, arena, (Bytes){ (const unsigned char *)text, size }, columns, name,
                    &error)) lesson_fail(&error);
    return rows;
}

#define EMBEDDED(arena, lines, columns, name) named_rows(arena, lines, sizeof(lines) / sizeof *(lines), columns, name)

static NamedRows bench_rows(Arena *arena) { return EMBEDDED(arena, bench_lines, BENCH_COLUMNS, "data/bench/cpu.tsv"); }

// What stands behind `key` in the comment lines above the numbers.
static const char *bench_fact(Arena *arena, const char *key)
{
    for (size_t i = 0; i < sizeof bench_lines / sizeof *bench_lines && bench_lines[i][0] == '#'; i++)
        if (!strncmp(bench_lines[i] + 2, key, strlen(key)))
            return arena_format(arena, "%.*s", (int)strcspn(bench_lines[i] + 2 + strlen(key), "\n"),
                                bench_lines[i] + 2 + strlen(key));
    return "?";
}

// A number of one kernel at one shape; NaN where it was not measured.
typedef struct { int T, S, d; bool causal; int threads; } Shape;
static float measured(NamedRows bench, const char *kernel, Shape at, int column)
{
    for (int i = 0; i < bench.values.rows; i++) {
        const float *row = mat_row(bench.values, i);
        if (!strcmp(bench.names[i], kernel) && row[OF_T] == (float)at.T && row[OF_S] == (float)at.S &&
            row[OF_D] == (float)at.d &&
            row[IS_CAUSAL] == (float)at.causal && row[THREADS] == (float)at.threads) return row[column];
    }
    return NAN;
}

// ---- 1

static void what_the_machine_could_do(Lesson *lesson)
{
    step(lesson, "What the machine could do");
    enum { T = 128, d = 64 };
    Drawn p = drawn(lesson, T, T, d, d);
    counted = (Cost){ 0 };
    attention_naive((Attended){ .out = mat_new(lesson->arena, T, d) }, p.q, p.k, p.v, EVERYTHING);
    cost(lesson, arena_format(lesson->arena, "FLOPs of one head, T = S = %d, d = dv = %d", T, d),
         2 * counted.multiplies,
         "4·T·S·d: two for each multiply-add", 4 * T * T * d);

    static const char *const columns[] = { "numbers", "a cycle", "in flight", "one by one %" };
    const char *rows[VERSIONS + 1] = { "no vectors" };
    Mat table = mat_new(lesson->arena, VERSIONS + 1, 4);
    for (int r = 0; r <= VERSIONS; r++) {
        float lanes = r ? (float)versions[r - 1].lanes : 1.0f;
        if (r) rows[r] = versions[r - 1].title;
        float numbers[] = { lanes, 2 * lanes, 4 * 2 * lanes, 100 / (4 * 2 * lanes) };
        mat_set(mat_rows(table, r, 1), mat_of(lesson->arena, 1, 4, numbers));
    }
    say(lesson, "A core that can begin two multiply-adds in each cycle, each of which takes four cycles: how many it "
        "does at best, how many must be under way for that, and what is left when each waits for the one before.");
    show_table(lesson, (Table){ .name = "numbers in a register, multiply-adds", .values = table, .rows = rows,
                                .cols = columns, .decimals = 1 });
    check(lesson, fast_probe(1) > 0,
          "fast_probe does nothing else: the kernel's inner loop, on data in the first cache");
}

// ---- 2

static const Shape FULL = { 1024, 1024, 64, false, 1 };

// The rungs in numbers and as bars.
static void ladder_measured(Lesson *lesson)
{
    NamedRows bench = bench_rows(lesson->arena);
    static const char *const columns[] = { "GFLOP/s", "share %", "gain", "causal: %", "gain" };
    const char **rows = arena_alloc(lesson->arena, (size_t)attention_rungs_count * sizeof *rows);
    double *bars = arena_alloc(lesson->arena, 2 * (size_t)attention_rungs_count * sizeof *bars);
    Mat table = mat_new(lesson->arena, attention_rungs_count, 5);
    Shape half = FULL;
    half.causal = true;
    for (int r = 0; r < attention_rungs_count; r++) {
        float speed = measured(bench, attention_kernels[r].name, FULL, GFLOPS);
        float share = measured(bench, attention_kernels[r].name, FULL, SHARE);
        float causal = measured(bench, attention_kernels[r].name, half, SHARE);
        float gain = r ? 100 * share / *mat_ref(table, r - 1, 1) : 1;
        float gained = r ? 100 * causal / *mat_ref(table, r - 1, 3) : 1;
        float numbers[] = { speed, 100 * share, gain, 100 * causal, gained };
        mat_set(mat_rows(table, r, 1), mat_of(lesson->arena, 1, 5, numbers));
        rows[r] = attention_kernels[r].name;
        bars[2 * r] = 100 * (double)share;
        bars[2 * r + 1] = 100 * (double)causal;
    }
    say(lesson, "Measured on %s, with d = 64 and one thread: %s (%s). Shares are of the probe, gain is over the rung "
        "before.", bench_fact(lesson->arena, "date: "), bench_fact(lesson->arena, "cpu: "),
        bench_fact(lesson->arena, "compiler: "));
    show_table(lesson, (Table){ .name = "T = S = 1024", .values = table, .rows = rows, .cols = columns,
                                .decimals = 2 });
    Shape longer = { 4096, 4096, 64, false, 1 };
    say(lesson, "T = S = 4096, the heads as columns of one matrix (T, H·d): fast %.1f %%, packed %.1f %%.",
        100 * (double)measured(bench, "fast views", longer, SHARE), 100 * (double)measured(bench, "packed views",
                                                                                           longer, SHARE));
    float first = measured(bench, "naive", FULL, SHARE), last = measured(bench, "fast", FULL, SHARE);
    check(lesson, last > 0.8f, "in this run: naive %.1f %% of the probe, fast %.1f %%, %.0f times as much",
          100 * (double)first,
          100 * (double)last, (double)(last / first));
    figure_bars(lesson, "ladder.png", "share of the probe on each rung",
                (Bars){ .title = "The ladder: share of what the core can do, T = 1024, d = 64", .y_title = "percent",
                        .groups = rows, .series = (const char *const[]){ "full", "causal" },
                        .group_count = attention_rungs_count, .series_count = 2, .values = bars, .decimals = 0,
                        .width = 860 });
}

static void one_rung_at_a_time(Lesson *lesson)
{
    step(lesson, "One rung at a time");
    enum { T = 150, S = 170, d = 40, dv = 24 };
    Drawn p = drawn(lesson, T, S, d, dv);
    const double *full = in_float64(lesson->arena, p, EVERYTHING), *causal = in_float64(lesson->arena, p, CAUSAL);
    Mat out = mat_new(lesson->arena, T, dv);
    bool animal = true;
    int it = place_of(&lesson->sentence, "it", 0), key = place_of(&lesson->sentence, "animal", 0);
    say(lesson, "Each rung is a kernel, right for every shape and mask. Each is within 0.000001 of float64, with and "
        "without a causal mask (relative, Frobenius; T = %d, S = %d, d = %d, dv = %d):", T, S, d, dv);
    for (int r = 0; r < attention_rungs_count; r++) {
        attention_kernels[r].run((Attended){ .out = out }, p.q, p.k, p.v, EVERYTHING);
        double worst = relative_error(out, full);
        attention_kernels[r].run((Attended){ .out = out }, p.q, p.k, p.v, CAUSAL);
        worst = fmax(worst, relative_error(out, causal));
        check(lesson, worst < 1e-6, "%s: %s", attention_kernels[r].name, attention_kernels[r].what);
        animal = animal && fabsf(*mat_ref(weights_of(lesson, attention_kernels[r].run), it, key) - 0.113f) < 0.0005f;
    }
    Mat weights = weights_of(lesson, attention_fast);
    if (!lesson->own_words)
        check(lesson, animal, "on every rung it gives animal %.3f", (double)*mat_ref(weights, it, key));
    Mat x = lesson->sentence.x;
    trace_heads(lesson->trace, (TraceHeads){ .q = x, .k = x, .v = x, .scores = dump_scores(lesson, x, x, 1, NULL),
                                             .weights = weights });
    trace_mat(lesson->trace, "ladder.q", p.q);
    trace_mat(lesson->trace, "ladder.k", p.k);
    trace_mat(lesson->trace, "ladder.v", p.v);
    trace_mat(lesson->trace, "ladder.heads", out);   // of the last rung, causal

    ladder_measured(lesson);
}

// ---- 3

static HeatMap block_marked(HeatMap map, const char *title, Mat values, int row, int col, int rows, int cols)
{
    map.title = title;
    map.values = values;
    map.mark_row = row;
    map.mark_col = col;
    map.mark_rows = rows;
    map.mark_cols = cols;
    return map;
}

// A register block with vectors of four: what one step of the inner loop touches.
static void draw_block(Lesson *lesson)
{
    enum { LANES = 4, VECTORS = 4, D = 8, STEP = 3, ROW = 4, N = 12, ALL = LANES * VECTORS };
    Mat vector = mat_new(lesson->arena, 1, LANES), q = mat_new(lesson->arena, D, ALL);
    Mat k = mat_new(lesson->arena, N, D), s = mat_new(lesson->arena, N, ALL);
    mat_fill(vector, 0.4f);
    for (int i = 0; i < ALL; i++) {
        *mat_ref(q, STEP, i) = 0.4f + 0.15f * (float)(i / LANES);
        for (int r = 0; r < ROWS; r++) *mat_ref(s, ROW + r, i) = *mat_ref(q, STEP, i);
    }
    for (int r = 0; r < ROWS; r++) *mat_ref(k, ROW + r, STEP) = 1.0f;
    HeatMap like = { .colors = CIVIDIS, .low = 0, .high = 1, .decimals = -1, .no_bar = true, .cell = 16 };
    HeatMap maps[4] = { like, like, like, like };
    maps[0].title = "a vector";
    maps[0].values = vector;
    maps[0].col_title = "query";
    maps[1] = block_marked(like, "Qᵀ: four vectors of four queries", q, STEP + 1, 1, 1, ALL);
    maps[1].row_title = "channel";
    maps[1].col_title = "query";
    maps[2] = block_marked(like, "K: 4 numbers", k, ROW + 1, STEP + 1, ROWS, 1);
    maps[2].row_title = "key";
    maps[2].col_title = "channel";
    maps[3] = block_marked(like, "Sᵀ: sixteen sums", s, ROW + 1, 1, ROWS, ALL);
    maps[3].row_title = "key";
    maps[3].col_title = "query";
    figure_maps(lesson, "block.png", "one step of the inner loop: 4 + 4 loads, 16 multiply-adds of whole vectors",
                "Lanes are queries: drawn with four lanes", maps, 4, 2);
}

static void lanes_are_queries(Lesson *lesson)
{
    step(lesson, "Lanes are queries, sums are registers");
    static const int shapes[][2] = { { 1, 1 }, { 1, 4 }, { 2, 4 }, { 4, 3 }, { 4, 4 }, { 6, 4 }, { 8, 4 } };
    enum { SHAPES = sizeof shapes / sizeof *shapes };
    static const char *const columns[] = { "sums", "loads", "a product", "registers" };
    const char *rows[SHAPES];
    Mat table = mat_new(lesson->arena, SHAPES, 4);
    for (int n = 0; n < SHAPES; n++) {
        int r = shapes[n][0], v = shapes[n][1];
        rows[n] = arena_format(lesson->arena, "%d × %d", r, v);
        float numbers[] = { (float)(r * v), (float)(r + v), (float)(r + v) / (float)(r * v), (float)(r * v + v + 1) };
        mat_set(mat_rows(table, n, 1), mat_of(lesson->arena, 1, 4, numbers));
    }
    show_table(lesson, (Table){ .name = "numbers × vectors: sums, loads in a step, and for each multiply-add",
                                .values = table, .rows = rows, .cols = columns, .decimals = 2 });
    bool fit = true, busy = true;
    for (int n = 0; n < VERSIONS; n++) {
        int sums = ROWS * versions[n].vectors;
        fit = fit && sums + versions[n].vectors + 1 <= versions[n].registers;
        busy = busy && sums >= 4 * 2;
    }
    check(lesson, fit, "4 × 3 fits into 16 registers (SSE, NEON, AVX2), 4 × 4 into 32 (AVX-512)");
    check(lesson, busy, "both have more than 4 · 2 = 8 sums under way");
    draw_block(lesson);
}

// ---- 4

// Σ (r ln 2)ⁿ / n! up to n = last.
static double series_of_2(double r, int last)
{
    double sum = 0, term = 1;
    for (int n = 0; n <= last; n++) {
        sum += term;
        term *= r * log(2) / (n + 1);
    }
    return sum;
}

static void two_to_the_x(Lesson *lesson)
{
    step(lesson, "2ˣ in two parts");
    enum { DOTS = 401, MANY = 200001 };
    double *x = arena_alloc(lesson->arena, 3 * sizeof *x * DOTS), *poly = x + DOTS, *power = x + 2 * DOTS;
    double worst = 0, ends = 0, off = 0;
    for (int i = 0; i < DOTS; i++) {
        x[i] = (double)i / (DOTS - 1) - 0.5;
        poly[i] = 1e7 * (fast_polynomial(x[i]) / exp2(x[i]) - 1);
        power[i] = 1e7 * (series_of_2(x[i], 6) / exp2(x[i]) - 1);
        worst = fmax(worst, fabs(poly[i]));
        ends = fmax(ends, fabs(1e7 * (series_of_2(x[i], 5) / exp2(x[i]) - 1)));
    }
    for (int i = 0; i < MANY; i++) {
        float at = -126.0f + 253.0f * (float)i / MANY;
        off = fmax(off, fabs((double)fast_exp2(at) / exp2((double)at) - 1));
    }
    check(lesson, worst < 0.95, "the polynomial on [−½, ½], in float64: off by at most %.2f · 10⁻⁷", worst);
    check(lesson, ends > 20, "the power series up to the fifth power: by %.0f · 10⁻⁷", ends);
    check(lesson, off < 2e-7, "2ˣ in float32, x from −126 to 127: off by less than 2 · 10⁻⁷ of itself");
    bool whole = true;
    for (int n = -126; n < 128; n++) whole = whole && fast_exp2((float)n) == ldexpf(1.0f, n);
    check(lesson, whole, "whole powers are exact");
    check(lesson, fast_exp2(-127.0f) == 0.0f && fast_exp2(-1e6f) == 0.0f && fast_exp2(-INFINITY) == 0.0f,
          "2⁻¹²⁷ and all below it is 0, 2 to the power −∞ too");
    check(lesson, isnan(fast_exp2(NAN)), "NaN stays NaN");
    Series series[] = { { .name = "degree 5, fitted", .x = x, .y = poly, .count = DOTS },
                        { .name = "series, degree 6", .x = x, .y = power, .count = DOTS } };
    figure_plot(lesson, "exp2.png", "the fitted polynomial spreads its error; the power series, one degree higher, "
                "leaves all of it to the ends",
                (Plot){ .title = "2ʳ by a polynomial", .x_title = "r", .y_title = "relative error, in 10⁻⁷",
                        .series = series, .count = 2 });
}

// ---- 5

static int64_t multiplies_of(Lesson *lesson, Drawn p, Mask mask)
{
    ArenaMark mark = arena_mark(lesson->arena);
    Cost before = counted;
    attention_fast((Attended){ .out = mat_new(lesson->arena, p.q.rows, p.v.cols) }, p.q, p.k, p.v, mask);
    arena_release(lesson->arena, mark);
    return cost_since(before).multiplies;
}

static void seldom_raised(Lesson *lesson)
{
    step(lesson, "A maximum that is seldom raised");
    enum { T = 192, S = 1024, d = 16 };
    Drawn p = drawn(lesson, T, S, d, d);
    const int64_t once = (int64_t)T * S * 2 * d, peek = (int64_t)T * ROWS * d, again = (int64_t)T * (S - KEYS) * d;
    cost(lesson, "multiply-adds, random scores", multiplies_of(lesson, p, EVERYTHING),
         "T·S·(d + dv) + T·4·d: the first four keys are looked at twice", once + peek);

    mat_fill(p.q, 1.0f);                             // now scores are what k says: `leap` more with every tile
    for (int leap = 1; leap <= 30; leap += 29) {
        for (int j = 0; j < S; j++) mat_fill(mat_rows(p.k, j, 1), (float)(leap * (j / KEYS)) / sqrtf(d));
        if (leap == 1)
            cost(lesson, "and with scores that rise by 1 from tile to tile", multiplies_of(lesson, p, EVERYTHING),
                 "the same", once + peek);
        else
            cost(lesson, "and with scores that rise by 30", multiplies_of(lesson, p, EVERYTHING),
                 "and T·(S − 64)·d: all tiles but the first are looked at twice", once + peek + again);
    }
    Mat out = mat_new(lesson->arena, T, d);
    attention_fast((Attended){ .out = out }, p.q, p.k, p.v, EVERYTHING);
    check(lesson, relative_error(out, in_float64(lesson->arena, p, EVERYTHING)) < 1e-6, "and it is right all the same");
    check(lesson, exp2f(40.0f) * 1048576.0f < INFINITY, "a million weights of 2⁴⁰ are no overflow: 2⁶⁰ of 2¹²⁷");
}

// ---- 6

// Pairs of query and key that a causal head of T queries works on, with tiles that are cut into strips of `strip` keys.
static int64_t causal_pairs(int T, int lanes, int vectors, int strip)
{
    int64_t pairs = 0;
    int block = lanes * vectors;
    for (int i = 0; i < T; i += block)
        for (int j = 0; j < T; j += KEYS) {
            int rows = T - i < block ? T - i : block, first = 0;
            TileKind kind = tile_kind(CAUSAL, (Span){ i, rows }, (Span){ j, KEYS }, T, T);
            if (kind == TILE_FULL) pairs += (int64_t)rows * KEYS;
            if (kind != TILE_CUT) continue;
            for (int part = 0; part < KEYS; part += strip) {
                for (first = 0; first < rows && i + first + lanes - 1 < j + part;) first += lanes;   // blind vectors
                pairs += (int64_t)(rows - first) * strip;
            }
        }
    return pairs;
}

static void counted_strips(Lesson *lesson)
{
    enum { T = 768, d = 32 };
    static const char *const columns[] = { "all tiles", "not empty", "strips" };
    const char *rows[VERSIONS];
    Mat table = mat_new(lesson->arena, VERSIONS, 3);
    Drawn p = drawn(lesson, T, T, d, d);
    double seen = (double)T * (T + 1) / 2;
    bool as_counted = true;
    for (int n = 0; n < VERSIONS; n++) {
        Version v = versions[n];
        int64_t strips = causal_pairs(T, v.lanes, v.vectors, v.lanes);
        float numbers[] = { (float)(T * T / seen), (float)((double)causal_pairs(T, v.lanes, v.vectors, KEYS) / seen),
                            (float)((double)strips / seen) };
        rows[n] = arena_format(lesson->arena, "%d lanes", v.lanes);
        mat_set(mat_rows(table, n, 1), mat_of(lesson->arena, 1, 3, numbers));
        if (fast_choose(v.name))
            as_counted = as_counted && multiplies_of(lesson, p, CAUSAL) == strips * 2 * d + (int64_t)T * ROWS * d;
    }
    fast_choose(NULL);
    const char *name = arena_format(lesson->arena, "causal, T = S = %d: pairs worked on, for each pair seen", T);
    show_table(lesson, (Table){ .name = name,
                                .values = table, .rows = rows, .cols = columns, .decimals = 3 });
    check(lesson, as_counted, "counted, in every version that this processor can run: the last column");
}

static void what_the_mask_cuts(Lesson *lesson)
{
    step(lesson, "What the mask cuts");
    counted_strips(lesson);

    enum { T = 70, S = 90, d = 8, STRANGE = 75 };
    Drawn p = drawn(lesson, T, S, d, d);
    Mat clean = mat_new(lesson->arena, T, d), out = mat_new(lesson->arena, T, d);
    attention_fast((Attended){ .out = clean }, p.q, p.k, p.v, CAUSAL);
    mat_fill(mat_rows(p.v, STRANGE, 1), NAN);
    mat_fill(mat_rows(p.k, STRANGE, 1), NAN);
    attention_fast((Attended){ .out = out }, p.q, p.k, p.v, CAUSAL);
    int before = STRANGE - (S - T);                  // the first query that sees the key
    bool spared = mat_max_difference(mat_rows(out, 0, before), mat_rows(clean, 0, before)) < 1e-6, felt = true;
    for (int i = before; i < T; i++) felt = felt && isnan(*mat_ref(out, i, 0));
    check(lesson, spared, "a key and its value are NaN: queries that do not see them do not feel them");
    check(lesson, felt, "all that do see them give NaN");
}

// ---- 7

static void in_out_and_threads(Lesson *lesson)
{
    step(lesson, "In, out and threads");
    enum { H = 6, G = 3, T = 200, d = 16 };
    Drawn p = drawn(lesson, T, T, H * d, G * d);
    p.k = mat_cols(p.k, 0, G * d);
    Mask masks[H];
    for (int h = 0; h < H; h++) masks[h] = h % 2 ? CAUSAL : EVERYTHING;
    Attended naive = { .out = mat_new(lesson->arena, T, H * d) }, fast = { .out = mat_new(lesson->arena, T, H * d) };
    Mat one = mat_new(lesson->arena, T, H * d);
    grouped_attend(naive, p.q, p.k, p.v, H, masks, attention_naive);
    bool same = true, right = true;
    for (int threads = 1; threads <= 7; threads++) {
        threads_set(threads);
        attention_fast_heads(fast, p.q, p.k, p.v, H, masks);
        if (threads == 1) mat_set(one, fast.out);
        same = same && mat_equal(one, fast.out);
        right = right && mat_max_difference(fast.out, naive.out) < 1e-5;
    }
    threads_set(0);
    check(lesson, right, "%d heads, %d key heads, some causal: attention_naive, within 0.00001", H, G);
    check(lesson, same, "with 1 to 7 threads the same bits");

    int64_t scratch[2];
    for (int n = 0; n < 2; n++) {
        Drawn more = drawn(lesson, n ? 640 : 64, n ? 640 : 64, d, d);
        counted = (Cost){ 0 };
        attention_fast((Attended){ .out = mat_new(lesson->arena, more.q.rows, d) }, more.q, more.k, more.v, EVERYTHING);
        scratch[n] = counted.scratch;
    }
    check(lesson, scratch[0] == scratch[1], "ten times as many words need not a byte more of scratch");
}

// ---- 8

// What was measured while decoding: bytes a second, as a share of what reading alone gives.
static void decoding_measured(Lesson *lesson)
{
    NamedRows bench = bench_rows(lesson->arena);
    static const char *const names[] = { "one stream", "four streams", "fast views", "decode views", "decode" };
    enum { NAMES = sizeof names / sizeof *names };
    static const char *const columns[] = { "4096: GB/s", "share %", "32768: GB/s", "share %" };
    Mat table = mat_new(lesson->arena, NAMES, 4);
    for (int n = 0; n < NAMES; n++)
        for (int e = 0; e < 2; e++) {
            Shape at = { 1, e ? 32768 : 4096, 128, false, 1 };
            *mat_ref(table, n, 2 * e) = measured(bench, names[n], at, GBYTES);
            *mat_ref(table, n, 2 * e + 1) = 100 * measured(bench, names[n], at, SHARE);
        }
    show_table(lesson, (Table){ .name = "measured with H = 32, G = 8, d = 128: by the number of keys", .values = table,
                                .rows = names, .cols = columns, .decimals = 1 });
}

static void one_query(Lesson *lesson)
{
    step(lesson, "One query: memory is the limit");
    enum { H = 8, G = 2, S = 1000, d = 24 };
    Drawn p = drawn(lesson, 1, S, H * d, G * d);
    p.k = mat_cols(p.k, 0, G * d);
    Mask masks[H] = { { 0 } };
    Attended naive = { .out = mat_new(lesson->arena, 1, H * d) }, fast = { .out = mat_new(lesson->arena, 1, H * d) };
    grouped_attend(naive, p.q, p.k, p.v, H, masks, attention_naive);
    attention_fast_decode(fast, p.q, p.k, p.v, H, masks);
    check(lesson, mat_max_difference(naive.out, fast.out) < 1e-5,
          "a step of %d heads, %d key heads, %d keys: attention_naive, within 0.00001", H, G, S);

    static const char *const columns[] = { "MiB read", "a number" };
    static const struct { int H, G, d, S; } steps[] = { { 32, 32, 128, 4096 }, { 32, 8, 128, 4096 },
                                                        { 32, 8, 128, 32768 } };
    const char *rows[3];
    Mat table = mat_new(lesson->arena, 3, 2);
    for (int n = 0; n < 3; n++) {
        double numbers = 2.0 * steps[n].S * steps[n].G * steps[n].d, work = 2.0 * steps[n].S * steps[n].H * steps[n].d;
        rows[n] = arena_format(lesson->arena, "H = %d, G = %d, S = %d", steps[n].H, steps[n].G, steps[n].S);
        *mat_ref(table, n, 0) = (float)(4 * numbers / (1024 * 1024));
        *mat_ref(table, n, 1) = (float)(work / numbers);
    }
    show_table(lesson, (Table){ .name = "a step of one layer, d = 128: the cache; multiply-adds a number",
                                .values = table, .rows = rows, .cols = columns, .decimals = -1 });
    decoding_measured(lesson);
}

// ---- 9

enum { GROWING = 3, LENGTHS = 16, FITTED = 1024 };
static const char *const growing[GROWING] = { "naive", "tiled", "fast" };

typedef struct { int count; double T[LENGTHS], of[SCRATCH + 1][LENGTHS]; } Growth;

static Growth growth_of(NamedRows rows, const char *name)
{
    Growth g = { 0 };
    for (int i = 0; i < rows.values.rows && g.count < LENGTHS; i++) {
        if (strcmp(rows.names[i], name) != 0) continue;
        g.T[g.count] = (double)*mat_ref(rows.values, i, GROWTH_T);
        for (int c = SECONDS; c <= SCRATCH; c++) g.of[c][g.count] = (double)*mat_ref(rows.values, i, c);
        g.count++;
    }
    return g;
}

static double slope_of(const Growth *g, int column)
{
    int first = 0;
    while (first + 2 < g->count && g->T[first] < FITTED) first++;
    return slope_log_log(g->T + first, g->of[column] + first, g->count - first);
}

// What others reach at the same shapes, in the same run.
static void peers_measured(Lesson *lesson)
{
    NamedRows bench = bench_rows(lesson->arena);
    static const Shape shapes[] = { { 1024, 1024, 64, false, 1 }, { 1024, 1024, 64, true, 1 },
                                    { 4096, 4096, 64, false, 1 },
                                    { 4096, 4096, 64, true, 1 }, { 2048, 2048, 128, false, 1 },
                                    { 2048, 2048, 128, true, 1 } };
    enum { SHAPES = sizeof shapes / sizeof *shapes, PEERS = 4 };
    static const char *const peers[PEERS] = { "sgemm naive", "sgemm tiles", "PyTorch", "fast" };
    const char *rows[SHAPES];
    Mat table = mat_new(lesson->arena, SHAPES, PEERS), hidden = mat_new(lesson->arena, SHAPES, PEERS);
    bool ahead = true;
    for (int n = 0; n < SHAPES; n++) {
        rows[n] = arena_format(lesson->arena, "T = %d, d = %d, %s", shapes[n].T, shapes[n].d,
                               shapes[n].causal ? "causal" : "full");
        for (int c = 0; c < PEERS; c++) {
            float share = 100 * measured(bench, peers[c], shapes[n], SHARE);
            *mat_ref(table, n, c) = isnan(share) ? 0.0f : share;
            *mat_ref(hidden, n, c) = isnan(share) ? 1.0f : 0.0f;
        }
        for (int c = 0; c < PEERS - 1; c++) ahead = ahead && *mat_ref(table, n, c) < *mat_ref(table, n, PEERS - 1);
    }
    show_table(lesson, (Table){ .name = "share of the probe in percent, one thread", .values = table,
                                .hidden = hidden, .rows = rows,
                                .cols = peers, .decimals = 1 });
    check(lesson, ahead, "in this run: fast is ahead of every peer at every shape");
    float narrow = measured(bench, "sgemm tiles", shapes[0], SHARE);
    float wide = measured(bench, "sgemm tiles", shapes[4], SHARE);
    if (!isnan(narrow) && !isnan(wide))
        say(lesson, "All that the core can do would be 1 / %.3f = %.2f times sgemm tiles at T = 1024, full, and "
            "1 / %.3f = %.2f times at d = 128.", (double)narrow, 1 / (double)narrow, (double)wide, 1 / (double)wide);
}

static void how_cost_grows(Lesson *lesson)
{
    step(lesson, "How it compares, and how cost grows");
    peers_measured(lesson);
    NamedRows rows = EMBEDDED(lesson->arena, growth_lines, GROWTH_COLUMNS, "data/bench/growth.tsv");
    Growth *all = arena_alloc(lesson->arena, GROWING * sizeof *all);
    Series series[2][GROWING];
    Mat table = mat_new(lesson->arena, GROWING, 5);
    static const char *const columns[] = { "T", "seconds", "MiB", "slope: s", "slope: MiB" };
    for (int n = 0; n < GROWING; n++) {
        Growth *g = &all[n];
        *g = growth_of(rows, growing[n]);
        REQUIRE(g->count > 1, "data/bench/growth.tsv has %d rows of %s", g->count, growing[n]);
        int last = g->count - 1;
        float numbers[] = { (float)g->T[last], (float)g->of[SECONDS][last],
                            (float)(g->of[SCRATCH][last] / (1024 * 1024)),
                            (float)slope_of(g, SECONDS), (float)slope_of(g, SCRATCH) };
        mat_set(mat_rows(table, n, 1), mat_of(lesson->arena, 1, 5, numbers));
        for (int i = 0; i < g->count; i++) {
            g->of[SECONDS][i] *= 1e3;
            g->of[SCRATCH][i] /= 1024;
        }
        for (int c = 0; c < 2; c++)
            series[c][n] = (Series){ .name = growing[n], .x = g->T, .y = g->of[SECONDS + c], .count = g->count };
    }
    say(lesson, "One head, d = 64, no mask: the longest T that was timed, and the slopes from T = %d on.", FITTED);
    show_table(lesson, (Table){ .name = "time and scratch",
                                .values = table, .rows = growing, .cols = columns, .decimals = 2 });
    bool square = true;
    for (int n = 0; n < GROWING; n++) square = square && fabs((double)*mat_ref(table, n, 3) - 2) < 0.15;
    check(lesson, square, "time: about T² for all three");
    check(lesson, fabsf(*mat_ref(table, 0, 4) - 2) < 0.01f && *mat_ref(table, 1, 4) == 0.0f &&
          *mat_ref(table, 2, 4) == 0.0f,
          "scratch: T² for naive, no growth for the others");
    figure_plot(lesson, "time.png", "time against T", (Plot){ .title = "Time of one head, d = 64", .x_title = "T = S",
                .y_title = "milliseconds", .series = series[0], .count = GROWING, .log_x = true, .log_y = true });
    figure_plot(lesson, "memory.png", "scratch against T", (Plot){ .title = "Scratch memory of one head, d = 64",
                                                                   .x_title = "T = S",
                .y_title = "KiB", .series = series[1], .count = GROWING, .log_x = true, .log_y = true });
}

// ---- --time: here and now

typedef struct { Attended to; Drawn p; AttentionKernel *kernel; } Job;

static void run_job(void *context)
{
    Job *job = context;
    job->kernel(job->to, job->p.q, job->p.k, job->p.v, EVERYTHING);
}

static double look_at_probe(void *context)
{
    (void)context;
    return fast_probe_rate(0.002);
}

static void show_progress(int done, int all, void *context)
{
    (void)context;
    if (!isatty(STDERR_FILENO)) return;
    fprintf(stderr, "\r    %3d %%  %.*s", 100 * done / all, 40 * done / all,
            "########################################");
    if (done == all) fprintf(stderr, "\r%*s\r", 60, "");
}

static void here_and_now(Lesson *lesson, int seconds)
{
    step(lesson, "Here and now");
    enum { T = 1024, d = 64 };
    Drawn p = drawn(lesson, T, T, d, d);
    Timed *timed = arena_alloc(lesson->arena, (size_t)attention_rungs_count * sizeof *timed);
    Job *jobs = arena_alloc(lesson->arena, (size_t)attention_rungs_count * sizeof *jobs);
    for (int r = 0; r < attention_rungs_count; r++) {
        const NamedKernel *rung = &attention_kernels[r];
        jobs[r] = (Job){ { .out = mat_new(lesson->arena, T, d) }, p, rung->run };
        timed[r] = (Timed){ .name = rung->name, .run = run_job, .context = &jobs[r], .work = 2.0 * T * T * d };
    }
    Measuring how = { .yardstick = look_at_probe, .progress = show_progress, .seconds = seconds };
    int rounds = measure(timed, attention_rungs_count, how);
    static const char *const columns[] = { "GFLOP/s", "share %", "from", "to" };
    const char **rows = arena_alloc(lesson->arena, (size_t)attention_rungs_count * sizeof *rows);
    Mat table = mat_new(lesson->arena, attention_rungs_count, 4);
    for (int r = 0; r < attention_rungs_count; r++) {
        Spread share = measured_share(&timed[r]);
        float numbers[] = { (float)(2e-9 * measured_rate(&timed[r]).median), 100 * (float)share.median,
                            100 * (float)share.low,
                            100 * (float)share.high };
        mat_set(mat_rows(table, r, 1), mat_of(lesson->arena, 1, 4, numbers));
        rows[r] = attention_kernels[r].name;
    }
    say(lesson, "The version for this processor: %s. T = S = %d, d = %d, one thread; %d rounds, in each of which every "
        "rung had its turn. Medians, and the quartiles of the share of the probe.", fast_kind(), T, d, rounds);
    show_table(lesson, (Table){ .name = "the ladder", .values = table, .rows = rows, .cols = columns, .decimals = 1 });
}

int main(int argc, char **argv)
{
    int seconds = 0;
    Flag flags[] = {
        { "time", FLAG_INT, &seconds, 0, 600, "time the ladder here and now, for about N seconds (default 0: do not)" },
    };
    Lesson lesson = lesson_open_with(argc, argv, 15, "Fast on the CPU", flags, 1);

    what_the_machine_could_do(&lesson);
    one_rung_at_a_time(&lesson);
    lanes_are_queries(&lesson);
    two_to_the_x(&lesson);
    seldom_raised(&lesson);
    what_the_mask_cuts(&lesson);
    in_out_and_threads(&lesson);
    one_query(&lesson);
    how_cost_grows(&lesson);
    if (seconds) here_and_now(&lesson, seconds);
    return lesson_close(&lesson);
}
