// Chapter 15, steps 1 and 2. What a core could do, and what each rung of the ladder makes of it.
#include "base/portable_math.h"
#include "kernels/fast.h"
#include "kernels/kernels.h"
#include "lesson/dump.h"
#include "lesson/reference.h"
#include "steps.h"

#include <string.h>

// ---- 1

void what_the_machine_could_do(Lesson *lesson)
{
    step(lesson, "What the machine could do");
    enum { T = 128, d = 64 };
    HeadProjections p = random_qkv(lesson, T, T, d, d);
    cost_counted = (Cost){ 0 };
    attention_naive((Attended){ .out = mat_new(lesson->arena, T, d) }, p.q, p.k, p.v, EVERYTHING);
    cost(lesson, arena_format(lesson->arena, "FLOPs of one head, T = S = %d, d = dv = %d", T, d),
         2 * cost_counted.multiplies, "4·T·S·d: two for each multiply-add", 4 * T * T * d);

    static const char *const columns[] = { "numbers", "a cycle", "in flight", "one by one %" };
    Rows table = rows_of(lesson, "numbers in a register, multiply-adds", columns, 4);
    table.table.decimals = 1;
    for (int r = 0; r <= VERSIONS; r++) {
        double lanes = r ? versions[r - 1].lanes : 1;
        rows_add(&table, ROW(lanes, 2 * lanes, 4 * 2 * lanes, 100 / (4 * 2 * lanes)), "%s",
                 r ? versions[r - 1].title : "no vectors");
    }
    say(lesson,
        "A core that can begin two multiply-adds in each cycle, each of which takes four cycles: how many it "
        "does at best, how many must be under way for that, and what is left when each waits for the one before.");
    show_rows(lesson, &table);
    check(lesson, fast_probe(1) > 0,
          "fast_probe does nothing else: the kernel's inner loop, on data in the nearest cache, L1");
}

// ---- 2

// What a kernel gives with the identity as values is its table of weights, even if it has none.
static Mat weights_of(Lesson *lesson, AttentionKernel *kernel)
{
    Mat x = lesson->sentence.x, v = mat_new(lesson->arena, x.rows, x.rows);
    Mat out = mat_new(lesson->arena, x.rows, x.rows);
    for (int j = 0; j < x.rows; j++) *mat_ref(v, j, j) = 1.0f;
    kernel((Attended){ .out = out }, x, x, v, EVERYTHING);
    return out;
}

// A row of the table: a kernel, and the one whose idea it adds to.
typedef struct {
    const char *name, *after;
} Rung;

// The ladder, and what stands beside it.
enum { LADDER = 8, SIDE = 3, ALL = LADDER + SIDE, LANES = 16, LOOP = 30, SUMS = 16 };
static const Rung rungs[ALL] = {
    { "naive", NULL },    { "reordered", "naive" }, { "lanes", "reordered" }, { "1x4", "lanes" },
    { "2x4", "1x4" },     { "4x4", "2x4" },         { "lazy", "4x4" },        { "fast", "lazy" },
    { "tiled", "naive" }, { "packed", "fast" },     { "plain-c", "fast" },
};

static float instructions_of(TableRows rows, const char *name)
{
    for (int i = 0; i < rows.values.rows; i++)
        if (!strcmp(rows.names[i], name)) return mat_row(rows.values, i)[PER_1000];
    return NAN;
}

// A row: the rung, and what became of instructions and time since the one that it adds to.
static void add_rungs(Rows *table, TableRows bench, TableRows counts, int first, int end)
{
    for (int r = first; r < end; r++) {
        const char *name = rungs[r].name, *after = rungs[r].after ? rungs[r].after : name;
        double count = (double)instructions_of(counts, name), share = (double)measured(bench, name, FULL, SHARE);
        rows_add(table,
                 ROW(count, (double)instructions_of(counts, after) / count,
                     2000 / (double)measured(bench, name, FULL, GFLOPS),
                     share / (double)measured(bench, after, FULL, SHARE), 100 * share,
                     100 * (double)measured(bench, name, HALF, SHARE)),
                 "%s", name);
    }
}

// Bars, with a gap between the ladder and what stands beside it.
static void ladder_drawn(Lesson *lesson, TableRows bench)
{
    enum { GROUPS = ALL + 1 };
    double *bars = arena_alloc(lesson->arena, 2 * GROUPS * sizeof *bars);
    const char **names = arena_alloc(lesson->arena, GROUPS * sizeof *names);
    for (int g = 0; g < GROUPS; g++) {
        const char *name = g == LADDER ? "" : rungs[g - (g > LADDER)].name;
        names[g] = name;
        bars[2 * g] = 100 * (double)measured(bench, name, FULL, SHARE);
        bars[2 * g + 1] = 100 * (double)measured(bench, name, HALF, SHARE);
    }
    figure_bars(lesson, "ladder.png", "the ladder: share of the probe; and, to the right, three kernels beside it",
                (PlotBars){ .title = "Eight rungs, and three kernels beside them: T = 1024, d = 64",
                            .y_title = "percent of what the core can do",
                            .groups = names,
                            .series = (const char *const[]){ "full", "causal" },
                            .group_count = GROUPS,
                            .series_count = 2,
                            .values = bars,
                            .decimals = 0,
                            .width = 860 });
}

// The rungs in numbers and as bars.
static void ladder_measured(Lesson *lesson)
{
    Arena *arena = lesson->arena;
    TableRows bench = ladder_rows(arena), counts = instruction_rows(arena);
    static const char *const columns[] = { "instr.", "÷", "ns", "faster ×", "share %", "causal %" };
    Rows ladder = rows_of(lesson, "the ladder: for 1,000 multiply-adds; share of the probe", columns, 6);
    Rows side = rows_of(lesson, "beside it: tiled against naive, the others against fast", columns, 6);
    ladder.table.decimals = side.table.decimals = 1;
    add_rungs(&ladder, bench, counts, 0, LADDER);
    add_rungs(&side, bench, counts, LADDER, ALL);
    say(lesson,
        "One thread, d = 64. Time: T = S = 1024, measured on %s, %s (%s); the machine had other work to do, so "
        "each rung had its turn in every round, between two looks at the probe. Instructions: single steps of "
        "calls of four sizes; counted is what grows with T·S. ÷ and ×: against the rung before, × by shares.",
        ladder_fact(arena, "date: "), ladder_fact(arena, "cpu: "), ladder_fact(arena, "compiler: "));
    show_rows(lesson, &ladder);
    show_rows(lesson, &side);
    double first = (double)measured(bench, "naive", FULL, GFLOPS), last = (double)measured(bench, "fast", FULL, GFLOPS);
    check(lesson, last > 30 * first, "in that run: naive %.1f GFLOP/s, fast %.1f: %.0f times", first, last,
          last / first);
    const double least = 1000 / (double)LANES, fast = (double)instructions_of(counts, "fast");
    check(lesson, fast > least,
          "of %d lanes 1,000 multiply-adds are %.1f instructions at least: fast takes %.1f times "
          "that",
          LANES, least, fast / least);
    double loop = least * LOOP / SUMS; // what objdump shows: section 6
    check(lesson, loop < fast,
          "%d for each %d multiply-adds of vectors (section 6) are %.0f of them; the other %.0f "
          "are 2ˣ and the rest",
          LOOP, SUMS, loop, fast - loop);
    ladder_drawn(lesson, bench);
}

void one_rung_at_a_time(Lesson *lesson)
{
    step(lesson, "One rung at a time");
    enum { T = 150, S = 170, d = 40, dv = 24 };
    HeadProjections p = random_qkv(lesson, T, S, d, dv);
    const double *full = reference_compute(lesson->arena, p.q, p.k, p.v, EVERYTHING);
    const double *causal = reference_compute(lesson->arena, p.q, p.k, p.v, CAUSAL);
    Mat out = mat_new(lesson->arena, T, dv);
    bool animal = true;
    double worst = 0;
    int it = sentence_find(&lesson->sentence, "it"), key = sentence_find(&lesson->sentence, "animal");
    int count = 0;
    for (const AttentionKernelNamed *rung; (rung = attention_rung(count)); count++) {
        rung->run((Attended){ .out = out }, p.q, p.k, p.v, EVERYTHING);
        worst = fmax(worst, reference_error(out, full));
        rung->run((Attended){ .out = out }, p.q, p.k, p.v, CAUSAL);
        worst = fmax(worst, reference_error(out, causal));
        if (lesson->own_words) continue;
        animal = animal && fabsf(*mat_ref(weights_of(lesson, rung->run), it, key) - 0.113f) < 0.0005f;
    }
    check(lesson, worst < 1e-6, "%d kernels, full and causal, are within 0.000001 of float64 (relative)", count);
    Mat weights = weights_of(lesson, attention_fast);
    if (!lesson->own_words)
        check(lesson, animal, "each of them gives \"it\" %.3f of \"animal\"", mat_value(weights, it, key));
    Mat x = lesson->sentence.x;
    trace_heads(lesson->trace,
                (TraceHeads){
                    .q = x, .k = x, .v = x, .scores = lesson_dump_scores(lesson, x, x, 1, NULL), .weights = weights });
    trace_mat(lesson->trace, "ladder.q", p.q);
    trace_mat(lesson->trace, "ladder.k", p.k);
    trace_mat(lesson->trace, "ladder.v", p.v);
    trace_mat(lesson->trace, "ladder.heads", out); // of the last kernel, causal

    ladder_measured(lesson);
}
