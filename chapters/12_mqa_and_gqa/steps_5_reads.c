// Chapter 12, step 5. What a token reads: head by head, a group at a time; and how long that takes, in a run that is
// kept and with --time.
#include "base/portable_math.h"
#include "kernels/fast.h"
#include "attention/grouped.h"
#include "base/measure.h"
#include "base/threads.h"
#include "io/table.h"
#include "steps.h"

#include <string.h>

static const char *const zen5_lines[] = {
#include "bench/groups-26-2.inc"
};
static const char *const zen5_bench_lines[] = {
#include "bench/latent-26-2.inc"
};

// A cache of S keys and values as wide as G heads need, in memory that is there already.
static Mat cache_of(Mat memory, int S, int G, int d) { return (Mat){ memory.at, S, G * d, G * d }; }

typedef void Decode(Mat out, Mat q, Mat k, Mat v, int H, const Mask *masks);

static void decode_shared(Mat out, Mat q, Mat k, Mat v, int H, const Mask *masks)
{
    grouped_decode((Attended){ .out = out }, q, k, v, H, masks);
}

// The same head by head: each goes through the cache on its own, and fetches what the head before it has fetched.
static void decode_alone(Mat out, Mat q, Mat k, Mat v, int H, const Mask *masks)
{
    int d = q.cols / H, G = k.cols / d;
    for (int h = 0; h < H; h++)
        grouped_decode((Attended){ .out = mat_cols(out, h * d, d) }, mat_cols(q, h * d, d),
                       mat_cols(k, h / (H / G) * d, d), mat_cols(v, h / (H / G) * d, d), 1, &masks[h]);
}

// Chapter 15's: rows shared too, and the arithmetic no longer in the way.
static void decode_fast(Mat out, Mat q, Mat k, Mat v, int H, const Mask *masks)
{
    attention_fast_decode((Attended){ .out = out }, q, k, v, H, masks);
}

// ---- measured once

enum { KEYS, ALONE, SHARED, FAST, COLUMNS_OF_TIMES, GROUPS = 6, HEADS = 1 << (GROUPS - 1) }; // G = 32, 16 … 1
enum { WIDTH = 128 };                                                                        // of a head

// Of a token in one layer, shared, in 32 bits.
static double bytes_read(int64_t S, int G, int d) { return 4.0 * (2.0 * (double)S * G * d + HEADS * d); }

// What a core of that kind reads, 10⁹ bytes a second: the mean of four streams in the run that chapter 17 tells of.
static double zen5_reads(Arena *arena)
{
    enum { COLUMNS = 13, GBYTES = 9 };
    TableRows rows = TABLE_EMBEDDED(arena, zen5_bench_lines, COLUMNS, "data/bench/latent-26-2.tsv");
    double sum = 0.0;
    int count = 0;
    for (int i = 0; i < rows.values.rows; i++) {
        if (strcmp(rows.names[i], "four streams") != 0) continue;
        sum += mat_value(rows.values, i, GBYTES);
        count++;
    }
    return sum / count;
}

// A line through the first row and the last: what each key head takes, and what is left at G = 0.
static void say_line(Lesson *lesson, int S, double most, double least)
{
    double each = (most - least) / (HEADS - 1);
    say(lesson, "Shared, with %d keys: about %.2f ms for each key head, and %.2f ms that do not depend on G.", S, each,
        least - each);
}

static void measured_once(Lesson *lesson)
{
    static const char *const cols[] = { "alone", "shared", "ch. 15" };
    TableRows rows = TABLE_EMBEDDED(lesson->arena, zen5_lines, COLUMNS_OF_TIMES, "data/bench/groups-26-2.tsv");
    double falls[2][COLUMNS_OF_TIMES], ends[2][COLUMNS_OF_TIMES];
    for (int l = 0; l < 2; l++) {
        const char *name = arena_format(lesson->arena, "one core of Zen 5, %.0f keys: ms a token a layer",
                                        mat_value(rows.values, l * GROUPS, KEYS));
        Rows table = rows_of(lesson, name, cols, 3);
        for (int n = l * GROUPS; n < (l + 1) * GROUPS; n++)
            rows_add(&table,
                     ROW(mat_value(rows.values, n, ALONE), mat_value(rows.values, n, SHARED),
                         mat_value(rows.values, n, FAST)),
                     "%s", rows.names[n]);
        table.table.given = true;
        show_rows(lesson, &table);
        for (int way = ALONE; way <= FAST; way++) {
            double first = mat_value(rows.values, l * GROUPS, way);
            falls[l][way] = first / mat_value(rows.values, l * GROUPS + 2, way);
            ends[l][way] = first / mat_value(rows.values, (l + 1) * GROUPS - 1, way);
        }
    }
    say(lesson, "Measured once, each the fastest of 41 tokens; the machine had other work to do meanwhile. In that "
                "run:");
    check(lesson, falls[0][SHARED] < 2 && falls[1][SHARED] < 2,
          "shared, from G = 32 to G = 8: a quarter of the bytes, %.2f and %.2f times as fast", falls[0][SHARED],
          falls[1][SHARED]);
    check(lesson, fabs(falls[1][FAST] - 4) < 0.2, "chapter 15's, with 32,768 keys: %.2f times as fast", falls[1][FAST]);
    double reads = bytes_read(LENGTHS[1], 8, WIDTH) / 1e6 / mat_value(rows.values, GROUPS + 2, FAST),
           most = zen5_reads(lesson->arena);
    check(lesson, reads < most,
          "that is, at G = 8, %.1f GB/s, %.0f %% of the %.1f that a core of Zen 5 reads (chapter "
          "17's run)",
          reads, 100 * reads / most, most);
    double slower[2];
    for (int l = 0; l < 2; l++)
        slower[l] = mat_value(rows.values, l * GROUPS, ALONE) / mat_value(rows.values, l * GROUPS, SHARED);
    check(lesson, slower[0] > 3 && slower[1] > 3,
          "alone and shared do the same at G = 32, and alone takes %.1f and %.1f times as long", slower[0], slower[1]);
    check(lesson, ends[0][ALONE] > 3 && ends[1][ALONE] > 3,
          "alone asks for as many numbers in every row, and is %.2f and %.2f times as fast at G = 1", ends[0][ALONE],
          ends[1][ALONE]);
    say_line(lesson, (int)mat_value(rows.values, GROUPS, KEYS), mat_value(rows.values, GROUPS, SHARED),
             mat_value(rows.values, 2 * GROUPS - 1, SHARED));
}

void what_a_token_reads(Lesson *lesson)
{
    enum { H = HEADS, d = WIDTH, S = 256, ROWS = GROUPS };
    step(lesson, "What a token reads");
    static const char *const cols[] = { "alone", "shared", "multiplies" }, *const lengths[] = { "4,096", "32,768" };
    Arena *arena = lesson->arena;
    Mat q = random_mat(lesson, 1, H * d), k = random_mat(lesson, S, H * d), v = random_mat(lesson, S, H * d);
    Mat out = mat_new(arena, 1, H * d), one = mat_new(arena, 1, H * d), want = mat_new(arena, 1, H * d);
    Rows table = rows_of(lesson, "H = 32, d = 128, 256 keys: numbers read; multiplications", cols, 3);
    Rows megabytes = rows_of(lesson, "MB read for a token in one layer, shared, in 32 bits, by keys", lengths, 2);
    table.table.decimals = -1;
    Mask masks[H] = { { 0 } };
    double apart = 0.0;
    bool as_formula = true;
    for (int G = H; G >= 1; G /= 2) {
        Mat keys = cache_of(k, S, G, d), values = cache_of(v, S, G, d);
        Cost start = cost_counted;
        decode_alone(one, q, keys, values, H, masks);
        int64_t alone = cost_since(start).reads;
        start = cost_counted;
        decode_shared(out, q, keys, values, H, masks);
        Cost shared = cost_since(start);
        grouped_attend((Attended){ .out = want }, q, keys, values, H, masks, attention_naive);
        apart = fmax(apart, fmax(mat_max_difference(out, want), mat_max_difference(one, want)));
        as_formula = as_formula && alone == 2 * S * H * d + H * d && shared.reads == 2 * S * G * d + H * d &&
                     shared.multiplies == 2 * S * H * d;
        rows_add(&table, ROW((double)alone, (double)shared.reads, (double)shared.multiplies), "G = %d", G);
        double read[2];
        for (int l = 0; l < 2; l++) read[l] = 1e-6 * bytes_read(LENGTHS[l], G, d);
        rows_add(&megabytes, read, "G = %d", G);
    }
    show_rows(lesson, &table);
    check(lesson, apart < 1e-5, "all three give the same: grouped_attend, head by head, and a group at a time");
    check(lesson, as_formula,
          "counted: alone 2·S·H·d + H·d, shared 2·S·G·d + H·d; multiplications 2·S·H·d, whatever G");
    show_rows(lesson, &megabytes);
    double fall = mat_value(megabytes.table.values, 0, 0) / mat_value(megabytes.table.values, ROWS - 1, 0);
    check(lesson, fall > 31.8 && fall < 32.0,
          "with 4,096 keys G = 1 reads 1 / %.1f of what G = 32 reads, not 1 / 32: the queries stay", fall);
    measured_once(lesson);
}

// ---- --time

// Milliseconds of the fastest of `rounds` tokens, for every G in turn: one table for one number of keys. Other work on
// the machine makes a token slower and never faster.
static void time_decoding(Lesson *lesson, Mat memory, int S, int rounds)
{
    enum { H = HEADS, d = WIDTH, ROWS = GROUPS, WAYS_TIMED = 3 };
    static Decode *const ways[] = { decode_alone, decode_shared, decode_fast };
    static const char *const cols[] = { "alone", "shared", "sh. falls", "ch. 15", "15 falls", "H / G", "15 GB/s" };
    double best[ROWS][WAYS_TIMED];
    Arena *arena = lesson->arena;
    Mat q = random_mat(lesson, 1, H * d), out = mat_new(arena, 1, H * d);
    const char *name = arena_format(arena, "%d keys: ms a token a layer, one thread, best of %d", S, rounds);
    Rows table = rows_of(lesson, name, cols, 7);
    Mask masks[H] = { { 0 } };
    threads_set(1);
    for (int r = -1; r < rounds; r++) // round −1 warms up
        for (int n = 0, G = H; n < ROWS; n++, G /= 2)
            for (int w = 0; w < WAYS_TIMED; w++) {
                Mat v = { memory.at + (ptrdiff_t)S * H * d, S, G * d, G * d };
                double start = measure_clock_wall();
                ways[w](out, q, cache_of(memory, S, G, d), v, H, masks);
                double took = 1e3 * (measure_clock_wall() - start);
                best[n][w] = r < 1 ? took : fmin(best[n][w], took);
            }
    for (int n = 0, G = H; n < ROWS; n++, G /= 2) {
        double alone = best[n][0], shared = best[n][1], fast = best[n][2];
        double shared_falls = best[0][1] / shared, fast_falls = best[0][2] / fast;
        rows_add(&table, ROW(alone, shared, shared_falls, fast, fast_falls, H / G, 8e-6 * S * G * d / fast), "G = %d",
                 G);
    }
    threads_set(0);
    show_rows(lesson, &table);
    say_line(lesson, S, best[0][1], best[ROWS - 1][1]);
}

void time_it(Lesson *lesson, int rounds)
{
    enum { LONG = 32768, WIDE = HEADS * WIDTH };
    Mat memory = mat_new(lesson->arena, 2 * LONG, WIDE); // 1.07 GB
    for (int i = 0; i < memory.rows; i++)
        for (int c = 0; c < WIDE; c++) *mat_ref(memory, i, c) = (float)((i * 31 + c * 17) % 97) / 97.0f - 0.5f;
    time_decoding(lesson, memory, 4096, rounds);
    time_decoding(lesson, memory, LONG, rounds);
}
