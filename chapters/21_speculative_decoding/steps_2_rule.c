// Chapter 21, step 2. The rule by which a drafted token is kept, and what comes in its place, in small numbers.
#include "base/portable_math.h"
#include "steps.h"

enum { WORDS = 4 };
static const char *const small_words[WORDS] = { "boat", "truck", "street", "cup" };

void the_rule(Lesson *lesson)
{
    step(lesson, "Keep, or draw from the rest");
    static const double p[WORDS] = { 0.5, 0.3, 0.15, 0.05 }, q[WORDS] = { 0.2, 0.4, 0.1, 0.3 };
    double rest[WORDS], both[WORDS], shared[WORDS], chance[WORDS], overlap = speculative_overlap(p, q, WORDS);
    double worst = 0.0, total = 0.0;
    speculative_rest(rest, p, q, WORDS);
    for (int x = 0; x < WORDS; x++) {
        chance[x] = fmin(1.0, p[x] / q[x]);
        shared[x] = q[x] * chance[x];
        both[x] = shared[x] + rest[x];
        worst = fmax(worst, fabs(both[x] - p[x]));
        total += rest[x];
    }
    Rows table = rows_of(lesson, "the next word", small_words, WORDS);
    table.table.decimals = 3;
    rows_add(&table, p, "p, target");
    rows_add(&table, q, "q, draft");
    rows_add(&table, chance, "kept if drafted");
    rows_add(&table, shared, "drafted and kept");
    rows_add(&table, rest, "from the rest");
    rows_add(&table, both, "together");
    show_rows(lesson, &table);
    check(lesson, worst < 1e-15, "together they are p, whatever q is");
    check(lesson, fabs(overlap + total - 1.0) < 1e-15,
          "kept with a chance of %.2f = Σ min(p, q); the rest is the "
          "other %.2f",
          overlap, total);
    double bars[WORDS * 4];
    for (int x = 0; x < WORDS; x++) {
        bars[x * 4] = q[x];
        bars[x * 4 + 1] = shared[x];
        bars[x * 4 + 2] = rest[x];
        bars[x * 4 + 3] = p[x];
    }
    figure_bars(lesson, "rule.png", "what is drafted, what of it is kept, what comes from the rest, and p, their sum",
                (PlotBars){ .title = "Kept + from the rest = target",
                            .y_title = "chance",
                            .groups = small_words,
                            .series = (const char *const[]){ "q, drafted", "kept", "from the rest", "p, target" },
                            .group_count = WORDS,
                            .series_count = 4,
                            .values = bars,
                            .decimals = 2 });
    if (!lesson->trace) return;
    Mat of_p = mat_new(lesson->arena, 1, WORDS), of_q = mat_new(lesson->arena, 1, WORDS);
    for (int x = 0; x < WORDS; x++) {
        *mat_ref(of_p, 0, x) = (float)p[x];
        *mat_ref(of_q, 0, x) = (float)q[x];
    }
    trace_mat(lesson->trace, "small.p", of_p);
    trace_mat(lesson->trace, "small.q", of_q);
}
