// Chapter 24, steps 10 and 11. What is sent, beside a ring; and a page of arithmetic for a million tokens on a hundred
// machines, from what was measured by --measure: data/bench/star.tsv, which travels inside the program.
#include "base/portable_math.h"
#include "model/sizes.h"
#include "steps.h"

#include <string.h>

static const char *const bench_lines[] = {
#include "bench/star.inc"
};
static const char *const gpu_lines[] = {
#include "bench/gpu.inc"
};

enum { MACHINES = 100, WIDTH = 4, TOKENS = 256, ROW_COLUMNS = 3, GPU_COLUMNS = 16 };
static const double NUMBERS = 8.03e9; // of LLaMA 3.1 8B [its model card; arXiv:2407.21783]

static Sizes model_of(Arena *arena)
{
    const Sizes *book;
    int count = sizes_of_the_book(&book, arena);
    for (int i = 0; i < count; i++)
        if (!strcmp(book[i].name, "LLaMA 3.1 8B")) return book[i];
    REQUIRE(false, "data/sizes.tsv has no LLaMA 3.1 8B");
    return (Sizes){ 0 };
}

// ---- 10. What is sent

// Bytes that all ranks send in a ring's forward pass: everyone's keys and values go to everyone else. One layer.
static double ring_bytes(double T, double R, double G, double d) { return (R - 1) * T * G * 2 * d * WIDTH; }

// Bytes of phase 2 for a token: queries to all others, outputs and lse back. One layer.
static double star_bytes(double R, double H, double d) { return (R - 1) * H * (d + d + 1) * WIDTH; }

static void figure_bytes(Lesson *lesson, const Sizes *s)
{
    enum { POINTS = 11 };
    static double T[POINTS], ring[POINTS], star[POINTS]; // both with the tokens generated
    for (int i = 0; i < POINTS; i++) {
        T[i] = exp2(10 + i);
        star[i] = s->L * TOKENS * star_bytes(MACHINES, s->H, s->d) / 1e9;
        ring[i] = s->L * ring_bytes(T[i], MACHINES, s->G, s->d) / 1e9 + star[i];
    }
    const PlotSeries series[] = { { .name = "ring", .x = T, .y = ring, .count = POINTS },
                                  { .name = "star", .x = T, .y = star, .count = POINTS } };
    figure_plot(lesson, "bytes.png", "bytes that a hundred ranks send, by the length of the context",
                (Plot){ .title = "LLaMA 3.1 8B on 100 ranks, float32",
                        .x_title = "tokens in the context",
                        .y_title = "sent by all, with 256 generated tokens, 10⁹ bytes",
                        .series = series,
                        .count = 2,
                        .log_x = true,
                        .log_y = true,
                        .y_low = 1,
                        .y_high = 1e5 });
}

void what_is_sent(Lesson *lesson, const Asked *asked)
{
    static const char *const cols[] = { "messages", "KB, context", "KB, a token" };
    step(lesson, "What is sent");
    Arena *arena = lesson->arena;
    int R = asked->ranks->count;
    HeadsTask task = { .star = { 500, 64, 64 }, .heads = { 4, 2, 8, 8 }, .query = 12, .chunk = 1, .seed = 24 };
    StarHeads h = task.heads;
    HeadsResult ours = heads_on_ranks(arena, asked->ranks, R, &task);
    double messages = 0, first = 0, second = 0;
    for (int r = 0; r < R; r++) {
        messages += (double)ours.counts[r].messages[0];
        first += (double)ours.counts[r].bytes[0];
        second += (double)ours.counts[r].bytes[1];
    }
    double ring = ring_bytes(task.star.context, R, h.G, h.d), a_token = star_bytes(R, h.H, h.d);
    Rows table = rows_of(lesson, arena_format(arena, "500 tokens on %d ranks, a layer: sent by all", R), cols, 3);
    table.table.decimals = 3;
    table.table.whole = 1;
    rows_add(&table, ROW(2.0 * R * (R - 1), ring / 1e3, a_token / 1e3), "ring, by formula");
    rows_add(&table, ROW(messages, first / 1e3, second / task.query / 1e3), "star, counted");
    show_rows(lesson, &table);
    check(lesson, first == 0 && second == task.query * a_token,
          "the context: a ring (R-1) T G (d+dv) 4 bytes, star none; a token: (R-1) H (d+dv+1) 4");

    Sizes s = model_of(arena);
    double million = s.L * ring_bytes(1 << 20, MACHINES, s.G, s.d), token = s.L * star_bytes(MACHINES, s.H, s.d);
    say(lesson,
        "LLaMA 3.1 8B, 1,048,576 tokens, %d ranks, all layers, in float32: the ring sends %.1f TB for the "
        "context; a generated token takes %.1f MB with either.",
        MACHINES, million / 1e12, token / 1e6);
    check(lesson, million / token > 1e5,
          "a star generates %.0f thousand tokens before it has sent as much as the ring "
          "does at first",
          floor(million / token / 1e3));
    figure_bytes(lesson, &s);
}

// ---- 11. A million tokens on a hundred machines

// What was measured: 10⁹ operations of attention a second, on one core; 10⁹ bytes a second of a cache that is read by
// one query; 10⁹ bytes a second and seconds a message between two processes.
typedef struct {
    double gflops, reads, wire, message;
} Speeds;

static double named(TableRows rows, const char *name)
{
    for (int r = 0; r < rows.values.rows; r++)
        if (!strcmp(rows.names[r], name)) return mat_value(rows.values, r, 0);
    Error error;
    error_set(&error, "the table of speeds has no row \"%s\"; --measure FILE writes one", name);
    lesson_fail(&error);
}

static Speeds speeds_of(Lesson *lesson, const Asked *asked)
{
    TableRows rows;
    Error error;
    if (!asked->measured) rows = TABLE_EMBEDDED(lesson->arena, bench_lines, ROW_COLUMNS, "data/bench/star.tsv");
    else if (!table_read(&rows, lesson->arena, asked->measured, ROW_COLUMNS, &error)) lesson_fail(&error);
    return (Speeds){ named(rows, "attention, GFLOP/s"), named(rows, "cache read, GB/s"), named(rows, "wire, GB/s"),
                     named(rows, "message, us") * 1e-6 };
}

// In seconds, but for the bytes of a machine's cache, kept and at most (with the anchor's). A token: its reading of
// weights and of the cache, and messages.
typedef struct {
    double attention, rest, sending, together, cache, most, weights, reading, wire, token;
} Page;
typedef enum { ONE, RING, STAR, KINDS } Kind;

// Pairs of query and key of a layer and head, of the busiest machine.
static double pairs_of(Kind kind, double T, double R)
{
    double b = T / R;
    if (kind != STAR) return T * (T + 1) / 2 / R;     // R = 1 for one machine; a ring's work is balanced
    return b * (b + 1) / 2 + b * b + b * (b + 1) / 2; // its block, the anchor from it, the anchor's own
}

static Page page_of(const Sizes *s, Speeds v, Kind kind, double T, double machines)
{
    double R = kind == ONE ? 1 : machines, twice = kind == STAR ? 2 : 1;
    double H = s->H, d = s->d, L = s->L, row = 2.0 * s->G * d * WIDTH;
    Page p = { .attention = L * H * pairs_of(kind, T, R) * 2 * (d + d) / (v.gflops * 1e9),
               .rest = twice * T / R * 2 * NUMBERS / (v.gflops * 1e9),
               .cache = L * row * T / R };
    if (kind == RING) p.sending = L * (R - 1) * (T / R * row / (v.wire * 1e9) + v.message);
    p.together = fmax(p.attention, p.sending) + p.rest;
    p.most = twice * p.cache; // in phase 1 the anchor's keys and values are there, too
    p.weights = NUMBERS * WIDTH / (v.reads * 1e9);
    p.reading = p.cache / (v.reads * 1e9);
    if (kind != ONE) p.wire = L * (star_bytes(R, H, d) / (v.wire * 1e9) + 2 * (R - 1) * v.message);
    p.token = p.weights + p.reading + p.wire;
    return p;
}

static void figure_page(Lesson *lesson, const Page *pages)
{
    enum { GROUPS = 5 };
    static const char *const groups[GROUPS] = { "attention", "the rest", "sending", "the context", "100 tokens" };
    static const char *const series[KINDS] = { "one machine", "ring on 100", "star on 100" };
    double values[GROUPS * KINDS];
    for (int k = 0; k < KINDS; k++) {
        const Page *p = &pages[k];
        const double of[GROUPS] = { p->attention, p->rest, p->sending, p->together, 100 * p->token };
        for (int g = 0; g < GROUPS; g++) values[g * KINDS + k] = of[g] > 0 ? of[g] / 3600 : NAN;
    }
    figure_bars(lesson, "page.png", "a million tokens: hours on one machine, in a ring of a hundred, in such a star",
                (PlotBars){ .title = "LLaMA 3.1 8B, 1,048,576 tokens, one core a machine",
                            .y_title = "hours",
                            .groups = groups,
                            .series = series,
                            .group_count = GROUPS,
                            .series_count = KINDS,
                            .values = values,
                            .decimals = 2,
                            .log = true,
                            .width = 860 });
}

// What an H100 does of causal attention, by chapter 16's table.
static double card_gflops(Arena *arena)
{
    TableRows rows = TABLE_EMBEDDED(arena, gpu_lines, GPU_COLUMNS, "data/bench/gpu.tsv");
    for (int r = 0; r < rows.values.rows; r++)
        if (!strcmp(rows.names[r], "hopper") && mat_value(rows.values, r, 6) == 1)
            return 1e3 * mat_value(rows.values, r, 7);
    REQUIRE(false, "data/bench/gpu.tsv has no causal hopper");
    return 0;
}

// Pairs of the busiest of `workers` with `each` blocks, in squares of a block: in a star; in a ring of contiguous
// pieces, whose last has the most; in a balanced ring.
static double star_pairs_of(double each) { return each * 2; }
static double last_pairs_of(double workers, double each)
{
    double all = workers * each, before = all - each;
    return (all * all - before * before) / 2;
}
static double balanced_pairs_of(double workers, double each) { return each * each * workers / 2; }

static void say_published(Lesson *lesson)
{
    enum { WORKERS = 16, EACH = 2 }; // Table 7, version 1: 32 GPUs, 16 workers, blocks of 32K
    say(lesson, "Published, on GPUs: 16.9 times as fast as a ring at a million tokens, in blocks of 32,000, with "
                "8.36 %% of the accuracy lost [Acharya, Jia and Ginsburg 2024, Table 2]. In blocks of a quarter of the "
                "context: 1.1 to 4.7 times, with 3 %% lost at most [Table 1].");
    say(lesson,
        "A million tokens in blocks of 32,000 on %d workers, %d blocks each: in a contiguous ring the last has "
        "%.1f times the star's pairs; in a balanced one each has %.0f times as many.",
        WORKERS, EACH, last_pairs_of(WORKERS, EACH) / star_pairs_of(EACH),
        balanced_pairs_of(WORKERS, EACH) / star_pairs_of(EACH));
}

void a_million_tokens(Lesson *lesson, const Asked *asked)
{
    static const char *const cols[KINDS] = { "one machine", "ring", "star" };
    step(lesson, "A million tokens on a hundred machines");
    Arena *arena = lesson->arena;
    Sizes s = model_of(arena);
    Speeds v = speeds_of(lesson, asked);
    double T = 1 << 20;
    say(lesson,
        "Measured on one core: attention %.1f GFLOP/s; a cache is read at %.1f GB/s; between two processes "
        "%.2f GB/s, and %.1f µs for a small message.",
        v.gflops, v.reads, v.wire, 1e6 * v.message);
    Page p[KINDS];
    for (int k = 0; k < KINDS; k++) p[k] = page_of(&s, v, (Kind)k, T, MACHINES);
    Rows table = rows_of(lesson, "LLaMA 3.1 8B in float32, 1,048,576 tokens: hours", cols, KINDS);
    table.table.decimals = 3;
    table.table.given = true;
#define HOURS(what) ROW(p[ONE].what / 3600, p[RING].what / 3600, p[STAR].what / 3600)
    rows_add(&table, HOURS(attention), "attention");
    rows_add(&table, HOURS(rest), "the rest of it");
    rows_add(&table, HOURS(sending), "sending");
    rows_add(&table, HOURS(together), "the context");
#undef HOURS
    show_rows(lesson, &table);
    Rows token = rows_of(lesson, "a machine's memory, and a generated token", cols, KINDS);
    token.table.decimals = 3;
    token.table.given = true;
#define SECONDS(what) ROW(p[ONE].what, p[RING].what, p[STAR].what)
    rows_add(&token, ROW(p[ONE].cache / 1e9, p[RING].cache / 1e9, p[STAR].cache / 1e9), "cache, GB");
    rows_add(&token, ROW(p[ONE].most / 1e9, p[RING].most / 1e9, p[STAR].most / 1e9), "in phase 1, GB");
    rows_add(&token, ROW(NUMBERS * WIDTH / 1e9, NUMBERS * WIDTH / 1e9, NUMBERS * WIDTH / 1e9), "weights, GB");
    rows_add(&token, SECONDS(weights), "weights, seconds");
    rows_add(&token, SECONDS(reading), "cache, seconds");
    rows_add(&token, SECONDS(wire), "messages, seconds");
    rows_add(&token, SECONDS(token), "a token, seconds");
#undef SECONDS
    show_rows(lesson, &token);
    figure_page(lesson, p);
    double b = T / MACHINES;
    check(lesson, fabs(p[RING].attention / p[STAR].attention - MACHINES / 4.0) < 0.01 * MACHINES,
          "a machine of the star computes 2b² pairs, of the ring R b²/2: at R = %d, b = %.0f a %.0fth", MACHINES,
          floor(b), MACHINES / 4.0);
    check(lesson, p[STAR].rest == 2 * p[RING].rest, "but all else twice: the anchor goes through the whole model, too");
    if (asked->measured) return;
    check(lesson,
          p[STAR].together < p[RING].together && p[RING].together < p[ONE].together / 50 &&
              p[RING].sending < p[RING].attention,
          "the star is %.1f times as fast as the ring, whose sending hides behind its work",
          p[RING].together / p[STAR].together);
    check(lesson, p[RING].token == p[STAR].token, "a generated token takes them the same %.1f s; one machine %.0f s",
          p[STAR].token, p[ONE].token);
    double bytes = s.L * (MACHINES - 1) * b * 2 * s.G * s.d * 2;
    double seconds = p[RING].attention * v.gflops / card_gflops(arena);
    say(lesson,
        "On a hundred H100s, with chapter 16's kernel in 16 bits, the ring's attention would take %.1f s, and "
        "its sending would hide behind that from %.0f GB/s on. Here %.3f GB/s are enough.",
        seconds, bytes / seconds / 1e9, 2 * bytes / p[RING].attention / 1e9);
    say_published(lesson);
}
