// Chapter 09, step 7. Five seeds of model B, none left out, and the same width in more heads and in fewer.
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

void widths(Lesson *lesson, NamedRows rows)
{
    static const char *const cols[] = { "loss", "accuracy" };
    Rows table = rows_of(lesson, "the same width in more heads: 450 steps, the mean of three seeds", cols, 2);
    table.table.decimals = 3;
    for (int n = 0; n < rows.values.rows; n++)
        rows_add_from(&table, mat_cols(rows.values, 1, 2), n, "%s, d = %.0f", rows.names[n],
                      mat_value(rows.values, n, 0));
    show_rows(lesson, &table);
    int best = 0;
    for (int n = 1; n < rows.values.rows; n++)
        if (*mat_ref(rows.values, n, 1) < *mat_ref(rows.values, best, 1)) best = n;
    check(lesson, best > 0 && best + 1 < rows.values.rows,
          "the loss is least at %s: neither with one head nor with many", table.labels[best]);
}
