// Chapter 09, step 9. Five seeds of model B, none left out, and the same width in more heads and in fewer.
#include "steps.h"

#include <math.h>

void five_seeds(Lesson *lesson, NamedRows seeds)
{
    step(lesson, "Five seeds, and none left out");
    static const char *const cols[] = { "det", "attr", "verb", "aux", "it", "pron", "dup" };
    show_table(lesson, (Table){ .name = "the best head for each relation, of model B with H = 4 and H = 8",
                                .values = mat_cols(seeds.values, 0, 7), .rows = seeds.names, .cols = cols });
    double least = 1.0;
    int clean = 0, below = 0, all = seeds.values.rows;
    for (int n = 0; n < all; n++) {
        bool each = true;
        for (int c = 0; c < 7; c++) each = each && *mat_ref(seeds.values, n, c) >= 0.9f;
        clean += each;
        below += *mat_ref(seeds.values, n, 4) < 0.9f;
        least = fmin(least, mat_value(seeds.values, n, 7));
    }
    check(lesson, below == 0, "in all %d trainings some head finds what \"it\" stands for, in 0.9 or more", all);
    check(lesson, least > 0.98, "in each of them one head changes its noun in more than 0.98 of 200 pairs");
    check(lesson, clean <= 1, "a head with 0.9 or more for each of the seven: %d of %d trainings", clean, all);
}

// Columns of widths.tsv, after the width of a head.
enum { LOSS = 1, LEAST, MOST, ACCURACY, PEAK };

void widths(Lesson *lesson, NamedRows rows)
{
    static const char *const cols[] = { "loss", "least", "largest", "accuracy" };
    Rows table = rows_of(lesson, "one width, more heads: 450 steps, mean and range of three seeds", cols, 4);
    table.table.decimals = 3;
    int last = rows.values.rows - 1, best = 0;                 // the last row has no bonus
    for (int n = 0; n < last; n++) {
        rows_add_from(&table, mat_cols(rows.values, LOSS, 4), n, "%s, d = %.0f", rows.names[n],
                      mat_value(rows.values, n, 0));
        if (*mat_ref(rows.values, n, LOSS) < *mat_ref(rows.values, best, LOSS)) best = n;
    }
    show_rows(lesson, &table);
    check(lesson, best > 0 && best + 1 < last, "the loss is least at %s: neither with one head nor with many",
          table.labels[best]);
    say(lesson, "H = 4 without the bonus: loss %.3f, accuracy %.3f; the largest weight of a row is %.2f on the mean, "
        "with the bonus %.2f.", mat_value(rows.values, last, LOSS), mat_value(rows.values, last, ACCURACY),
        mat_value(rows.values, last, PEAK), mat_value(rows.values, 2, PEAK));
}
