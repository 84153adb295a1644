// Chapter 09, step 9. Five seeds of model B, none left out, and the same width in more heads and in fewer.
#include "steps.h"

#include <math.h>

// The least of the first `count` scores of a training.
static double least_of(NamedRows seeds, int n, int count)
{
    double least = 1.0;
    for (int c = 0; c < count; c++) least = fmin(least, mat_value(seeds.values, n, c));
    return least;
}

// The last of the scores; how many; trainings of one H; trainings without the bonus, in the rows behind those.
enum { FINDS_IT = 4, DUP = 6, SCORES, SWITCH = SCORES, SEEDS_EACH = 5, WITH_BONUS = 2 * SEEDS_EACH, WITHOUT = 3 };

// Sentences that seeds.tsv is of (tests/train/check.c). Step 8 draws from the same seed: the first of them.
enum { SWEPT = 600 };

// Of trainings first … first + 4 the best at `dup` among those whose other scores are all 1.00.
static int best_at_dup(NamedRows seeds, int first)
{
    int best = first;
    for (int n = first; n < first + SEEDS_EACH; n++) {
        bool better = mat_value(seeds.values, n, DUP) > mat_value(seeds.values, best, DUP);
        if (least_of(seeds, n, DUP) >= 1.0 && (better || least_of(seeds, best, DUP) < 1.0)) best = n;
    }
    return best;
}

// … and the one whose worst score is best.
static int best_worst(NamedRows seeds, int first)
{
    int best = first;
    for (int n = first; n < first + SEEDS_EACH; n++)
        if (least_of(seeds, n, SCORES) > least_of(seeds, best, SCORES)) best = n;
    return best;
}

// The seeds of data/train.c.
static void which_are_kept(Lesson *lesson, NamedRows seeds)
{
    int four = best_at_dup(seeds, 0), eight = best_worst(seeds, SEEDS_EACH), other = best_worst(seeds, 0);
    check(lesson, four == 4, "glosses-4 is %s: of those with 1.00 for the first six the best at dup, %.2f",
          seeds.names[four], mat_value(seeds.values, four, DUP));
    check(lesson, eight == SEEDS_EACH + 1, "glosses-8 is %s: its least share, %.2f, is the largest least one",
          seeds.names[eight], least_of(seeds, eight, SCORES));
    say(lesson, "By the second rule glosses-4 would be %s, with %.2f.", seeds.names[other],
        least_of(seeds, other, SCORES));
}

// Is it the bonus that makes heads so neat?
static void without_the_bonus(Lesson *lesson, NamedRows seeds)
{
    double roles = 1.0, it[WITHOUT], turns[WITHOUT];
    for (int n = 0; n < WITHOUT; n++) {
        roles = fmin(roles, least_of(seeds, WITH_BONUS + n, FINDS_IT));
        it[n] = mat_value(seeds.values, WITH_BONUS + n, FINDS_IT);
        turns[n] = mat_value(seeds.values, WITH_BONUS + n, SWITCH);
    }
    check(lesson, roles >= 0.9 && fmax(it[1], it[2]) >= 0.9 && it[0] < 0.9,
          "without the bonus the best heads for det, attr, verb and aux are as good, and for \"it\" in 2 of 3 "
          "trainings");
    say(lesson, "In the other the best head finds it in %.2f, and changes its noun in %.3f of the pairs.", it[0],
        turns[0]);
}

void five_seeds(Lesson *lesson, NamedRows seeds)
{
    step(lesson, "Five seeds, and none left out");
    static const char *const cols[] = { "det", "attr", "verb", "aux", "it", "pron", "dup" };
    if (!check(lesson, seeds.values.rows == WITH_BONUS + WITHOUT, "five trainings each, and %d without the bonus",
               WITHOUT)) return;
    show_table(lesson, (Table){ .name = arena_format(lesson->arena, "model B: share right of the best head, in %d "
                                                      "sentences", SWEPT),
                                .values = mat_cols(seeds.values, 0, SCORES), .rows = seeds.names, .cols = cols });
    say(lesson, "Step 8 has the first %d of these sentences, so its shares differ a little.", SENTENCES);
    double least = 1.0;
    int clean = 0, below = 0;
    for (int n = 0; n < WITH_BONUS; n++) {
        clean += least_of(seeds, n, SCORES) >= (double)0.9f;
        below += *mat_ref(seeds.values, n, FINDS_IT) < 0.9f;
        least = fmin(least, mat_value(seeds.values, n, SWITCH));
    }
    check(lesson, below == 0, "in all %d trainings with the bonus some head finds what \"it\" stands for, in 0.9 or "
          "more", WITH_BONUS);
    check(lesson, least > 0.98, "in each of them one head changes its noun in more than 0.98 of 200 pairs");
    check(lesson, clean <= 1, "a head with 0.9 or more for each of the seven: %d of %d trainings", clean, WITH_BONUS);
    without_the_bonus(lesson, seeds);
    which_are_kept(lesson, seeds);
}

// Columns of widths.tsv, after the width of a head.
enum { MEAN_LOSS = 1, LEAST, MOST, ACCURACY, PEAK };

void widths(Lesson *lesson, NamedRows rows)
{
    static const char *const cols[] = { "loss", "least", "largest", "accuracy" };
    Rows table = rows_of(lesson, "one width, more heads: 450 steps, mean and range of three seeds", cols, 4);
    table.table.decimals = 3;
    int last = rows.values.rows - 1, best = 0;                 // the last row has no bonus
    for (int n = 0; n < last; n++) {
        rows_add_from(&table, mat_cols(rows.values, MEAN_LOSS, 4), n, "%s, d = %.0f", rows.names[n],
                      mat_value(rows.values, n, 0));
        if (*mat_ref(rows.values, n, MEAN_LOSS) < *mat_ref(rows.values, best, MEAN_LOSS)) best = n;
    }
    show_rows(lesson, &table);
    check(lesson, best > 0 && best + 1 < last, "the loss is least at %s: neither with one head nor with many",
          table.labels[best]);
    say(lesson, "The loss is −log p alone: the bonus is not in it. H = 4 without the bonus, mean of three seeds: loss "
        "%.3f, accuracy %.3f; the largest weight of a row is %.2f on average, with the bonus %.2f.",
        mat_value(rows.values, last, MEAN_LOSS), mat_value(rows.values, last, ACCURACY),
        mat_value(rows.values, last, PEAK), mat_value(rows.values, 2, PEAK));
}
