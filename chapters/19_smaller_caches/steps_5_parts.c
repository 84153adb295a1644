// Chapter 19, step 5. Attention reads a cache of codes without unpacking it whole; and how long that takes.
#include "base/portable_math.h"
#include "kernels/fast.h"
#include "attention/grouped.h"
#include "attention/online.h"
#include "kernels/quantised_fast.h"
#include "base/measure.h"
#include "base/threads.h"
#include "steps.h"

#include <string.h>

static const char *const zen5_lines[] = {
#include "bench/codes-26-2.inc"
};

enum { H = 8, G = 2, d = 64, BLOCK = 32 };

static QuantisedCache filled_cache(Lesson *lesson, QuantisedKind kind, int S, Mat k, Mat v)
{
    QuantisedCache cache = quantised_new(lesson->arena, format_of(kind, BLOCK), S, G * d, G * d);
    quantised_append(&cache, k, v);
    return cache;
}

// What one query a head costs, and how far it is from attention over the numbers that the codes stand for.
typedef struct {
    Cost cost;
    double apart;
} Read;

static Read read_parts(Lesson *lesson, const QuantisedCache *cache, Mat q, Mat want, const Mask *masks)
{
    Mat out = mat_new(lesson->arena, 1, H * d);
    cost_counted.scratch = 0;
    Cost before = cost_counted;
    kv_segments_attend((Attended){ .out = out }, q, quantised_segments(cache), H, masks, attention_online);
    return (Read){ cost_since(before), mat_max_difference(out, want) };
}

static Read read_codes(Lesson *lesson, const QuantisedCache *cache, Mat q, Mat want, const Mask *masks)
{
    Mat out = mat_new(lesson->arena, 1, H * d);
    cost_counted.scratch = 0;
    Cost before = cost_counted;
    quantised_decode((Attended){ .out = out }, cache, q, H, masks);
    return (Read){ cost_since(before), mat_max_difference(out, want) };
}

// ---- measured once

enum {
    MB,
    MS,
    SHARE = 4,
    AS_FAST = 7,
    NEAR,
    COLUMNS_OF_CODES = 10,
    FORMATS = 1 + QUANTISED_KINDS
}; // of codes-26-2.tsv

// What a step takes, and what it cannot undercut: reading alone, and arithmetic alone.
static void figure_time(Lesson *lesson, TableRows rows)
{
    enum { BARS = 3 };
    static const char *const series[BARS] = { "reading alone", "from near", "a step" };
    static const char *names[FORMATS];
    static double values[FORMATS * BARS];
    double each = mat_value(rows.values, 0, MS) / mat_value(rows.values, 0, MB);
    for (int n = 0; n < FORMATS; n++) {
        names[n] = arena_format(lesson->arena, "%s, %.0f MB", rows.names[1 + n], mat_value(rows.values, 1 + n, MB));
        values[n * BARS] = each * mat_value(rows.values, 1 + n, MB);
        values[n * BARS + 1] = mat_value(rows.values, 1 + n, NEAR);
        values[n * BARS + 2] = mat_value(rows.values, 1 + n, MS);
    }
    figure_bars(lesson, "time.png", "time of a step by format, and of reading alone and from near",
                (PlotBars){ .title = "A step over 131,072 tokens, one thread of Zen 5",
                            .y_title = "ms",
                            .groups = names,
                            .series = series,
                            .group_count = FORMATS,
                            .series_count = BARS,
                            .values = values,
                            .decimals = 1,
                            .width = 900 });
}

// What limits a format? Its bytes, where reading them takes longer than all else; else its arithmetic.
static void measured_once(Lesson *lesson)
{
    static const char *const cols[] = { "MB", "reading", "from near", "a step", "of bytes", "as fast" };
    TableRows rows = TABLE_EMBEDDED(lesson->arena, zen5_lines, COLUMNS_OF_CODES, "data/bench/codes-26-2.tsv");
    Rows table = rows_of(lesson, "one core of Zen 5, 131,072 tokens, H = G = 4, d = 64: ms", cols, 6);
    double each = mat_value(rows.values, 0, MS) / mat_value(rows.values, 0, MB), least = INFINITY, most = 0.0;
    bool unpacking = true, memory = false;
    for (int n = 1; n <= FORMATS; n++) {
        double mb = mat_value(rows.values, n, MB), near = mat_value(rows.values, n, NEAR);
        double faster = mat_value(rows.values, n, AS_FAST);
        rows_add(&table,
                 ROW(mb, mb * each, near, mat_value(rows.values, n, MS), mat_value(rows.values, n, SHARE), faster),
                 "%s", rows.names[n]);
        if (n == 1) memory = near < mb * each;
        if (n == 1) continue;
        unpacking = unpacking && near > mb * each;
        least = fmin(least, faster);
        most = fmax(most, faster);
    }
    table.table.given = true;
    show_rows(lesson, &table);
    check(lesson, least > 1.0, "every format is faster than float32: %.1f to %.1f times", least, most);
    check(lesson, memory, "float32: reading its bytes takes longer than all its arithmetic: memory is the limit");
    check(lesson, unpacking, "codes: arithmetic, unpacking included, takes longer than reading: that is the limit");
    figure_time(lesson, rows);
}

void read_in_parts(Lesson *lesson)
{
    enum { S = 4096 };
    static const char *const cols[] = { "KB kept", "KB unpacked", "10⁶ mults" };
    step(lesson, "Read without being unpacked whole");
    Mat k = random_mat(lesson, S, G * d), v = random_mat(lesson, S, G * d), q = random_mat(lesson, 1, H * d);
    Mask masks[H];
    grouped_masks(masks, H, (Mask){ .causal = true }, false);
    Rows table = rows_of(lesson, "one query a head, 4,096 keys, H = 8, G = 2, d = 64", cols, 3);
    rows_add(&table, ROW(2.0 * S * G * d * 4 / 1e3, 0, 2e-6 * S * H * d), "float32");
    double apart = 0.0;
    bool as_formula = true;
    int64_t scratch = 0;
    for (int kind = 0; kind < QUANTISED_KINDS; kind++) {
        QuantisedCache cache = filled_cache(lesson, (QuantisedKind)kind, S, k, v);
        Mat want = mat_new(lesson->arena, 1, H * d);
        QuantisedFormat format = cache.format;
        grouped_attend((Attended){ .out = want }, q, quantised_copy(lesson->arena, k, format, format.keys),
                       quantised_copy(lesson->arena, v, format, format.values), H, masks, attention_naive);
        Read parts = read_parts(lesson, &cache, q, want, masks), codes = read_codes(lesson, &cache, q, want, masks);
        double kept = (double)quantised_bytes(&cache) / 1e3, block = 4.0 * BLOCK * 2 * G * d / 1e3;
        rows_add(&table, ROW(kept, block, 1e-6 * (double)parts.cost.multiplies), "%s, in parts", quantised_names[kind]);
        rows_add(&table, ROW(kept, 4e-3 * d, 1e-6 * (double)codes.cost.multiplies), "%s, from codes",
                 quantised_names[kind]);
        apart = fmax(apart, fmax(parts.apart, codes.apart));
        if (parts.cost.scratch > scratch) scratch = parts.cost.scratch;
        if (codes.cost.scratch > scratch) scratch = codes.cost.scratch;
        int64_t grids = kind == QUANTISED_FLOAT8 ? 0 : 2 * H * d * S / BLOCK + 2 * S * H * (d / format.group);
        as_formula = as_formula && codes.cost.multiplies == 2 * S * H * d + grids;
    }
    show_rows(lesson, &table);
    check(lesson, apart < 1e-5, "both give what attention gives over the numbers that the codes stand for");
    check(lesson, scratch > 0 && scratch < 2 * S * G * d * 4 / 8,
          "never unpacked whole: at most %.0f KB of scratch, and float32 takes %.0f", (double)scratch / 1e3,
          2.0 * S * G * d * 4 / 1e3);
    say(lesson, "Liu et al. (2024, abstract), 2 bits, on GPUs: 2.6 times less memory at its peak, 2.35 to 3.47 times "
                "the throughput.");
    check(lesson, as_formula, "counted, from codes: 2·S·H·d, and for a grid 2·H·d a block and 2·S·H·d / 16");
    measured_once(lesson);
}

// ---- --time

enum { ROUNDS_MOST = 100, TIMED = 1 + 2 * QUANTISED_KINDS };

// Whole caches one after the other, so that each comes from memory. As many key heads as query heads: every number that
// is read is used once.
void time_it(Lesson *lesson, int rounds)
{
    enum { S = 131072, HEADS = 4, W = HEADS * d };
    static const char *const cols[] = { "MB", "ms", "low", "high", "as fast", "GB/s" };
    static double times[TIMED][ROUNDS_MOST];
    Mat k = random_mat(lesson, S, W), v = random_mat(lesson, S, W), q = random_mat(lesson, 1, W);
    Mat out = mat_new(lesson->arena, 1, W);
    Mask masks[HEADS];
    grouped_masks(masks, HEADS, (Mask){ .causal = true }, false);
    QuantisedCache caches[QUANTISED_KINDS];
    for (int kind = 0; kind < QUANTISED_KINDS; kind++) {
        caches[kind] = quantised_new(lesson->arena, format_of((QuantisedKind)kind, BLOCK), S, W, W);
        quantised_append(&caches[kind], k, v);
    }
    threads_set(1);
    for (int r = -1; r < rounds; r++) // round −1 warms up
        for (int t = 0; t < TIMED; t++) {
            const QuantisedCache *cache = &caches[(t + QUANTISED_KINDS - 1) % QUANTISED_KINDS];
            Attended to = { .out = out };
            double start = measure_clock_thread();
            if (t == 0) attention_fast_decode(to, q, k, v, HEADS, masks);
            else if (t <= QUANTISED_KINDS) quantised_fast_decode(to, cache, q, HEADS, masks);
            else quantised_decode(to, cache, q, HEADS, masks);
            if (r >= 0) times[t][r] = 1e3 * (measure_clock_thread() - start);
        }
    threads_set(0);
    Rows table = rows_of(lesson, "a token, 131,072 keys, H = G = 4, d = 64, one thread", cols, 6);
    MeasureSpread plain = measure_spread(times[0], rounds);
    for (int t = 0; t < TIMED; t++) {
        MeasureSpread spread = measure_spread(times[t], rounds);
        int kind = (t + QUANTISED_KINDS - 1) % QUANTISED_KINDS;
        double bytes = t ? (double)quantised_bytes(&caches[kind]) : 8.0 * S * W;
        const char *way = t <= QUANTISED_KINDS ? "in vectors" : "plain";
        const char *name = t ? arena_format(lesson->arena, "%s, %s", quantised_names[kind], way) : "float32";
        rows_add(&table,
                 ROW(bytes / 1e6, spread.median, spread.low, spread.high, plain.median / spread.median,
                     bytes / 1e6 / spread.median),
                 "%s", name);
    }
    show_rows(lesson, &table);
}
