// Chapter 21, step 8. When it pays: what drafts cost in reading, in multiplications, and in time. Times were taken
// once, by --record, and are kept in data/models/speculative-times.tsv.
#include "base/measure.h"
#include "io/file.h"
#include "lesson/machines.h"
#include "steps.h"
#include "train/bundled.h"

#include <string.h>

enum { GAMMAS = GAMMA_MOST + 1, COLUMNS = 3, PLACES = 2, SIZES = 5, TIMES = DRAFTS * GAMMAS + PLACES * SIZES };
static const int place_known[PLACES] = { 4, 100 }, step_sizes[SIZES] = { 1, 2, 4, 8, 9 };

// ---- counted

enum { KNOWN = 64 }; // words before the step

// How many times as fast as the target alone, were nothing but reading, or nothing but multiplying, to take time: γ
// steps of the draft and one of the target give `tokens`. [Leviathan et al. 2023, §3.3]
static double by_reading(Cost alone, Cost target, Cost draft, double tokens, int gamma)
{
    return tokens * (double)alone.reads / ((double)target.reads + gamma * (double)draft.reads);
}

static double by_multiplying(Cost alone, Cost target, Cost draft, double tokens, int gamma)
{
    return tokens * (double)alone.multiplies / ((double)target.multiplies + gamma * (double)draft.multiplies);
}

// ---- timed

// Two texts, written with γ drafted tokens for each step; and how many rounds they took.
typedef struct {
    const Asked *asked;
    int which, gamma;
    double rounds;
} Write;

static void write_texts(void *context)
{
    Write *w = context;
    w->rounds = 0.0;
    for (int n = 0; n < 2; n++) {
        Arena *scratch = arena_open();
        Writer *writer =
            writer_new(scratch, w->asked, w->gamma ? w->which : ALONE, w->gamma, (Sampling){ 1.0, 1.0 }, (uint64_t)n);
        document_begin(writer->tokens, n);
        speculative_continue(&writer->s, writer->tokens, PROMPT, DOCUMENT_T);
        w->rounds += (double)writer->s.rounds;
        arena_close(scratch);
    }
}

// How long a round takes, in steps of the target alone: γ steps of the draft, one of the target for γ + 1 words. In
// turns of one run.
static void time_all(MeasureSpread rounds_of[DRAFTS][GAMMAS], const Asked *asked, int rounds)
{
    MeasureTimed rows[DRAFTS * GAMMAS];
    Write writes[DRAFTS * GAMMAS];
    for (int m = 0; m < DRAFTS; m++)
        for (int g = 0; g < GAMMAS; g++) {
            int row = m * GAMMAS + g;
            writes[row] = (Write){ asked, m, g, 0.0 };
            write_texts(&writes[row]);
            rows[row] = (MeasureTimed){
                .name = "rounds", .run = write_texts, .context = &writes[row], .work = writes[row].rounds
            };
        }
    measure_best(rows, DRAFTS * GAMMAS, (Measurement){ .rounds = rounds < 3 ? 3 : rounds, .seconds = 120.0 });
    for (int m = 0; m < DRAFTS; m++)
        for (int g = 0; g < GAMMAS; g++) rounds_of[m][g] = measured_ratio(&rows[m * GAMMAS], &rows[m * GAMMAS + g]);
}

// One step of the target for n words behind others, which is taken back.
typedef struct {
    Decoder decoder;
    Mat logits;
    int tokens[DOCUMENT_T], n, known;
} Step;

static void one_step(void *context)
{
    Step *step = context;
    decoder_feed(mat_rows(step->logits, 0, step->n), &step->decoder, step->tokens + step->known, step->n);
    decoder_truncate(&step->decoder, step->known);
}

// How long such a step takes, in steps for one word at the same place.
static void time_steps(MeasureSpread steps[PLACES][SIZES], Arena *arena, const Asked *asked, int rounds)
{
    MeasureTimed rows[PLACES * SIZES];
    Step *all = arena_alloc(arena, PLACES * SIZES * sizeof *all);
    for (int i = 0; i < PLACES * SIZES; i++) {
        Step *s = &all[i];
        s->known = place_known[i / SIZES];
        s->n = step_sizes[i % SIZES];
        s->decoder = decoder_new(arena, asked->target, DOCUMENT_T);
        s->logits = mat_new(arena, DOCUMENT_T, asked->target.config.outputs);
        document_begin(s->tokens, 0);
        decoder_feed(mat_rows(s->logits, 0, s->known), &s->decoder, s->tokens, s->known);
        rows[i] = (MeasureTimed){ .name = "a step", .run = one_step, .context = s, .work = 1.0 };
    }
    measure_best(rows, PLACES * SIZES, (Measurement){ .rounds = rounds < 3 ? 3 : rounds, .seconds = 60.0 });
    for (int i = 0; i < PLACES * SIZES; i++)
        steps[i / SIZES][i % SIZES] = measured_ratio(&rows[i / SIZES * SIZES], &rows[i]);
}

static const char *line_of(Arena *arena, const char *text, const char *name, int number, MeasureSpread spread)
{
    return arena_format(arena, "%s%s %d\t%.4f\t%.4f\t%.4f\n", text, name, number, spread.median, spread.low,
                        spread.high);
}

static void record(Lesson *lesson, const Asked *asked)
{
    Arena *arena = lesson->arena;
    MeasureSpread speeds[DRAFTS][GAMMAS], steps[PLACES][SIZES];
    Error error;
    time_all(speeds, asked, 41);
    time_steps(steps, arena, asked, 41);
    const char *text = arena_format(arena,
                                    "# build/chapters/21_speculative_decoding --record %s\n# cpu: %s, "
                                    "one thread\n# draft and gamma\ta round, in steps of the target alone\tlower "
                                    "quartile\tupper quartile\n",
                                    asked->folder, machine_here(arena));
    for (int m = 0; m < DRAFTS; m++)
        for (int g = 0; g < GAMMAS; g++) text = line_of(arena, text, draft_names[m], g, speeds[m][g]);
    text = arena_format(arena,
                        "%s# words behind others\ta step for them, in steps for one\tlower quartile\tupper "
                        "quartile\n",
                        text);
    for (int place = 0; place < PLACES; place++)
        for (int i = 0; i < SIZES; i++)
            text = line_of(arena, text, arena_format(arena, "behind %d:", place_known[place]), step_sizes[i],
                           steps[place][i]);
    const char *path = arena_format(arena, "%s/speculative-times.tsv", asked->folder);
    if (!file_write(path, text, strlen(text), &error)) lesson_fail(&error);
}

static void show_times(Lesson *lesson, const Asked *asked)
{
    static const char *const cols[] = { "32", "low", "high", "16", "low", "high" };
    MeasureSpread speeds[DRAFTS][GAMMAS];
    time_all(speeds, asked, asked->rounds);
    Rows table = rows_of(lesson, "here: a round, in steps of the target alone", cols, 6);
    for (int g = 1; g < GAMMAS; g++)
        rows_add(&table,
                 ROW(speeds[0][g].median, speeds[0][g].low, speeds[0][g].high, speeds[1][g].median, speeds[1][g].low,
                     speeds[1][g].high),
                 "γ = %d", g);
    show_rows(lesson, &table);
}

static TableRows recorded(Lesson *lesson, const Asked *asked)
{
    TableRows rows;
    Error error;
    const char *file = "speculative-times.tsv";
    if (!bundled_rows(&rows, lesson->arena, asked->program, asked->folder, file, COLUMNS, &error)) lesson_fail(&error);
    if (rows.values.rows == TIMES) return rows;
    error_set(&error, "%s: %d rows; it must have %d, nine for each of two drafts, five for each of two places", file,
              rows.values.rows, TIMES);
    lesson_fail(&error);
}

// ---- told

typedef struct {
    double x[GAMMA_MOST], read[GAMMA_MOST], multiplied[GAMMA_MOST], round[GAMMA_MOST], timed[GAMMA_MOST];
} Speeds;

static int best_of(const double *speeds)
{
    int best = 0;
    for (int g = 1; g < GAMMA_MOST; g++)
        if (speeds[g] > speeds[best]) best = g;
    return best;
}

static Speeds speeds_of(const Asked *asked, int m, TableRows rows, const double *tokens)
{
    Speeds speeds;
    Cost alone = step_cost(asked->target, KNOWN, 1), draft = step_cost(asked->draft[m], KNOWN, 1);
    for (int g = 1; g <= GAMMA_MOST; g++) {
        Cost target = step_cost(asked->target, KNOWN, g + 1);
        speeds.x[g - 1] = g;
        speeds.read[g - 1] = by_reading(alone, target, draft, tokens[g - 1], g);
        speeds.multiplied[g - 1] = by_multiplying(alone, target, draft, tokens[g - 1], g);
        speeds.round[g - 1] = (double)*mat_ref(rows.values, m * GAMMAS + g, 0);
        speeds.timed[g - 1] = tokens[g - 1] / speeds.round[g - 1];
    }
    return speeds;
}

static void show_steps(Lesson *lesson, TableRows rows)
{
    const char *cols[PLACES];
    for (int place = 0; place < PLACES; place++)
        cols[place] = arena_format(lesson->arena, "behind %d", place_known[place]);
    Rows table = rows_of(lesson, "a step of the target for n words, in steps for one: measured", cols, PLACES);
    table.table.given = true;
    for (int i = 1; i < SIZES; i++) {
        const Mat *all = &rows.values;
        rows_add(&table, ROW(*mat_ref(*all, DRAFTS * GAMMAS + i, 0), *mat_ref(*all, DRAFTS * GAMMAS + SIZES + i, 0)),
                 "%d words", step_sizes[i]);
    }
    show_rows(lesson, &table);
}

static void figure_pays(Lesson *lesson, const Speeds *speeds)
{
    static PlotSeries series[DRAFTS][4];
    static double x[2] = { 1, GAMMA_MOST }, one[2] = { 1, 1 };
    Plot plots[DRAFTS];
    for (int m = 0; m < DRAFTS; m++) {
        const Speeds *s = &speeds[m];
        series[m][0] = (PlotSeries){ .name = "only reading", .x = s->x, .y = s->read, .count = GAMMA_MOST };
        series[m][1] = (PlotSeries){ .name = "only multiplying", .x = s->x, .y = s->multiplied, .count = GAMMA_MOST };
        series[m][2] = (PlotSeries){ .name = "measured", .x = s->x, .y = s->timed, .count = GAMMA_MOST, .dots = true };
        series[m][3] = (PlotSeries){ .name = "target alone", .x = x, .y = one, .count = 2, .dashed = true };
        plots[m] = (Plot){ .title = draft_names[m],
                           .x_title = "γ, tokens drafted for a step",
                           .y_title = "times as fast",
                           .series = series[m],
                           .count = 4,
                           .height = 300 };
    }
    figure_plots(lesson, "pays.png",
                 "speed against the target alone, if only reading took time, if only multiplying "
                 "did, and as it was measured",
                 plots, DRAFTS);
}

void when_it_pays(Lesson *lesson, const Asked *asked, Tokens tokens)
{
    step(lesson, "When it pays");
    if (asked->folder) record(lesson, asked);
    TableRows rows = recorded(lesson, asked);
    static const char *const cols[] = { "reading", "multiply", "a round", "measured" };
    Speeds speeds[DRAFTS];
    Cost alone = step_cost(asked->target, KNOWN, 1);
    int numbers = (int)config_parameters(&asked->target.config);
    say(lesson, "The target has %d,%03d numbers.", numbers / 1000, numbers % 1000);
    for (int m = 0; m < DRAFTS; m++) {
        Cost draft = step_cost(asked->draft[m], KNOWN, 1);
        speeds[m] = speeds_of(asked, m, rows, tokens[m]);
        Rows table =
            rows_of(lesson, arena_format(lesson->arena, "%s: times as fast as the target alone", draft_names[m]), cols,
                    4);
        for (int g = 0; g < GAMMA_MOST; g++)
            rows_add(&table, ROW(speeds[m].read[g], speeds[m].multiplied[g], speeds[m].round[g], speeds[m].timed[g]),
                     "γ = %d", g + 1);
        table.table.given = true;
        show_rows(lesson, &table);
        say(lesson,
            "A step of this draft reads %.3f of what a step of the target does, and multiplies %.3f. Measured, "
            "γ = %d is best: %.2f.",
            (double)draft.reads / (double)alone.reads, (double)draft.multiplies / (double)alone.multiplies,
            best_of(speeds[m].timed) + 1, speeds[m].timed[best_of(speeds[m].timed)]);
    }
    show_steps(lesson, rows);
    bool never = true, reads = true;
    for (int m = 0; m < DRAFTS; m++)
        for (int g = 0; g < GAMMA_MOST; g++) {
            never = never && speeds[m].multiplied[g] < 1.0;
            reads = reads && speeds[m].read[g] > 1.0;
        }
    check(lesson, never,
          "where multiplications take the time, drafts never pay: none is saved, and some are thrown "
          "away");
    check(lesson, reads,
          "where reading takes the time, they pay with both drafts at every γ: best %.2f with γ = %d "
          "and language-32, %.2f with γ = %d and language-16",
          speeds[0].read[best_of(speeds[0].read)], best_of(speeds[0].read) + 1, speeds[1].read[best_of(speeds[1].read)],
          best_of(speeds[1].read) + 1);
    if (asked->rounds) show_times(lesson, asked);
    figure_pays(lesson, speeds);
}
