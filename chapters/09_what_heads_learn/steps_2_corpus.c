// Chapter 09, steps 2 and 3. A corpus that only the past explains, and the loss of a model that learns to copy in it.
#include "base/portable_math.h"
#include "language/chunks.h"
#include "language/translator.h"
#include "steps.h"

#include <stdlib.h>

// ---- 2

// Chunks of which an answer tells: what follows what, from every token that follows none.
static const char *chunks_that_return(Arena *arena, const int *tokens, const int *targets, int T)
{
    int next[CHUNKS_VOCABULARY];
    bool first[CHUNKS_VOCABULARY];
    for (int v = 0; v < CHUNKS_VOCABULARY; v++) next[v] = -1;
    for (int v = 0; v < CHUNKS_VOCABULARY; v++) first[v] = true;
    for (int t = 0; t < T; t++) {
        if (targets[t] < 0) continue;
        next[tokens[t]] = targets[t];
        first[targets[t]] = false;
    }
    const char *list = "";
    for (int t = 0; t < T; t++) {
        if (!first[tokens[t]] || next[tokens[t]] < 0) continue;
        first[tokens[t]] = false;
        list = arena_format(arena, "%s%s%d", list, *list ? ", " : "", tokens[t]);
        for (int v = next[tokens[t]]; v >= 0; v = next[v]) list = arena_format(arena, "%s %d", list, v);
    }
    return list;
}

void the_corpus(Lesson *lesson)
{
    enum { T = CHUNKS_T, ACROSS = 11 };
    step(lesson, "A corpus that only the past explains");
    Arena *arena = lesson->arena;
    static const char *const names[] = { "token", "answer" };
    int tokens[T], targets[T], asked = 0, right = 0;
    Random random = lesson->random;
    chunks_sequence(tokens, targets, T, CHUNKS_VOCABULARY, &random);
    for (int first = 0; first < T; first += ACROSS) {
        int count = first + ACROSS < T ? ACROSS : T - first;
        Mat rows = mat_new(arena, 2, count), hidden = mat_new(arena, 2, count);
        for (int t = 0; t < count; t++) {
            *mat_ref(rows, 0, t) = (float)tokens[first + t];
            *mat_ref(rows, 1, t) = (float)targets[first + t];
            *mat_ref(hidden, 1, t) = targets[first + t] < 0;
        }
        const char *name = arena_format(arena, "a sequence, positions %d to %d", first, first + count - 1);
        show_table(lesson,
                   (Table){
                       .name = name, .values = rows, .hidden = hidden, .rows = names, .decimals = -1, .given = true });
    }
    say(lesson, "Its chunks that come again: %s.", chunks_that_return(arena, tokens, targets, T));
    for (int t = 0; t < T; t++) {
        if (targets[t] < 0) continue;
        int earlier = t - 1;
        while (earlier >= 0 && tokens[earlier] != tokens[t]) earlier--;
        asked++;
        right += earlier >= 0 && tokens[earlier + 1] == targets[t];
    }
    check(lesson, right == asked, "each of the %d answers is what followed the same token before", asked);
}

// ---- 3

static double at_step(TableRows curve, int wanted, int column)
{
    for (int n = 0; n < curve.values.rows; n++)
        if (atoi(curve.names[n]) == wanted) return mat_value(curve.values, n, column);
    return NAN;
}

static void train_here(Lesson *lesson, TableRows live)
{
    int count = live.values.rows, last = atoi(live.names[count - 1]);
    if (last < 700) return;
    check(lesson, at_step(live, BEFORE_IT, LOSS) > 2.5, "trained here and now: at step %d the loss is above 2.5",
          BEFORE_IT);
    check(lesson,
          at_step(live, last, LOSS) < 0.5 && at_step(live, last, PREVIOUS) > 0.6 &&
              at_step(live, last, INDUCTION) > 0.8,
          "at step %d it is below 0.5, with masses above 0.6 and 0.8", last);
}

static void table_of_the_fall(Lesson *lesson, TableRows curve, int last)
{
    static const char *const cols[] = { "loss", "occurred", "among", "previous", "induction" };
    Rows rows = rows_of(lesson, "on 64 fresh sequences", cols, FALL_COLUMNS);
    int apart = last > 500 ? 100 : 50;
    for (int n = 0; n < curve.values.rows; n++) {
        int at = atoi(curve.names[n]);
        if (at % apart == 0) rows_add_from(&rows, curve.values, n, "step %d", at);
    }
    show_rows(lesson, &rows);
}

// What is learned before the fall: which tokens have occurred, and not which of them follows.
static void before_it(Lesson *lesson, TableRows curve, const Fall *live)
{
    say(lesson, "Shared out evenly among the tokens that have occurred, `among` would be %.2f.", live->even);
    if (!live->flat.previous) return; // --train stopped before
    check(lesson,
          at_step(curve, BEFORE_IT, OCCURRED) > at_step(curve, 0, OCCURRED) + 0.2 &&
              at_step(curve, BEFORE_IT, AMONG) > live->even,
          "at step %d more of the probability goes to tokens that have occurred, shared no better than evenly",
          BEFORE_IT);
    say(lesson,
        "At step %d the likeliest token is the answer in %.2f of the cases, a guess among those that have "
        "occurred in %.2f.",
        BEFORE_IT, live->before.accuracy, live->before.guess);
    say(lesson,
        "At step %d with all queries 0, so that every head looks at all tokens alike: occurred %.2f, among "
        "%.2f.",
        BEFORE_IT, live->flat.occurred, live->flat.among);
    check(lesson, fabs(live->flat.occurred - at_step(live->curve, BEFORE_IT, OCCURRED)) < 0.05,
          "what has occurred needs no head that looks for anything");
    double induction = at_step(live->curve, BEFORE_IT, INDUCTION);
    say(lesson,
        "At step %d the induction mass is %.2f; when layer 0 looks at all tokens alike %.2f, and without layer "
        "0 %.2f.",
        BEFORE_IT, induction, live->alike.best_induction, live->alone.best_induction);
    check(lesson, fabs(live->alike.best_induction - induction) < 0.03 && live->alone.best_induction < induction - 0.02,
          "it rests on layer 0, whose heads need not prefer any token for that");
}

// The same with four other starts, as they are kept.
static void other_starts(Lesson *lesson, TableRows starts)
{
    double low[STARTS_COLUMNS] = { 1.0, 1.0, 1.0 }, high[STARTS_COLUMNS] = { 0.0 }, apart = 1.0;
    for (int n = 0; n < OTHER_STARTS; n++) {
        for (int c = 0; c < STARTS_COLUMNS; c++) {
            low[c] = fmin(low[c], mat_value(starts.values, n, c));
            high[c] = fmax(high[c], mat_value(starts.values, n, c));
        }
        apart = fmin(apart, mat_value(starts.values, n, AS_IT_IS) - mat_value(starts.values, n, ALONE));
    }
    say(lesson, "With starts 1 to %d the three are %.2f to %.2f, %.2f to %.2f, and %.2f to %.2f.", OTHER_STARTS,
        low[AS_IT_IS], high[AS_IT_IS], low[ALIKE], high[ALIKE], low[ALONE], high[ALONE]);
    check(lesson, apart > 0.02, "with each of them it is less without layer 0, by more than 0.02");
}

static void figure_of_the_fall(Lesson *lesson, TableRows curve, double even)
{
    Arena *arena = lesson->arena;
    int count = curve.values.rows;
    double *x = arena_alloc(arena, (size_t)count * sizeof *x), *y[FALL_COLUMNS];
    for (int n = 0; n < count; n++) x[n] = atof(curve.names[n]);
    for (int c = 0; c < FALL_COLUMNS; c++) {
        y[c] = arena_alloc(arena, (size_t)count * sizeof *x);
        for (int n = 0; n < count; n++) y[c][n] = mat_value(curve.values, n, c);
    }
    const double ends[] = { x[0], x[count - 1] }, level[] = { even, even };
    const PlotSeries loss[] = { { .name = "loss", .x = x, .y = y[LOSS], .count = count },
                                { .name = "among", .x = x, .y = y[AMONG], .count = count },
                                { .name = "even", .x = ends, .y = level, .count = 2, .dashed = true } };
    const PlotSeries masses[] = { { .name = "previous", .x = x, .y = y[PREVIOUS], .count = count },
                                  { .name = "induction", .x = x, .y = y[INDUCTION], .count = count },
                                  { .name = "occurred", .x = x, .y = y[OCCURRED], .count = count, .dashed = true } };
    const Plot plots[] = {
        { .title = "Two heads appear, and the loss falls",
          .y_title = "loss, in nats",
          .series = loss,
          .count = 3,
          .y_low = 0.0,
          .y_high = 4.0,
          .height = 250 },
        { .x_title = "training step",
          .y_title = "mass of the best head; probability of what occurred",
          .series = masses,
          .count = 3,
          .taken = 2,
          .y_low = 0.0,
          .y_high = 1.0,
          .height = 270 },
    };
    figure_plots(lesson, "fall.png", "the loss falls while both heads appear", plots, 2);
}

// As they are trained: steps of so many sequences, the rate and how it goes.
static void say_recipes(Lesson *lesson)
{
    TrainingRecipe a = induction_recipe(0), b = translator_recipe(0);
    say(lesson,
        "Model A: %d steps of %d sequences; the rate rises to %g in %d steps and stays. Model B: %d steps of "
        "%d sentences; to %g in %d, from %g of the way falling to %g of that; decay %g. Both: AdamW keeps %g of its "
        "mean and %g of its mean square in a step; a gradient longer than %g is cut to that length.",
        a.steps, a.batch, a.lr, a.warmup, b.steps, b.batch, b.lr, b.warmup, b.plateau, b.floor, b.adamw.decay,
        b.adamw.beta1, b.adamw.beta2, b.clip);
}

// Model A is trained here and now. The table and the figure show that run with --train, else the one that is kept.
void the_fall(Lesson *lesson, const char *program, const char *tables, int steps, int seed)
{
    step(lesson, "The fall");
    Fall live = train_live(lesson, steps ? steps : 700, seed);
    TableRows curve = steps ? live.curve : table_of(lesson, program, tables, "induction-curve.tsv", FALL_COLUMNS);
    int last = atoi(curve.names[curve.values.rows - 1]);
    say_recipes(lesson);
    table_of_the_fall(lesson, curve, last);
    if (!steps) {
        check(lesson, at_step(curve, BEFORE_IT, LOSS) > 2.5 && at_step(curve, BEFORE_IT, INDUCTION) < 0.3,
              "at step %d the loss is still above 2.5, and the induction mass below 0.3", BEFORE_IT);
        check(lesson,
              at_step(curve, last, LOSS) < 0.1 && at_step(curve, last, PREVIOUS) > 0.8 &&
                  at_step(curve, last, INDUCTION) > 0.9,
              "at the end: loss below 0.1, previous-token mass above 0.8, induction mass above 0.9");
    }
    before_it(lesson, curve, &live);
    if (!steps) other_starts(lesson, table_of(lesson, program, tables, "starts.tsv", STARTS_COLUMNS));
    figure_of_the_fall(lesson, curve, live.even);
    if (live.flat.previous)
        figure_note(lesson, &live.early, &live.late, atoi(live.curve.names[live.curve.values.rows - 1]));
    train_here(lesson, live.curve);
}
