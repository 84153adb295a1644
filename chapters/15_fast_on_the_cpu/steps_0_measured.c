// Chapter 15. What `make bench-full` has measured once, and bench --ladder, --instructions and --assists: tables of
// data/bench that travel inside the program.
#include "base/portable_math.h"
#include "steps.h"

#include <string.h>

static const char *const bench_lines[] = {
#include "bench/cpu-amd-epyc.inc"
};
static const char *const zen4_lines[] = {
#include "bench/cpu-amd-epyc-25-17.inc"
};
static const char *const intel_lines[] = {
#include "bench/cpu-intel-xeon-6-207.inc"
};
static const char *const ladder_lines[] = {
#include "bench/ladder.inc"
};
static const char *const growth_lines[] = {
#include "bench/growth.inc"
};
static const char *const instruction_lines[] = {
#include "bench/instructions.inc"
};
static const char *const assist_lines[] = {
#include "bench/assists.inc"
};

TableRows bench_rows(Arena *arena)
{
    return TABLE_EMBEDDED(arena, bench_lines, BENCH_COLUMNS, "data/bench/cpu-amd-epyc.tsv");
}

TableRows zen4_rows(Arena *arena)
{
    return TABLE_EMBEDDED(arena, zen4_lines, BENCH_COLUMNS, "data/bench/cpu-amd-epyc-25-17.tsv");
}

TableRows intel_rows(Arena *arena)
{
    return TABLE_EMBEDDED(arena, intel_lines, BENCH_COLUMNS, "data/bench/cpu-intel-xeon-6-207.tsv");
}

TableRows ladder_rows(Arena *arena)
{
    return TABLE_EMBEDDED(arena, ladder_lines, BENCH_COLUMNS, "data/bench/ladder.tsv");
}

const char *ladder_fact(Arena *arena, const char *key)
{
    return table_fact(arena, ladder_lines, sizeof ladder_lines / sizeof *ladder_lines, key);
}

const char *growth_fact(Arena *arena, const char *key)
{
    return table_fact(arena, growth_lines, sizeof growth_lines / sizeof *growth_lines, key);
}

const char *zen4_fact(Arena *arena, const char *key)
{
    return table_fact(arena, zen4_lines, sizeof zen4_lines / sizeof *zen4_lines, key);
}

const char *intel_fact(Arena *arena, const char *key)
{
    return table_fact(arena, intel_lines, sizeof intel_lines / sizeof *intel_lines, key);
}

TableRows growth_rows(Arena *arena)
{
    return TABLE_EMBEDDED(arena, growth_lines, GROWTH_COLUMNS, "data/bench/growth.tsv");
}

TableRows instruction_rows(Arena *arena)
{
    return TABLE_EMBEDDED(arena, instruction_lines, INSTRUCTION_COLUMNS, "data/bench/instructions.tsv");
}

TableRows assist_rows(Arena *arena)
{
    return TABLE_EMBEDDED(arena, assist_lines, ASSIST_COLUMNS, "data/bench/assists.tsv");
}

const char *assist_fact(Arena *arena, const char *key)
{
    return table_fact(arena, assist_lines, sizeof assist_lines / sizeof *assist_lines, key);
}

const char *bench_fact(Arena *arena, const char *key)
{
    return table_fact(arena, bench_lines, sizeof bench_lines / sizeof *bench_lines, key);
}

// A number of one kernel at one shape; NaN where it was not measured.
float measured(TableRows bench, const char *kernel, Shape at, int column)
{
    for (int i = 0; i < bench.values.rows; i++) {
        const float *row = mat_row(bench.values, i);
        if (!strcmp(bench.names[i], kernel) && row[OF_T] == (float)at.T && row[OF_S] == (float)at.S &&
            row[OF_D] == (float)at.d && row[IS_CAUSAL] == (float)at.causal && row[THREADS] == (float)at.threads)
            return row[column];
    }
    return NAN;
}

const Shape shapes_timed[TIMED] = {
    { 1024, 1024, 64, false, 1 }, { 1024, 1024, 64, true, 1 },   { 4096, 4096, 64, false, 1 },
    { 4096, 4096, 64, true, 1 },  { 2048, 2048, 128, false, 1 }, { 2048, 2048, 128, true, 1 },
};

const char *shape_name(Arena *arena, Shape shape)
{
    return arena_format(arena, "T = %d, d = %d, %s", shape.T, shape.d, shape.causal ? "causal" : "full");
}
