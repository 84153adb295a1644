// Chapter 16, step 15. What a card has measured: data/bench/gpu.csv travels inside the program.
#include "lesson/matrices.h"
#include "steps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const bench_lines[] = {
#include "bench/gpu.inc"
};
enum { LINES = sizeof bench_lines / sizeof *bench_lines };

typedef struct { int B, H, G, T, S, d, causal; } Shape;
typedef struct { char kernel[16]; Shape shape; double tflops, gbytes, flash, cudnn; } Measured;

// What stands behind `key` in the comment lines above the numbers.
static const char *fact(Arena *arena, const char *key)
{
    for (int n = 0; n < LINES && bench_lines[n][0] == '#'; n++)
        if (!strncmp(bench_lines[n] + 2, key, strlen(key)))
            return arena_format(arena, "%.*s", (int)strcspn(bench_lines[n] + 2 + strlen(key), "\n"),
                                bench_lines[n] + 2 + strlen(key));
    return "not recorded";
}

static bool same_shape(Shape a, Shape b)
{
    return a.B == b.B && a.H == b.H && a.G == b.G && a.T == b.T && a.S == b.S && a.d == b.d && a.causal == b.causal;
}

static bool line_read(Measured *m, const char *line)
{
    *m = (Measured){ .flash = NAN, .cudnn = NAN };
    Shape *s = &m->shape;
    return sscanf(line, "%15[^,],%d,%d,%d,%d,%d,%d,%d,%*[^,],%lf,%lf,%lf,%lf", m->kernel, &s->B, &s->H, &s->G, &s->T,
                  &s->S, &s->d, &s->causal, &m->tflops, &m->gbytes, &m->flash, &m->cudnn) >= 10;
}

// false: not measured.
static bool measured(Measured *to, const char *kernel, Shape shape)
{
    for (int n = 0; n < LINES; n++)
        if (line_read(to, bench_lines[n]) && !strcmp(to->kernel, kernel) && same_shape(to->shape, shape)) return true;
    return false;
}

static void add(Rows *rows, const char *kernel, Shape shape, const char *label)
{
    Measured m;
    if (!measured(&m, kernel, shape)) return;
    bool decodes = shape.T == 1;
    rows_add(rows, ROW(decodes ? m.gbytes : m.tflops, m.flash, m.cudnn), "%s", label);
}

static void ladder(Lesson *lesson)
{
    static const char *const rungs[] = { "naive", "tiles", "online", "mma", "hopper", "flash", "cudnn" };
    static const char *const names[] = { "TFLOP/s", "x flash", "x cuDNN" };
    const Shape shape = { 1, 16, 16, 2048, 2048, 128, 0 };
    Rows rows = rows_of(lesson, "16 heads, T = S = 2048, d = 128, full", names, 3);
    rows.table.decimals = 3;
    rows.table.given = true;
    for (size_t r = 0; r < sizeof rungs / sizeof *rungs; r++) add(&rows, rungs[r], shape, rungs[r]);
    show_rows(lesson, &rows);
}

static void last_rungs(Lesson *lesson)
{
    static const struct { Shape shape; const char *label; } shapes[] = {
        { { 8, 16, 16, 2048, 2048, 128, 0 }, "T = 2048, d = 128" },
        { { 8, 16, 16, 2048, 2048, 128, 1 }, "the same, causal" },
        { { 1, 16, 16, 16384, 16384, 128, 0 }, "T = 16384, d = 128" },
        { { 1, 16, 16, 16384, 16384, 128, 1 }, "the same, causal" },
        { { 4, 32, 32, 4096, 4096, 64, 0 }, "T = 4096, d = 64" },
        { { 4, 32, 32, 4096, 4096, 64, 1 }, "the same, causal" },
        { { 4, 32, 8, 4096, 4096, 128, 1 }, "T = 4096, G = 8, causal" },
    };
    static const char *const names[] = { "TFLOP/s", "x flash", "x cuDNN" };
    static const char *const rungs[] = { "mma", "hopper" };
    for (int r = 0; r < 2; r++) {
        Rows rows = rows_of(lesson, rungs[r], names, 3);
        for (size_t n = 0; n < sizeof shapes / sizeof *shapes; n++)
            add(&rows, rungs[r], shapes[n].shape, shapes[n].label);
        rows.table.given = true;
        if (rows.table.values.rows > 0) show_rows(lesson, &rows);
    }
}

static void decoding(Lesson *lesson)
{
    static const struct { Shape shape; const char *label; } shapes[] = {
        { { 16, 32, 8, 1, 4096, 128, 0 }, "B = 16, S = 4096" },
        { { 1, 32, 8, 1, 65536, 128, 0 }, "B = 1, S = 65536" },
        { { 16, 32, 8, 1, 32768, 128, 0 }, "B = 16, S = 32768" },
    };
    static const char *const names[] = { "GB/s", "of reading", "x flash", "x cuDNN" };
    Rows rows = rows_of(lesson, "decode, H = 32, G = 8, d = 128", names, 4);
    for (size_t n = 0; n < sizeof shapes / sizeof *shapes; n++) {
        Measured m, read;
        if (!measured(&m, "decode", shapes[n].shape) || !measured(&read, "read", shapes[n].shape)) continue;
        rows_add(&rows, ROW(m.gbytes, m.gbytes / read.gbytes, m.flash, m.cudnn), "%s", shapes[n].label);
    }
    rows.table.given = true;
    if (rows.table.values.rows > 0) show_rows(lesson, &rows);
}

void on_a_card(Lesson *lesson)
{
    step(lesson, "On a card");
    say(lesson, "Measured on %s, %s. Peers: %s.", fact(lesson->arena, "card: "), fact(lesson->arena, "date: "),
        fact(lesson->arena, "peers: "));
    ladder(lesson);
    last_rungs(lesson);
    decoding(lesson);
}
