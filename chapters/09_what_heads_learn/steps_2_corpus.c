// Chapter 09, steps 2 and 3. A corpus that only the past explains, and the loss of a model that learns to copy in it.
#include "language/chunks.h"
#include "steps.h"

#include <math.h>
#include <stdlib.h>

// ---- 2

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
        show_table(lesson, (Table){ .name = name, .values = rows, .hidden = hidden, .rows = names, .decimals = -1 });
    }
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

static double at_step(NamedRows curve, int wanted, int column)
{
    for (int n = 0; n < curve.values.rows; n++)
        if (atoi(curve.names[n]) == wanted) return mat_value(curve.values, n, column);
    return NAN;
}

static void train_here(Lesson *lesson, NamedRows live)
{
    int count = live.values.rows, last = atoi(live.names[count - 1]);
    if (last < 700) return;
    check(lesson, at_step(live, 300, 0) > 2.5, "trained here and now: at step 300 the loss is above 2.5");
    check(lesson, at_step(live, last, 0) < 0.5 && at_step(live, last, 1) > 0.6 && at_step(live, last, 2) > 0.8,
          "at step %d it is below 0.5, with masses above 0.6 and 0.8", last);
}

static void table_of_the_fall(Lesson *lesson, NamedRows curve, int last)
{
    static const char *const cols[] = { "loss", "previous", "induction" };
    Rows rows = rows_of(lesson, "on 64 fresh sequences", cols, 3);
    int apart = last > 500 ? 100 : 50;
    for (int n = 0; n < curve.values.rows; n++) {
        int at = atoi(curve.names[n]);
        if (at % apart == 0) rows_add_from(&rows, curve.values, n, "step %d", at);
    }
    show_rows(lesson, &rows);
}

static void figure_of_the_fall(Lesson *lesson, NamedRows curve)
{
    Arena *arena = lesson->arena;
    int count = curve.values.rows;
    double *x = arena_alloc(arena, (size_t)count * sizeof *x), *y[3];
    for (int n = 0; n < count; n++) x[n] = atof(curve.names[n]);
    for (int c = 0; c < 3; c++) {
        y[c] = arena_alloc(arena, (size_t)count * sizeof *x);
        for (int n = 0; n < count; n++) y[c][n] = mat_value(curve.values, n, c);
    }
    Series series[] = { { "loss", x, y[0], count, false, false, NULL },
                        { "previous", x, y[1], count, false, false, NULL },
                        { "induction", x, y[2], count, false, false, NULL } };
    const Plot plots[] = {
        { .title = "Two heads appear, and the loss falls", .y_title = "loss, in nats", .series = series, .count = 1,
          .y_low = 0.0, .y_high = 4.0, .height = 250 },
        { .x_title = "training step", .y_title = "mass of the best head", .series = series + 1, .count = 2,
          .y_low = 0.0, .y_high = 1.0, .height = 270 },
    };
    figure_plots(lesson, "fall.png", "the loss falls while both heads appear", plots, 2);
}

// Model A is trained here and now. The table and the figure show that run with --train, else the one that is kept.
void the_fall(Lesson *lesson, const char *program, const char *tables, int steps)
{
    step(lesson, "The fall");
    NamedRows live = train_live(lesson, steps ? steps : 700);
    NamedRows curve = steps ? live : table_of(lesson, program, tables, "induction-curve.tsv", 3);
    int last = atoi(curve.names[curve.values.rows - 1]);
    table_of_the_fall(lesson, curve, last);
    if (!steps) {
        check(lesson, at_step(curve, 300, 0) > 2.5 && at_step(curve, 300, 2) < 0.3,
              "at step 300 the loss is still above 2.5, and no head is an induction head");
        check(lesson, at_step(curve, last, 0) < 0.1 && at_step(curve, last, 1) > 0.8 && at_step(curve, last, 2) > 0.9,
              "at the end: loss below 0.1, previous-token mass above 0.8, induction mass above 0.9");
    }
    figure_of_the_fall(lesson, curve);
    train_here(lesson, live);
}
