// Chapter 21, steps 5 and 7. How many tokens a step of the target gives, against the formula; with a model that drafts,
// and with the text itself.
#include "base/portable_math.h"
#include "language/chunks.h"
#include "steps.h"

#include <string.h>

enum { ENOUGH = 5 }; // texts, for what is claimed of their mean

// ---- 5. Two models

typedef struct {
    int count; // γ = 1, 2, 3 …; or 1, 2, 4, 8
    double x[GAMMA_MOST], measured[GAMMA_MOST], formula[GAMMA_MOST], alpha, neighbours;
} Course;

static Course course_of(Lesson *lesson, const Asked *asked, int which, Sampling how, bool doubled, Overlaps *overlaps)
{
    uint64_t seed = random_bits(&lesson->random);
    *overlaps = overlaps_of(asked, which, how, seed);
    Course course = { .alpha = overlaps->mean, .neighbours = overlaps->neighbours };
    for (int g = 1; g <= GAMMA_MOST; g += doubled ? g : 1) {
        Counted sum = writer_counts(asked, which, g, how, seed + 1000 * (uint64_t)g);
        course.x[course.count] = g;
        course.measured[course.count] = sum.tokens / sum.rounds;
        course.formula[course.count++] = tokens_by_formula(course.alpha, g);
    }
    return course;
}

// The largest of measured / formula − 1, without its sign.
static double farthest_off(const Course *course)
{
    double off = 0.0;
    for (int g = 0; g < course->count; g++) off = fmax(off, fabs(course->measured[g] / course->formula[g] - 1.0));
    return off;
}

// A course whose formula is 0 has none.
static void figure_tokens(Lesson *lesson, const char *file, const char *caption, const char *title,
                          const Course *courses, const char *const *names, int count, bool log_x)
{
    PlotSeries series[8];
    int lines = 0;
    for (int c = 0; c < count; c++) {
        series[lines++] = (PlotSeries){
            .name = names[c], .x = courses[c].x, .y = courses[c].measured, .count = courses[c].count, .dots = true
        };
        if (courses[c].formula[0] <= 0.0) continue;
        series[lines++] = (PlotSeries){
            .name = "by formula", .x = courses[c].x, .y = courses[c].formula, .count = courses[c].count, .dashed = true
        };
    }
    figure_plot(lesson, file, caption,
                (Plot){ .title = title,
                        .x_title = "γ, tokens drafted for a step",
                        .y_title = "tokens for each step of the target",
                        .series = series,
                        .count = lines,
                        .log_x = log_x });
}

static void figure_overlaps(Lesson *lesson, const Overlaps *overlaps)
{
    static double x[DOCUMENT_T];
    Plot plots[DRAFTS];
    PlotSeries series[DRAFTS];
    for (int t = 0; t < DOCUMENT_T; t++) x[t] = PROMPT + t;
    for (int m = 0; m < DRAFTS; m++) {
        series[m] =
            (PlotSeries){ .name = "a word", .x = x, .y = overlaps[m].of, .count = overlaps[m].count, .dots = true };
        plots[m] = (Plot){ .title = draft_names[m],
                           .x_title = "word of the text",
                           .y_title = "Σ min(p, q)",
                           .series = &series[m],
                           .count = 1,
                           .y_low = 0.0,
                           .y_high = 1.0,
                           .height = 220 };
    }
    figure_plots(lesson, "overlap.png", "the chance to be kept, word by word of one text", plots, DRAFTS);
}

void tokens_a_step(Lesson *lesson, const Asked *asked, Tokens tokens)
{
    step(lesson, "Tokens for each step");
    static const char *const cols[] = { "32", "formula", "16", "formula" };
    Course courses[DRAFTS];
    Overlaps *overlaps = arena_alloc(lesson->arena, DRAFTS * sizeof *overlaps);
    for (int m = 0; m < DRAFTS; m++) {
        courses[m] = course_of(lesson, asked, m, (Sampling){ 1.0, 1.0 }, false, &overlaps[m]);
        memcpy(tokens[m], courses[m].measured, sizeof tokens[m]);
    }
    Rows table =
        rows_of(lesson, arena_format(lesson->arena, "%d texts: tokens for each step", asked->documents), cols, 4);
    for (int g = 0; g < GAMMA_MOST; g++)
        rows_add(&table,
                 ROW(courses[0].measured[g], courses[0].formula[g], courses[1].measured[g], courses[1].formula[g]),
                 "γ = %d", g + 1);
    show_rows(lesson, &table);
    say(lesson,
        "α, the mean overlap along texts that the target writes alone: %.3f with language-32, %.3f with "
        "language-16. Overlaps of neighbouring words correlate by %.2f and %.2f.",
        courses[0].alpha, courses[1].alpha, courses[0].neighbours, courses[1].neighbours);
    if (asked->documents >= ENOUGH) {
        double off = fmax(farthest_off(&courses[0]), farthest_off(&courses[1]));
        check(lesson, off < 0.25, "for both drafts and every γ the count is within %.0f %% of the formula",
              ceil(100 * off));
        check(lesson, courses[0].alpha > courses[1].alpha, "the larger draft is nearer to the target");
    }
    figure_tokens(lesson, "tokens.png", "tokens for each step of the target, counted, and by the formula",
                  "Tokens for each step, temperature 1", courses, draft_names, DRAFTS, false);
    figure_overlaps(lesson, overlaps);
}

// ---- 7. The text itself

// Model A copies: fifteen random tokens, said once, and the first of them again. Counted as writer_counts does.
static Counted copies(const Asked *asked, int gamma)
{
    enum { PERIOD = 15, TEXT = 30, TEXTS = 20 };
    Counted sum = { 0 };
    Random random = random_from(9);
    for (int n = 0; n < TEXTS; n++) {
        Arena *scratch = arena_open();
        int tokens[TEXT], targets[TEXT];
        chunks_repeated_sequence(tokens, targets, TEXT, PERIOD, asked->copies.config.words, &random);
        Decoder target = decoder_new(scratch, asked->copies, TEXT);
        SpeculativeLookUp two = { 2 };
        Speculation s =
            speculative_new(scratch, &target, speculative_by_look_up(&two), gamma, (Sampling){ 0.0, 1.0 }, 1);
        speculative_continue(&s, tokens, PERIOD + 1, TEXT);
        sum.tokens += TEXT - PERIOD - 1;
        sum.rounds += (double)s.rounds;
        sum.proposed += (double)s.proposed;
        sum.kept += (double)s.kept;
        arena_close(scratch);
    }
    return sum;
}

void look_up(Lesson *lesson, const Asked *asked)
{
    step(lesson, "A draft without a model");
    static const char *const cols[] = { "drawn", "formula", "greedy", "formula", "copying" };
    static const char *const names[] = { "drawn", "greedy", "copying" };
    Overlaps overlaps;
    Course courses[3] = { { 0 } };
    courses[0] = course_of(lesson, asked, LOOK_UP, (Sampling){ 1.0, 1.0 }, true, &overlaps);
    courses[1] = course_of(lesson, asked, LOOK_UP, (Sampling){ 0.0, 1.0 }, true, &overlaps);
    Rows table = rows_of(lesson, "look-up of two words, or one: tokens for each step", cols, 5);
    int last = courses[0].count - 1;
    courses[2].count = courses[0].count;
    for (int g = 0; g <= last; g++) {
        Counted sum = copies(asked, (int)courses[0].x[g]);
        courses[2].x[g] = courses[0].x[g];
        courses[2].measured[g] = sum.tokens / sum.rounds;
        rows_add(&table,
                 ROW(courses[0].measured[g], courses[0].formula[g], courses[1].measured[g], courses[1].formula[g],
                     courses[2].measured[g]),
                 "γ = %d", (int)courses[0].x[g]);
    }
    show_rows(lesson, &table);
    Counted drawn = writer_counts(asked, LOOK_UP, 4, (Sampling){ 1.0, 1.0 }, 1);
    double of_drafted = drawn.kept / drawn.proposed;
    say(lesson,
        "Of what look-up drafts with γ = 4, %.2f is kept where words are drawn. α is %.3f there and %.3f where "
        "the target is greedy; neighbours correlate by %.2f and %.2f.",
        of_drafted, courses[0].alpha, courses[1].alpha, courses[0].neighbours, courses[1].neighbours);
    if (asked->documents >= ENOUGH) {
        check(lesson, of_drafted < 0.3 && courses[0].measured[last] < 1.7,
              "drawn text hardly repeats itself: with γ = "
              "8 there are %.2f tokens for each step",
              courses[0].measured[last]);
        check(lesson, courses[0].neighbours > 0.1 && courses[1].neighbours > 0.1,
              "what stood before goes on as before, or not at all: neighbours correlate, and the formula is off by up "
              "to %.0f %%",
              100 * fmax(farthest_off(&courses[0]), farthest_off(&courses[1])));
    }
    check(lesson, courses[2].measured[last] > 4.0, "where chapter 09's model copies, there are %.2f",
          courses[2].measured[last]);
    figure_tokens(lesson, "look-up.png", "look-up: tokens for each step, counted, and by the formula",
                  "Look-up: drawn and greedy text of language-64; a model that copies", courses, names, 3, true);
}
