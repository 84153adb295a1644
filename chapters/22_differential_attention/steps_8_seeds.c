// Chapter 22, steps 8 and 9. Five seeds of all forms, against both baselines of equal size; what the second map does.
#include "base/portable_math.h"
#include "steps.h"
#include "train/bundled.h"

#include <string.h>

// Lowest, mean and highest of a column over the seeds of a form.
typedef struct {
    double low, mean, high;
} Spread;
typedef struct {
    const char *name;
    int seeds;
    double value[COLUMNS][SEEDS];
} Form22;

static void forms_of(Lesson *lesson, const Asked *asked, Form22 *forms)
{
    TableRows rows;
    Error error;
    if (!bundled_rows(&rows, lesson->arena, asked->program, asked->folder, "facts.tsv", COLUMNS, &error))
        lesson_fail(&error);
    for (int f = 0; f < FORMS; f++) {
        forms[f] = (Form22){ .name = form_names[f] };
        for (int r = 0; r < rows.values.rows; r++) {
            size_t length = strlen(form_names[f]);
            if (strncmp(rows.names[r], form_names[f], length) || rows.names[r][length] != ';') continue;
            if (forms[f].seeds == SEEDS) continue;
            for (int c = 0; c < COLUMNS; c++) forms[f].value[c][forms[f].seeds] = mat_value(rows.values, r, c);
            forms[f].seeds++;
        }
        if (forms[f].seeds == SEEDS) continue;
        error_set(&error, "facts.tsv: there are %d lines of \"%s; seed …\", %d are needed", forms[f].seeds,
                  form_names[f], SEEDS);
        lesson_fail(&error);
    }
}

static Spread spread(const Form22 *form, int column)
{
    Spread s = { INFINITY, 0.0, -INFINITY };
    for (int n = 0; n < SEEDS; n++) {
        s.low = fmin(s.low, form->value[column][n]);
        s.high = fmax(s.high, form->value[column][n]);
        s.mean += form->value[column][n] / SEEDS;
    }
    return s;
}

// ---- 8. Five seeds

static void show_forms(Lesson *lesson, const Form22 *forms, const Form *which, int count, const char *name)
{
    static const char *const cols[] = { "low", "mean", "high", "at 512", "loss", "fact", "noise" };
    Rows table = rows_of(lesson, name, cols, 7);
    table.table.decimals = 3;
    for (int n = 0; n < count; n++) {
        const Form22 *form = &forms[which[n]];
        Spread right = spread(form, RIGHT);
        rows_add(&table,
                 ROW(right.low, right.mean, right.high, spread(form, RIGHT + 3).mean, spread(form, LOSS).mean,
                     spread(form, FACT).mean, spread(form, NOISE).mean),
                 "%s", form->name);
    }
    show_rows(lesson, &table);
}

// Dots are means of five seeds, bars reach from the lowest to the highest. Colours go round after six series, so that
// the bar of a form and its dots, six apart, have one. Names stand at the third length, where no bar is in their way.
static void figure_lengths(Lesson *lesson, const char *file, const char *caption, const char *title,
                           const char *y_title, const Form22 *forms, int first_column, double low)
{
    enum { DRAWN = 3, ROUND = 6, ENDS = 3 * LENGTHS };
    static const Form which[DRAWN] = { HEADS_4, DIFFERENTIAL, HEADS_2 };
    static double bar_x[DRAWN][ENDS], bar_y[DRAWN][ENDS], x[DRAWN][LENGTHS], y[DRAWN][LENGTHS];
    static const char *names[DRAWN][LENGTHS];
    PlotSeries series[ROUND + DRAWN] = { { 0 } };
    for (int f = 0; f < DRAWN; f++) {
        for (int n = 0; n < LENGTHS; n++) {
            Spread s = spread(&forms[which[f]], first_column + n);
            x[f][n] = lengths[n] * (1.0 + 0.05 * (f - 1)); // beside each other
            y[f][n] = s.mean;
            for (int end = 0; end < 3; end++) bar_x[f][3 * n + end] = x[f][n];
            bar_y[f][3 * n] = s.low;
            bar_y[f][3 * n + 1] = s.high;
            bar_y[f][3 * n + 2] = NAN;
        }
        series[f] = (PlotSeries){ .x = bar_x[f], .y = bar_y[f], .count = ENDS };
        names[f][2] = forms[which[f]].name;
        series[ROUND + f] = (PlotSeries){ .x = x[f], .y = y[f], .count = LENGTHS, .dots = true, .labels = names[f] };
    }
    figure_plot(lesson, file, caption,
                (Plot){ .title = title,
                        .x_title = "tokens of facts and noise (trained with 64)",
                        .y_title = y_title,
                        .series = series,
                        .count = ROUND + DRAWN,
                        .log_x = true,
                        .y_low = low,
                        .y_high = 1,
                        .width = 720 });
}

static bool all_above(const Form22 *a, const Form22 *b, int column)
{
    return spread(a, column).low > spread(b, column).high;
}

void five_seeds(Lesson *lesson, Transformer model, const Asked *asked)
{
    step(lesson, "Five seeds, two baselines");
    Form22 forms[FORMS];
    forms_of(lesson, asked, forms);
    Config four = form_config(HEADS_4), two = form_config(HEADS_2), pairs = form_config(DIFFERENTIAL);
    check(lesson,
          config_parameters(&four) == config_parameters(&two) &&
              config_parameters(&pairs) - config_parameters(&four) == 4 * 8 + 16,
          "the baselines have %d numbers each, the differential model %d more: lambda's and the norm's",
          (int)config_parameters(&four), (int)(config_parameters(&pairs) - config_parameters(&four)));
    if (!asked->path)
        check(lesson,
              fabs(facts_answers(model, lengths[0], 7).right - forms[DIFFERENTIAL].value[RIGHT][0]) < 1e-3 &&
                  fabs(facts_lambda(model) - forms[DIFFERENTIAL].value[LAMBDA][0]) < 1e-3,
              "step 7's model is within 0.001 of its line in the table");
    static const Form main_forms[] = { HEADS_4, DIFFERENTIAL, HEADS_2 };
    show_forms(lesson, forms, main_forms, 3, "right answers of five seeds; at 512; and means at 64");
    check(lesson, all_above(&forms[DIFFERENTIAL], &forms[HEADS_2], RIGHT),
          "every seed with pairs answers more than any with half as many, wider heads");
    check(lesson, spread(&forms[HEADS_4], RIGHT).mean > spread(&forms[DIFFERENTIAL], RIGHT).mean,
          "but the mean of as many plain heads as there are maps is above that of pairs");
    static const Form longer[] = { HEADS_4_LONG, DIFFERENTIAL_LONG, HEADS_2_LONG };
    show_forms(lesson, forms, longer, 3, "trained three times as long");
    figure_lengths(lesson, "right.png",
                   "right answers by length: dots are means of five seeds, bars reach from the "
                   "lowest to the highest",
                   "More noise than in training", "right answers", forms, RIGHT, 0.5);
    figure_lengths(lesson, "share.png",
                   "share of the weight on the fact, signs left aside: means of five seeds, and "
                   "their range",
                   "How much of the weight is on the fact", "share of |weight|", forms, FACT, 0.0);
}

// ---- 9. What is the second map for?

// Whether every seed with λ < 0 answers more at 512 than any with λ > 0, and there are both.
static bool adding_holds(const Form22 *form)
{
    double adding = INFINITY, subtracting = -INFINITY;
    for (int s = 0; s < SEEDS; s++) {
        double right = form->value[RIGHT + 3][s];
        if (form->value[LAMBDA][s] < 0.0) adding = fmin(adding, right);
        else subtracting = fmax(subtracting, right);
    }
    return isfinite(adding) && isfinite(subtracting) && adding > subtracting;
}

void what_the_second_does(Lesson *lesson, const Asked *asked)
{
    step(lesson, "What the second map does");
    Form22 forms[FORMS];
    forms_of(lesson, asked, forms);
    static const char *const seeds[] = { "seed 0", "1", "2", "3", "4" };
    static const Form learned[] = { DIFFERENTIAL, NO_NORM, DEEP };
    Rows table = rows_of(lesson, "lambda; how often the fact's weight is below 0; right at 512", seeds, SEEDS);
    int negative = 0, second = 0;
    for (int n = 0; n < 3; n++) {
        const Form22 *form = &forms[learned[n]];
        rows_add(&table, form->value[LAMBDA], "%s", form->name);
        rows_add(&table, form->value[NEGATIVE], "    below 0");
        rows_add(&table, form->value[RIGHT + 3], "    at 512");
        for (int s = 0; s < SEEDS; s++) {
            negative += form->value[LAMBDA][s] < 0.0;
            second += form->value[NEGATIVE][s] > 0.1;
        }
    }
    show_rows(lesson, &table);
    check(lesson, negative > 0, "in %d of 15 trainings lambda became negative: the second map is added", negative);
    check(lesson, negative + second == 3 * SEEDS,
          "in the other %d the second map finds facts by itself, and their "
          "weight is below 0",
          second);
    check(lesson, adding_holds(&forms[DIFFERENTIAL]),
          "at 512 every differential model that adds is above every one "
          "that subtracts");
    static const Form parts[] = { DIFFERENTIAL, FIXED, NO_NORM, DEEP, HEADS_4, HEADS_4_NORM, HEADS_2, HEADS_2_NORM };
    show_forms(lesson, forms, parts, sizeof parts / sizeof *parts, "one thing changed at a time");
    check(lesson,
          all_above(&forms[HEADS_4], &forms[HEADS_4_NORM], RIGHT + 3) &&
              all_above(&forms[HEADS_2], &forms[HEADS_2_NORM], RIGHT + 3),
          "at 512 no plain model with norms of its heads reaches one without");
    check(lesson, all_above(&forms[DEEP], &forms[DIFFERENTIAL], RIGHT + 3),
          "at 512 every pair that began with 0.8 is above every one that began with 0.2");
}
