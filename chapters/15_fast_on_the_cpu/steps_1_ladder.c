// Chapter 15, steps 1 and 2. What a core could do, and what each rung of the ladder makes of it.
#include "attention/fast.h"
#include "attention/kernels.h"
#include "lesson/dump.h"
#include "lesson/exact.h"
#include "steps.h"

#include <math.h>

// ---- 1

void what_the_machine_could_do(Lesson *lesson)
{
    step(lesson, "What the machine could do");
    enum { T = 128, d = 64 };
    Drawn p = drawn(lesson, T, T, d, d);
    counted = (Cost){ 0 };
    attention_naive((Attended){ .out = mat_new(lesson->arena, T, d) }, p.q, p.k, p.v, EVERYTHING);
    cost(lesson, arena_format(lesson->arena, "FLOPs of one head, T = S = %d, d = dv = %d", T, d),
         2 * counted.multiplies, "4·T·S·d: two for each multiply-add", 4 * T * T * d);

    static const char *const columns[] = { "numbers", "a cycle", "in flight", "one by one %" };
    Rows table = rows_of(lesson, "numbers in a register, multiply-adds", columns, 4);
    table.table.decimals = 1;
    for (int r = 0; r <= VERSIONS; r++) {
        double lanes = r ? versions[r - 1].lanes : 1;
        rows_add(&table, ROW(lanes, 2 * lanes, 4 * 2 * lanes, 100 / (4 * 2 * lanes)), "%s",
                 r ? versions[r - 1].title : "no vectors");
    }
    say(lesson, "A core that can begin two multiply-adds in each cycle, each of which takes four cycles: how many it "
        "does at best, how many must be under way for that, and what is left when each waits for the one before.");
    show_rows(lesson, &table);
    check(lesson, fast_probe(1) > 0,
          "fast_probe does nothing else: the kernel's inner loop, on data in the first cache");
}

// ---- 2

static const Shape FULL = { 1024, 1024, 64, false, 1 };

// What a kernel gives with the identity as values is its table of weights, even if it has none.
static Mat weights_of(Lesson *lesson, AttentionKernel *kernel)
{
    Mat x = lesson->sentence.x, v = mat_new(lesson->arena, x.rows, x.rows);
    Mat out = mat_new(lesson->arena, x.rows, x.rows);
    for (int j = 0; j < x.rows; j++) *mat_ref(v, j, j) = 1.0f;
    kernel((Attended){ .out = out }, x, x, v, EVERYTHING);
    return out;
}

// The rungs in numbers and as bars.
static void ladder_measured(Lesson *lesson)
{
    Arena *arena = lesson->arena;
    NamedRows bench = bench_rows(arena);
    static const char *const columns[] = { "GFLOP/s", "share %", "gain", "causal: %", "gain" };
    double *bars = arena_alloc(arena, 2 * (size_t)attention_rungs_count * sizeof *bars);
    Rows table = rows_of(lesson, "T = S = 1024", columns, 5);
    table.table.decimals = 2;
    double before = 0, causal_before = 0;
    Shape half = FULL;
    half.causal = true;
    for (int r = 0; r < attention_rungs_count; r++) {
        const char *rung = attention_kernels[r].name;
        double share = 100 * (double)measured(bench, rung, FULL, SHARE);
        double causal = 100 * (double)measured(bench, rung, half, SHARE);
        rows_add(&table, ROW((double)measured(bench, rung, FULL, GFLOPS), share, r ? share / before : 1, causal,
                             r ? causal / causal_before : 1), "%s", rung);
        bars[2 * r] = share;
        bars[2 * r + 1] = causal;
        before = share;
        causal_before = causal;
    }
    say(lesson, "Measured on %s, with d = 64 and one thread: %s (%s). Shares are of the probe, gain is over the rung "
        "before.", bench_fact(arena, "date: "), bench_fact(arena, "cpu: "), bench_fact(arena, "compiler: "));
    show_rows(lesson, &table);
    Shape longer = { 4096, 4096, 64, false, 1 };
    say(lesson, "T = S = 4096, the heads as columns of one matrix (T, H·d): fast %.1f %%, packed %.1f %%.",
        100 * (double)measured(bench, "fast views", longer, SHARE),
        100 * (double)measured(bench, "packed views", longer, SHARE));
    float first = measured(bench, "naive", FULL, SHARE), last = measured(bench, "fast", FULL, SHARE);
    check(lesson, last > 0.8f, "in this run: naive %.1f %% of the probe, fast %.1f %%, %.0f times as much",
          100 * (double)first, 100 * (double)last, (double)(last / first));
    figure_bars(lesson, "ladder.png", "share of the probe on each rung",
                (Bars){ .title = "The ladder: share of what the core can do, T = 1024, d = 64", .y_title = "percent",
                        .groups = table.table.rows, .series = (const char *const[]){ "full", "causal" },
                        .group_count = attention_rungs_count, .series_count = 2, .values = bars, .decimals = 0,
                        .width = 860 });
}

void one_rung_at_a_time(Lesson *lesson)
{
    step(lesson, "One rung at a time");
    enum { T = 150, S = 170, d = 40, dv = 24 };
    Drawn p = drawn(lesson, T, S, d, dv);
    const double *full = exact_attention(lesson->arena, p.q, p.k, p.v, EVERYTHING);
    const double *causal = exact_attention(lesson->arena, p.q, p.k, p.v, CAUSAL);
    Mat out = mat_new(lesson->arena, T, dv);
    bool animal = true;
    int it = sentence_place(&lesson->sentence, "it"), key = sentence_place(&lesson->sentence, "animal");
    say(lesson, "Each rung is a kernel, right for every shape and mask. Each is within 0.000001 of float64, with and "
        "without a causal mask (relative, Frobenius; T = %d, S = %d, d = %d, dv = %d):", T, S, d, dv);
    for (int r = 0; r < attention_rungs_count; r++) {
        attention_kernels[r].run((Attended){ .out = out }, p.q, p.k, p.v, EVERYTHING);
        double worst = exact_error(out, full);
        attention_kernels[r].run((Attended){ .out = out }, p.q, p.k, p.v, CAUSAL);
        worst = fmax(worst, exact_error(out, causal));
        check(lesson, worst < 1e-6, "%s: %s", attention_kernels[r].name, attention_kernels[r].what);
        if (lesson->own_words) continue;
        animal = animal && fabsf(*mat_ref(weights_of(lesson, attention_kernels[r].run), it, key) - 0.113f) < 0.0005f;
    }
    Mat weights = weights_of(lesson, attention_fast);
    if (!lesson->own_words)
        check(lesson, animal, "on every rung it gives animal %.3f", mat_value(weights, it, key));
    Mat x = lesson->sentence.x;
    trace_heads(lesson->trace, (TraceHeads){ .q = x, .k = x, .v = x, .scores = dump_scores(lesson, x, x, 1, NULL),
                                             .weights = weights });
    trace_mat(lesson->trace, "ladder.q", p.q);
    trace_mat(lesson->trace, "ladder.k", p.k);
    trace_mat(lesson->trace, "ladder.v", p.v);
    trace_mat(lesson->trace, "ladder.heads", out);   // of the last rung, causal

    ladder_measured(lesson);
}
